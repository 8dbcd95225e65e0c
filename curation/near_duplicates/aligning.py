"""Two texts -> the spans in which they differ, in a time that does not grow with the square of their length."""

from difflib import SequenceMatcher

LONG_CHARS = 1_000
"""The matcher looks up each character of one text in the other, and again between the matches it found, so it gets no more than this."""

Span = tuple[str, int, int, int, int]
"""What was done (replace, delete, insert), from where to where in the one text, and in the other."""


def differing(text: str, other: str) -> list[Span]:
    """Return the spans in which a text differs from another.

    Of long texts the beginning and the end that they share are taken off before; what is still long then is one span.
    """
    start = end = 0
    if max(len(text), len(other)) > LONG_CHARS:
        start = _shared(text, other)
        end = _shared(text[start:][::-1], other[start:][::-1])
    first, second = text[start : len(text) - end], other[start : len(other) - end]
    if max(len(first), len(second)) > LONG_CHARS:
        kind = "replace" if first and second else "delete" if first else "insert"
        return [(kind, start, start + len(first), start, start + len(second))]
    spans = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    return [(kind, start + i1, start + i2, start + j1, start + j2) for kind, i1, i2, j1, j2 in spans if kind != "equal"]


def _shared(text: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    return next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))
