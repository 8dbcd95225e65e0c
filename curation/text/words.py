"""Words of Chinese text: jieba with the terms of the data as its dictionary."""

import logging
import tempfile
from collections.abc import Callable, Iterable

from atomexam.text.canonical import canonical


def cutter():  # jieba's own type
    """Return a tokenizer with jieba's own dictionary, read anew."""
    import jieba  # its dictionary takes a second to load

    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    with tempfile.TemporaryDirectory() as folder:  # jieba would else trust a cache that anybody may have left in /tmp
        tokenizer.tmp_dir = folder
        tokenizer.initialize()
    return tokenizer


def segmenter(terms: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function from text to its words; the terms given are words of their own, whatever jieba's dictionary says.

    Words are canonical (width, case); punctuation and blanks are no words.
    """
    tokenizer = cutter()
    for term in sorted(set(terms)):
        tokenizer.add_word(term)
    return lambda text: [word for word in map(canonical, tokenizer.lcut(text)) if word]
