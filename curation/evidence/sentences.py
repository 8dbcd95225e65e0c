"""The sentence of a passage that speaks of a claim."""

import re
from collections.abc import Sequence

_SENTENCE = re.compile(r"[^。！？；!?;\n]*[。！？；!?;\n]?[”）]?")


def best_sentence(text: str, head: str, tail: str, words: Sequence[str]) -> tuple[int, int]:
    """Return where the sentence begins and ends that names most of head, tail and their words; of equals the first."""
    best, place = -1, (0, len(text))
    for found in _SENTENCE.finditer(text):
        sentence = found[0].lower()
        if not sentence.strip():
            continue
        told = sum(len(name) for name in (head, tail) if name.lower() in sentence) + sum(len(word) for word in words if word in sentence)
        if told > best:
            best, place = told, found.span()
    start, end = place
    return start + len(text[start:end]) - len(text[start:end].lstrip()), start + len(text[start:end].rstrip())
