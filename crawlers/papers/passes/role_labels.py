"""Labels of any words before the parts of each question, `题：` `选：A 甲；B 乙` `答：B`, `Q1:` `A1: 对。…` -> the usual ones.

Numbered lines in and out. A label shows its role by its place and by what follows it: the first of each question is that of stems, letters
in turn are options, letters or verdicts are the answer, and a text of its own below it is the explanation. What does not recur in nearly
every question is no label.
"""

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from atomexam.text.option_letters import LETTERS
from atomexam.text.verdicts import SURE_VERDICT, verdict_of
from crawlers.papers.signs.answer_marks import WHOLE_ANSWER, Numbered, flat, parts_of, plain
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import number_of

_LABEL = re.compile(
    r"[【\[<(]?(?P<label>[\u4e00-\u9fff]{1,6}|[A-Za-z]{1,12})\s?[.#]?\s?(?P<number>\d{1,4})?\s?(?:[】\]>)]\s?:?|:|\||=>?|->|>>)\s{0,4}(?=\S)"
)
MAY_LABEL = re.compile(
    r"\n[【\[<(]?(?!(?:正确|参考|标准)?答案|(?:答案)?解析)(?:[\u4e00-\u9fff]{1,6}|[A-Za-z]{1,12})"
    r"[ ]?[.#]?[ ]?\d{0,4}(?:[ ]?(?:[】\]>)]|:|\||=|->)|[ ]\S)"
)
"""A label other than those that every reader knows."""
_REASONED = re.compile(
    rf"(?P<verdict>{SURE_VERDICT})(?:\s?[,、(。.;]?\s?(?:这?一?(?:说法|表述|题干|本题|该题)(?:是)?)?(?P<again>{SURE_VERDICT})的?\)?)?\s?[,。.;:]\s{{0,3}}(?P<reason>[^√×]{{4,}})$"
)
"""A verdict and why: `对，正确。依据规定…`."""
_FIRST_OPTION = re.compile(r"[(\[]?[Aa]\s?(?:[^\w\s]|\s)")
_OF_LETTERS = re.compile(r"[(\[]?[A-J]{1,8}(?:[)\]]|[\s.、,:;)]|$)")
_CODE = re.compile(r"(?!\d+$)[A-Za-z]{0,6}[-_.#/]?(?:\d{1,6}[-_.]){0,3}\d{1,6}")
"""`PD-001`, what a card calls its question."""
_FEWEST_PARTS = 2
_OF_ANSWER = re.compile(r"答|解|案|钥|^[Aa]|[Kk]ey")
OF_READER = re.compile(
    r"我|你|您|考生|学生|学员|他|她|网友|用户|作答|回答|[已误错所]选|填涂|[Uu]ser|[Yy]our|[Mm]y|难|级|等第|重要|频|分|章|来源|题型|类"
)
"""What is somebody's own choice, or says something else of a question than its answer."""
_FEWEST, _SHARE, _OF_MOST, _LONG = 3, 0.9, 0.6, 8


class _Labelled(Struct):
    """A line that begins with a label."""

    label: str
    number: str
    words: str


class _Roles(Struct):
    """The options of their lines, and the places of answers and explanations."""

    options: dict[int, list[str]]
    answers: list[int]
    reasons: list[int]


def roles_labelled(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with the usual labels for any that recur in each question; unchanged if these do not show their roles."""
    flats = [
        plain(text.replace("\t", ":") if text.strip().count("\t") == 1 else text) for _, text in lines
    ]  # of two cells, one may be a label
    found = {at: _labelled(lines[at][1].strip(), match) for at, line in enumerate(flats) if line and (match := _LABEL.match(line))}
    counts = Counter(one.label for one in found.values())
    labels = [label for label, count in counts.items() if count >= _FEWEST]
    if len(labels) < 2 or {"A", "B", "C"} <= set(labels):  # letters of options
        return list(lines)
    stem = next(one.label for one in found.values() if one.label in labels)
    codes = [at for at, one in found.items() if one.label == stem and _CODE.fullmatch(one.words)]
    if len(codes) == counts[stem] and len({found[at].words for at in codes}) == len(codes) and len(labels) > _FEWEST_PARTS:
        found = {at: one for at, one in found.items() if at not in codes}  # each question has its own code
        stem = next(one.label for one in found.values() if one.label in labels)
    else:
        codes = []
    blocks = _blocks(found, stem)
    if len(blocks) < _FEWEST or not _are_numbered(found, blocks) or _are_options([found[block[0]].words for block in blocks]):
        return list(lines)
    roles = _roles(found, blocks, [label for label in labels if label != stem])
    if roles is None or _are_known(flats, roles):
        return list(lines)
    done: dict[int, list[str]] = {at: [""] for at in codes}
    for order, block in enumerate(blocks, 1):
        for at in block:
            one, words = found[at], found[at].words
            if one.label == stem and not number_of(flats[at]):
                done[at] = [words if number_of(plain(words)) else f"{one.number or order}. {words}"]
            elif at in roles.options:
                done[at] = roles.options[at]
            elif at in roles.answers:
                done[at] = _answer(words)
            elif at in roles.reasons:
                done[at] = [f"解析：{words}"]
    return [(index, shown) for at, (index, text) in enumerate(lines) for shown in done.get(at, [text])]


def _roles(found: dict[int, _Labelled], blocks: Sequence[Sequence[int]], labels: Sequence[str]) -> _Roles | None:
    """Return the lines of the roles below stems; None if it is not certain which one is the answer."""
    counts = Counter(one.label for one in found.values())
    places = {label: own for label in labels if len(own := _places(found, blocks, label)) == counts[label]}
    texts = {label: [found[at].words for at in own] for label, own in places.items()}
    answers = [label for label, words in texts.items() if len(words) >= _SHARE * len(blocks) and _are_answers(words)]
    answers = [label for label in answers if not OF_READER.search(label)]
    order = list(places)
    if len(answers) != 1 or order.index(answers[0]) > 1 or _are_answers([found[block[0]].words for block in blocks]):
        return None
    options = {at: split for label in order if label != answers[0] for at, split in _all_options(found, places[label]).items()}
    reasons = [label for label in order[order.index(answers[0]) + 1 :] if _are_reasons(texts[label], len(blocks))][:1]
    if not (options or reasons or found[blocks[0][0]].number or _OF_ANSWER.search(answers[0])):
        return None  # one member of a chat may ask, and another may guess
    return _Roles(options, places[answers[0]], places[reasons[0]] if reasons else [])


def _are_known(flats: Sequence[str], roles: _Roles) -> bool:
    """Return whether the labels are the usual ones."""
    kinds = {at: parts_of(flats[at])[0][0] for at in (*roles.answers, *roles.reasons)}
    return (
        not roles.options
        and all(kinds[at] == "answer" and not _reasoned(parts_of(flats[at])[0][1]) for at in roles.answers)
        and all(kinds[at] == "explanation" for at in roles.reasons)
    )


def _labelled(line: str, match: re.Match[str]) -> _Labelled:
    return _Labelled(match["label"], (match["number"] or "").lstrip("0"), line[match.end() :].strip())


def _blocks(found: dict[int, _Labelled], stem: str) -> list[list[int]]:
    """Return the places of the labels of each question."""
    blocks: list[list[int]] = []
    for at, one in found.items():
        if one.label == stem:
            blocks.append([at])
        elif blocks:
            blocks[-1].append(at)
    return blocks


def _are_numbered(found: dict[int, _Labelled], blocks: Sequence[Sequence[int]]) -> bool:
    """Return whether numbers of labels, if there are any, are those of their questions, each of which has its own."""
    numbers = [found[block[0]].number for block in blocks]
    if any(found[at].number not in ("", number) for block, number in zip(blocks, numbers, strict=True) for at in block):
        return False
    return not any(numbers) or len(set(numbers)) == len(blocks)


def _places(found: dict[int, _Labelled], blocks: Sequence[Sequence[int]], label: str) -> list[int]:
    """Return the places of a label, if it is once in each question that has it."""
    places = [[at for at in block if found[at].label == label] for block in blocks]
    return [own[0] for own in places if own] if all(len(own) <= 1 for own in places) else []


def _are_options(texts: Sequence[str]) -> bool:
    """Return whether texts begin as options do: then the stems have no label."""
    return sum(_FIRST_OPTION.match(plain(words)) is not None for words in texts) * 2 > len(texts)


def _are_answers(texts: Sequence[str]) -> bool:
    are = [
        WHOLE_ANSWER.fullmatch(flat(words)) is not None or _reasoned(words) is not None or _OF_LETTERS.match(flat(words)) is not None
        for words in texts
    ]
    return sum(are) >= _SHARE * len(texts) and len({words[:1] for words in texts}) > 1


def _are_reasons(texts: Sequence[str], questions: int) -> bool:
    """Return whether texts are explanations: long, and each its own."""
    is_long = sum(len(words) >= _LONG for words in texts) >= _OF_MOST * len(texts)
    return len(texts) >= _OF_MOST * questions and is_long and len(set(texts)) >= _SHARE * len(texts)


def _reasoned(words: str) -> re.Match[str] | None:
    """Return the verdict that begins a text, and its reason; nothing if it states both verdicts."""
    said = _REASONED.match(plain(words))
    return said if said and (not said["again"] or verdict_of(said["again"]) == verdict_of(said["verdict"])) else None


def _answer(words: str) -> list[str]:
    if said := _reasoned(words):
        return [f"答案：{said['verdict']}", f"解析：{words[said.start('reason') :]}"]
    return [f"答案：{words}"]


def _all_options(found: dict[int, _Labelled], places: Sequence[int]) -> dict[int, list[str]]:
    """Return the options of each of these lines, if nearly all are options in turn that the same sign divides."""
    best: dict[int, list[str]] = {}
    for joint in (r"\s{0,3}[;；]\s{0,3}", r"\s{0,3}[,，、|/]\s{0,3}", r"\s{1,9}"):
        split = {at: own for at in places if (own := _options(found[at].words, joint))}
        best = max(best, split, key=len)
    return best if len(places) >= _FEWEST and len(best) >= _SHARE * len(places) else {}


def _options(words: str, joint: str) -> list[str]:
    """Return the options that a text consists of; nothing if it is not certain where each begins."""
    starts: list[tuple[int, int]] = []
    line = flat(words)
    for letter in LETTERS:
        opens = list(re.compile(rf"(?:^|{joint})[(\[]?{letter}(?:\s?[.、:)\]]|\s)\s{{0,3}}(?=\S)").finditer(line))
        if len(opens) != 1 or (starts and opens[0].start() <= starts[-1][0]):
            if opens:
                return []
            break
        starts.append(opens[0].span())
    if len(starts) < 2 or starts[0][0] > 0 or letter_of(line) not in ("", "A"):
        return []
    ends = [*(start for start, _ in starts[1:]), len(words)]
    return [f"{letter}. {words[start:end].strip(' ;；,，、|/')}" for letter, (_, start), end in zip(LETTERS, starts, ends, strict=False)]
