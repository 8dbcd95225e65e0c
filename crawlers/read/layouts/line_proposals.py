"""The lines of a paper -> layouts inferred from recurring lines: the beginning of a line and the text after it show which part of a
question it is."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from statistics import mean

from msgspec import Struct

from crawlers.read.layouts.layout_files import PaperLayout
from crawlers.read.layouts.line_patterns import number_in
from crawlers.read.vocabulary.entries import is_title
from crawlers.read.vocabulary.headings import kind_of, note_in
from crawlers.read.vocabulary.labels import WHOLE_ANSWER, flat, marks_in
from crawlers.read.vocabulary.numbers import TYPE
from crawlers.read.vocabulary.options import find_options

_SIGN, _WORD = r"[^\w\s]", r"[^\W\d]{1,12}(?: [^\W\d]{1,12}){0,2}"
_NUMBERED = re.compile(
    rf"(?:{_SIGN}{{0,4}}\s?[^\W\d]{{0,6}}\s?{_SIGN}{{0,2}})(?P<number>\d{{1,5}}(?!\d)|[①-⑳])\s?[题问]?\s?(?:[^\w\s(\[【<]{{1,6}}(?!\d)|(?=[\s(\[【<])|(?<=[①-⑳])|$)"
)
_LETTERED = re.compile(rf"{_SIGN}{{0,6}}\s?(?P<letter>[A-Ja-jⒶ-Ⓙ])(?:\s?{_SIGN}{{1,4}}|(?=\s)|(?<=^.)$)")
_LABELLED = re.compile(rf"{_SIGN}{{0,6}}\s?{_WORD}\s?{_SIGN}{{1,6}}")
_SIGNED = re.compile(rf"{_SIGN}{{1,6}}(?:\s?\[\s?[xX√✓]?\s?\])?")
_TAG = re.compile(rf"(?P<before>[\[(【<]\s?)(?P<type>{TYPE})(?P<after>[^\])】>]{{0,12}}[\])】>])\s?")
_IN_BRACKETS = re.compile(r"(?P<before>[(\[【<_]{1,9})\s?(?P<answer>[^()\[\]【】<>_]{1,20}?)\s?(?P<after>[)\]】>_]{1,9})")
_DIVIDER = re.compile(r"[^\w\s()\[\]{}【】《》“”\"'。.!_-]{1,4}(?:答案?:?)?|答:|\t|\s{2,9}| ")
_NUMERAL = re.compile(
    r"(?P<before>第?[(]?)[一二三四五六七八九十IVX]{1,4}(?P<after>[)]?\s?(?:[章节篇编部分单元大题]{0,2}[、.:)\s]))(?P<words>.{2,40})$"
)
_RANGE = re.compile(r"(?P<first>\d{1,5})\s?[-~—至]{1,2}\s?(?P<last>\d{1,5})")
_DIGITS = re.compile(r"\d{1,9}(?:\.\d{1,2})?")
_TAIL = re.compile(r"\s?(?:[✔✓√☑★*]|\([^()]{1,8}\))$")
_ANSWER = re.compile(r"[A-Ja-j]{1,10}(?![A-Za-z])")
_OF_OTHERS = re.compile(r"我|你|学生|考生|用户|your|my", re.IGNORECASE)
"""Words that mark a label as that of someone's own answer."""
_FEWEST, _MOST_LINES, _LEAST_STEM, _SHORT, _FURTHER = 3, 20_000, 5, 12, 12
_MOSTLY, _OFTEN = 0.5, 0.8
Head = str
"""The pattern of a recurring line beginning: `题{number} >>`."""


class _Row(Struct, frozen=True):
    """One line."""

    text: str
    head: Head
    rest: str
    number: int = 0


_Block = Sequence[_Row]


def layouts_of_lines(lines: Sequence[str]) -> Iterator[PaperLayout]:
    """Yield the layouts that a paper's recurring lines suggest, one for each way to divide it into questions."""
    texts = [line.strip() for line in lines[:_MOST_LINES]]
    rows = _rows([text for text in texts if text])
    for blocks in _divisions(rows, texts):
        if len(blocks) >= _FEWEST and (layout := _layout(rows, blocks)):
            yield layout


def recurring_lines(lines: Sequence[str]) -> list[tuple[str, int]]:
    """Return the recurring line beginnings or entire lines, with their counts."""
    rows = _rows([line.strip() for line in lines[:_MOST_LINES] if line.strip()])
    counts = Counter(f"{row.head} {{}}" if row.head else _recurring(row) for row in rows)
    return [(line, times) for line, times in counts.most_common(_FURTHER) if times >= _FEWEST]


def holds_more(stem: str, answer: str | None) -> bool:
    """Return whether a stem contains options or an answer: after an answer label or, if the question has no other answer, in brackets."""
    if _has_options(stem) or any(kind == "answer" for kind, *_ in marks_in(stem)):
        return True
    return not answer and any(WHOLE_ANSWER.fullmatch(match["answer"]) for match in _IN_BRACKETS.finditer(flat(stem)))


def _rows(texts: Sequence[str]) -> list[_Row]:
    """Return the lines with their recurring beginnings: the label where it recurs often enough, otherwise only the symbol before it."""
    found = [[match for one in (_NUMBERED, _LETTERED, _LABELLED, _SIGNED) if (match := one.match(flat(text)))] for text in texts]
    patterns = [[_pattern_of(text, match) for match in matches] for text, matches in zip(texts, found, strict=True)]
    counts = Counter(pattern for each in patterns for pattern in set(each))
    least = max(_FEWEST, len(texts) / 200)
    rows = []
    for text, matches, each in zip(texts, found, patterns, strict=True):
        most = max((counts[pattern] for pattern in each), default=0)
        at = next((at for at, pattern in enumerate(each) if counts[pattern] >= max(least, 0.15 * most)), None)
        if at is None:
            rows.append(_Row(text, "", text))
        else:
            number = number_in(matches[at]["number"]) if "number" in matches[at].re.groupindex else 0
            rows.append(_Row(text, each[at], text[matches[at].end() :].strip(), number or 0))
    return rows


def _pattern_of(text: str, match: re.Match[str]) -> Head:
    for name in match.re.groupindex:
        return f"{_fixed(text[: match.start(name)])}{{{name}}}{_fixed(text[match.end(name) : match.end()])}"
    return _fixed(match[0])


def _divisions(rows: Sequence[_Row], texts: Sequence[str]) -> Iterator[list[_Block]]:
    """Yield each way to divide the lines into questions: at a number or stem label, at empty lines, or one line each."""
    places: dict[Head, list[int]] = {}
    for at, row in enumerate(rows):
        places.setdefault(row.head, []).append(at)
    openings = [head for head, own in places.items() if head and len(own) >= _FEWEST and _may_open(head, [rows[at] for at in own])]
    for head in sorted(openings, key=lambda head: -len(places[head]))[:_FEWEST]:
        own = places[head]
        ends = [*own[1:], min(len(rows), own[-1] + _FURTHER)]
        yield [rows[start:end] for start, end in zip(own, ends, strict=True)]
    gaps, following = list[list[_Row]]([[]]), iter(rows)
    for text in texts:
        if text:
            gaps[-1].append(next(following))
        elif gaps[-1]:
            gaps.append([])
    yield [block for block in gaps if len(block) > 1]
    yield [[row] for row in rows]


def _may_open(head: Head, rows: Sequence[_Row]) -> bool:
    """Return whether lines may open questions: their numbers are consecutive, or the texts after their label are long, distinct and not
    answers."""
    rests = [row.rest for row in rows]
    if _are_answers(rests) or "{letter}" in head or _kinds(head) & {"answer", "explanation"}:
        return False
    if "{number}" in head:
        steps = sum(after.number == before.number + 1 for before, after in pairwise(rows))
        return steps >= _MOSTLY * (len(rows) - 1)
    return mean(map(len, rests)) >= _LEAST_STEM and len(set(rests)) >= _OFTEN * len(rests)


def _layout(rows: Sequence[_Row], blocks: Sequence[_Block]) -> PaperLayout | None:
    often = Counter(_recurring(row) for row in rows if not row.head)
    share = {line: _OFTEN if len(line) <= _SHORT / 2 else _MOSTLY / 2 for line in often}
    useless = {line for line, times in often.items() if times >= max(_FEWEST, share[line] * len(blocks)) and line.strip("{}")}
    inner = [[row for row in block if row.head or _recurring(row) not in useless] for block in blocks]
    if len(inner := [block for block in inner if block]) < _FEWEST:
        return None
    usual, left = _template(inner)
    if not any("{stem}" in line for line in usual):
        return None
    is_answered = any("{answer}" in line or "{right_option}" in line for line in usual)
    titles = [_fixed(row.text) for row in rows if not is_answered and not row.head and is_title(flat(row.text))]
    useless = {line for line in useless if not any(line.startswith(head) for head in left) and line not in usual}
    return PaperLayout(
        question="\n".join(usual),
        heading=_some(_heading(row.text) for row in rows),
        case=_some(_case(row.text) for row in rows),
        answers=_some(titles),
        leave_out=_some([*sorted(useless), *(f"{head} {{}}" for head in left)]),
    )


def _recurring(row: _Row) -> str:
    return _loose(row.text) if len(row.text) <= _SHORT else _fixed(row.text)


def _some(patterns: Iterable[str]) -> list[str]:
    return [*dict.fromkeys(filter(None, patterns))][:_FURTHER]


def _template(blocks: Sequence[_Block]) -> tuple[list[str], list[Head]]:
    """Return the template of a question, made of the lines that recur in the blocks, and the beginnings of unused lines."""
    found: dict[tuple[Head, int], list[_Row]] = {}
    for block in blocks:
        plain = 0
        for at, row in enumerate(block):
            plain += not row.head and at > 0
            found.setdefault((row.head, 0 if row.head or not at else min(plain, 2)), []).append(row)
    first = (blocks[0][0].head, 0)
    lines, left = [_opening(first[0], [row.rest for row in found[first]])], list[Head]()
    size = {head: sum(len(own) for key, own in found.items() if key[0] == head) / len(blocks) for head, _ in found}
    has_options = any("{letter}" in head for head in size) or "{options}" in lines[0]
    for (head, at), own in found.items():
        rests = [row.rest for row in own]
        if (head, at) == first or len(own) < max(2, len(blocks) / 20):
            continue
        if "{number}" in head:
            left += [head] if len(own) >= _MOSTLY * len(blocks) and mean(map(len, rests)) < _SHORT else []
            continue
        if sum(_has_options(row.text) for row in own) >= _MOSTLY * len(own):
            names = ["{options}"]
        elif "{letter}" in head and _OFTEN * len(blocks) <= len(own) <= len(blocks):
            names = [f"{head} {{answer}}"]  # only the right option is given
        elif "{letter}" in head:
            names = _options(head, rests, len(blocks))
        elif head:
            name = _value(head, rests, lines, size)
            names = _options(head, rests, len(blocks)) if name == "{option}" else [f"{head} {name}"] if name else []
            left += [] if names else [head]
        elif not any("{stem}" in line for line in lines):
            names = ["{stem}"]
        else:
            names = _options("", rests, len(blocks)) if not has_options and at > 1 and size[""] > 2 else []
        lines += [line for line in names if line not in lines]
    return lines, left


def _options(head: Head, rests: Sequence[str], questions: int) -> list[str]:
    """Return the pattern of options, preceded by that of right options if those end with a mark."""
    tails = Counter(match[0].strip() for rest in rests if (match := _TAIL.search(flat(rest))))
    tail, times = tails.most_common(1)[0] if tails else ("", 0)
    usual = f"{head} {{option}}".strip()
    return [f"{head} {{right_option}}{_fixed(tail)}".strip(), usual] if _MOSTLY * questions / 2 <= times < len(rests) else [usual]


def _value(head: Head, rests: Sequence[str], lines: Sequence[str], size: dict[Head, float]) -> str:
    """Return the field name for the text after a label or symbol; empty if the text is unused."""
    kinds, filled = _kinds(head), [rest for rest in rests if rest]
    if not filled or _OF_OTHERS.search(head):
        return ""
    if "explanation" in kinds:
        return "{explanation}"
    ends = Counter(rest[match.end() :] for rest in filled if (match := _ANSWER.match(flat(rest))))
    end, times = ends.most_common(1)[0] if ends else ("", 0)
    if "answer" in kinds or times >= _OFTEN * len(filled) or _are_answers(filled):
        return "{answer}" + (_fixed(end) if times >= _OFTEN * len(filled) else "")
    is_text = len(set(filled)) > max(2, len(filled) / 5)
    if is_text and not any("{stem}" in line for line in lines) and mean(map(len, filled)) >= _LEAST_STEM:
        return "{stem}" + _fixed(_signs_behind(_shared([rest[::-1] for rest in filled])[::-1]))
    if any(char.isalnum() for char in head if char not in "xX") or (not is_text and size[head] < 2):
        return ""
    others = [other for other in size if other and other != head and not any(char.isalnum() for char in other if char not in "xX")]
    return "{right_option}" if size[head] <= 1 and any(size[other] > 1 for other in others) else "{option}"


def _kinds(head: Head) -> set[str]:
    return {kind for kind, *_ in marks_in(f"{head}甲")}


def _opening(head: Head, rests: Sequence[str]) -> str:
    """Return the pattern of a question's first line, with the fields that most of these lines have."""
    filled = [text for text in rests if text]
    tags = [match for text in filled if (match := _TAG.match(flat(text)))]
    tag = ""
    if filled and len(tags) >= _MOSTLY * len(filled):
        tag = f"{_fixed(tags[0]['before'])}{{type}}{_loose(tags[0]['after'])}"
        filled = [text[match.end() :] for text in filled if (match := _TAG.match(flat(text))) and text[match.end() :]]
    if len(filled) < _MOSTLY * len(rests):
        return f"{head} {tag}".strip()
    marked, divided = _marked(filled), _divided(filled)
    is_divided = divided.count("{") > 2 or marked in ("{stem}", "{stem} {answer}")
    return " ".join(filter(None, (head, tag, (is_divided and divided) or marked)))


def _marked(found: Sequence[str]) -> str:
    """Return the pattern of a stem, with the answer in or after it and the options after it."""
    text = "{stem}"
    brackets = [[match for match in _IN_BRACKETS.finditer(flat(one)) if WHOLE_ANSWER.fullmatch(match["answer"])] for one in found]
    if sum(map(bool, brackets)) >= _MOSTLY * len(found):
        before, after = Counter((match["before"], match["after"]) for one in brackets for match in one[-1:]).most_common(1)[0][0]
        text += f"{_fixed(before)}{{answer}}{_fixed(after)}"
    if sum(map(_has_options, found)) >= _MOSTLY * len(found):
        text += " {options}"
    return text


def _divided(found: Sequence[str]) -> str:
    """Return the pattern of lines that one separator divides into the same number of fields, one of them the answer; empty if there is no
    such separator."""
    best, columns = "", list[tuple[str, ...]]()
    for sign, _ in Counter(sign for one in found for sign in set(_DIVIDER.findall(flat(one)))).most_common(_FURTHER):
        parts = [one for text in found if len(one := _split(text, sign)) > 1]
        usual, times = Counter(map(len, parts)).most_common(1)[0] if parts else (0, 0)
        if times >= _OFTEN * len(found) and (usual, len(sign)) > (len(columns), len(best)):
            best, columns = sign, [*zip(*(one for one in parts if len(one) == usual), strict=True)]
    fixed = [_to_sign(_shared(column)) for column in columns]
    bare = [[text[len(start) :] for text in column] for start, column in zip(fixed, columns, strict=True)]
    answers = [at for at, column in enumerate(bare) if _are_answers(column) or "answer" in _kinds(fixed[at])]
    if len(columns) == 2 and not answers and all(all(column) for column in bare):
        answers = [1]  # an answer in words
    if len(answers) != 1:
        return ""
    stem = max((at for at in range(len(bare)) if at not in answers), key=lambda at: mean(map(len, bare[at])))
    names = ["{answer}" if at in answers else "{stem}" if at == stem else "{option}" if at > stem else "{}" for at in range(len(bare))]
    return (best if best.strip() else " ").join(f"{_fixed(start)}{name}" for start, name in zip(fixed, names, strict=True))


def _shared(texts: Sequence[str]) -> str:
    """Return the common prefix of all texts."""
    return "".join(signs[0] for signs in takewhile(lambda signs: len(set(signs)) == 1, zip(*texts, strict=False)))


def _signs_behind(text: str) -> str:
    """Return the punctuation at the end of a text, after its last letter, digit or space."""
    return "".join(takewhile(lambda sign: not sign.isalnum() and not sign.isspace(), reversed(text)))[::-1]


def _to_sign(text: str) -> str:
    """Return a text without its last word."""
    return text[: len(text) - sum(1 for _ in takewhile(str.isalnum, reversed(text)))]


def _split(text: str, sign: str) -> list[str]:
    """Return the parts of a text between occurrences of a separator in flat form."""
    starts = [match.start() for match in re.finditer(re.escape(sign), flat(text))]
    return [text[low:high].strip() for low, high in zip([0, *(at + len(sign) for at in starts)], [*starts, len(text)], strict=True)]


def _is_answer(text: str) -> bool:
    return WHOLE_ANSWER.fullmatch(flat(text.strip())) is not None


def _are_answers(found: Iterable[str]) -> bool:
    texts = [text for text in found if text.strip()]
    return bool(texts) and sum(map(_is_answer, texts)) >= _OFTEN * len(texts)


def _has_options(text: str) -> bool:
    run = find_options(text)
    return run is not None and len(run.cuts) > 1


def _heading(text: str) -> str:
    match = _NUMERAL.match(flat(text))
    if match is None and len(text) <= _SHORT and kind_of(flat(text)):
        return _fixed(text)
    if match is None or (match["words"].endswith(("。", "?", ")")) and "题" not in match["words"]):
        return ""
    return f"{_fixed(text[: match.end('before')])}{{numeral}}{_fixed(text[match.start('after') : match.end('after')])}{{heading}}"


def _case(text: str) -> str:
    """Return the pattern of a note above questions that share a text."""
    numbers = _RANGE.search(flat(text))
    if numbers is None or not note_in(flat(text)):
        return ""
    middle = text[numbers.end("first") : numbers.start("last")]
    return f"{_fixed(text[: numbers.start()])}{{first}}{_fixed(middle)}{{last}}{_loose(text[numbers.end() :])}"


def _fixed(text: str) -> str:
    """Return fixed text, escaped for a pattern."""
    return " ".join(text.strip().split()).replace("{", "{{").replace("}", "}}")


def _loose(text: str) -> str:
    """Return a line as a pattern with {} in place of its numbers."""
    return _DIGITS.sub("{}", _fixed(text))
