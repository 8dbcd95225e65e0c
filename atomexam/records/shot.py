"""Few-shot examples that the split lists: `data/splits/shots.jsonl`."""

from typing import Literal

from msgspec import Struct

from atomexam.records.question import Form

Trained = Literal["train", "dev"]


class Shot(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One example of a subject, question type and form; those of one list are no kin of each other."""

    exam: str
    subject: str
    question_type: str
    form: Form | None = None
    """Of a TCM question: each form has a list of its own, as each is asked in a way of its own."""
    place: int
    """1 is shown first."""
    question_id: str
    split: Trained
    """Where the question stands; never what is asked."""
