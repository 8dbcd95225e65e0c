"""Sort keys, as tuples and as bytes, for positions in natural order: q2 before q10, line:9 before line:10."""

import re

_FIGURES = re.compile("([0-9]+)")


def natural_key(position: str) -> tuple[str | int, ...]:
    """Return a sort key that sorts q2 before q10."""
    return tuple([int(part) if index % 2 else part for index, part in enumerate(_FIGURES.split(position))])  # texts and numbers alternate


def natural_bytes(position: str) -> bytes:
    """Return bytes that sort like `natural_key`, except for positions with NUL characters."""
    parts = enumerate(_FIGURES.split(position))
    return b"\0".join([_number(part) if index % 2 else part.encode("utf-8", "surrogatepass") for index, part in parts])


def _number(digits: str) -> bytes:
    """Return digits as bytes that sort by the value of the number; the length comes first."""
    digits = digits.lstrip("0")
    return len(digits).to_bytes(4) + digits.encode()
