"""Aliases: another name of an entry."""

from msgspec import Struct

from atomexam.records.provenance import Provenance


class Alias(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One pair of names of one thing, as one page tells it."""

    name: str
    """Name of the entry."""
    alias: str
    entity_type: str
    """`disease`, `examination`, `medicine`, `food` or `symptom`."""
    provenance: Provenance
