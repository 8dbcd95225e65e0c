"""Shapes of what is wrong on purpose in the embedded sites, so that tests know what the pipeline must find. See `content/planted.yaml`."""

from typing import Literal

from msgspec import Struct

Edit = Literal["identical", "punctuation", "full_width", "traditional", "number_prefix", "options_reordered", "one_word"]


class Original(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The question that another one repeats, contradicts or only resembles."""

    paper: int
    stem: str
    """Whole stem; in planted.yaml its beginning."""
    case: str | None = None
    """Shared case of the question where several questions have this stem."""


class Plant(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Mark on a question that is not sound content."""

    kind: Literal["defect", "duplicate", "conflict", "near_miss"] = "defect"
    expect: str | None = None
    """Reason under which `clean` or `near_duplicates` must reject it; None where it must be kept."""
    of: Original | None = None
    """For a duplicate what it repeats, for a conflict what it contradicts, for a near-miss what it must not be merged with."""
    edit: Edit | None = None
    """How a duplicate differs from its original."""


class PlantedFact(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Mark on an entry whose value is not sound."""

    kind: Literal["value", "contradiction"] = "value"
    relation: str
    tail: str
    """The value as the page says it; for a contradiction what this site claims."""
    expect: str
    """Reason under which `clean` or `near_duplicates` must reject it."""


class Duplicate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of `duplicates` in planted.yaml: a question of one paper shown again on another."""

    of: int
    stem: str
    """Beginning of the stem, enough to find one question."""
    on: int
    """Paper that shows it again, behind its questions of the same type."""
    edit: Edit
    words: dict[str, str] = {}
    """For one_word: what is said instead of what."""


class Planted(Struct, frozen=True, kw_only=True):
    """One planted thing as tests look for it: where it stands, what it is, what must become of it."""

    kind: str
    expect: str | None
    site: str
    text: str
    """Stem of the question, or name of the entry."""
    paper: int | None = None
    plant: Plant | None = None
    fact: PlantedFact | None = None
