"""Contradicting rows for review, and the reviewer's decisions."""

from msgspec import Struct


class Decision(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which of the contradicting rows is right; a line of the decisions file."""

    id: str
    """Id of a question or fact, one of those under review."""
    right: list[str] = []
    """Texts of the right options of a question, sorted; applies to all rows with the same question."""
    polarity: bool | None = None
    """Whether a fact is true (true) or its denial is (false)."""
    note: str | None = None
    """For readers of the file: the reason, or the fact in words."""


class Statement(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of the contradicting statements."""

    decision: Decision
    """The line that decides for this statement, ready to be copied."""
    rows: int
    """Number of rows with this statement."""
    sources: list[str]
    """Sources with this statement, sorted."""
    urls: list[str]
    """Addresses of the pages."""


class Review(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One contradiction."""

    id: str
    """Id of the cluster, or of the fact."""
    kind: str
    """`question` or `fact`."""
    asked: str
    """The stem, preceded by its case, or head and tail of the fact."""
    options: list[str]
    """Texts of all options, sorted."""
    statements: list[Statement]
    """The statements, the most frequent first."""
