"""The phrase that the code of CMB, and of CPsyExam for multiple choices, looks for: 答案是 and the like, then text up to a full stop."""

import re

_PHRASE = re.compile(r"(?:答案|正确选项)(?:是|：|为|应该是|应该为)(.*?)(?:。|\.|$)", re.DOTALL)


def letters_after_phrase(reply: str, letters: str) -> str:
    """Return the letters in the text after the first such phrase, or of the whole reply where there is none, as they stand."""
    phrase = _PHRASE.search(reply)
    return "".join(character for character in (phrase[1] if phrase else reply) if character in letters)
