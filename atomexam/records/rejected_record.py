"""Records that a stage rejected, each with its reason."""

from typing import Any

from msgspec import Struct


class Rejected(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One rejected record."""

    id: str
    """Id of the record, or of the item that it would have been made from."""
    kind: str
    """`question`, `fact`, `entity` or `claim`."""
    reason: str
    """A key of `REASONS` in reasons.py; docs/reasons.md lists them."""
    detail: str | None = None
    """Details for people who read the file; for duplicates, the id of the kept record."""
    record: dict
    """The complete record or item, unchanged."""

    def places(self) -> list[dict[str, Any]]:
        """Return the locations of the record: an item has one, a later record a list."""
        provenance = self.record.get("provenance") or []
        return provenance if isinstance(provenance, list) else [provenance]
