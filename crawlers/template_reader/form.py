"""The form that the questions of a paper have in common, and what each has by it: spans of rows in, drafts with doubts out."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from msgspec import structs

from atomexam.text.numerals import CIRCLED_TO_20
from atomexam.text.option_letters import LETTERS
from atomexam.text.verdicts import VERDICT
from crawlers.papers.questions.draft import Draft, ParsedPaper
from crawlers.papers.questions.groups import Above
from crawlers.papers.signs.answer_marks import columns_of, flat
from crawlers.papers.signs.headings import is_note
from crawlers.papers.signs.options import find_options
from crawlers.template_reader import answers as stated
from crawlers.template_reader.answers import NEARLY_ALL, TOKEN, Answer, Answers
from crawlers.template_reader.counters import Head, Row, masked
from crawlers.template_reader.keys import Key
from crawlers.template_reader.leftovers import (
    RECURS,
    TAG_FIRST,
    TAG_LAST,
    are_all_one,
    with_cells_behind,
    with_first_option_of_many,
    with_odd_ends,
    with_tags_behind,
)
from crawlers.template_reader.lettered import alphabet_of, lettered, opens_option
from crawlers.template_reader.plain_options import plain_options
from crawlers.template_reader.sections import KIND, announces_shared, heads_section, section_headings

_LONGEST_HEADER, _LONGEST_TAG = 40, 64
_POINTS = re.compile(
    r"\s*[\d.]{1,4}\s*(?:分|points?|pts?)|第?\d+[题页]?|(?:19|20)\d\d(?:年.{0,6})?|易|中|难|简单|容易|中等|较[易难]|困难|必考|高频|真题|重点|[★☆*]{1,5}"
)
_SEPARATORS = re.compile(r"^[\s:：。.,，;；、)）\]】|—–`*_-]+")
_EXPLAINS = re.compile(
    r"^\s{0,9}[【\[(（<]?\s{0,9}(?:(?:答案|试题|本题|参考|名师|详细)?(?:解析|详解|精析)\s{0,9}[】\])）>]?\s{0,9}[:：]?"
    r"|(?:[\u4e00-\u9fff]{0,4}(?:解析|详解|精析|分析|说明|解释|点评|理由|依据|原因|思路|考点|出处|笔记|提示|点拨|备注)|[Ww]hy|注|析|题解|Explanation|Analysis)"
    r"\s{0,9}(?:[】\])）>]\s{0,9}[:：]?|[:：]|$))\s{0,9}"
)
"""Words that say so alone, and words that a colon or brackets must set off: `说明书` and `注意` begin explanations, too."""
_ASKS = re.compile(r"[(（]\s*[)）]|_{2,}|[?？:：]$|[是为有]$")
_LEADERS = " \t\u3000—–―-…·.•=→⇒>~|"
"""Signs that lead from a statement to its verdict."""
_BULLET = re.compile(r"\s{0,9}(?P<sign>[^\w\s#|()（）\[\]【】《》“”\"'_√×]{1,2})\s{1,9}(?=\S)")
_TAG_BEHIND = re.compile(r"(?<=\s)[#@]\S{1,20}$")
_OF_NUMBER = re.compile(r"第\s?(\d{1,4})\s?题")
"""The question of which an answer is, as it says: `昨日（第3题）答案`."""
_SHORTEST_STEM = 4


def read_form(rows: Sequence[Row], heads: Sequence[Head], spans: list[list[Row]], key: Key | None) -> ParsedPaper:
    """Return the questions that begin at some rows, those that do not fit the form of the others with a doubt.

    Args:
        spans: the rows of each question, without its number.
        key: the list of answers, if there is one.
    """
    return _Form(rows, heads, spans, key).parsed()


class _Form:
    """The questions of a paper while they are told apart."""

    def __init__(self, rows: Sequence[Row], heads: Sequence[Head], spans: list[list[Row]], key: Key | None) -> None:
        self.rows, self.heads, self.key = rows, heads, key
        self.often = Counter(mask for span in spans for mask in {masked(row.flat) for row in span})
        self.alphabet = alphabet_of(spans)
        self.width = max((len(row.text) for span in spans for row in span), default=0)
        first = next((row.text for row in reversed(rows[: heads[0].at]) if heads_section(row)), None)
        self.sections = [first, *section_headings(spans, first)]
        self.parts = plain_options(spans) or [lettered(span, self.alphabet) for span in spans]
        self.unread = [row.text for row in rows[: heads[0].at]]
        self.is_shared = any(announces_shared(row.flat) for row in rows[: heads[0].at])
        """A case, or options, belong to several questions: another reader's work."""
        self.is_plain = False
        """No row of the questions was left out."""

    def parsed(self) -> ParsedPaper:
        """Return the questions."""
        kinds = self._without_headers()
        self._without_bullets()
        self._without_labels()
        self._without_remarks(kinds)
        self.is_plain = len(self.unread) == self.heads[0].at
        self._with_wrapped_rows()
        self.opening = self._opening_of_explanations()
        self.has_reasons = self._have_reasons()
        count = len(self.parts)
        given: Answers = [None] * count
        marks, unsure = [""] * count, set(range(count))
        for has_options in (True, False):
            if places := [at for at, one in enumerate(self.parts) if bool(one.options) is has_options]:
                self._answer(places, given, marks, unsure)
        drafts = [self._draft(at, given[at], marks[at], kinds[at], unsure=at in unsure) for at in range(count)]
        drafts = _without_rings(drafts)
        odd = {*with_odd_ends([draft.stem for draft in drafts]), *with_first_option_of_many(drafts)}
        odd |= {*with_cells_behind([draft.options for draft in drafts])}
        odd |= set(with_tags_behind([draft.options[-1] if draft.options else "" for draft in drafts]))
        if self.is_shared or self._are_shifted(given) or are_all_one(drafts):
            odd = set(range(count))
        drafts = [draft.doubted("stem_unreadable" if at in odd else None) for at, draft in enumerate(drafts)]
        return ParsedPaper([one for one in drafts if not one.doubts], self.unread, [one for one in drafts if one.doubts], count)

    def _are_shifted(self, given: Answers) -> bool:
        """Return whether a row above the first question looks like the answers below the others, or the last rows of all but one: these are
        above theirs.
        """
        if self._begins_above():
            return True
        said = [answer for one, answer in zip(self.parts, given, strict=True) if answer and answer.row in one.tail]
        above = self.rows[max(0, self.heads[0].at - _ROWS_ABOVE) : self.heads[0].at]
        if {masked(one.row.flat) for one in said if one.row} & {masked(row.flat) for row in above}:
            return True
        openings = {(flat(one.before).strip(), flat(one.after)[:1]) for one in said}
        found = [(row.flat, match) for row in above for match in TOKEN.finditer(row.flat)]
        return any((line[: match.start()].strip(), line[match.end() :][:1]) in openings for line, match in found)

    def _begins_above(self) -> bool:
        """Return whether the row above the first question looks like the last rows of all others but the last: they are stems."""
        first = self.heads[0].at
        look = _look_of(self.rows[first - 1].flat) if first else ()
        lasts = [_look_of(one.tail[-1].flat) if one.tail else () for one in self.parts]
        return any(look) and lasts.count(look) >= NEARLY_ALL * len(lasts) and lasts[-1] != look

    def _without_headers(self) -> list[str | None]:
        """Take the row that only says the kind of a question, its points or its subject from above each stem; return the kinds."""
        firsts = [
            one.stem[0]
            for one in self.parts
            if (len(one.stem) > 1 or (one.stem and not one.options and one.tail)) and not stated.alone(one.stem[0])
        ]
        short = [row for row in firsts if len(row.text) <= _LONGEST_HEADER and not _ASKS.search(row.flat)]
        few = len({masked(row.flat) for row in short}) <= len(short) / 2
        if len(short) < len(self.parts) or not few:
            return [None] * len(self.parts)
        headers = [one.stem.pop(0) for one in self.parts]
        for one in self.parts:
            if not one.stem:
                one.stem.append(one.tail.pop(0))
        self.unread += [row.text for row in headers]
        return [row.text if KIND.search(row.flat) else None for row in headers]

    def _without_remarks(self, kinds: list[str | None]) -> None:
        """Take the rows below the first of each stem that begin with the same label: `科目：…；题型：单选`."""
        labels = [_label_of(row) for one in self.parts for row in one.stem[1:]]
        recurring = {label for label, count in Counter(labels).items() if label and count > NEARLY_ALL * len(self.parts)}
        for at, one in enumerate(self.parts):
            for row in [row for row in one.stem[1:] if not stated.alone(row) and (_label_of(row) in recurring or self._recurs(row.flat))]:
                one.stem.remove(row)
                self.unread.append(row.text)
                kinds[at] = kinds[at] or next(iter(KIND.findall(row.flat)), None)

    def _without_bullets(self) -> None:
        """Take the sign that begins nearly all stems, `◆ ……`."""
        firsts = [one.stem[0] for one in self.parts if one.stem]
        signs = Counter(match["sign"] for row in firsts if (match := _BULLET.match(row.flat)))
        sign, count = signs.most_common(1)[0] if signs else ("", 0)
        if count < NEARLY_ALL * len(self.parts):
            return
        for one in self.parts:
            if one.stem and (match := _BULLET.match(one.stem[0].flat)) and match["sign"] == sign:
                row = one.stem[0]
                one.stem[0] = Row(row.index, row.text[match.end() :], row.flat[match.end() :])

    def _without_labels(self) -> None:
        """Take the label that begins nearly all stems: `title=……`, `题干：……`."""
        places = [next((at for at, row in enumerate(one.stem) if not stated.alone(row)), 0) for one in self.parts]
        labels = Counter(_label_of(one.stem[at]) for at, one in zip(places, self.parts, strict=True) if one.stem)
        label, count = labels.most_common(1)[0] if labels else ("", 0)
        for at, one in zip(places, self.parts, strict=True):
            if label and count > NEARLY_ALL * len(self.parts) and one.stem and _label_of(one.stem[at]) == label:
                row, end = one.stem[at], _LABEL.match(one.stem[at].flat).end()  # type: ignore[union-attr]
                one.stem[at] = Row(row.index, row.text[end:].strip(), row.flat[end:].strip())

    def _with_wrapped_rows(self) -> None:
        """Add the further rows of statements whose rows fill their width: a row ends with the page, not with the sentence."""
        widths = [columns_of(row.text) for row in self.rows[self.heads[0].at :]]
        width = _FULL * max(widths, default=0)
        if sum(one >= width for one in widths) < _FEWEST_FULL:
            return
        for head, one in zip(self.heads, self.parts, strict=True):
            row = self.rows[head.at]
            while not one.options and one.tail and columns_of(row.text) >= width and not _CLOSED.search(row.flat):
                if self._recurs(one.tail[0].flat) or _EXPLAINS.match(one.tail[0].text) or stated.alone(one.tail[0]):
                    break
                row = one.tail.pop(0)
                one.stem.append(row)

    def _opening_of_explanations(self) -> str:
        """Return the sign that begins nearly all texts below options, `★` or `>`, which says that they explain; empty if there is none."""
        firsts = [row for one in self.parts for row in one.tail if not self._recurs(row.flat)]
        signs = Counter(match[0] for row in firsts if (match := _SIGN.match(row.flat)))
        sign, count = signs.most_common(1)[0] if signs else ("", 0)
        several = sum(sum(row.flat.startswith(sign) for row in one.tail) > 1 for one in self.parts)
        if not sign or several > RECURS * len(self.parts):  # they are items of a list
            return ""
        return sign if count >= max(2, NEARLY_ALL * sum(any(not self._recurs(row.flat) for row in one.tail) for one in self.parts)) else ""

    def _have_reasons(self) -> bool:
        """Return whether what is below the options of most questions, and of the last, are sentences, which explain the answers."""
        tails = [[row for row in one.tail if not self._recurs(row.flat)] for one in self.parts]
        filled = [rows for one, rows in zip(self.parts, tails, strict=True) if rows and one.options]
        if not tails[-1] or len(filled) * 2 < len(tails) or any(stated.alone(row) for rows in filled for row in rows):
            return False
        return sum(
            _SENTENCE_END.search(rows[-1].flat) is not None and not _ASKS.search(rows[-1].flat) for rows in filled
        ) >= NEARLY_ALL * len(filled)

    def _answer(self, places: Sequence[int], given: Answers, marks: list[str], unsure: set[int]) -> None:
        """Add the answers of the questions at some places; those with one are no longer unsure."""
        parts = [self.parts[at] for at in places]
        columns = stated.after_labels(parts, self.alphabet)
        if not columns:
            columns, mark = stated.at_options(parts)
            for at in places if columns else ():
                marks[at] = mark
            columns += stated.behind_options(parts, self.alphabet)
        columns += stated.in_stems(parts, self.alphabet)
        columns += stated.before_numbers(parts, [self.heads[at].before for at in places], self.alphabet)
        if self.key:
            columns.append([Answer(self.key.answers[at]) for at in places])
        if not columns and self.is_plain and len(places) == len(self.parts) and all(one.options and not one.tail for one in parts):
            unsure.clear()  # a paper without answers
        for index, at in enumerate(places):
            said = [answers[index] for answers in columns]
            right = {stated.right_letters(one.said, self.alphabet, len(self.parts[at].options)) for one in said if one}
            given[at] = next((one for one in said if one), None)
            if len(right) == 1 and "" not in right:
                unsure.discard(at)

    def _draft(self, at: int, answer: Answer | None, mark: str, kind: str | None, *, unsure: bool) -> Draft:
        """Return one question; rows that nothing explains make it doubtful."""
        one, head = self.parts[at], self.heads[at]
        letters = stated.right_letters(answer.said, self.alphabet, len(one.options)) if answer else ""
        doubts = (["two_answers"] if answer else ["answer_list_mismatch"]) if unsure else []
        options = [stated.unmarked(option.text, mark) for option in one.options]
        explanation, has_rest = self._tail(at, answer, options)
        texts = [row.text for row in one.stem]
        if answer and answer.row in one.stem:
            texts[one.stem.index(answer.row)] = _without_answer(answer, has_options=bool(options))
        stem, tags = untagged(_without_emphasis("\n".join(text for text in texts if text.strip()).strip(), head.before))
        kinds = [kind, *(tag for tag in tags if KIND.search(tag)), head.before if KIND.search(head.before) else None]
        self.unread += tags
        if not options and (found := find_options(stem)) and len(found.cuts) > 1:
            doubts.append("options_unreadable")
        if any(_is_whole(row, self.width) for row in one.stem[:-1]):
            doubts.append("stem_unreadable")
        if any(opens_option(row, self.alphabet) for row in one.stem[1:]):
            doubts.append("options_unreadable")
        if has_rest or len(stem) < _SHORTEST_STEM:
            doubts.append("stem_unreadable")
        if answer and (numbers := _OF_NUMBER.findall(answer.before)) and numbers != [str(head.number)]:
            doubts.append("answer_list_mismatch")
        if answer and (further := _further(answer, options, self.alphabet)):
            doubts += ["two_answers"] if further - {*letters} else []
        wrapped = [option.split("\n")[0] for option in options if "\n" in option]
        if any(len(first) < self.width / 2 for first in wrapped) or any(_BESIDE.search(flat(option)) for option in options):
            doubts.append("options_unreadable")
        if not all(options) or len(set(options)) < len(options) or "\n" in "".join(options[-1:]):
            doubts.append("options_unreadable")
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
            doubts=tuple(doubts),
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
                rest = _SEPARATORS.sub("", answer.after)
                if not rest or self._recurs(rest) or rest.strip() in options:
                    self.unread += [rest] if rest else []
                    continue
            elif self._recurs(row.flat):
                self.unread.append(row.text)
                continue
            if not _EXPLAINS.match(rest):
                self.is_shared = self.is_shared or announces_shared(row.flat) or is_note(row.flat)
            if self.opening and row.flat.startswith(self.opening):
                words = rest[len(self.opening) :] if rest is row.text else rest
                explained.append(_EXPLAINS.sub("", words, count=1))
            elif is_below and (within or explained or self.has_reasons or _EXPLAINS.match(rest)):
                explained.append(_EXPLAINS.sub("", rest, count=1))
            else:
                has_rest = True
                self.unread.append(row.text)
        if self.key and self.key.explanations[at]:
            explained.append(self.key.explanations[at])
        return "\n".join(explained).strip() or None, has_rest

    def _recurs(self, text: str) -> bool:
        return self.often[masked(text)] > RECURS * len(self.parts)


def _look_of(line: str) -> tuple[object, ...]:
    """Return what rows of one kind share: the sign before them, a tag behind them, and whether they ask something."""
    sign, tag = _BULLET.match(line), _TAG_BEHIND.search(line)
    return sign and sign["sign"], tag and tag[0], _ASKS.search(line) is not None


def untagged(stem: str) -> tuple[str, list[str]]:
    """Return a stem without the tags before and after it that say its kind, points, year or difficulty, and the tags."""
    tags = []
    while (match := TAG_FIRST.match(stem)) and len(match[0]) < len(stem) and _is_tag(match["said"]) and not match["said"].isdigit():
        tags.append(match["said"])
        stem = stem[match.end() :]
    while (
        (match := TAG_LAST.search(stem, max(0, len(stem) - _LONGEST_TAG)))
        and match.start()
        and _is_tag(said := match["said"] or match["hashed"] or match["plain"])
    ):
        tags.append(said)
        stem = stem[: match.start()].rstrip()
    return stem.strip(), tags


def is_kind(tag: str) -> bool:
    """Return whether a tag says the kind of a question."""
    return KIND.search(tag) is not None


def _is_tag(said: str) -> bool:
    return bool(KIND.search(said) or _POINTS.fullmatch(said))


def _is_whole(row: Row, width: int) -> bool:
    """Return whether a row of a stem asks, and does not end at the margin: a row below it is no part of the stem."""
    return _ASKS.search(row.flat) is not None and len(row.text) < _FULL * width


def _label_of(row: Row) -> str:
    return match["label"] if (match := _LABEL.match(row.flat)) else ""


def _without_rings(drafts: list[Draft]) -> list[Draft]:
    """Return the questions without the numbers in rings that begin all stems and count them, maybe anew in each part."""
    places = [CIRCLED_TO_20.find(draft.stem[:1] or " ") for draft in drafts]
    if -1 in places or any(below not in (0, above + 1) for above, below in pairwise([-1, *places])):
        return drafts
    return [structs.replace(draft, stem=draft.stem[1:].lstrip(" .．、")) for draft in drafts]


def _without_emphasis(stem: str, before: str) -> str:
    """Return a stem without the signs of its emphasis, which begins before its number: `**1. ……**`."""
    sign = before[-2:]
    return stem.removesuffix(sign).rstrip() if sign in ("**", "__") else stem


def _further(answer: Answer, options: Sequence[str], alphabet: str) -> set[str]:
    """Return the letters before the texts of options behind an answer: `A 甲；C 丙`."""
    found = set()
    for at, option in enumerate(options[: len(LETTERS)]):
        if re.search(rf"(?:^|\W){re.escape(alphabet[at : at + 1])}\W{{0,3}}{re.escape(option)}", answer.after):
            found.add(LETTERS[at])
    return found


_SENTENCE_END = re.compile(r"[。.!;)”]$")
_ROWS_ABOVE, _FULL, _FEWEST_FULL = 3, 0.8, 3
_CLOSED = re.compile(
    rf"(?:[。.?!;:)\]】]|[(]\s{{0,9}}[)])\s{{0,9}}(?:\s(?:(?:正确|参考|标准)?答案|答)?[\s:(\[【]{{0,9}}(?:{VERDICT})[)\]】]?)?$"
)
"""The end of a sentence, or its blank, with a verdict beside it or not."""
_LABEL = re.compile(r"\s{0,9}(?P<open>[【\[(<])?(?P<label>[^\s:。,、()【】\[\]<>]{1,8})(?(open)[】\])>])\s?[:=]\s{0,9}")
_BESIDE = re.compile(r"\s[(\[【][A-Ja-j]\s?[)\]】]|(?<=\s)\s[(\[【]?[A-Ja-j甲乙丙丁戊Ⓐ-Ⓙ①-⑩]\s?[)\]】.、:]")
_SIGN = re.compile(r"[^\w\s(（《“\"'【\[]{1,3}")


def _without_answer(answer: Answer, *, has_options: bool) -> str:
    """Return the row of a stem without the answer in it; brackets that are its blank remain."""
    before, after = answer.before, answer.after
    if before.rstrip()[-1:] in tuple("([【（〔"):
        before, after = before.rstrip()[:-1], after.lstrip()[1:]
        if before.strip() and has_options and not _ASKS.search(before.rstrip("。. ")):
            return f"{before}（ ）{after}"
    return f"{before.rstrip() if after.strip() else before.rstrip(_LEADERS)}{after}"
