"""Records that a stage did not pass on, each with its reason."""

from msgspec import Struct


class Rejected(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One record that went no further."""

    id: str
    """Id of the record, or of the item it would have been made from."""
    kind: str
    """`question`, `fact`, `entity` or `claim`."""
    reason: str
    """Stable snake_case word; the list is in docs/reasons.md."""
    detail: str | None = None
    """What was found, for a reader; for duplicates the id that was kept."""
    record: dict
    """The whole record or item as it was."""
