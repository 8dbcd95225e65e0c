"""Account of a paper: its lines and the items read from them in, where each character went out.

First the stems and options of all items are aligned with the lines, in order; then explanations and answers, between the bounds found or in
the lists at the end; then the rest is classified by small classes of furniture. What remains is unread.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from atomexam.records.item import EntityItem, Item, QuestionItem
from atomexam.text.option_letters import LETTERS
from crawlers.coverage.alignment import FREE, IN_ITEM, REJECTED, MarkedLines, anchors_of, words_of, words_of_each
from crawlers.coverage.characters import CharacterAccount, folded
from crawlers.coverage.furniture import (
    announces_answer,
    answers_listed,
    asks,
    class_of_line,
    parts_of_stretch,
    says_answer,
)
from crawlers.importers.files.reading import Text
from crawlers.importers.layouts.line_patterns import ALPHABETS

_MOST_REASONS = 250
_SHORT = 4
"""Length of an answer that is searched by the text before it; a longer one is searched by itself."""
_LEAST_TITLE = 4
_BEHIND_LABEL = 12
_LEAST_QUOTE = 12
_MOST_SIGNS, _AHEAD = 4, 400
"""Signs between a letter and its option, and characters from one option to the next."""
_ADDED_LETTER = re.compile(r"[a-j]\.")


class _Extent:
    """Position of one item in the lines."""

    def __init__(self, item: QuestionItem, start: int, end: int, mark: int) -> None:
        self.item, self.start, self.end, self.mark = item, start, end, mark
        self.stop = end
        """Where the next item begins."""


class PaperAccount:
    """The account of one run of lines."""

    def __init__(self, text: Text, items: Sequence[Item], unit: str = "line") -> None:
        self._unit = unit
        self._lines = MarkedLines([*text.lines, *text.dropped])
        self._dropped_from = len(text.lines)
        self._items = [item for item in items if isinstance(item, QuestionItem)]
        self._entities = [item for item in items if isinstance(item, EntityItem)]
        self._reasons: list[str] = []
        self._last_shared: dict[str, object] = {}
        self._account = CharacterAccount()

    def result(self) -> CharacterAccount:
        """Return the account."""
        account = self._account
        account.characters = len(self._lines.text) + self._lines.markup
        account.furniture["markup"] += self._lines.markup
        extents = self._main_texts()
        self._explanations(extents)
        for extent in extents:
            self._answer(extent)
        for entity in self._entities:
            self._entity(entity)
        self._titles()
        self._count_rest(list(self._lists(self._lines.free_runs())))
        account.in_items += self._lines.marks.count(IN_ITEM)
        for index, reason in enumerate(self._reasons):
            account.rejected[reason] += self._lines.marks.count(REJECTED + index)
        return account

    def _mark_of(self, item: QuestionItem) -> int:
        if item.doubt is None:
            return IN_ITEM
        if item.doubt not in self._reasons and len(self._reasons) < _MOST_REASONS:
            self._reasons.append(item.doubt)
        return REJECTED + (self._reasons.index(item.doubt) if item.doubt in self._reasons else 0)

    def _main_texts(self) -> list[_Extent]:
        """Align an item's shared texts, its stem and its options with the lines."""
        lines, extents, cursor = self._lines, list[_Extent](), 0
        stems = [lines.words_of(item.stem_raw or "") for item in self._items]
        anchors = anchors_of(lines.text, stems)
        stops, stop = [0] * len(anchors), len(lines.text)
        for index in range(len(anchors) - 1, -1, -1):
            stops[index] = stop
            stop = anchors[index] if anchors[index] >= 0 else stop
        for item, stem, anchor, stop in zip(self._items, stems, anchors, stops, strict=True):
            mark = self._mark_of(item)
            cursor = self._shared(item, cursor, anchor if anchor >= 0 else stop, mark)
            start = max(cursor, anchor)
            extent = _Extent(item, start, start, mark)
            for index, text in enumerate([stem, *map(lines.words_of, item.options_raw or [])]):
                bounds = lines.claim_near(text, extent.end, stop, mark) or lines.claim_near(text, extent.start, stop, mark)
                if index and not bounds and (letter := _ADDED_LETTER.match(text)):  # a letter that is not in the source: 正确 over 错误
                    bounds = self._line_of_its_own(text[letter.end() :], extent.end, stop, mark) or self._behind_letter(
                        text[0], text[letter.end() :], extent.end, stop, mark
                    )
                extent.end = max(extent.end, bounds[1]) if bounds else extent.end
                if bounds and not index and anchor < 0:  # what is before its stem belongs to the previous question, at least its answer
                    extent.start = bounds[0]
            cursor = extent.end
            extents.append(extent)
        for extent, following in zip_longest(extents, extents[1:]):
            extent.stop = max(extent.end, following.start if following else len(lines.text))
        return extents

    def _line_of_its_own(self, text: str, start: int, stop: int, mark: int) -> tuple[int, int] | None:
        """Claim a text after `start` that is separate, with no word beside it but behind a blank."""
        position = self._lines.find_free(text, start, stop) if text else -1
        if position < 0 or not (self._stands_alone(position, position + len(text)) or self._is_parted(position, text)):
            return None
        self._lines.claim(position, position + len(text), mark)
        return position, position + len(text)

    def _behind_letter(self, letter: str, text: str, start: int, stop: int, mark: int) -> tuple[int, int] | None:
        """Claim a text after `start` that has its letter before it, with other signs between them than a dot: `A=甲`."""
        end = min(stop, start + _AHEAD)
        position = self._lines.find_free(text, start, end) if text else -1
        while position >= 0:
            between = self._lines.text[max(start, position - _MOST_SIGNS) : position].rpartition(letter)
            if between[1] and not any(map(str.isalnum, between[2])):
                low = position - len(between[2]) - 1
                self._lines.claim(low, position + len(text), mark)
                return low, position + len(text)
            position = self._lines.find_free(text, position + 1, end)
        return None

    def _shared(self, item: QuestionItem, start: int, stop: int, mark: int) -> int:
        """Align texts shared by several items with the lines, at the first of the items; return where the rest begins."""
        for field in ("paper_raw", "exam_raw", "subject_raw", "section_raw", "case_raw", "shared_options_raw"):
            value = getattr(item, field)
            if value is None or self._last_shared.get(field) == value:
                continue
            self._last_shared[field] = value
            for text in value if isinstance(value, list) else [value]:
                bounds = self._lines.claim_near(words_of(text), start, stop, mark)
                start = bounds[1] if bounds else start
        return start

    def _explanations(self, extents: Sequence[_Extent]) -> None:
        late = extents[-1].end if extents else 0
        texts = words_of_each([extent.item.explanation_raw or "" for extent in extents])
        for extent, text in zip(extents, texts, strict=True):
            if not text or self._lines.claim_pieces(text, extent.start, extent.stop, extent.mark):
                continue
            if bounds := self._lines.claim_near(text, late, len(self._lines.text), extent.mark):
                late = bounds[1]
            elif len(text) >= _LEAST_QUOTE and (position := self._lines.find_free(text, 0, len(self._lines.text))) >= 0:
                self._lines.claim(position, position + len(text), extent.mark)

    def _answer(self, extent: _Extent) -> None:
        """Claim the answer between an item's bounds: after what announces it, else where it first occurs by itself."""
        text, lines = words_of(extent.item.answer_raw or ""), self._lines
        if not text:
            return
        position = first = lines.find_free(text, extent.start, extent.stop)
        while position >= 0:
            if lines.bounds(lines.line_of(position)) == (position, position + len(text)):
                first = position  # a letter before it may be that of an option
            if announces_answer(lines.text[max(0, position - 16) : position]):
                lines.claim(position, position + len(text), extent.mark)
                return
            position = lines.find_free(text, position + 1, extent.stop)
        if len(text) > _SHORT and lines.claim_pieces(text, extent.start, extent.stop, extent.mark):
            return
        letters = [sign for sign in text if sign.isalnum() or sign in "√×"]
        for at in self._announced(extent) if len(letters) > 1 else ():
            if all(letter in lines.text[at : at + _BEHIND_LABEL] for letter in letters):
                for letter in letters:
                    hit = lines.find_free(letter, at, min(at + _BEHIND_LABEL, extent.stop))
                    lines.claim(hit, hit + 1, extent.mark) if hit >= 0 else None
                return
        if first >= 0 and self._stands_alone(first, first + len(text)):
            lines.claim(first, first + len(text), extent.mark)
        elif first < 0 and set(text.upper()) <= set(LETTERS):
            self._answer_in_other_signs(extent, text.upper())

    def _answer_in_other_signs(self, extent: _Extent, letters: str) -> None:
        """Claim an answer that is alone on its line in the signs of another alphabet: 丁 or ④ for D."""
        for alphabet in ALPHABETS:
            text = words_of("".join(alphabet[at] for letter in letters if (at := LETTERS.index(letter)) < len(alphabet)))
            position = self._lines.find_free(text, extent.end, extent.stop)
            if position >= 0 and self._lines.bounds(self._lines.line_of(position)) == (position, position + len(text)):
                self._lines.claim(position, position + len(text), extent.mark)
                return

    def _announced(self, extent: _Extent) -> Iterator[int]:
        position = extent.start
        while (position := self._lines.text.find("答案", position, extent.stop)) >= 0:
            position += 2
            yield position

    def _stands_alone(self, start: int, end: int) -> bool:
        """Return whether no unclaimed word is beside a stretch on its line: it is in brackets, at an end, or among claimed text."""
        low, high = self._lines.bounds(self._lines.line_of(start))
        before, after = start - 1, end
        free_before = before >= low and self._lines.marks[before] == FREE and self._lines.text[before].isalnum()
        return not (free_before or (after < high and self._lines.marks[after] == FREE and self._lines.text[after].isalnum()))

    def _is_parted(self, position: int, text: str) -> bool:
        """Return whether a text at a position is one of the parts into which blanks divide its line."""
        line = self._lines.line_of(position)
        return text in map(folded, self._lines.original(line, *self._lines.bounds(line)).split())

    def _entity(self, item: EntityItem) -> None:
        """Align the texts of an encyclopedia's page with its lines."""
        whole = len(self._lines.text)
        for text in [item.name_raw, item.alias_raw, *(each.label for each in item.values), *(each.title for each in item.sections)]:
            self._lines.claim_pieces(words_of(text or ""), 0, whole, IN_ITEM)
        cursor = 0
        for text in [*(each.value for each in item.values), *(each.text for each in item.sections)]:
            for line in text.split("\n"):
                words = words_of(line)
                bounds = self._lines.claim_near(words, cursor, whole, IN_ITEM) or self._lines.claim_pieces(words, 0, cursor, IN_ITEM)
                cursor = bounds[1] if bounds else cursor

    def _titles(self) -> None:
        """Claim the first line of each paper's title, and count the lines that repeat it as running titles."""
        titles = "\n".join(map(words_of, dict.fromkeys(item.paper_raw or "" for item in self._items)))
        named = {text for item in self._items for text in (item.section_raw, item.subject_raw, item.exam_raw) if text}
        shared = set(map(words_of, named))
        claimed: set[str] = set()
        for number, low, high in self._lines.free_runs():
            if high - low < _LEAST_TITLE and not shared:
                continue
            text = self._lines.text[low:high] if (low, high) == self._lines.bounds(number) else ""
            if text and (text in shared or (high - low >= _LEAST_TITLE and text in titles)):
                if text in claimed:
                    self._count_furniture("page_header" if text not in shared else "heading", low, high)
                else:
                    claimed.add(text)
                    self._lines.claim(low, high, IN_ITEM)

    def _lists(self, runs: Iterator[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
        """Claim the answers of lists that items have, and yield the stretches that are not lists."""
        by_number: dict[int, list[tuple[str, int]]] = {}
        for line, start, end in runs:
            text = self._lines.original(line, start, end)
            entries = answers_listed(text)
            if entries is None:
                yield line, start, end
                continue
            by_number = by_number or self._answers_by_number()
            position = start
            for first, last, answers in entries:
                letters = words_of(answers)
                for at, letter in enumerate(letters):
                    number = first if last is None else min(first + at, last)
                    marks = [mark for answer, mark in by_number.get(number, ()) if letter in answer]
                    position = self._lines.text.find(letter, position, end)
                    if letter.isalnum() or letter in "√×":
                        self._settle_listed(line, position, marks, f"{number} {letter}")
                    position += 1
            for low in range(start, end):
                if self._lines.marks[low] == FREE:
                    self._count_furniture("number", low, low + 1)

    def _answers_by_number(self) -> dict[int, list[tuple[str, int]]]:
        """Return the answers of the items and their marks by number."""
        by_number: dict[int, list[tuple[str, int]]] = {}
        for item in self._items:
            if item.number_raw and item.number_raw.isdecimal():
                by_number.setdefault(int(item.number_raw), []).append((words_of(item.answer_raw or ""), self._mark_of(item)))
        return by_number

    def _settle_listed(self, line: int, position: int, marks: list[int], words: str) -> None:
        if marks:
            self._lines.claim(position, position + 1, min(marks))
        else:
            self._lines.marks[position] = 255
            self._account.add_unread(f"{self._unit}:{line + 1}", "answer_without_question", words[-1])

    def _count_furniture(self, kind: str, start: int, end: int) -> None:
        free = sum(mark == FREE for mark in self._lines.marks[start:end])
        self._account.furniture[kind] += free
        for position in range(start, end):
            if self._lines.marks[position] == FREE:
                self._lines.marks[position] = 255  # counted

    def _count_rest(self, runs: Sequence[tuple[int, int, int]]) -> None:
        """Separate furniture from unread text."""
        questions = answers = 0
        for line, start, end in runs:
            low, high = self._lines.bounds(line)
            text = self._lines.original(line, start, end)
            is_whole = (low, high) == (start, end)
            if is_whole and (kind := class_of_line(text)):
                self._account.furniture[kind] += end - start
            elif parts := ([] if is_whole else parts_of_stretch(text, start == low, end < high)):
                for kind, part in parts:
                    self._account.furniture[kind] += len(folded(part))
            elif line >= self._dropped_from:
                self._account.furniture["page_header"] += end - start
            else:
                self._account.add_unread(f"{self._unit}:{line + 1}", "unread_line" if is_whole else "unread_words", text)
                questions += is_whole and asks(text)
                answers += is_whole and says_answer(text)
        self._account.questions_unread = max(questions, answers)
