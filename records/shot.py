"""Few-shot examples that the split lists: `data/splits/shots.jsonl`."""

from typing import Literal

from msgspec import Struct


class Shot(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One example of a subject and question type; those of one list are no kin of each other."""

    exam: str
    subject: str
    question_type: str
    place: int
    """1 is shown first."""
    question_id: str
    split: Literal["train", "dev"]
    """Where the question stands; never what is asked."""
