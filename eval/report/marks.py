"""Two texts as one, with what is gone and what is new marked."""

from difflib import SequenceMatcher

MOST_CHARS = 1_000

Marked = list[tuple[str, str]]
"""A text in pieces: `same`, `gone` (of the first alone) or `new` (of the second alone), and the characters."""


def marked(a: str, b: str) -> Marked:
    """Return two texts as one, with what is gone and what is new; of long texts the beginning."""
    a, b = a[:MOST_CHARS], b[:MOST_CHARS]
    pieces: Marked = []
    for kind, a_from, a_to, b_from, b_to in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces.append(("same", a[a_from:a_to]))
            continue
        pieces += [(name, text) for name, text in (("gone", a[a_from:a_to]), ("new", b[b_from:b_to])) if text]
    return pieces
