"""The building blocks of params.yaml."""

from typing import Annotated

from msgspec import Meta, Struct

Share = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
SLUG = "^[a-z0-9][a-z0-9_-]*$"
Slug = Annotated[str, Meta(pattern=SLUG)]


class Block(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One block of params.yaml."""
