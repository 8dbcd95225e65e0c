"""Code shared by both forms of an examcoo paper: the text between questions, and the parts of a question. Pure."""

import re
import unicodedata
from typing import Any

from msgspec import Struct

from atomexam.text.option_letters import LETTERS
from crawlers.read.lines.paper import lines_of
from crawlers.read.lines.questions.groups import Above, Setting
from crawlers.read.vocabulary.headings import is_instruction, tells_patient
from crawlers.read.vocabulary.labels import IMAGE, flat
from crawlers.text.fields import text_of

QUESTION_ID = re.compile(r"(s\d)_(\d+)")
_RANGE = re.compile(r"(\d{1,3})\s*+题?\s*+[-~～—–－至到]++\s*+(\d{1,3})\s*+小?题")
_HIDDEN = re.compile(r"""\btype\s*=\s*["']?hidden""", re.I)
_REMARK = re.compile("[（(][^（()）]{1,60}[)）]")
_HEADING_CHARS = 40  # a longer line in heading style is not a heading

Fields = dict[str, Any]


class PaperQuestion(Struct, frozen=True, kw_only=True):
    """A question of a paper."""

    fields: Fields
    """Fields of a QuestionItem."""
    id: str = ""
    """The site's own id, with its kind: `s1_800000000000000101`."""
    is_explained: bool = False
    """Whether the site has an explanation or comments."""


class ExamcooPaper(Struct, frozen=True):
    """The parsed paper."""

    title: str | None
    questions: list[PaperQuestion]
    faults: list[str]
    """Descriptions of unexpected content."""
    unread: list[str]
    """Lines between questions that belong to no question."""
    source_papers: list[str] = []
    """Numbers of other papers, from which this one samples questions at random."""


class Between:
    """Stateful reader of the text between the questions of a paper."""

    def __init__(self, are_printed: bool = False) -> None:
        self.faults: list[str] = []
        self._unread: list[str] = []
        self._are_printed = are_printed  # whether the numbers of questions are printed, so that gaps are noticed
        self._setting = Setting()
        self._prose: list[str] = []  # unrecognised lines since the last question
        self._is_behind_question = False  # no other line was read since the question
        self._ended: str | None = None  # the group whose shared options have ended
        self._range: tuple[int, int] | None = None  # of the note just read, such as （111～112题共用题干）
        self._restarts = False
        self._ahead = 0  # offset of the paper's numbers from ours

    @property
    def unread(self) -> list[str]:
        """Return the lines that belong to no question."""
        return [*self._unread, *self._prose]

    def restarts(self) -> bool:
        """Return whether numbering restarts at the next question, and reset this state."""
        flag, self._restarts = self._restarts, False
        return flag

    def read_block(self, lines: list[Any]) -> None:
        """Read the lines of one block, each `{"c": HTML, "p": style}`, where style 1 is a heading and 2 is one that restarts the
        numbers."""
        for line in lines:
            if isinstance(line, dict) and isinstance(line.get("c"), str):
                for text in filter(None, map(str.strip, lines_of(line["c"]))):
                    self._read_line(text, is_bold=str(line.get("p")) in ("1", "2"))
                if str(line.get("p")) == "2":
                    self._restarts, self._ahead = True, 0
            elif isinstance(line, dict) and any(isinstance(value, str) and len(value) > 1 for value in line.values()):
                self.faults.append(f"a line of a block without text under c: {str(line)[:80]}")

    def above(self, number: int) -> Fields:
        """Return the fields from the text above the next question, by its printed number or else its position."""
        if self._range:
            first, last = self._range
            self._ahead = 0 if self._are_printed and first <= number <= last else first - number
            self._range = None
        above = self._past_prose(number + self._ahead)
        shared = above.shared_options or []
        return {
            "section_raw": above.heading,
            "case_raw": above.case,
            "shared_options_raw": [option.replace(IMAGE, "").strip() for option in shared] or None,
            "group_raw": above.group,
            "images": above.images + sum(option.count(IMAGE) for option in shared),
            **({"doubt": "case_unsure"} if above.unsure else {}),
        }

    def _past_prose(self, number: int) -> Above:
        """Return the setting of a question; unrecognised prose before it begins a new case if there was a case before, and otherwise ends
        shared options, unless a note announced them."""
        above, prose = self._setting.above(number), self._prose
        self._is_behind_question = True
        if prose and above.unsure:
            self._prose = []
            self._setting.begin_case("\n".join(prose))
            return self._setting.above(number)
        if prose and above.shared_options and not above.announced:
            self._ended = above.group
        self._leave_prose()
        return Above(heading=above.heading) if above.group and above.group == self._ended else above

    def _read_line(self, text: str, is_bold: bool) -> None:
        is_remark = self._is_behind_question and bool(_REMARK.fullmatch(text)) and not tells_patient(flat(text).lstrip("("))
        if self._setting.take(text):
            self._leave_prose()
            match = _RANGE.search(text)
            self._range = (int(match[1]), int(match[2])) if match else None
        elif is_remark:  # such as （以下为选做）: neither a case nor the end of one
            self._unread.append(text)
            return
        elif self._setting.add(text):
            self._leave_prose()
        elif is_bold and len(text) <= _HEADING_CHARS and text[0] not in "（(" and text[-1] not in "。.":  # brackets contain time and points
            self._leave_prose()
            self._setting.take(text, is_title=True)
        elif is_instruction(flat(text)):
            self._unread.append(text)
        else:
            self._prose.append(text)
        self._is_behind_question = False

    def _leave_prose(self) -> None:
        self._unread += self._prose
        self._prose = []


def joined(above: Fields, own: Fields, number: str | None = None) -> Fields:
    """Return the fields of a question combined with those from the text above it."""
    fields = {"number_raw": number, **above, **own}
    return fields | {"images": above["images"] + own.get("images", 0)}


def stem_text(html: str) -> str | None:
    """Return a stem with underscores for each blank."""
    return text_of(re.sub(r"(?i)<input[^>]{0,2000}>", lambda tag: "" if _HIDDEN.search(tag[0]) else "____", html)) or None


def own_options(own: list[str], shared: list[str] | None) -> list[str]:
    """Return a question's options, or none if they are empty or are only letters that refer to the shared options above."""
    bare = [re.sub(r"[\s.、()。:]", "", unicodedata.normalize("NFKC", option)) for option in own]
    return [] if shared and all(text in ("", letter) for text, letter in zip(bare, LETTERS, strict=False)) else own
