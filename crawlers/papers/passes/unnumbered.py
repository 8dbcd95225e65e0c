"""Questions without numbers, in blocks: between rules or labels, or ended by an answer. Numbered lines in; out with 第1题 above each.

Only if no line of the paper begins with the number of a question: then the blocks themselves show where a question begins.
"""

import re
from collections.abc import Callable, Sequence

from atomexam.text.verdicts import SURE_VERDICT, TRUE, verdict_of
from crawlers.papers.signs.answer_marks import Numbered, flat, parts_of, plain, trimmed
from crawlers.papers.signs.headings import heads
from crawlers.papers.signs.numbers import TYPE, number_of

_SURE = ("point", "ordinal", "titled", "bracket", "paren", "ringed")
_RULE = re.compile(r"[-=_*~#+]{3,}|[-=*#~]{2,}+\s{0,3}(?:错题|题目|试题|问题|第)?\s?\d{0,4}\s?题?\s{0,3}[-=*#~]{2,}")
_LABEL = re.compile(
    r"[【\[]?(?:题目|题干|试题|问题|问|Q|Question|question|例题?\s?\d{0,3})[】\]]?\s?:\s{0,3}(?=\S)|[【\[]例题?\s?\d{0,3}[】\]]\s{0,3}|[【\[](?:题目|题干|试题|问题)[】\]]\s{0,3}"
)
_OPTION = re.compile(r"[(\[]?[A-Ja-j]\s?[.、:)\]]\s{0,4}")
_TYPED = re.compile(rf"[【\[(](?:{TYPE}|(?:单选|多选|判断|填空|简答)题?)[】\])]\s{{0,3}}(?=\S)")
"""The kind of a question before its stem: `【单选】…`."""
_FIRST = re.compile(r"[(\[]?[Aa]\s?[.、:)\]]")
_VERDICT_LAST = re.compile(rf"[\u4e00-\u9fff)。?!.;]\s{{0,9}}(?P<verdict>[√×]|(?<=\s)(?:{SURE_VERDICT}))$")
"""The verdict behind a statement, which is a sign or a word apart from it."""
_SENTENCE, _JUDGING = re.compile(r"[。)?!.;]\s{0,9}$"), re.compile(r"判断|[习试考]题|对错|正误|是非|true.{0,9}false", re.IGNORECASE)
_LONGEST_TITLE = 30
_FEWEST_JUDGED, _OTHERS = 5, 0.2
_VERDICT_BEHIND = re.compile(r"\(\s{0,3}(?:[A-J]{1,6}|[√×TF对错])\s{0,3}\)")


def numbered(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines, each block of a question without a number preceded by a line with its number."""
    if has_numbers(lines):
        return list(lines)
    flat_lines = [(index, plain(text)) for index, text in lines]
    starts = next(
        (block_starts for way in (_labelled, _ruled, _answered) if len(block_starts := way([line for _, line in flat_lines])) > 1),
        [],
    )
    if not starts and (judged := _judged([line for _, line in flat_lines])):
        return _with_verdicts(lines, judged)
    begun = dict(zip(starts, range(1, len(starts) + 1), strict=True))
    done: list[Numbered] = []
    for position, (index, text) in enumerate(lines):
        if position in begun:
            done.append((index, f"第{begun[position]}题"))
            label = _LABEL.match(flat(text.strip()))
            done.append((index, text.strip()[label.end() :] if label else text))
        elif not (starts and _RULE.fullmatch(flat_lines[position][1])):
            done.append((index, text))
    return done


def has_numbers(lines: Sequence[Numbered]) -> bool:
    """Return whether a line may begin with the number of a question."""
    return any(_is_numbered(plain(text)) for _, text in lines)


def is_parted(lines: Sequence[str]) -> bool:
    """Return whether labels or rules divide flat lines into questions."""
    return any(len(way(lines)) > 1 for way in (_labelled, _ruled))


def _is_numbered(line: str) -> bool:
    """Return whether a flat line may begin with the number of a question."""
    number = number_of(line)
    if number is None or number.counted:
        return False
    return number.style in _SURE or (number.style == "hanzi" and not heads(line)) or (number.style == "tight" and number.value == 1)


def _labelled(lines: Sequence[str]) -> list[int]:
    """Return where a label shows that a question begins."""
    return [index for index, line in enumerate(lines) if _LABEL.match(line)]


def _ruled(lines: Sequence[str]) -> list[int]:
    """Return the first lines of the blocks between rules that are questions."""
    return _blocks(lines, lambda index: bool(_RULE.fullmatch(lines[index])))


def _answered(lines: Sequence[str]) -> list[int]:
    """Return the first lines of the blocks that an answer ends."""
    answered = [_says_answer(line) for line in lines]

    def parts(index: int) -> bool:
        before = next((at for at in range(index - 1, max(index - 12, -1), -1) if lines[at]), -1)
        return not lines[index] and before >= 0 and answered[before]

    starts = _blocks(lines, parts)
    if len(starts) > 1:
        return starts
    return _blocks(lines, lambda index: bool(index) and answered[index - 1] and not _is_part(lines[index]), keep=True)


def _judged(lines: Sequence[str]) -> dict[int, str]:
    """Return the verdict behind each line, if nearly all have one, some the one and some the other: statements."""
    verdicts = {index: verdict["verdict"] for index, line in enumerate(lines) if (verdict := _VERDICT_LAST.search(line))}
    others = sum(bool(line) and index not in verdicts and not heads(line) for index, line in enumerate(lines))
    right = sum(verdict_of(verdict) == TRUE for verdict in verdicts.values())
    is_form = len(verdicts) >= _FEWEST_JUDGED and others <= _OTHERS * len(verdicts) and 0 < right < len(verdicts)
    return verdicts if is_form and are_statements([lines[index][: -len(verdicts[index])] for index in verdicts], lines) else {}


def are_statements(texts: Sequence[str], page: Sequence[str]) -> bool:
    """Return whether texts with verdicts are judged statements and no points of a check list: sentences, or below a title that says so."""
    sentences = sum(_SENTENCE.search(flat(text)) is not None for text in texts)
    return 2 * sentences >= len(texts) or any(_JUDGING.search(line) for line in page if len(line) <= _LONGEST_TITLE)


def _with_verdicts(lines: Sequence[Numbered], verdicts: dict[int, str]) -> list[Numbered]:
    """Return statements below their numbers, each above its answer."""
    done: list[Numbered] = []
    number = 0
    for position, (index, text) in enumerate(lines):
        if position not in verdicts:
            done.append((index, text))
            continue
        number += 1
        words = trimmed(text)
        done += [(index, f"第{number}题"), (index, words[: -len(verdicts[position])].rstrip())]
        done.append((index, f"答案：{verdicts[position]}"))
    return done


def _blocks(lines: Sequence[str], parts: Callable[[int], bool], keep: bool = False) -> list[int]:
    """Return the first line of each block that contains options or an answer."""
    blocks: list[list[int]] = [[]]
    for index, line in enumerate(lines):
        if parts(index):
            blocks.append([index] if keep and line else [])
        elif line:
            blocks[-1].append(index)
    return [start for block in blocks if (start := _start(lines, block)) is not None]


def _start(lines: Sequence[str], block: Sequence[int]) -> int | None:
    """Return where the question of a block begins, None if it has none."""
    first = next((at for at, index in enumerate(block) if _FIRST.match(lines[index])), None)
    answer_at = next((at for at, index in enumerate(block) if _says_answer(lines[index])), None)
    if not first and answer_at in (None, 0):
        return None
    words = block[: first if first else answer_at]
    start = next((at for at, index in enumerate(words) if _TYPED.match(lines[index])), None)
    if start is None:
        start = next((at for at, index in enumerate(words) if not heads(lines[index])), None)
    return words[start] if start is not None else None


def _says_answer(line: str) -> bool:
    return any(kind == "answer" for kind, _ in parts_of(line)) or bool(_VERDICT_BEHIND.search(line))


def _is_part(line: str) -> bool:
    return bool(_OPTION.match(line)) or (bool(line) and parts_of(line)[:1] != (("text", line),))
