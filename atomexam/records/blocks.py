"""The building blocks of params.yaml."""

from typing import Annotated

from msgspec import Meta, Struct

Share = Annotated[float, Meta(ge=0, le=1)]
_MOST = 10**12  # beyond any data; a larger number is a slip of the keyboard
Count = Annotated[int, Meta(ge=0, le=_MOST)]
Positive = Annotated[int, Meta(ge=1, le=_MOST)]
SLUG = "^[a-z0-9][a-z0-9_-]*$"
Slug = Annotated[str, Meta(pattern=SLUG)]


class Block(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One block of params.yaml."""
