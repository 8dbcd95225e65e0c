"""Find where the questions of a paper begin, and the options in their rows: rows in, heads out.

No number format is known in advance: if rows differ only by numbers that run 1, 2, 3 and so on, these are the question numbers. If there
are no numbers, questions begin at the rows above each set of options, after whatever separates the questions.

Options are letters of one alphabet in sequence, each on its own row, side by side, or above its text.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby, pairwise

from msgspec import Struct, field

from atomexam.text.numerals import CIRCLED_NUMBERS, HANZI, STEMS, value_of
from atomexam.text.option_letters import LETTERS
from crawlers.read.vocabulary.headings import heads as is_heading
from crawlers.read.vocabulary.labels import columns_of, flat

_RINGED = ("".join(map(chr, range(first, first + 10))) for first in (0x24B6, 0x24D0, 0x249C))
ALPHABETS = (LETTERS, LETTERS.lower(), STEMS, CIRCLED_NUMBERS, *_RINGED)
"""Letters that papers use for options, in order."""
_OPENS = (
    r"(?P<mark>[^\w\s|(\[【《“\"']{0,3})\s{0,3}"
    r"(?:(?:选项|选择|[Oo]ption|[Cc]hoice)\s?|(?![\u4e00-\u9fff]{0,2}答案)[\u4e00-\u9fff]{2,4}\s?:\s?)?[(\[【]?"
)
_SIGN = r"(?P<sign>\s{0,2}(?:[)\]】]\s?[.、:,]|[)\]】.、:,|=-]))\s{0,9}"
_NO_SIGN = r"(?P<sign>)(?:\s{1,9}|$|(?=[\u4e00-\u9fff《“\"\d]))"


class Row(Struct, frozen=True, gc=False):
    """One non-empty line of a paper."""

    index: int
    """Its index among the lines of the paper."""
    text: str
    flat: str


_MOST_ROWS = 80
"""Maximum rows for the options of one question."""
_BETWEEN = frozenset(";；/／|｜,，")
BULLETS = "•"
"""Pseudo-alphabet for options without letters that each follow the same sign or a box: `- [ ]`, `○`."""
_BULLET = re.compile(r"\s{0,9}(?P<mark>(?:[-*+•·○●◯◎□■◇◆☐☑☒▪▢√×]\s{0,3})?(?:[(\[]\s?[xX√]?\s?[)\]])?)\s{0,4}(?=\S)")


class Option(Struct):
    """One option, as it appears in its rows."""

    text: str
    mark: str
    """Signs before its letter: `★A 甲`."""


class Lettered(Struct):
    """The rows of a question, split into its options."""

    stem: list[Row] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)
    tail: list[Row] = field(default_factory=list)
    """Rows that follow the first row of the last option, or the first row of the stem if there are no options."""


class _Place(Struct, frozen=True):
    """The position of a letter, and the start of its text."""

    row: int
    start: int
    end: int
    mark: str
    sign: str


def alphabet_of(spans: Sequence[Sequence[Row]]) -> str:
    """Return the alphabet whose letters appear in sequence in most questions; empty if fewer than two questions have one."""
    counts = Counter({alphabet: sum(len(_places(rows, alphabet[:2])) > 1 for rows in spans) for alphabet in ALPHABETS})
    alphabet, count = counts.most_common(1)[0]
    if count < len(spans) / 2 and sum(len(_bulleted(rows)) > 1 for rows in spans) > max(1, count, len(spans) / 2):
        return BULLETS
    return alphabet if count > 1 else ""


def _bulleted(rows: Sequence[Row]) -> list[_Place]:
    """Return the consecutive rows, after the first, that begin with a sign or a box."""
    places: list[_Place] = []
    for at, row in enumerate(rows[1:], 1):
        match = _BULLET.match(row.flat)
        if match and match["mark"]:
            places.append(_Place(at, match.start("mark"), match.end(), "".join(match["mark"].split()), ""))
        elif places:
            break
    return places if len({place.mark for place in places}) <= 2 else []


def opens_option(row: Row, alphabet: str) -> bool:
    """Return whether a row begins with the first letter of an alphabet and a sign."""
    return alphabet not in ("", BULLETS) and bool((place := _place_in(row.flat, 0, 0, alphabet[0], beside=False)) and place.sign)


def lettered(rows: Sequence[Row], alphabet: str) -> Lettered:
    """Return the parts of a question; the number must already be removed from its first row."""
    places = _bulleted(rows) if alphabet == BULLETS else _places(rows, alphabet) if alphabet else []
    if len(places) < 2:
        return Lettered(stem=list(rows[:1]), tail=list(rows[1:]))
    parts = Lettered(stem=list(rows[: places[0].row]))
    if opening := rows[places[0].row].text[: places[0].start].strip():  # the stem, on the row of the first option
        row = rows[places[0].row]
        parts.stem.append(Row(row.index, opening, row.flat[: places[0].start].strip()))
    for place, below in zip(places, [*places[1:], _Place(places[-1].row + 1, 0, 0, "", "")], strict=True):
        if below.row == place.row:
            texts = [rows[place.row].text[place.end : below.start]]
        else:
            texts = [rows[place.row].text[place.end :], *(row.text for row in rows[place.row + 1 : below.row])]
            if below.start:
                texts.append(rows[below.row].text[: below.start])
        parts.options.append(Option("\n".join(filter(None, (text.strip() for text in texts))), place.mark))
    _strip_separators(parts.options)
    parts.tail = list(rows[places[-1].row + 1 :])
    if not parts.options[-1].text and parts.tail:  # the letter is on the row above its text
        parts.options[-1].text = parts.tail.pop(0).text
    return parts


def places_of_all(rows: Sequence[Row], alphabet: str = LETTERS) -> list[tuple[int, int]]:
    """Return the first and the last row of each run of options with the letters A, B and so on."""
    if alphabet == BULLETS:
        return list(_runs_of_bullets(rows))
    firsts = [at for at, row in enumerate(rows) if _place_in(row.flat, at, 0, alphabet[0], beside=False)]
    runs = []
    for at, below in pairwise([*firsts, len(rows)]):
        places = _places(rows[at : min(below, at + _MOST_ROWS)], alphabet)
        if len(places) > 1:
            runs.append((at, at + places[-1].row))
    return runs


def _runs_of_bullets(rows: Sequence[Row]) -> Iterator[tuple[int, int]]:
    marked = [bool((match := _BULLET.match(row.flat)) and match["mark"]) for row in rows]
    for is_marked, run in groupby(range(len(rows)), key=marked.__getitem__):
        if is_marked and len(places := list(run)) > 1:
            yield places[0], places[-1]


def _strip_separators(options: Sequence[Option]) -> None:
    """Remove the separators between options that are side by side: `A 甲；`, `B 乙；`, `C 丙`."""
    sign = options[0].text[-1:]
    if sign in _BETWEEN and all(option.text.endswith(sign) for option in options[:-1]):
        for option in options:
            option.text = option.text.removesuffix(sign).rstrip()


def _places(rows: Sequence[Row], alphabet: str) -> list[_Place]:
    """Return the longest sequence of letters; among equally long ones, the last, since a word may begin with a letter: `A型性格`."""
    firsts = [place for at, row in enumerate(rows) if (place := _place_in(row.flat, at, 0, alphabet[0], beside=False))]
    for at, row in enumerate(rows):
        place = _place_in(row.flat, at, 1, alphabet[0], beside=True)
        if place and place.sign and any(map(str.isalnum, row.flat[: place.start])):
            firsts.append(place)
    found = [_from(rows, alphabet, place) for place in sorted(firsts, key=lambda place: (place.row, place.start))]
    return max(reversed(found), key=len, default=[])


def _from(rows: Sequence[Row], alphabet: str, first: _Place) -> list[_Place]:
    """Return the positions of the letters in sequence, from the first one on."""
    places = [first]
    for at in range(first.row, len(rows)):
        start = first.end if at == first.row else 0
        while len(places) < len(alphabet):
            letter = alphabet[len(places)]
            if start and any(_place_in(row.flat, 0, 0, letter, beside=False) for row in rows[at + 1 :]):
                break  # it begins a row below, so this one is a word of an option
            if (place := _place_in(rows[at].flat, at, start, letter, beside=bool(start))) is None:
                break
            places.append(place)
            start = place.end
    return places


def _place_in(line: str, at: int, start: int, letter: str, beside: bool) -> _Place | None:
    """Return where a letter begins a row or follows another option in it."""
    if not beside:
        match = _pattern(letter, r"\s{0,9}", rf"(?:{_SIGN}|{_NO_SIGN.replace('sign', 'none')})").match(line)
    else:
        match = _pattern(letter, r"(?:(?<=\s)|(?<=[。;/|,]))", _SIGN).search(line, start) or _pattern(
            letter, r"(?:(?<=\s)|(?<=[。;]))", _NO_SIGN
        ).search(line, start)
    return _Place(at, match.start("mark"), match.end(), match["mark"], match["sign"] or "") if match else None


@cache
def _pattern(letter: str, before: str, after: str) -> re.Pattern[str]:
    return re.compile(rf"{before}{_OPENS}{re.escape(letter)}(?![A-Za-z]){after}")


NEARLY_ALL = 0.8
_WORDS = (
    rf"(?P<before>[【\[(<][^\]】)>]{{0,14}}[^\d\s\]】)>][^\]】)>]{{0,14}}[】\])>]|[^\d{HANZI}\s.、:。][^\d{HANZI}。?!]{{0,14}}?|)\s{{0,3}}"
)
_AFTER = r"(?:(?P<of>\s{0,2}/\s{0,2}\d{1,4})|(?P<word>\s{0,2}[题问])|(?=\s|[^\w\s]|$))(?P<sign>\\?[.、:)\]】〉>|#/=]{1,2}|)[*_]{0,2}"
_HEAD = re.compile(rf"\s{{0,9}}{_WORDS}(?P<number>\d{{1,4}}|[{HANZI}百]{{1,5}}){_AFTER}")
"""The parts of a question number: words or a tag, a number, the total, a sign."""
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
LABEL = re.compile(
    r"\s{0,9}(?P<label>[【\[(<][^\]】)>\s:]{1,8}[】\])>](?:\s?[:=])?|[^\s:=。,、()【】\[\]<>]{1,8}\s?[:=]|#{1,6}(?=\s))\s{0,9}"
)
"""A label before a text, in brackets or before a colon."""
_MASKED = re.compile(r"[A-J]+(?![A-Za-z])|\d+")
KIND = re.compile(r"单[项选]|多[项选]|不定项|判断|是非|选择|填空|简答|^[单多判]$")
"""Words that name the kind of a question."""
_ANSWERS = re.compile(r"\W?(?:\S{0,3}答案|答|[Kk]ey|[Aa]ns)")
_RULE = re.compile(r"[^\w\s]{3,}|_{3,}|(?:[^\w\s]\s+){2,}[^\w\s]")
_WITHIN = re.compile(r"(?!A\s?[.、:)])\S.{3,}?[\s)。?_]\(?A\s?[.、:)].{1,200}?[\s,;]\(?B\s?[.、:)]")
"""A stem with its options on the same row."""
_FEWEST, _FEWEST_WITHOUT_NUMBERS = 4, 5
_RESTART = 1
"""Penalty for numbers that restart at 1."""
_LARGEST, _MOST_FORMS = 9999, 3
_MOST_BETWEEN = 3
"""Maximum rows between the options of two questions (answer, explanation, next stem); with more, a question's first row is uncertain."""
_FULL = 0.75
"""Share of the widest stem row's width that every row of a stem except the last must fill."""

Run = tuple[int, int]
"""The first and last row of a question's options."""


class Head(Struct, frozen=True, gc=False):
    """Where a question begins."""

    at: int
    """Index of its row."""
    number: int
    end: int
    """Where the words after the number begin."""
    before: str
    """The words before it."""


def rows_of(lines: Iterable[tuple[int, str]]) -> list[Row]:
    """Return the non-empty lines, with half-width signs for matching."""
    return [Row(index, text, flat(text)) for index, line in lines for part in _BREAK.split(line) if (text := part.strip())]


def masked(text: str) -> str:
    """Mask what may differ between questions in the text of a row, i.e. digits and option letters, and remove blanks."""
    return _MASKED.sub("#", "".join(text.split()))


def label_of(row: Row) -> str:
    """Return the label at the start of a row."""
    return match["label"].strip() if (match := LABEL.match(row.flat)) else ""


def counted(rows: Sequence[Row]) -> list[list[Head]]:
    """Return the rows that may begin questions, for each of the best number forms; a form must number at least four."""
    forms: dict[tuple[str, ...], list[Head]] = defaultdict(list)
    for at, row in enumerate(rows):
        match = _HEAD.match(row.flat)
        value = value_of(match["number"]) if match else None
        if match is None or value is None or value > _LARGEST:
            continue
        form = ("#" if match["number"].isdecimal() else "", "/" if match["of"] else "", (match["word"] or "").strip(), match["sign"])
        head = Head(at, value, match.end(), " ".join(match["before"].split()))
        forms["=", head.before.casefold(), *form].append(head)
        if head.before:  # also under words that differ: `单选题1`, `多选题2`
            forms["~", *form].append(head)
    chains = [_counting(heads) for heads in forms.values()]
    chains += _labelled(rows)
    best = sorted(((worth, chain) for worth, chain in chains if len(chain) >= _FEWEST), key=lambda one: -one[0])
    different: list[list[Head]] = []
    for _, chain in best:
        if not any({head.at for head in chain} <= {head.at for head in other} for other in different):
            different.append(chain)
    return different[:_MOST_FORMS]


def _labelled(rows: Sequence[Row]) -> Iterator[tuple[int, list[Head]]]:
    """Yield the rows that begin with the same label or with a question's kind, as in papers without numbers."""
    labels: dict[str, list[Head]] = defaultdict(list)
    for at, row in enumerate(rows):
        if match := LABEL.match(row.flat):
            label = "kind" if KIND.search(match["label"]) else match["label"]
            end = 0 if _ANSWERS.match(label) else match.end()
            labels[label].append(Head(at, len(labels[label]) + 1, end, match["label"].strip()))
    yield from ((len(heads) - _RESTART, heads) for heads in labels.values())


def _counting(heads: Sequence[Head]) -> tuple[int, list[Head]]:
    """Return the longest run of heads that count up by one, or restart at 1, with its score."""
    best: dict[int, tuple[int, int]] = {}  # by last number: a run's score, and the index in `linked` where it ends
    linked: list[tuple[Head, int]] = []
    top, top_at = 0, -1
    for head in heads:
        worth, above = best.get(head.number - 1, (0, -1))
        if head.number == 1 and top - _RESTART > worth:
            worth, above = top - _RESTART, top_at
        linked.append((head, above))
        if worth + 1 >= best.get(head.number, (0, -1))[0]:
            best[head.number] = (worth + 1, len(linked) - 1)
        if worth + 1 >= top:
            top, top_at = worth + 1, len(linked) - 1
    chain: list[Head] = []
    at = top_at
    while at >= 0:
        head, at = linked[at]
        chain.append(head)
    return top, chain[::-1]


def unnumbered(rows: Sequence[Row]) -> Iterator[list[Head]]:
    """Yield the rows where questions begin: those with options on the same row, those after a separator, or those a fixed number of rows
    above their options.
    """
    within = [at for at, row in enumerate(rows) if _WITHIN.match(row.flat)]
    if len(within) >= _FEWEST_WITHOUT_NUMBERS and len(within) > NEARLY_ALL * len(rows):
        yield _heads(within)
    runs = max((places_of_all(rows, alphabet) for alphabet in (*ALPHABETS, BULLETS)), key=len)
    if len(runs) < _FEWEST_WITHOUT_NUMBERS or any(first == 0 for first, _ in runs):
        return
    if divided := _divided(rows, runs):
        yield _heads(divided)
    between = {below - last - 1 for (_, last), (below, _) in pairwise(runs)}
    if len(between) == 1 and 0 < min(between) <= _MOST_BETWEEN:
        yield _heads([first - 1 for first, _ in runs])


def _heads(places: Sequence[int]) -> list[Head]:
    return [Head(at, number, 0, "") for number, at in enumerate(places, 1)]


def _divided(rows: Sequence[Row], runs: Sequence[Run]) -> list[int]:
    """Return where the questions with the given options begin; empty if any of them is uncertain."""
    gaps = [range(0, runs[0][0]), *(range(last + 1, below) for (_, last), (below, _) in pairwise(runs))]
    counts = Counter(mask for gap in gaps[1:] for mask in {masked(rows[at].flat) for at in gap})
    recurring = {mask for mask, count in counts.items() if count >= NEARLY_ALL * len(gaps[1:])}
    is_spaced = sum(_is_below_blank(rows, first + 1) for first, last in runs if last > first) > len(runs) / 2  # every row is spaced
    starts = [_start(rows, gap, recurring if at else set(), is_spaced) for at, gap in enumerate(gaps)]
    found = [start for start in starts[1:] if start is not None]
    if len(found) < len(gaps) - 1:
        return []
    counts_above = {first - start for (first, _), start in zip(runs[1:], found, strict=True)}
    first = starts[0] if starts[0] is not None else 0
    if len(counts_above) == 1:
        first = runs[0][0] - max(counts_above)
    elif starts[0] is None and runs[0][0] > 1:  # a title may be above the first
        widths = (columns_of(rows[at].text) for start, (below, _) in zip(found, runs[1:], strict=True) for at in range(start, below))
        first = first if _are_wrapped([rows[: runs[0][0]]], max(widths)) else -1
    if first < 0 or any(masked(rows[at].flat) in recurring for at in range(max(0, first - 2), first)):  # answers above the stems
        return []
    places = [first, *found]
    stems = [rows[start:below] for start, (below, _) in zip(places, runs, strict=True)]
    stems = [[row for row in stem if masked(row.flat) not in recurring] for stem in stems]
    width = max((columns_of(row.text) for stem in stems for row in stem[:1]), default=0)
    return places if all(stems) and _are_wrapped(stems, width) else []


def _start(rows: Sequence[Row], gap: range, recurring: set[str], is_spaced: bool) -> int | None:
    """Return the row between two sets of options at which the next question begins; None if that cannot be determined."""
    divided = [at for at in gap[1:] if _RULE.fullmatch(rows[at - 1].flat)]
    blank = [] if is_spaced else [at for at in gap if _is_below_blank(rows, at) and not _RULE.fullmatch(rows[at].flat)]
    if gap and (divided or blank):
        start = max([*divided, *blank])
        between = [at for at in blank if at < start]
        return start if all(_belongs(rows[at], recurring) for at in [*between, *gap[:1]] if at < start) else None
    behind = [at + 1 for at in gap[:-1] if masked(rows[at].flat) in recurring]
    if behind:
        return behind[-1]
    return gap[0] if gap and gap[0] and not any(LABEL.match(rows[at].flat) for at in gap) else None


def _belongs(row: Row, recurring: set[str]) -> bool:
    """Return whether a row starts a recurring part of the form: an answer, a label, a rule or a heading."""
    return bool(masked(row.flat) in recurring or LABEL.match(row.flat) or _RULE.fullmatch(row.flat) or is_heading(row.flat))


def _is_below_blank(rows: Sequence[Row], at: int) -> bool:
    return 0 < at < len(rows) and rows[at].index - rows[at - 1].index > 1


def _are_wrapped(stems: Sequence[Sequence[Row]], width: int) -> bool:
    """Return whether every stem row but the last fills the width; a shorter one is not part of a stem."""
    return all(columns_of(row.text) >= _FULL * width for stem in stems for row in stem[:-1])
