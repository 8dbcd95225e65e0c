"""Account of a paper: its lines and the items read from them in, where each character went out.

What items have in a row is theirs. Shorter texts, an answer or an option, are theirs as often as they have them; the answers of a list are
compared by their numbers. The rest is classified by small classes of furniture. What remains is unread.
"""

from collections import defaultdict
from collections.abc import Sequence

from atomexam.records.item import Item, QuestionItem
from crawlers.read.account.characters import CharacterAccount, counted, folded
from crawlers.read.account.comparison import (
    COUNTED,
    ItemTexts,
    MarkedLines,
    Stretch,
    count_marked,
    count_marks,
    mark_items,
    mark_of,
    unexplained,
)
from crawlers.read.account.furniture import asks, class_of_line, is_list, parts_of_stretch, says_answer
from crawlers.read.containers.files.reading import Text
from crawlers.read.vocabulary.answer_marks import parts_of
from crawlers.read.vocabulary.entries import KeyEntry, listed_in


class PaperAccount:
    """The account of one run of lines."""

    def __init__(self, text: Text, items: Sequence[Item], unit: str = "line") -> None:
        self._text, self._items, self._unit = text, items, unit
        self._lines = MarkedLines([*text.lines, *text.dropped])
        self._reasons = mark_items([self._lines], items)
        self._texts, self._account = ItemTexts(items, self._reasons), CharacterAccount()
        self._numbered: dict[str, list[QuestionItem]] = defaultdict(list)
        for item in items:
            if isinstance(item, QuestionItem):
                self._numbered[item.number_raw or ""].append(item)

    def result(self) -> CharacterAccount:
        """Return the account."""
        account, unread = self._account, list[Stretch]()
        free = [*self._lines.free()]
        for line in set(range(len(self._lines.lines))).difference(stretch.line for stretch in free):
            self._texts.take(self._lines.lines[line])
        count_marks(self._lines, self._reasons, account)
        for stretch in sorted(free, key=lambda one: not one.is_whole):
            self._settle(stretch)
        for stretch in unexplained(self._lines, account):
            if stretch.line >= len(self._text.lines):
                account.furniture["page_header"] += stretch.size
            else:
                unread.append(stretch)
                reason = "unread_line" if stretch.is_whole else "unread_words"
                account.add_unread(f"{self._unit}:{stretch.line + 1}", reason, stretch.text)
        lines = ((stretch, self._lines.lines[stretch.line]) for stretch in unread if stretch.is_first)
        questions = sum(asks(line) and 2 * stretch.size >= counted(line) for stretch, line in lines)
        account.questions_unread = max(questions, sum(stretch.is_whole and says_answer(stretch.text) for stretch in unread))
        return account

    def _settle(self, stretch: Stretch) -> None:
        """Count a stretch that is a list of answers, or the texts of items behind their labels."""
        marks: list[tuple[int | None, int]]
        if entries := is_list(stretch.text) and listed_in(stretch.text.strip()).entries:
            marks = [self._listed(stretch, entry) for entry in entries]
        elif not stretch.is_last and parts_of_stretch(stretch.text, stretch.is_first, before_claimed=True):
            return
        else:
            parts = [(kind, words) for kind, words in parts_of(stretch.text) if words and kind != "remark"]
            marks = [*self._texts.take_all(words for kind, words in parts if kind != "text" or not class_of_line(words))]
        for mark, size in marks:
            if mark is not None:
                count_marked(mark, size, self._reasons, self._account)
        if marks:
            self._account.furniture["number" if entries else "label"] += stretch.size - sum(size for _, size in marks)
            self._lines.settle(stretch, COUNTED)

    def _listed(self, stretch: Stretch, entry: KeyEntry) -> tuple[int | None, int]:
        """Return the mark of an answer in a list, and its size; what no question has is unread."""
        letters = folded(entry.answer or "")
        answered = [item for item in self._numbered[str(entry.number)] if set(letters) <= set(folded(item.answer_raw or ""))]
        mark = min((mark_of(item, self._reasons) for item in answered), default=None)
        if mark is None:
            self._account.add_unread(f"{self._unit}:{stretch.line + 1}", "answer_without_question", letters)
        return mark, len(letters)
