"""Positions in the order in which people read them: q2 before q10, line:9 before line:10. As a sort key and as bytes."""

import re

_FIGURES = re.compile("([0-9]+)")


def natural_key(position: str) -> tuple[str | int, ...]:
    """Return a sort key that puts q2 before q10."""
    return tuple([int(part) if index % 2 else part for index, part in enumerate(_FIGURES.split(position))])  # texts and numbers by turns


def natural_bytes(position: str) -> bytes:
    """Return bytes that sort as `natural_key` does; positions with NUL characters aside."""
    parts = enumerate(_FIGURES.split(position))
    return b"\0".join([_number(part) if index % 2 else part.encode("utf-8", "surrogatepass") for index, part in parts])


def _number(digits: str) -> bytes:
    """Return digits so that the bytes sort as the numbers do: the longer is the larger."""
    digits = digits.lstrip("0")
    return len(digits).to_bytes(4) + digits.encode()
