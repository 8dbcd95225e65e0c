"""Two texts merged into one, with deletions and insertions marked."""

from difflib import SequenceMatcher

MOST_CHARS = 1_000

Marked = list[tuple[str, str]]
"""A text in pieces: `same`, `gone` (only in the first) or `new` (only in the second), and the characters."""


def marked(a: str, b: str) -> Marked:
    """Return two texts merged into one, with deletions and insertions marked; of long texts the beginning."""
    a, b = a[:MOST_CHARS], b[:MOST_CHARS]
    pieces: Marked = []
    for kind, a_from, a_to, b_from, b_to in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces.append(("same", a[a_from:a_to]))
            continue
        pieces += [(name, text) for name, text in (("gone", a[a_from:a_to]), ("new", b[b_from:b_to])) if text]
    return pieces
