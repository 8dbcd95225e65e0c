"""Compare items with the source lines: which characters of the lines are in an item, and what is the account of a paper.

A character is in an item if it is part of eight consecutive characters, ignoring punctuation, that also occur together in an item. The
item's
texts may be on any lines, broken and interrupted in any way. The time is linear in the length of the text.
"""

import re
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, groupby, islice

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from atomexam.records.item import EntityItem, Item, QuestionItem
from crawlers.read.account.characters import CharacterAccount, counted, counted_places, folded, folded_lines
from crawlers.read.lines.pages.page import PAGE_NUMBER, PAGE_WITHIN
from crawlers.read.vocabulary.answers import states_none
from crawlers.read.vocabulary.entries import KeyEntry, listed_in
from crawlers.read.vocabulary.headings import heads, inquires, note_in
from crawlers.read.vocabulary.labels import WHOLE_ANSWER, flat, has_part, is_marked, parts_of
from crawlers.read.vocabulary.numbers import TYPE, number_of
from crawlers.read.vocabulary.options import letter_of
from crawlers.read.vocabulary.words import ANSWER_NAME, OWN_ANSWER_NAME, OWN_OUTCOME, any_of

_LABEL = (
    rf"(?:{ANSWER_NAME}(?:要点|解析|与解析|及解析)?(?:[是为选应]{{1,2}})?|{any_of('answer_in_brackets', 'explanation', 'stem', 'options')}"
    r"|故?(?:本题)?(?:正确)?应?选(?!项)|[^\W\d_]{0,2}(?:解析|分析|详解)|explanation|题号|序号)"
)
_OWN = rf"{OWN_ANSWER_NAME}\s?:?\s?(?:[A-J]{{1,10}}|正确|错误|对|错|未答|√|×)?"
_WEIGHT = r"较?[易中难]|容易|中等|困难|简单"
_POINTS = r"\d{1,3}(?:\.\d{1,3})?\s?[%分]?"
_REMARK = rf"(?:{any_of('remark')})(?:\s?:?\s?(?:{_WEIGHT}|{_POINTS}))?"
_STATISTICS = (
    rf"(?:全站|全国|平均|本题|总)?(?:正确率|错误率|答对率|得分率)[为是]?\s?:?\s?{_POINTS}"
    r"|(?:本题)?共?被?(?:作答|答题|做题|答对|答错|浏览|阅读|收藏|点赞|评论)(?:人数|人次|次数|总?数|量)?\s?:?\s?\d{1,8}\s?[人次个条]{0,2}"
    r"|易错(?:选项|项)?[为是]?\s?:?\s?[A-J](?:[,、]?[A-J]){0,5}"
)
"""Platform statistics about others' answers, which are never the key."""
_WORTH = r"[,;、\s]|每[小]?题|共|\d{1,4}\s?[小道]?题|满分|总分|合计"
_TAG = rf"[(\[【]\s?(?:{TYPE}|难度\s?:?|{_WEIGHT}|\d{{1,3}}(?:\.\d{{1,2}})?\s?分|{_WORTH}){{1,12}}\s?[)\]】]"
_TYPE = rf"(?:{TYPE})(?<=[题型])"  # 判断 alone may be an option; after a letter, any type is one
_GIFT = r"::[^:]{1,200}::|%-?\d{1,3}(?:\.\d{1,5})?%|\[(?:html|markdown|plain|moodle)\]|\{(?:TRUE|FALSE|T|F)\}|\$CATEGORY:[^\n]{1,300}"
_MARKUP = rf"</?[a-z][^<>]{{0,300}}>|\\[nrt]|&[a-z]{{2,6}};|&#\d{{1,6}};|\*\*|\||{_GIFT}"
_WITHIN = re.compile(
    rf"(?P<markup>{_MARKUP})|(?P<tag>{_TAG}|题(?:目?类)?型\s?:?\s?(?:{TYPE})|{_OWN}|{_STATISTICS}|{_REMARK}|\d{{1,3}}(?:\.\d{{1,2}})?\s?分)"
    rf"|(?P<label>[【\[(<]?\s?{_LABEL}\s?[】\])>]?\s?:?)"
    rf"|(?P<number>(?:\d{{1,4}}|[.、:)/])\s?(?:\d{{1,4}}\s?)?{_TYPE}|第\s?\d{{1,4}}\s?[题道问小]{{0,2}}|[【\[(]\s?(?:题号\s?)?\d{{1,4}}\s?[】\])]|[【\[]题号[】\]]\s?\d{{1,4}}|\d{{1,4}}\s?[.、:)])"
    rf"|(?P<letter>[(\[]?(?:[A-Ja-jT]|true|false)\s?[.、:)\]]|[①-⑩])|(?P<sign>[^\w\s]|_)",
    re.I,
)
_OUTCOME = re.compile(OWN_OUTCOME)
_NUMBER_FIRST = re.compile(r"(?:Q\s?|题\s?|No\.?\s?)?\d{1,4}", re.I)
_LETTER_LAST = re.compile(r"[A-J甲乙丙丁戊己庚辛壬癸]\W{0,3}|T|true|false", re.I)


def class_of_line(text: str) -> str | None:
    """Return the class of a complete line if it is known furniture; otherwise None."""
    line = flat(text).strip()
    number = PAGE_WITHIN.sub("", line).strip("-·, ") if any(map(str.isalnum, line)) else line
    if _OUTCOME.fullmatch(line):
        return "tag"
    if not number or PAGE_NUMBER.fullmatch(line) or (number.isdecimal() and len(number) < 5):
        return "page_number"
    note = note_in(line)
    if heads(line.strip("【】[]#* ")) or (note and not note["rest"]):
        return "heading"
    if all(kind in ("answer", "explanation") and states_none(words) for kind, words in parts_of(line)):
        return "label"  # 答案：略
    parts = parts_of_stretch(text, True, False)
    return next((kind for kind, _ in parts if kind != "sign"), "sign") if parts else None


@lru_cache(maxsize=1 << 10)  # the same labels precede each answer
def parts_of_stretch(text: str, is_first: bool, before_claimed: bool) -> Sequence[tuple[str, str]]:
    """Return the class and text of each part of a stretch; empty if any part is not known furniture.

    Args:
        is_first: the stretch begins its line, so a bare number is the question's.
        before_claimed: an item's text follows, so a bare letter is the option's.
    """
    line, position, parts = flat(text), 0, []
    if is_first and (number := _NUMBER_FIRST.match(line.lstrip(" #*>-"))):
        start = len(line) - len(line.lstrip(" #*>-"))
        after = line[start + number.end() : start + number.end() + 1]
        if (not after and before_claimed) or (after and not after.isalnum() and after != "%"):
            parts.append(("number", text[: start + number.end()]))
            position = start + number.end()
    while position < len(line):
        if line[position].isspace():
            position += 1
            continue
        match = _WITHIN.match(line, position)
        if match is None or match.end() == position:
            letter = _LETTER_LAST.fullmatch(line, position)
            if not (letter and before_claimed):
                return []
            parts.append(("letter", text[position:]))
            break
        parts.append((str(match.lastgroup), text[position : match.end()]))
        position = match.end()
    return parts


def behind_furniture(text: str) -> str:
    """Return what follows the labels, letters and symbols at the start of a text; if nothing follows, return the text itself."""
    line, position = flat(text), 0
    while (match := _WITHIN.match(line, position)) and match.end() > position:
        position = match.end()
    return text[position:] or text


def is_short_answer(text: str) -> bool:
    """Return whether a stretch is only a labelled answer, given as letters or a verdict, or a list of such answers."""
    answers = [(kind, WHOLE_ANSWER.fullmatch(flat(words))) for kind, words in parts_of(text) if words]
    return is_list(text) or (bool(answers) and all(kind == "answer" and whole for kind, whole in answers))


def contents_of(text: str) -> list[str]:
    """Return the parts of a stretch that may be item texts, without labels, remarks and furniture."""
    parts = [(kind, words) for kind, words in parts_of(_EMPHASIS.sub("", text)) if words and kind != "remark"]
    return [words for kind, words in parts if kind != "text" or not class_of_line(words)]


def is_list(text: str) -> bool:
    """Return whether a text is only a list of answers."""
    listed = listed_in(text.strip())
    return bool(listed.entries) and not any(map(str.isalnum, "".join(words for _, words in parts_of(listed.rest))))


def has_only_letters(text: str) -> bool:
    """Return whether a text is a list of answers in letters, with no words that could belong to an item."""
    return is_list(text) and all(entry.lettered and not entry.explanation for entry in listed_in(text.strip()).entries)


def asks(text: str) -> bool:
    """Return whether a line begins like a numbered question and asks something."""
    line = flat(text).strip(" #*")
    number = number_of(line)
    return number is not None and number.style not in ("hanzi", "tight") and inquires(line)


def says_answer(text: str) -> bool:
    """Return whether a line states a question's answer."""
    return has_part(text, "answer")


IN_ITEM, REJECTED = 1, 2
"""Marks of a character, which is 0 if the character is in no item; REJECTED and higher numbers each stand for a reason for rejection."""
WITHIN_ITEM = "line_within_item"
"""Reason for an unread line between lines of the same item."""
COUNTED = 255
"""Mark of a character that is in no item but already counted."""
NGRAM_CHARS = 8
"""Number of consecutive characters that identify an item's text."""
MARKUP = re.compile(
    r"</?(?:font|span|strong|div|table|tbody|thead|img|sub|sup|code|em|br|hr|tr|td|th|ul|ol|li|h[1-6]|details|summary|[bipuas])(?:\s[^<>]{0,300})?/?>|\\[nr]",
    re.I,
)
_MAY_BE_MARKUP = re.compile(r"[<\\]").search
_FACTOR = np.uint64(1_099_511_628_211)  # of the FNV hash
_MOST_REASONS = 250
_LONGEST_ROW, _IN_ANSWERS, _LETTERS = 40, frozenset("abcdefghij"), frozenset("abcdefghij甲乙丙丁戊己庚辛壬癸")
"""Maximum length of a short text; answer letters; letters before options in a source."""
_BREAK = "\n"  # not a counted character
_APART = "\x00"  # between items compared together; occurs in no line
_AT_ONCE = 1_000
_EMPHASIS = re.compile(r"\*{2,3}|`|__")
"""Markdown around a label and its answer: `- **答案：B**`."""
_SIGNS, _DROPS_SIGNS = re.compile(r"[\W_]+"), re.compile("(?:[^\\w√×]|_)+")
"""Anything but letters and digits; the same, but not the symbols of a verdict."""
SHARED_FIELDS = ("exam_raw", "subject_raw", "paper_raw", "section_raw", "case_raw", "shared_options_raw")
_FIELDS = (*SHARED_FIELDS, "stem_raw", "options_raw", "answer_raw", "explanation_raw")
Hashes = NDArray[np.uint64]


class Stretch(Struct, frozen=True, gc=False):
    """Consecutive unmarked characters in one line."""

    line: int
    start: int
    end: int
    text: str
    """The original text, with white space."""
    is_first: bool
    is_last: bool
    """Whether it is at the start or the end of its line."""

    @property
    def is_whole(self) -> bool:
        """Return whether the stretch is a complete line."""
        return self.is_first and self.is_last

    @property
    def size(self) -> int:
        """Return its number of characters."""
        return self.end - self.start


class MarkedLines:
    """Lines as one sequence of counted characters, without HTML tags, with a mark for each character."""

    def __init__(self, lines: Sequence[str], are_parted: bool = False) -> None:
        """Store the lines; text may continue from one line into the next unless they are separated."""
        self.lines = lines
        self.markup = sum(counted(tag) for line in lines if _MAY_BE_MARKUP(line) for tag in MARKUP.findall(line))
        pieces = folded_lines([without_tags(line) for line in lines])
        self._starts = [0, *accumulate(map(len, pieces))]
        self.text = "".join(pieces)
        self.marks = bytearray(len(self.text))
        run = (_BREAK if are_parted else "").join(pieces)
        codes, is_word = codes_of(run), np.zeros(sys.maxunicode + 1, dtype=bool)
        is_word[[ord(sign) for sign in set(run) if sign.isalnum() or sign == _BREAK]] = True
        positions = np.flatnonzero(is_word[codes])
        self._positions = positions - np.cumsum(codes[positions] == ord(_BREAK))
        self.ngrams = ngrams_of(codes[positions])

    def size_of(self, line: int) -> int:
        """Return the number of characters in a line, without tags."""
        return self._starts[line + 1] - self._starts[line]

    def mark(self, hits: NDArray[np.bool_], mark: int) -> None:
        """Mark the characters of the n-grams that match."""
        turns = np.zeros(len(self.marks) + 1, np.int64)
        chosen = np.flatnonzero(hits)
        turns[self._positions[chosen]] += 1
        turns[self._positions[chosen + NGRAM_CHARS - 1] + 1] -= 1
        np.frombuffer(self.marks, np.uint8)[np.cumsum(turns[:-1]) > 0] = mark

    def marked_lines(self) -> list[int]:
        """Return the numbers of the lines with marked characters, in order."""
        marked = np.flatnonzero(np.frombuffer(self.marks, np.uint8))
        return np.unique(np.searchsorted(self._starts, marked, side="right") - 1).tolist()

    def settle(self, stretch: Stretch, mark: int) -> None:
        """Mark the characters of a stretch."""
        self.marks[stretch.start : stretch.end] = bytes([mark]) * stretch.size

    def release(self, line: int) -> None:
        """Remove the marks of a line."""
        self.marks[self._starts[line] : self._starts[line + 1]] = bytes(self.size_of(line))

    def free(self) -> Iterator[Stretch]:
        """Yield each stretch of unmarked characters."""
        for match in re.finditer(rb"\x00+", bytes(self.marks)):
            start, stop = match.span()
            while start < stop:
                line = bisect_right(self._starts, start) - 1
                low, high = self._starts[line : line + 2]
                end = min(stop, high)
                yield Stretch(line, start, end, self._original(line, start - low, end - low), start == low, end == high)
                start = end

    def _original(self, line: int, start: int, end: int) -> str:
        """Return the original text of a stretch, including white space but with blanks for tags, which are counted once as markup."""
        whole, size = without_tags(self.lines[line]), self.size_of(line)
        if end - start == size or len(whole) == size:  # then all of the line's characters count
            return whole if end - start == size else whole[start:end]
        positions = counted_places(whole)
        return whole[positions[start] : positions[end - 1] + 1]


def without_tags(text: str) -> str:
    """Return a text in which HTML tags and escaped line breaks are replaced with blanks."""
    return MARKUP.sub(lambda tag: " " * len(tag[0]), text) if _MAY_BE_MARKUP(text) else text


def signless(text: str) -> str:
    """Return the letters and digits of a folded text."""
    return _SIGNS.sub("", text)


def words_of(text: str) -> str:
    """Return the folded letters and digits of a text without HTML tags, which is the form for comparing texts."""
    return signless(folded(without_tags(text)))


def codes_of(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def ngrams_of(codes: NDArray[np.uint32]) -> Hashes:
    """Return a hash of every eight consecutive characters."""
    ngrams = np.zeros(max(0, len(codes) - NGRAM_CHARS + 1), np.uint64)
    for offset in range(NGRAM_CHARS):
        ngrams *= _FACTOR
        ngrams += codes[offset : offset + len(ngrams)]
    return ngrams


KnownNgrams = list[tuple[str | None, Hashes]]
"""The sorted n-grams of the sound items, and by reason those of the rejected items."""


def known_ngrams(items: Iterable[Item]) -> KnownNgrams:
    """Return the n-grams of the texts of items."""
    words: dict[str | None, list[str]] = {None: []}
    for item in items:
        doubt = getattr(item, "doubt", None)
        reason = doubt if doubt in words or len(words) <= _MOST_REASONS else next(islice(words, 1, None))
        words.setdefault(reason, []).append(words_of(" ".join(texts_of(item))))
    return [(reason, _ngrams_in(texts)) for reason, texts in words.items()]


def _ngrams_in(texts: Sequence[str]) -> Hashes:
    runs = (_APART.join(texts[start : start + _AT_ONCE]) for start in range(0, len(texts), _AT_ONCE))
    ngrams = np.concatenate([np.zeros(0, np.uint64), *(ngrams_of(codes_of(run)) for run in runs)])
    ngrams.sort()
    return ngrams


def mark_items(sources: Iterable[MarkedLines], items: Iterable[Item]) -> list[str]:
    """Mark the text of items in their sources; return the reasons for rejection in the order of their marks."""
    known = known_ngrams(items)
    for source in sources:
        mark_known(source, known)
    return [reason for reason, _ in known if reason is not None]


def mark_known(source: MarkedLines, known: KnownNgrams) -> None:
    """Mark the text of items in a source by their known n-grams, sound items last."""
    for at, (_, ngrams) in reversed([*enumerate(known, IN_ITEM)]):
        if len(ngrams):
            indices = np.minimum(np.searchsorted(ngrams, source.ngrams), len(ngrams) - 1)
            source.mark(ngrams[indices] == source.ngrams, at)


def texts_of(item: Item) -> Iterator[str]:
    """Yield the texts of an item in the order in which a page shows them."""
    if isinstance(item, EntityItem):
        yield from filter(None, (item.name_raw, item.alias_raw))
        for value in item.values:
            yield from (value.label, value.value)
        for section in item.sections:
            yield from (section.title, section.text)
        return
    for field in _FIELDS:
        value = getattr(item, field)
        yield from value if isinstance(value, list) else filter(None, [value])


def _right_options(item: Item) -> list[str]:
    """Return the options named by the answer's letters, because a source may repeat their text after the letters."""
    if isinstance(item, EntityItem) or not item.answer_raw or not _IN_ANSWERS.issuperset(item.answer_raw.lower()):
        return []
    return [option for option in item.options_raw or () if (letter := letter_of(option)) and letter in item.answer_raw]


def mark_of(item: Item, reasons: Sequence[str]) -> int:
    """Return the mark of an item's characters."""
    doubt = getattr(item, "doubt", None)
    return IN_ITEM if doubt is None else REJECTED + (reasons.index(doubt) if doubt in reasons else 0)


class ItemTexts:
    """The texts of items and the rows of these texts; each can be taken as often as it occurs in items."""

    def __init__(self, items: Iterable[Item], reasons: Sequence[str] = (), shared: Sequence[str] = SHARED_FIELDS) -> None:
        self._left: dict[str, list[int]] = defaultdict(list)
        """The marks of the items with each text, sound ones last."""
        self.shared: set[str] = set()
        """Texts that several items may share; they can be taken any number of times."""
        for item in items:
            mark = mark_of(item, reasons)
            for text in (*texts_of(item), *_right_options(item)):
                for key in keys_of(text):
                    self._left[key].append(mark)
            for name in shared:
                value = getattr(item, name, None) or ()
                texts = [value] if isinstance(value, str) else value
                self.shared |= {_key(row) for text in texts for row in (text, *text.split("\n"))}
        for marks in self._left.values():
            marks.sort(reverse=True)
        self.share(())

    def share(self, keys: Iterable[str]) -> None:
        """Add texts that can be taken any number of times."""
        self.shared.update(keys)
        sizes = {len(key) for keys in (self._left, self.shared) for key in keys}
        self._sizes = sorted((size for size in sizes if 0 < size <= _LONGEST_ROW), reverse=True)

    def take(self, text: str) -> int | None:
        """Take an item's text once and return its mark; None if all its occurrences have been taken."""
        return self._take(_key(text))

    def take_all(self, texts: Iterable[str]) -> list[tuple[int, int]]:
        """Take the item texts that make up the given texts; return the mark and size of each, or nothing if the given texts contain
        anything else."""
        taken = list[tuple[int, str]]()
        for text in texts:
            found = self._parts(behind_furniture(text)) or self._parts(text)
            taken += found
            if not found:
                self._restore(taken)
                return []
        return [(mark, len(key)) for mark, key in taken]

    def _parts(self, text: str) -> list[tuple[int, str]]:
        """Take the item texts that make up a text, apart from numbers and letters; return their marks and words, or nothing if it contains
        anything else."""
        words, position, taken = _words(text), 0, list[tuple[int, str]]()
        if _IN_ANSWERS.issuperset(words):  # ABC is one answer, not three
            return [] if (mark := self._take(words)) is None else [(mark, words)]
        while position < len(words):
            keys = (words[position : position + size] for size in self._sizes if size <= len(words) - position)
            mark, key = next(((mark, key) for key in keys if (mark := self._take(key)) is not None), (None, ""))
            if mark is not None:
                taken.append((mark, key))
            elif not (words[position].isnumeric() or words[position] in _LETTERS):
                self._restore(taken)
                return []
            position += max(1, len(key))
        return taken

    def _restore(self, taken: Iterable[tuple[int, str]]) -> None:
        for mark, key in taken:
            self._left[key].append(mark)

    def _take(self, key: str) -> int | None:
        marks = self._left.get(key)
        return marks.pop() if marks else IN_ITEM if key in self.shared else None


def keys_of(text: str) -> set[str]:
    """Return the comparison keys of a text and of each of its rows."""
    return {_key(row) for row in (text, *text.split("\n"))} if "\n" in text else {_key(text)}


def _key(text: str) -> str:
    """Return the comparison key of a short text, which is its words without the letter of an option."""
    words = _words(text)
    return words[1:] if letter_of(text) and not _IN_ANSWERS.issuperset(words) else words


def _words(text: str) -> str:
    return _DROPS_SIGNS.sub("", folded(text))


def unexplained(source: MarkedLines, account: CharacterAccount) -> Iterator[Stretch]:
    """Yield the unmarked text that is not known furniture, and count the furniture."""
    for stretch in source.free():
        if stretch.is_whole and (kind := class_of_line(stretch.text)):
            account.furniture[kind] += stretch.size
        elif parts := [] if stretch.is_whole else parts_of_stretch(stretch.text, stretch.is_first, not stretch.is_last):
            for kind, part in parts:
                account.furniture[kind] += len(folded(part))
        else:
            yield stretch


def count_marked(mark: int, size: int, reasons: Sequence[str], account: CharacterAccount) -> None:
    """Count characters with a given mark."""
    if mark == IN_ITEM:
        account.in_items += size
    else:
        account.rejected[reasons[mark - REJECTED]] += size


def count_marks(source: MarkedLines, reasons: Sequence[str], account: CharacterAccount) -> None:
    """Count the characters of a source: all of them, those of its markup, and those in items."""
    account.characters += len(source.text) + source.markup
    account.furniture["markup"] += source.markup
    for mark in range(IN_ITEM, REJECTED + len(reasons)):
        count_marked(mark, source.marks.count(mark), reasons, account)


class PaperAccount:
    """The account of a sequence of lines: item texts, numbered answers in a list, and furniture; everything else is unread."""

    def __init__(self, lines: Sequence[str], dropped: Sequence[str], items: Sequence[Item], unit: str = "line") -> None:
        self._own, self._unit = len(lines), unit
        self._lines = MarkedLines([*lines, *dropped])
        self._reasons = mark_items([self._lines], items)
        self._texts, self._account = ItemTexts(items, self._reasons), CharacterAccount()
        self._numbered: dict[str, list[QuestionItem]] = defaultdict(list)
        for item in items:
            if isinstance(item, QuestionItem):
                self._numbered[item.number_raw or ""].append(item)

    def result(self) -> CharacterAccount:
        """Return the account."""
        account, unread = self._account, list[Stretch]()
        for line in {stretch.line for stretch in self._lines.free() if not stretch.is_whole}:
            if has_only_letters(self._lines.lines[line]):
                self._lines.release(line)  # its first number may be marked because an item contains it: 单项选择题 15岁, 1-5 CDACC
        free = [*self._lines.free()]
        for line in set(range(len(self._lines.lines))).difference(stretch.line for stretch in free):
            self._texts.take(self._lines.lines[line])
        count_marks(self._lines, self._reasons, account)
        for stretch in sorted(free, key=lambda one: not one.is_whole):
            self._settle(stretch)
        marked = self._lines.marked_lines()
        for stretch in unexplained(self._lines, account):
            if stretch.line >= self._own:
                account.furniture["page_header"] += stretch.size
            else:
                unread.append(stretch)
                reason = (
                    "unread_words" if not stretch.is_whole else WITHIN_ITEM if self._is_within_item(stretch.line, marked) else "unread_line"
                )
                account.add_unread(f"{self._unit}:{stretch.line + 1}", reason, stretch.text)
        lines = ((stretch, self._lines.lines[stretch.line]) for stretch in unread if stretch.is_first)
        questions = sum(asks(line) and 2 * stretch.size >= counted(line) for stretch, line in lines)
        account.questions_unread = max(questions, sum(stretch.is_whole and says_answer(stretch.text) for stretch in unread))
        return account

    def _is_within_item(self, line: int, marked: Sequence[int]) -> bool:
        """Return whether the next marked line continues the item above, as an option or as a single answer or explanation without a
        number."""
        at = bisect_right(marked, line)
        if not 0 < at < len(marked):
            return False
        above, below = (self._lines.lines[marked[near]] for near in (at - 1, at))
        if letter_of(below):
            return not is_marked(above)
        is_of_several = is_list(below) or any(is_list(words) for _, words in parts_of(below))
        return is_marked(below) and not is_of_several and number_of(flat(below).strip()) is None

    def _settle(self, stretch: Stretch) -> None:
        """Count a stretch that is a list of answers or consists of labelled item texts."""
        marks: list[tuple[int | None, int]]
        if entries := is_list(stretch.text) and listed_in(stretch.text.strip()).entries:
            runs = groupby(entries, key=lambda one: one.words or one.number)  # each entry of an uncertain run has all of its answers
            marks = [self._listed(stretch, next(run)) for _, run in runs]
        elif not stretch.is_last and parts_of_stretch(stretch.text, stretch.is_first, before_claimed=True):
            return
        else:
            marks = [*self._texts.take_all(contents_of(stretch.text))]
        for mark, size in marks:
            if mark is not None:
                count_marked(mark, size, self._reasons, self._account)
        if marks:
            self._account.furniture["number" if entries else "label"] += stretch.size - sum(size for _, size in marks)
            self._lines.settle(stretch, COUNTED)

    def _listed(self, stretch: Stretch, entry: KeyEntry) -> tuple[int | None, int]:
        """Return the mark and size of an answer in a list; an answer that belongs to no question is unread."""
        letters = folded(entry.answer or "")
        answered = [
            item
            for item in self._numbered[str(entry.number)]
            if set(letters) <= set(folded(item.answer_raw or "")) or (item.doubt and not entry.sure)
        ]
        mark = min((mark_of(item, self._reasons) for item in answered), default=None)
        if mark is None:
            self._account.add_unread(f"{self._unit}:{stretch.line + 1}", "answer_without_question", letters)
        return mark, len(letters)
