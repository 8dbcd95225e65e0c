"""Few-shot examples that the split lists: `data/splits/shots.jsonl`."""

from typing import Literal

from msgspec import Struct

from atomexam.records.question import Form

Trained = Literal["train", "dev"]


class Shot(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One example of a subject, question type and form; no two examples of a list are related."""

    exam: str
    subject: str
    question_type: str
    form: Form | None = None
    """Form of a TCM question: each form has its own list, since each has its own prompt."""
    place: int
    """1 is shown first."""
    question_id: str
    split: Trained
    """Split of the question, never an evaluated one."""
