"""A reply made ready for reading: reasoning taken out, mark-up and width folded."""

import re
import unicodedata

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THINKING_OPEN = re.compile(r"<(think|thinking|reasoning)>", re.IGNORECASE)
_THINKING_CLOSE = re.compile(r"^.*</(think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_CONTROL = re.compile(r"<\|\w{1,30}\|>|</?s>")
_STRUCK = re.compile(r"~~(?=\S)[^~\n]{1,80}~~")
_SIGNS = str.maketrans(dict.fromkeys("✅✔✓☑", "√") | dict.fromkeys("❌✗✘✖❎", "×"))
_MARK_UP = re.compile(r"[*_`#]+|\\boxed|\\text|[\U0001F300-\U0001FAFF\u2600-\u27bf\ufe0f\u200b\u200d\ufeff]")
_BLANKS = (re.compile(r"[ \t]{2,}"), " "), (re.compile(r"\n{4,}"), "\n\n\n")  # a model that runs on in blanks
_GAP_IN_WORD = re.compile(r"(?<=[\u4e00-\u9fff])[ \t]+(?=[\u4e00-\u9fff])")


def without_reasoning(reply: str) -> str | None:
    """Return a reply without its reasoning block, or None when the block never ends (the reply was cut before an answer)."""
    text = _THINKING.sub("", reply)
    text = _THINKING_CLOSE.sub("", text)  # some chat templates open the block in the prompt
    return None if _THINKING_OPEN.search(text) else text


def folded(text: str) -> str:
    """Return text in one width, without mark-up, emoji, what is struck out, and blanks inside Chinese words; lines stay lines.

    Signs for right and wrong become √ and ×. A tilde stays: A~D is a range.
    """
    text = _CONTROL.sub("\n", unicodedata.normalize("NFKC", text).translate(_SIGNS))
    text = _STRUCK.sub("", text)
    text = _MARK_UP.sub("", text)
    for blanks, one in _BLANKS:
        text = blanks.sub(one, text)
    return _GAP_IN_WORD.sub("", text).strip()
