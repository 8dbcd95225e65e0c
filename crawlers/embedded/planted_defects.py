"""Deliberate defects in the replicas, which the pipeline must find in tests. See `content/planted.yaml`."""

from typing import Literal

from msgspec import Struct

Edit = Literal["identical", "punctuation", "full_width", "traditional", "number_prefix", "options_reordered", "one_word"]


class Original(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The question that this one repeats, contradicts or only resembles."""

    paper: int
    stem: str
    """Full stem; in planted.yaml only its beginning."""
    case: str | None = None
    """Shared case of the question, needed if several questions have this stem."""


class QuestionDefect(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Marks a question with a defect."""

    kind: Literal["defect", "duplicate", "conflict", "near_miss"] = "defect"
    expect: str | None = None
    """Reason for which `clean` or `near_duplicates` must reject it; None if it must be accepted."""
    of: Original | None = None
    """For a duplicate, the question it repeats; for a conflict, the one it contradicts; for a near-miss, the one it resembles."""
    edit: Edit | None = None
    """How a duplicate differs from its original."""


class FactDefect(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Marks an entry with a wrong value."""

    kind: Literal["value", "contradiction"] = "value"
    relation: str
    tail: str
    """The value on the page; for a contradiction, the value that this site states."""
    expect: str
    """Reason for which `clean` or `near_duplicates` must reject it."""


class Duplicate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of `duplicates` in planted.yaml: a question from one paper that is repeated in another."""

    of: int
    stem: str
    """Beginning of the stem, long enough to identify a single question."""
    on: int
    """Paper that repeats the question, after its own questions of the same type."""
    edit: Edit
    words: dict[str, str] = {}
    """For one_word: the original word and what replaces it."""


class PlantedDefect(Struct, frozen=True, kw_only=True):
    """One planted defect for tests: its location, its kind, and the expected outcome."""

    kind: str
    expect: str | None
    site: str
    text: str
    """Stem of the question, or name of the entry."""
    paper: int | None = None
    plant: QuestionDefect | None = None
    fact: FactDefect | None = None
