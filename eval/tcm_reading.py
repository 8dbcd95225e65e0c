"""Reading TCM replies: the answer field of TCMBench's format, under either family of tags (<eoe> <eoa>, <coe> <coas>)."""

import re
from collections.abc import Mapping

from eval.choice_reading import read_single
from eval.reply_text import folded

_FIELD = re.compile(
    r"[\[【]\s*(?:答案|answer)\s*[\]】]?\s*:?(.*?)(?:<\s*(?:eoa|coas)\s*>|(?=[\[【]\s*(?:答案|解析|answer))|$)", re.DOTALL | re.IGNORECASE
)
_TAG = re.compile(r"<\s*/?\s*(?:eoe|coe|eoa|coas)\s*>", re.IGNORECASE)
_REASONING_FIELD = re.compile(r"[\[【]\s*解析\s*[\]】].*?(?:<\s*(?:eoe|coe)\s*>|(?=[\[【]\s*(?:答案|answer))|$)", re.DOTALL | re.IGNORECASE)
_EXAMPLE = re.compile(r"例如\s*:?\s*[\[【]\s*答案\s*[\]】]\s*:?\s*A?\s*<\s*(?:eoa|coas)\s*>", re.IGNORECASE)  # the prompt's own, repeated
_PART = re.compile(r"(?:^|[\n;；,，。\s])\s*(?:第\s*)?(\d{1,2})\s*(?:题|小题)?\s*[).、．:：]+\s*", re.MULTILINE)


def read_tcm(reply: str, options: Mapping[str, str]) -> str | None:
    """Return the one letter of a TCM reply, or None."""
    text = _EXAMPLE.sub("", folded(reply))
    for field in _FIELD.findall(text):
        head = _TAG.sub("", field).strip()
        first = head.split("\n")[0] if head else ""
        if found := read_single(first, options):
            return found
        if first:
            return None  # an answer field in words, or with several letters, is no choice
    rest = _TAG.sub(" ", _REASONING_FIELD.sub("", text)).strip()
    return read_single(rest, options) if rest else None


def read_tcm_group(reply: str, options: list[Mapping[str, str]]) -> list[str | None]:
    """Return the letters of a reply to several numbered questions, aligned by number; a missing one is None."""
    text = folded(reply)
    marks = list(_PART.finditer(text))
    found: list[str | None] = [None] * len(options)
    for mark, after in zip(marks, [*marks[1:], None], strict=True):
        number = int(mark[1]) - 1
        if 0 <= number < len(options) and found[number] is None:
            part = text[mark.end() : after.start() if after else len(text)]
            found[number] = read_tcm(part.rstrip("；;，,。 "), options[number])
    return found
