"""Questions in the GIFT format of Moodle -> lines of a paper. Numbered lines in, numbered lines out."""

import re
from collections.abc import Iterator, Sequence

from atomexam.text.option_letters import LETTERS, letters_at
from crawlers.papers.signs.answer_marks import Numbered, trimmed

_TITLE = re.compile(r"::[^:]{0,200}::")
_VERDICT = re.compile(r"(?<!\s)\s*(?P<said>TRUE|T|FALSE|F)\s*(?:#[^{}]*)?", re.I)
_ANSWER = re.compile(r"(?P<sign>[=~])(?P<words>(?:\\.|[^=~\\])*)")
_WEIGHT = re.compile(r"\s*%-?[\d.]+%")
_NUMBER = re.compile(
    r"#\s{0,9}(?P<least>-?\d{1,20}(?:\.\d{1,20})?)\s{0,9}(?:(?P<sign>:|\.\.)\s{0,9}(?P<most>-?\d{1,20}(?:\.\d{1,20})?))?\s{0,9}(?:#[^{}]*)?"
)
_LONGEST = 200  # lines of one question
_FEWEST = 2
_ESCAPED = re.compile(r"\\([~=#{}:])")
_SET_ASIDE = {0xE000 + ord(sign): sign for sign in "~=#{}:"}
"""Characters that a backslash escapes, in their form until the answers are separated."""


def without_gift(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines of a paper; if it is in GIFT format, its questions with numbers, letters and answers."""
    if sum("{" in line for _, line in lines) < _FEWEST:
        return list(lines)
    text = [(index, _ESCAPED.sub(lambda sign: chr(0xE000 + ord(sign[1])), trimmed(line))) for index, line in lines]
    opened = sum("{" in line for _, line in text)
    answers = sum(("=" in line or "~" in line or _VERDICT.search(line) is not None) for _, line in text)
    if opened < _FEWEST or opened > sum("}" in line for _, line in text) or answers < opened or not _is_gift([line for _, line in text]):
        return list(lines)
    done: list[Numbered] = []
    number = 0
    for block in _blocks(text):
        words = "\n".join(line for _, line in block)
        if "{" not in words:
            done += (
                [] if number else [(index, line.translate(_SET_ASIDE)) for index, line in block]
            )  # after a question, the question would continue with it
            continue
        number += 1
        done += [(block[0][0], line.translate(_SET_ASIDE)) for line in ("", *_question(words, number))]
    return done


def _is_gift(lines: Sequence[str]) -> bool:
    """Return whether the text in braces begins like GIFT answers."""
    text = "\n".join(lines)
    opened = re.findall(r"\{\s{0,20}(?:[=~#}]|(?:TRUE|T|FALSE|F)\s{0,5}[}#])", text)
    return len(opened) == text.count("{") - text.count("\\{") and '":' not in text


def _blocks(lines: Sequence[Numbered]) -> Iterator[list[Numbered]]:
    """Return the lines of each question: up to the empty line, or the next title, after its brace."""
    block: list[Numbered] = []
    closed = False
    for index, line in lines:
        if line.startswith("//") or line.startswith("$CATEGORY"):
            continue
        titled = line.startswith("::") and not closed  # what is above a title does not belong to its question
        if block and (titled or len(block) > _LONGEST or (closed and (not line or line.startswith("::") or "{" in line))):
            yield block
            block, closed = [], False
        if line:
            block.append((index, line))
            closed = closed or "}" in line
    if block:
        yield block


def _question(words: str, number: int) -> list[str]:
    """Return the lines of one question; one of a kind that a paper does not have loses its first option, which causes a doubt."""
    words = _TITLE.sub("", words, count=1)
    stem, _, rest = words.partition("{")
    inner, _, tail = rest.rpartition("}")
    stem = re.sub(r"^\[(?:html|markdown|plain|moodle)\]", "", stem.strip())
    stem_text = " ".join(filter(None, (*stem.split("\n"), "____" if tail.strip() else "", tail.strip().replace("\n", " "))))
    lines = [f"第{number}题 {stem_text.strip()}"]
    inner, _, remark = inner.partition("####")
    return [*lines, *_answers(inner), *([f"解析：{' '.join(remark.split())}"] if remark.strip() else [])]


def _answers(inner: str) -> list[str]:
    """Return the lines of options and answer that are in the braces of a question."""
    if verdict := _VERDICT.fullmatch(inner):
        return ["答案：" + ("√" if verdict["said"].upper().startswith("T") else "×")]
    if number := _NUMBER.fullmatch(inner.strip()):
        return ["答案：" + number["least"] + (("±" if number["sign"] == ":" else "～") + number["most"] if number["sign"] else "")]
    answers = [(match["sign"], *_parted(match["words"])) for match in _ANSWER.finditer(inner)]
    if "->" in inner or inner.strip().startswith("#") or len(answers) > 10:
        return [f"{letter}. {inner.strip()}" for letter in "BC"]
    if not any(sign == "~" for sign, _, _ in answers):
        return [f"答案：{answers[0][1]}"] if answers else []  # the others do so as well
    right = [index for index, (sign, _, weight) in enumerate(answers) if sign == "=" or weight > 0]
    options = [f"{letter}. {option}" for letter, (_, option, _) in zip(LETTERS, answers, strict=False)]
    return [*options, "答案：" + letters_at(right)]


def _parted(words: str) -> tuple[str, float]:
    """Return the words of an answer without its weight and its feedback, and the weight."""
    weight = _WEIGHT.match(words)
    bare = re.split(r"(?<!\\)#", words[weight.end() :] if weight else words, maxsplit=1)[0]
    number = re.search(r"-?\d+(?:\.\d+)?", weight[0]) if weight else None
    return re.sub(r"\\(.)", r"\1", bare).strip().replace("\n", " "), float(number[0]) if number else 0.0
