"""Words of Chinese text: jieba with the terms of the data in its dictionary."""

import logging
import tempfile
from collections.abc import Callable, Iterable

from atomexam.text.canonical import canonical


def cutter():  # jieba's own type
    """Return a new tokenizer with jieba's own dictionary."""
    import jieba  # its dictionary takes a second to load

    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    with tempfile.TemporaryDirectory() as folder:  # jieba would otherwise trust any cache file in /tmp
        tokenizer.tmp_dir = folder
        tokenizer.initialize()
    return tokenizer


def segmenter(terms: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function from text to its words; each given term is one word, whatever jieba's dictionary says.

    Words are in canonical form (width, case); punctuation and blanks are dropped.
    """
    tokenizer = cutter()
    for term in sorted(set(terms)):
        tokenizer.add_word(term)
    return lambda text: [word for word in map(canonical, tokenizer.lcut(text)) if word]
