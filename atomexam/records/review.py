"""Rows that contradict each other, for a reader, and what the reader decided."""

from msgspec import Struct


class Decision(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What holds where rows contradict each other; a line of the decisions file."""

    id: str
    """Id of a question or fact, one of those under review."""
    right: list[str] = []
    """Texts of the right options of a question, sorted; stands for all rows that ask the same."""
    polarity: bool | None = None
    """Whether a fact holds (true) or its denial does (false)."""
    note: str | None = None
    """For readers of the file: why, or what the fact says."""


class Statement(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What some rows say."""

    decision: Decision
    """The line that decides for these rows, to be copied."""
    rows: int
    """How many rows say so."""
    sources: list[str]
    """Which sources say so, sorted."""
    urls: list[str]
    """Where they were seen."""


class Review(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One contradiction."""

    id: str
    """Id of the cluster, or of the fact."""
    kind: str
    """`question` or `fact`."""
    asked: str
    """The stem, after its case, or head and tail of the fact."""
    options: list[str]
    """Texts of all options, sorted."""
    statements: list[Statement]
    """What is said, by most rows first."""
