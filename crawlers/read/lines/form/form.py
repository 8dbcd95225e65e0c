"""Read a paper by the form that its questions repeat: lines in, the better of two readings out. Used if the core decoder understood little.

The core knows many forms of numbers, letters and words. This reader assumes none of them: it looks for rows that count up, for letters in
sequence, and for what matches these in each question. It can therefore read plain papers in unknown forms, but not shared cases or options.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import structs

from atomexam.text.option_letters import LETTERS
from atomexam.text.verdicts import VERDICT
from crawlers.read.lines.doubts.whole_paper import accounted
from crawlers.read.lines.form import answers as stated
from crawlers.read.lines.form.answers import Answer, Answers, key_in, right_letters
from crawlers.read.lines.form.heads import (
    KIND,
    LABEL,
    NEARLY_ALL,
    Head,
    Row,
    alphabet_of,
    counted,
    label_of,
    lettered,
    masked,
    opens_option,
    places_of_all,
    rows_of,
    unnumbered,
)
from crawlers.read.lines.paper import labelled_lines
from crawlers.read.lines.questions.draft import Draft, ParsedPaper
from crawlers.read.lines.questions.groups import Above
from crawlers.read.vocabulary.headings import case_heading_in, is_note, kind_of
from crawlers.read.vocabulary.headings import heads as is_heading
from crawlers.read.vocabulary.labels import flat, shown
from crawlers.read.vocabulary.numbers import STATED_TYPE
from crawlers.read.vocabulary.options import find_options

_POINTS = re.compile(
    r"\s*[\d.]{1,4}\s*(?:分|points?|pts?)|第?\d+[题页]?|(?:19|20)\d\d(?:年.{0,6})?|易|中|难|简单|容易|中等|较[易难]|困难|必考|高频|真题|重点|[★☆*]{1,5}"
)
_TAG_FIRST = re.compile(r"\s{0,9}[(\[【<〔（`]\s{0,9}(?P<said>[^()\[\]【】<>〔〕（）]{1,14}?)\s{0,9}[)\]】>〕）`]\s{0,9}[:.、：]?\s{0,9}")
_TAG_LAST = re.compile(
    r"(?:(?<=[)）。？?_])\s{0,9}|\s)#?(?P<plain>单选题?|多选题?|判断题?)-?$|\s#(?P<hashed>[^\s#]{1,8}?)-?$"
    r"|\s{0,9}[(\[【<〔（`]\s{0,9}(?P<said>[^()\[\]【】<>〔〕（）`]{1,14}?)\s{0,9}[)\]】>〕）`]\s{0,9}\*?$"
)
_SHARES = re.compile(r"配伍|(?<![A-Za-z])B1?\s?型|共用")
_EXPLAINS = re.compile(
    r"^\s{0,9}[【\[(（<]?\s{0,9}(?:(?:答案|试题|本题|参考|名师|详细)?(?:解析|详解|精析)\s{0,9}[】\])）>]?\s{0,9}[:：]?"
    r"|(?:[\u4e00-\u9fff]{0,4}(?:分析|说明|解释|点评|理由|依据|思路|考点|出处|笔记|提示|备注)|[Ww]hy|注|析|题解|Explanation|Analysis)"
    r"\s{0,9}(?:[】\])）>]\s{0,9}[:：]?|[:：]|$))\s{0,9}"
)
"""Words that are sufficient alone, and words that also need a colon or brackets, since `说明书` and `注意` may begin an explanation."""
_ASKS = re.compile(r"[(（]\s*[)）]|_{2,}|[?？:：]$|[是为有]$")
_OF_NUMBER = re.compile(r"第\s?(\d{1,4})\s?题")
"""The number of the question that an answer refers to: `昨日（第3题）答案`."""
_BESIDE = re.compile(r"\s[(\[【][A-Ja-j]\s?[)\]】]|(?<=\s)\s[(\[【]?[A-Ja-j甲乙丙丁戊Ⓐ-Ⓙ①-⑩]\s?[)\]】.、:]")
_EDGE = re.compile(r"(?:[()（）\[\]【】<>][^()（）\[\]【】<>]{1,14}[()（）\[\]【】<>]|[^\u4e00-\u9fff]*)$")
_COMMON_SIGNS = frozenset("()（）。.?？:：,，、“”\"'《》_!！;；%…—-")
_SEPARATORS, _LEADERS = " \t:：。.,，;；、)）]】|—–`*_-", " \t\u3000—–―-…·.•=→⇒>~|"
"""Signs that follow an answer, and signs between a statement and its verdict."""
_LONGEST_HEADING, _LONGEST_HEADER, _LONGEST_TAG, _SHORTEST_STEM = 60, 40, 64, 4
_RECURS = 0.3
"""If more than this share of the questions have the same row, ignoring digits, it belongs to the form and not to a question."""
_ROWS_ABOVE, _FULL, _MANY = 3, 0.8, 9


class Form:
    """The questions of a paper while their boundaries are being determined."""

    def __init__(self, rows: Sequence[Row], heads: Sequence[Head], spans: Sequence[list[Row]], listed: Sequence[str]) -> None:
        """Store the rows, the questions' first rows, the rows of each question without its number, and any listed answers."""
        self.rows, self.heads, self.listed = rows, heads, listed
        self.often = Counter(mask for span in spans for mask in {masked(row.flat) for row in span})
        self.alphabet = alphabet_of(spans)
        self.width = max((len(row.text) for span in spans for row in span), default=0)
        above = rows[: heads[0].at]
        self.sections = list(_sections(spans, next((row.text for row in reversed(above) if _heads_section(row)), None)))
        self.parts = [lettered(span, self.alphabet) for span in spans]
        self.unread = [row.text for row in above]
        self.is_shared = any(_announces_shared(row) for row in above)
        """Whether a case or options belong to several questions; only the core reads those."""

    def parsed(self) -> ParsedPaper:
        """Return the questions, with a doubt about each that does not fit the common form."""
        kinds = self._without_headers()
        self._without_labels()
        self._without_remarks(kinds)
        is_plain = len(self.unread) == self.heads[0].at  # no row of the questions was dropped
        count = len(self.parts)
        given: Answers = [None] * count
        marks, unsure = [""] * count, set(range(count))
        for has_options in (True, False):
            if places := [at for at, one in enumerate(self.parts) if bool(one.options) is has_options]:
                self._answer(places, given, marks, unsure, is_plain=is_plain)
        drafts = [self._draft(at, given[at], marks[at], kinds[at], unsure=at in unsure) for at in range(count)]
        odd = set(range(count)) if self.is_shared or self._are_shifted(given) or _are_all_one(drafts) else set(_with_remains(drafts))
        drafts = [draft.doubted("stem_unreadable" if at in odd else None) for at, draft in enumerate(drafts)]
        return ParsedPaper([one for one in drafts if not one.doubts], self.unread, [one for one in drafts if one.doubts], count)

    def _are_shifted(self, given: Answers) -> bool:
        """Return whether each answer may belong to the question below it: a row above the first question looks like the answers below the
        others, or like the last row of every question but the last.
        """
        first = self.heads[0].at
        look = _look_of(self.rows[first - 1]) if first else ()
        lasts = [_look_of(one.tail[-1]) if one.tail else () for one in self.parts]
        if any(look) and lasts.count(look) >= NEARLY_ALL * len(lasts) and lasts[-1] != look:
            return True
        said = [answer for one, answer in zip(self.parts, given, strict=True) if answer and answer.row in one.tail]
        above = self.rows[max(0, first - _ROWS_ABOVE) : first]
        if {masked(one.row.flat) for one in said if one.row} & {masked(row.flat) for row in above}:
            return True
        openings = {(flat(one.before).strip(), flat(one.after)[:1]) for one in said}
        return any(opening in openings for row in above for opening in stated.openings_in(row.flat))

    def _without_headers(self) -> list[str | None]:
        """Remove the row above each stem that states only its kind, points or subject; return the kinds."""
        firsts = [
            one.stem[0]
            for one in self.parts
            if (len(one.stem) > 1 or (one.stem and not one.options and one.tail)) and not stated.alone(one.stem[0])
        ]
        short = [row for row in firsts if len(row.text) <= _LONGEST_HEADER and not _ASKS.search(row.flat)]
        if len(short) < len(self.parts) or len({masked(row.flat) for row in short}) > len(short) / 2:
            return [None] * len(self.parts)
        headers = [one.stem.pop(0) for one in self.parts]
        for one in self.parts:
            if not one.stem:
                one.stem.append(one.tail.pop(0))
        self.unread += [row.text for row in headers]
        return [row.text if is_kind(row.flat) else None for row in headers]

    def _without_remarks(self, kinds: list[str | None]) -> None:
        """Remove rows below the first row of each stem that begin with the same label: `科目：…；题型：单选`."""
        labels = Counter(label_of(row) for one in self.parts for row in one.stem[1:])
        recurring = {label for label, count in labels.items() if label and count > NEARLY_ALL * len(self.parts)}
        for at, one in enumerate(self.parts):
            for row in [row for row in one.stem[1:] if not stated.alone(row) and (label_of(row) in recurring or self._recurs(row.flat))]:
                one.stem.remove(row)
                self.unread.append(row.text)
                kinds[at] = kinds[at] or next(iter(KIND.findall(row.flat)), None)

    def _without_labels(self) -> None:
        """Remove the label that begins nearly all stems: `title=……`, `题干：……`."""
        places = [next((at for at, row in enumerate(one.stem) if not stated.alone(row)), 0) for one in self.parts]
        labels = Counter(label_of(one.stem[at]) for at, one in zip(places, self.parts, strict=True) if one.stem)
        label, count = labels.most_common(1)[0] if labels else ("", 0)
        for at, one in zip(places, self.parts, strict=True) if label and count > NEARLY_ALL * len(self.parts) else ():
            if one.stem and (match := LABEL.match(one.stem[at].flat)) and match["label"].strip() == label:
                row = one.stem[at]
                one.stem[at] = Row(row.index, row.text[match.end() :].strip(), row.flat[match.end() :].strip())

    def _answer(self, places: Sequence[int], given: Answers, marks: list[str], unsure: set[int], *, is_plain: bool) -> None:
        """Fill in the answers to the questions at `places`; questions with one answer are no longer unsure."""
        parts = [self.parts[at] for at in places]
        columns = stated.after_labels(parts, self.alphabet) or stated.behind_options(parts, self.alphabet)
        if not columns:
            columns, mark = stated.at_options(parts)
            for at in places if columns else ():
                marks[at] = mark
        columns += stated.in_stems(parts, self.alphabet)
        if self.listed:
            columns.append([Answer(self.listed[at]) for at in places])
        if not columns and is_plain and len(places) == len(self.parts) and all(one.options and not one.tail for one in parts):
            unsure.clear()  # a paper without answers
        for index, at in enumerate(places):
            said = [answers[index] for answers in columns]
            right = {stated.right_letters(one.said, self.alphabet, len(self.parts[at].options)) for one in said if one}
            given[at] = next((one for one in said if one), None)
            if len(right) == 1 and "" not in right:
                unsure.discard(at)

    def _draft(self, at: int, answer: Answer | None, mark: str, kind: str | None, *, unsure: bool) -> Draft:
        """Return one question; unexplained rows make it doubtful."""
        one, head = self.parts[at], self.heads[at]
        letters = stated.right_letters(answer.said, self.alphabet, len(one.options)) if answer else ""
        options = [stated.unmarked(option.text, mark) for option in one.options]
        explanation, has_rest = self._tail(at, answer, options)
        texts = [row.text for row in one.stem]
        if answer and answer.row in one.stem:
            texts[one.stem.index(answer.row)] = _without_answer(answer)
        stem, tags = untagged("\n".join(text for text in texts if text.strip()).strip())
        if head.before[-2:] in ("**", "__"):  # `**1. ……**`
            stem = stem.removesuffix(head.before[-2:]).rstrip()
        kinds = [kind, *filter(is_kind, tags), head.before if is_kind(head.before) else None]
        self.unread += tags
        wrapped = [option.split("\n")[0] for option in options if "\n" in option]
        doubts = {
            "two_answers": (unsure and answer is not None) or (answer is not None and self._names_others(answer, options, letters)),
            "answer_list_mismatch": (unsure and answer is None)
            or (answer is not None and _OF_NUMBER.findall(answer.before) not in ([], [str(head.number)])),
            "options_unreadable": (not options and (found := find_options(stem)) is not None and len(found.cuts) > 1)
            or any(opens_option(row, self.alphabet) for row in one.stem[1:])
            or any(len(first) < self.width / 2 for first in wrapped)
            or any(_BESIDE.search(flat(option)) for option in options)
            or not all(options)
            or len(set(options)) < len(options)
            or "\n" in "".join(options[-1:]),
            "stem_unreadable": has_rest
            or len(stem) < _SHORTEST_STEM
            or any(_ASKS.search(row.flat) and len(row.text) < _FULL * self.width for row in one.stem[:-1]),  # text below is not the stem
        }
        return Draft(
            line=self.rows[head.at].index,
            ordinal=at + 1,
            number=head.number,
            type=next(filter(None, kinds), None),
            above=Above(heading=self.sections[at]),
            stem=stem,
            options=options,
            answer=letters or None,
            explanation=explanation,
            doubts=tuple(doubt for doubt, has_it in doubts.items() if has_it),
        )

    def _names_others(self, answer: Answer, options: Sequence[str], letters: str) -> bool:
        """Return whether the text after an answer pairs options with letters other than the answer's: `A 甲；C 丙`."""
        named = zip(LETTERS, self.alphabet, options, strict=False)
        return any(
            letter not in letters and re.search(rf"(?:^|\W){re.escape(own)}\W{{0,3}}{re.escape(option)}", answer.after)
            for letter, own, option in named
        )

    def _tail(self, at: int, answer: Answer | None, options: Sequence[str]) -> tuple[str | None, bool]:
        """Return the explanation below the options, and whether a row is left over."""
        one, explained, has_rest = self.parts[at], list[str](), False
        within = answer is not None and answer.row in one.tail
        is_below = not within
        for row in one.tail:
            rest = row.text
            if answer and row is answer.row:
                is_below = True
                rest = answer.after.lstrip(_SEPARATORS)
                if not rest or self._recurs(rest) or rest.strip() in options:
                    self.unread += [rest] if rest else []
                    continue
            elif self._recurs(row.flat):
                self.unread.append(row.text)
                continue
            if not _EXPLAINS.match(rest):
                self.is_shared = self.is_shared or _announces_shared(row) or is_note(row.flat)
            if is_below and (within or explained or _EXPLAINS.match(rest)):
                explained.append(_EXPLAINS.sub("", rest, count=1))
            else:
                has_rest = True
                self.unread.append(row.text)
        return "\n".join(explained).strip() or None, has_rest

    def _recurs(self, text: str) -> bool:
        return self.often[masked(text)] > _RECURS * len(self.parts)


def untagged(stem: str) -> tuple[str, list[str]]:
    """Return a stem without the tags around it (kind, points, year, difficulty), and the tags."""
    tags = []
    while (match := _TAG_FIRST.match(stem)) and len(match[0]) < len(stem) and _is_tag(match["said"]) and not match["said"].isdigit():
        tags.append(match["said"])
        stem = stem[match.end() :]
    while (
        (match := _TAG_LAST.search(stem, max(0, len(stem) - _LONGEST_TAG)))
        and match.start()
        and _is_tag(said := match["said"] or match["hashed"] or match["plain"])
    ):
        tags.append(said)
        stem = stem[: match.start()].rstrip()
    return stem.strip(), tags


def is_kind(tag: str) -> bool:
    """Return whether a tag states the kind of a question."""
    return KIND.search(tag) is not None


def _is_tag(said: str) -> bool:
    return bool(is_kind(said) or _POINTS.fullmatch(said))


def _sections(spans: Sequence[list[Row]], first: str | None) -> Iterator[str | None]:
    """Remove section headings from the ends of questions; yield the heading above each question."""
    last = first
    for span in spans:
        yield last
        if len(span) > 1 and _heads_section(span[-1]):
            last = span.pop().text


def _heads_section(row: Row) -> bool:
    return len(row.text) <= _LONGEST_HEADING and bool(is_heading(row.flat)) and not _announces_shared(row)


def _announces_shared(row: Row) -> bool:
    """Return whether a row as short as a heading announces a case or options that several questions share."""
    line = row.flat
    is_case = is_note(line) or case_heading_in(line) is not None or kind_of(line) == "case"
    return len(line) <= _LONGEST_HEADING and (is_case or _SHARES.search(line) is not None)


def _look_of(row: Row) -> tuple[object, ...]:
    """Return what rows of one kind share: the sign before them and the tag after them, or whether they ask something."""
    sign, last = "" if row.flat[:1].isalnum() else row.flat[:1], row.flat.split()[-1]
    return sign, last if last[:1] in ("#", "@") else "", not sign and _ASKS.search(row.flat) is not None


def _without_answer(answer: Answer) -> str:
    """Return the row of a stem without its answer and the brackets around the answer."""
    return f"{answer.before.rstrip() if answer.after.strip() else answer.before.rstrip(_LEADERS)}{answer.after}"


def _are_all_one(drafts: Sequence[Draft]) -> bool:
    """Return whether many questions all have the same answer, or all statements the same verdict; random answers would differ."""
    letters = {draft.answer for draft in drafts if draft.options}
    count = sum(bool(draft.options) for draft in drafts)
    return len(letters) == 1 and None not in letters and count > _MANY if count else len({draft.answer for draft in drafts}) == 1


def _with_remains(drafts: Sequence[Draft]) -> Iterator[int]:
    """Yield the questions with unparsed remains of a form: a recurring end of the stem or last option whose signs and digits are unusual in
    words, or a first option that many others share.
    """
    remains = [
        [_edge_of(draft.stem), _edge_of(draft.stem[::-1]), _edge_of("".join(draft.options[-1:])), f"^{''.join(draft.options[:1])}"]
        for draft in drafts
    ]
    for kind in range(4):
        counts = Counter(own[kind] for own, draft in zip(remains, drafts, strict=True) if kind < 2 or len(draft.options) > 2)
        recurring = {edge for edge, count in counts.items() if edge and count > max(2, _RECURS * len(drafts))}
        yield from (at for at, own in enumerate(remains) if own[kind] in recurring and len(drafts[at].options) >= 3 * (kind > 1))


def _edge_of(text: str) -> str:
    """Return what follows the last Chinese character of a text, digits masked; empty if it is ordinary punctuation."""
    match = _EDGE.search(text)
    edge = masked(re.sub(VERDICT, "0", match[0])) if match else ""
    return edge if "\t" in text or any(sign not in _COMMON_SIGNS and not sign.isalpha() for sign in edge) else ""


_ENOUGH_ANSWERED, _MOST_UNREAD = 0.9, 0.5
"""A paper is poorly understood if less than this share of its numbers has a sound, answered question, or more of its text is unread.
"""
_MOSTLY, _NEARLY_WHOLE = 0.8, 0.95
"""Minimum shares of the form's questions that the core answers unless it misread the paper, and that are sound if the form applies."""
_LONGEST_NUMBER = 9
"""Maximum length of a number or kind before a stem, not counting signs."""


def better_by_form(lines: Sequence[str], paper: ParsedPaper) -> ParsedPaper:
    """Return the better reading: the given one, unless it understood little and the repeated form reveals more of the paper.

    The form shows less of a paper than the core does: no cases, no shared options. However, it fits either nearly all questions or none, so
    where it contradicts a poor reading, the result is uncertain: if the two give different answers, neither is accepted.
    """
    paper = structs.replace(paper, questions=[*map(_untagged, paper.questions)])
    if not _is_little_understood(lines, paper) or len(lines) > MOST_LINES or (other := read_lines(lines)) is None:
        return paper
    other = accounted(lines, other)  # other parts of the paper may contradict the form
    answered, others = _answered(paper), _answered(other)
    if not others:
        return other if not answered and len(other.questions) > len(paper.questions) else paper
    if answered <= _MOSTLY * others:
        return other
    if len(other.questions) < _NEARLY_WHOLE * other.numbers:
        return paper
    by_line = {draft.line: draft for draft in other.questions}
    pairs = [(draft, by_line[draft.line]) for draft in paper.questions if draft.line in by_line]
    if others > answered and not any(draft.above.case or draft.above.shared_options for draft in paper.questions):
        return _doubted(other, [(one, two) for two, one in pairs if _contradict(one, two)])
    return _doubted(paper, [(one, two) for one, two in pairs if not _are_alike(one, two) or _answer(one) != _answer(two)])


def _is_little_understood(lines: Sequence[str], paper: ParsedPaper) -> bool:
    unread, whole = (sum(len(line.strip()) for line in some) for some in (paper.unread, lines))
    return _answered(paper) < _ENOUGH_ANSWERED * max(1, paper.numbers, len(paper.drafts)) or unread > _MOST_UNREAD * whole


def _answered(paper: ParsedPaper) -> int:
    return sum(draft.answer is not None for draft in paper.questions)


def _untagged(draft: Draft) -> Draft:
    """Return a question without the tags around its stem; the first tag that states a kind becomes its type."""
    stem, tags = untagged(draft.stem)
    kinds = [match[0] if (match := STATED_TYPE.search(tag)) else tag for tag in tags if is_kind(tag)]
    return structs.replace(draft, stem=stem, type=draft.type or kinds[0]) if kinds else draft


def _doubted(paper: ParsedPaper, pairs: Sequence[tuple[Draft, Draft]]) -> ParsedPaper:
    """Return the paper with the first question of each pair rejected as `read_in_two_ways`."""
    words = {one.line: _in_words(one, two) for one, two in pairs}
    rejected = [draft.doubted("read_in_two_ways", words[draft.line]) for draft in paper.questions if draft.line in words]
    questions = [draft for draft in paper.questions if draft.line not in words]
    return structs.replace(paper, questions=questions, rejected=[*paper.rejected, *rejected])


def _in_words(draft: Draft, other: Draft) -> str:
    """Describe how two readings of one question differ."""
    name = "answer" if _answer(draft) != _answer(other) else "options" if len(draft.options) != len(other.options) else "stem"
    one, two = ("; ".join(each.options) if name == "options" else getattr(each, name) or "" for each in (draft, other))
    return f"its {name} can be read as {shown(one)} or as {shown(two)}; state the correct form in a layout"


def _contradict(draft: Draft, other: Draft) -> bool:
    """Return whether two readings of one question have conflicting answers."""
    return bool(_answer(draft) and _answer(other)) and _answer(draft) != _answer(other) and _are_alike(draft, other)


def _are_alike(draft: Draft, other: Draft) -> bool:
    """Return whether two readings ask the same thing, ignoring numbers, letters and signs that precede a text in only one of them."""
    if len(draft.options) != len(other.options) or not _end_alike(draft.stem, other.stem, _LONGEST_NUMBER):
        return False
    return all(_end_alike(one, two, 1) for one, two in zip(draft.options, other.options, strict=True))


def _end_alike(one: str, two: str, most: int) -> bool:
    shorter, longer = sorted(map(_plain, (untagged(one)[0], untagged(two)[0])), key=len)
    return longer.endswith(shorter) and len(longer) - len(shorter) <= most


def _answer(draft: Draft) -> str:
    """Return the letters or words of an answer; √, 对 and 正确 count as equal."""
    said = _plain(draft.answer or "") or (draft.answer or "").strip()
    return (right_letters((draft.answer or "").strip(), "", 0) if not draft.options else "") or said


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text))).casefold()


_FEWEST, MOST_LINES, _MOST_LISTS = 5, 20_000, 3
_MOST_ROWS = 200
"""Maximum rows of a question; if there are more, the numbers do not number questions."""


def read_lines(lines: Sequence[str]) -> ParsedPaper | None:
    """Return the better of two readings of a paper: one of the paper as it is, and one without what programs left in its text."""
    as_it_is = read_repeating(list(enumerate(lines)))
    if as_it_is and not as_it_is.rejected:
        return as_it_is
    cleared = read_repeating(labelled_lines(lines))
    return max(filter(None, (as_it_is, cleared)), key=_worth, default=None)


def read_repeating(lines: Iterable[tuple[int, str]]) -> ParsedPaper | None:
    """Return the questions of a paper whose parts recur in one form; None if there is no such form.

    Args:
        lines: each with its index in the source.
    """
    rows = rows_of(lines)
    if len(rows) > MOST_LINES:
        return None
    readings = [reading for heads in (*counted(rows), *unnumbered(rows)) if (reading := _sound(rows, heads))]
    return max(readings, key=_worth, default=None)


def _worth(paper: ParsedPaper) -> tuple[int, int]:
    return sum(one.answer is not None for one in paper.questions), len(paper.questions)


def _sound(rows: Sequence[Row], heads: Sequence[Head]) -> ParsedPaper | None:
    """Return the questions that begin at these rows, if nearly all of them are sound and there are no other questions."""
    if len(heads) < _FEWEST or places_of_all(rows[: heads[0].at]):
        return None
    heads, ends, answers = _with_key(rows, heads)
    if max(end - head.at for head, end in zip(heads, ends, strict=True)) > _MOST_ROWS:
        return None
    paper = Form(rows, heads, _spans(rows, heads, ends), answers).parsed()
    return paper if len(paper.questions) >= max(_FEWEST, NEARLY_ALL * paper.numbers) else None


def _with_key(rows: Sequence[Row], heads: Sequence[Head]) -> tuple[Sequence[Head], list[int], list[str]]:
    """Return the questions, the end of each, and any listed answers; the numbers in the list may continue the count."""
    restarts = [at for at, head in enumerate(heads) if at and head.number == 1]
    for count in (len(heads), *restarts[::-1][:_MOST_LISTS]):
        own = heads[:count]
        last = own[-1].at + 1
        key = key_in(rows[last:], [head.number for head in own])
        if key and (count == len(heads) or last + key[0] <= heads[count].at):
            return own, [*(below.at for below in own[1:]), last + key[0]], key[1]
    return heads, [*(below.at for below in heads[1:]), len(rows)], []


def _spans(rows: Sequence[Row], heads: Sequence[Head], ends: Sequence[int]) -> list[list[Row]]:
    """Return the rows of each question, without its number and up to its end."""
    spans = []
    for head, end in zip(heads, ends, strict=True):
        first = rows[head.at]
        words = first.flat[head.end :]
        start = head.end + len(words) - len(words.lstrip())
        own = [Row(first.index, first.text[start:], first.flat[start:])] if words.strip() else []
        spans.append([*own, *rows[head.at + 1 : end]])
    return spans
