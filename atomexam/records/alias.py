"""Aliases: another name of an entry."""

from msgspec import Struct

from atomexam.records.provenance import Provenance


class Alias(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry's name and one of its aliases, as a page gives them."""

    name: str
    """Name of the entry."""
    alias: str
    entity_type: str
    """`disease`, `examination`, `medicine`, `food` or `symptom`."""
    provenance: Provenance
