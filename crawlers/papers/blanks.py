"""Answers inside a stem: letters in its blank or behind it, words between underscores. From a stem to the stem and its answer."""

import re

from crawlers.papers.lines import flat

_LETTERS = r"[A-Ja-j](?:[ ,、;./]{0,2}[A-Ja-j]){0,9}"
_IN_BRACKETS = re.compile(rf"[(\[【]\s{{0,20}}(?P<answer>{_LETTERS})\s{{0,20}}[)\]】]")
_BETWEEN_LINES = re.compile(r"_{1,40}\s{0,4}(?P<answer>[A-J](?:[ ,、]{0,2}[A-J]){0,9})\s{0,4}_{1,40}")
_EMPTY = re.compile(r"\(\s{0,30}\)|【\s{0,30}】|\[\s{0,30}\]")
_BEHIND = re.compile(r"(?:(?<=[)\]】。?:_])|(?<=[\u4e00-\u9fff])\s{1,20})\s{0,20}(?P<answer>[A-J](?:[ ,、]{0,2}[A-J]){0,9})\s{0,3}[。.]?$")
_UNDERLINED = re.compile(r"_{2,60}\s{0,3}(?P<words>[^\s_(][^_\n]{0,39}?)\s{0,3}_{2,60}")
_RINGS = "①②③④⑤⑥⑦⑧⑨⑩"
_JOINING = re.compile(r"[和与及或、,;。.:与以]|以及|、?\S?[和与及、]\S?")


def letters_in_blank(stem: str, letters: str, start: int = 0) -> tuple[str, str] | None:
    """Return a stem with its blank emptied, and the letters that stood in it: `……称为（ B ）。`."""
    line = flat(stem)
    found = [match for match in _IN_BRACKETS.finditer(line, start) if set(_upper(match["answer"])) <= set(letters)]
    if len(found) == 1 and not _EMPTY.search(line):
        match = found[0]
        return stem[: match.start()] + "（ ）" + stem[match.end() :], stem[match.start("answer") : match.end("answer")]
    between = list(_BETWEEN_LINES.finditer(line, start))
    if len(between) == 1 and set(_upper(between[0]["answer"])) <= set(letters):
        match = between[0]
        return stem[: match.start("answer")] + stem[match.end("answer") :], match["answer"]
    return None


def letters_behind(stem: str, letters: str, start: int = 0) -> tuple[str, str] | None:
    """Return a stem without the letters at its end that are its answer: `……称为（ ）。B`."""
    match = _BEHIND.search(flat(stem), max(start, len(stem) - 60))
    if match is None or not set(_upper(match["answer"])) <= set(letters):
        return None
    return stem[: match.start()].rstrip(), stem[match.start("answer") : match.end("answer")]


def lettered(answer: str) -> str | None:
    """Return an answer that is numbers in rings as letters."""
    signs = re.sub(r"[\s,、，]", "", answer)
    return "".join("ABCDEFGHIJ"[_RINGS.index(sign)] for sign in signs) if signs and set(signs) <= set(_RINGS) else None


def filled_blanks(stem: str) -> tuple[str, str] | None:
    """Return a stem with its blanks emptied, and the words that stood in them: `研究___行为___的科学`."""
    found = list(_UNDERLINED.finditer(flat(stem)))
    if (
        not found
        or len(re.findall("_{2,60}", flat(stem))) != 2 * len(found)
        or any(_JOINING.fullmatch(match["words"]) for match in found)
        or any("、" in match["words"] for match in found)
    ):
        return None
    emptied, end = "", 0
    for match in found:
        emptied += stem[end : match.start("words")] + stem[match.end("words") : match.end()]
        end = match.end()
    return emptied + stem[end:], "；".join(stem[match.start("words") : match.end("words")] for match in found)


def _upper(answer: str) -> list[str]:
    return re.findall("[A-J]", answer.upper())
