"""Importer of exam papers: the lines of a text, docx, pdf or saved page -> questions."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import PurePosixPath

from msgspec import structs

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.runtime.budgets import uncollected
from atomexam.text.option_letters import LETTERS
from atomexam.text.refusal import Refusal
from atomexam.text.verdicts import FALSE, TRUE, verdict_of
from crawlers.read.containers.documents.doc import read_word
from crawlers.read.containers.documents.pdf import read_pdf_guarded
from crawlers.read.containers.documents.scans import PICTURES
from crawlers.read.containers.files.reading import Text
from crawlers.read.containers.files.text import read_html, read_text
from crawlers.read.layouts.layout_files import PaperLayout, patterns_of
from crawlers.read.layouts.papers_by_layout import read_by_patterns
from crawlers.read.lines.doubts.no_banks import refuse_no_bank
from crawlers.read.lines.doubts.whole_paper import accounted
from crawlers.read.lines.form.form import better_by_form
from crawlers.read.lines.marks import answered
from crawlers.read.lines.paper import read_paper
from crawlers.read.lines.questions.draft import DOUBTS, Draft
from crawlers.read.lines.questions.draft import ParsedPaper as Paper
from crawlers.read.lines.questions.shared import with_plain_options
from crawlers.read.tables.columns import names_of
from crawlers.read.tables.records.reading import FileReading
from crawlers.read.vocabulary.headings import asks
from crawlers.read.vocabulary.labels import IMAGE, WHOLE_ANSWER, flat, parts_of, shown
from crawlers.read.vocabulary.numbers import number_of
from crawlers.read.vocabulary.options import is_signed, letter_of, without_letter

LineReader = Callable[[str, bytes], Text]


def _answered(read: LineReader) -> LineReader:
    """Return a line reader that also adds the answers indicated by emphasis."""

    def with_answers(name: str, body: bytes) -> Text:
        text = read(name, body)
        return structs.replace(text, lines=answered(text.lines, text.marked))

    return with_answers


LINE_READERS: dict[str, LineReader] = {
    # the last six as plain text: their markup is not interpreted
    **dict.fromkeys((".txt", ".text", ".md", ".markdown", ".gift", ".org", ".wiki", ".mediawiki", ".rmd", ".rnw"), read_text),
    **dict.fromkeys((".docx", ".doc"), _answered(read_word)),
    **dict.fromkeys((".pdf", *PICTURES), _answered(read_pdf_guarded)),
    **dict.fromkeys((".html", ".htm"), _answered(read_html)),
}
_LETTER_LINE = re.compile(r"\s{0,9}(?P<letter>[A-J])\s?[^\w\s]")
_BOX_LINE, _RINGS = re.compile(r"\s{0,9}(?:[☐☑☒□■√×]|[-*+]?\s?\[[ xX√*]?\])\s?\S"), re.compile(r"[①-⑩]{1,10}")
_BOXED = re.compile(r"^\W{0,9}[☐☑☒□■]|[☐☑☒□■]\s{0,9}$")
_LABEL_AT_END = re.compile(r"\S\s*(?:参考|正确|标准)答案\s?[:：]?\s*$")
"""An answer label at the end of the last option, which shows that the answer was lost. It counts only if several questions have one."""
_SENT = re.compile(r"\b(?:19|20)\d\d[-/年.]\d{1,2}[-/月.]\d{1,2}日?\s{1,3}\d{1,2}:\d\d\b")
"""When a chat message was sent."""
_NAME = re.compile(r"\s{0,9}[【\[(]?(?P<name>[\u4e00-\u9fff]{2,6})(?:[】\])]\s?:?|:)")
_PLACE = re.compile(r"第[一二三四五六七八九十\d]{1,2}[项个]")
_LONGEST_LABEL = 3
_DIGITS = re.compile(r"\d{1,9}")
_FEWEST_LONE, _LONE = 5, 0.9
"""Minimum number and share of questions with a single option for a paper to count as a list of right options."""
_CHOOSES = re.compile("下列|以下|下述|下面|哪")
_FEWEST_NAMED, _NAMED = 3, 0.2
"""Minimum number and share of questions that must have a line with the same label below their text."""
_NUMBERS = r"第?\d{1,3}(?:\s?[、,;.\s]\s?\d{1,3}){1,99}"
_VERDICT_LIST = re.compile(
    r"\s{0,9}[【\[]?(?:参考|正确)?(?:答案)?[】\]]?\s?:?\s?"
    rf"(?:(?:正确|错误|[对错√×])的?[题有是为]{{0,2}}\s?:?\s?{_NUMBERS}|{_NUMBERS}\s?题?[是为]?\s?(?:正确|错误|[对错√×]))"
)
"""The numbers of all true or all false statements in one line: `答案：√：1,3,5；×：2,4,6`."""
_AROUND_WORD, _FIRST_LINES = re.compile(r"[(（\[【].{0,20}?[)）\]】]|[^\s-]{1,9}[-—_.:：/]"), 30
"""The text around the verdict in the name of a tick column, `判断-对`, `错（打√）`; the number of first lines that may name columns."""
_TITLE_CHARS = 60
_WORDS = re.compile(r"[^\W\d_]{2}")
_TITLE = re.compile(r"试卷|试题|真题|模拟|考试|练习|题库|卷[一二三四五六七八九十\d]")
_FRAMED = re.compile(r"[-—=~]{2,40}\s{0,4}(?P<words>[^-—=~\s].{0,60}?)\s{0,4}[-—=~]{2,40}")
"""A title between rules: `--- 组织生活 ---`. It is the heading of a part, wherever in the file the part begins."""
_NAMED_SUBJECT = re.compile(r"[【\[]?(?P<label>[\u4e00-\u9fff]{2,4})[】\]]?\s?[:：]\s?(?P<subject>\S.{0,29})")
_NO_TITLE = re.compile(
    r"[【\[（(]?(?:章节|单元|课后|课堂|随堂|阶段|综合|模拟|同步|巩固)?(?:测试|测验|练习|自测|检测|作业|习题|试题|考试|题目)[题卷]?[】\]）)]?\d{0,3}"
    r"|(?:[-*•]\s{0,3})?(?:考试|答题|转换|导出|创建|截止|更新|发布|开始|结束)?(?:时间|日期|题量|总分|满分|得分|成绩|姓名|班级|学号|作者|来源|目标|说明)\s{0,3}[:：].{0,200}"
    r"|(?:https?://|www\.)?[\w.-]{1,60}\.(?:com|cn|net|org|io)(?:/\S{0,100})?"
    r"|试卷|(?:绝密|机密|秘密)(?:[★☆*\s]{0,3}(?:考试)?(?:启用|结束)前)?",
    re.I,
)
"""Lines above questions that are not titles: a bare word for a test, a platform's field, a web address, or a confidentiality notice."""
_PAGE = re.compile(
    r"[\s(（,，/|·—-]{0,6}+(?:[第共]\s{0,2}[\d一二三四五六七八九十百]{1,4}\s{0,2}页|\bpage\s{0,2}\d{1,4}(?:\s{0,2}(?:of|/)\s{0,2}\d{1,4})?)[\s)）,，/|·—-]*+",
    re.I,
)
_NO_PART = re.compile(
    r"未完待续|待续|全?[卷文]?完"
    r"|(?:参考|标准|正确|试题|习题)?(?:答案|解析|详解)(?:[及与和](?:参考)?(?:答案|解析|详解))?",
    re.I,
)
"""Texts between rules that are not the title of a part: an end mark, or a heading of answers."""
_HEADING = re.compile(r"[（(第【]?[一二三四五六七八九十]+\s*[、.．）)】部大]|.{0,8}题$|.*[:：。]$")


def read_questions(name: str, body: bytes, suffix: str, provenance: Provenance) -> FileReading:
    """Return the questions of a paper.

    Args:
        provenance: that of the file, without a position.

    Raises:
        ValueError: the file is not what its suffix claims, or its lines are records.
    """
    return questions_in(name, lines_in(name, body, suffix), provenance)


@lru_cache(maxsize=1)  # read twice: to search for lines of known platforms, and to read the questions
def lines_in(name: str, body: bytes, suffix: str) -> Text:
    """Return the lines of a file."""
    return LINE_READERS[suffix](name, body)


def questions_in(name: str, text: Text, provenance: Provenance) -> FileReading:
    """Return the questions of a paper that was read into lines.

    Raises:
        ValueError: its lines are records, notes or a survey.
    """
    with uncollected():
        return reading_of(name, text, paper_in(name, text), text, provenance)


def paper_in(name: str, text: Text) -> Paper:
    """Return a paper as divided by its own forms of numbers, letters and marks.

    Raises:
        ValueError: its lines are records, notes or a survey.
    """
    _refuse_records(name, text.lines)
    with uncollected():
        paper = with_plain_options(read_paper(text.lines))
        paper = better_by_form(text.lines, accounted(text.lines, _with_remains_doubted(paper, text.lines)))
        paper = _with_lone_keys(_with_remains_doubted(paper, text.lines))
    refuse_no_bank(name, text.lines, paper)
    return paper


def _with_remains_doubted(paper: Paper, lines: list[str]) -> Paper:
    """Return a paper with doubts on questions that contain unrecognized text, or that an unrecognized answer list may refer to."""
    below = [_names_below(draft) for draft in paper.questions]
    counts = Counter(name for names in below for name in names)
    names = {name for name, count in counts.items() if count >= max(_FEWEST_NAMED, _NAMED * len(below))}
    ends = sum(bool(draft.options and _LABEL_AT_END.search(draft.options[-1])) for draft in paper.questions)
    has_list = any(_VERDICT_LIST.match(flat(line)) for line in lines)
    questions, rejected = list[Draft](), [*paper.rejected]
    for draft, own in zip(paper.questions, below, strict=True):
        doubt = (
            "options_unreadable"
            if (ends > 1 and draft.options and _LABEL_AT_END.search(draft.options[-1]))
            or _misses_options(draft)
            or any(_BOXED.search(option) for option in draft.options)
            or (own & names and draft.options)
            else "stem_unreadable"
            if _SENT.search(draft.stem) or {"A", "B"} <= set(draft.stem.split("\n")) or (own & names and not draft.options)
            else "answer_list_mismatch"
            if has_list and not draft.options
            else None
        )
        (rejected if doubt else questions).append(draft.doubted(doubt))
    return structs.replace(paper, questions=questions, rejected=rejected)


def _with_lone_keys(paper: Paper) -> Paper:
    """Return a paper with answers in words if it has only the right option below each stem.

    A stem that asks the reader to choose among missing options keeps the right one as its only option, so that `clean` rejects it.
    """
    found = [(draft, _lone_key(draft)) for draft in paper.drafts]
    keys = [key for _, (_, key) in found if key]
    letters, others = {letter_of(key) for key in keys}, {_DIGITS.sub("", key) for key in keys if not verdict_of(key)}
    is_one_mark = (len(letters) == 1 and all(letters)) or (len(others) == 1 and len(keys) > 1)  # （本题2分）, 学号1答题处
    if len(keys) < max(_FEWEST_LONE, _LONE * len(found)) or is_one_mark:
        return paper
    questions, rejected = list[Draft](), list[Draft]()
    for draft, (stem, key) in found:
        if key and not _CHOOSES.search(stem):
            draft = structs.replace(draft, stem=stem, options=[], answer=without_letter(key), doubts=())
        elif key:
            draft = structs.replace(draft, stem=stem, options=[key], doubts=())
        (rejected if draft.doubts else questions).append(draft)
    return structs.replace(paper, questions=questions, rejected=rejected)


def _lone_key(draft: Draft) -> tuple[str, str]:
    """Return the stem and the only option of an unanswered question; the option is empty if there are several or it may continue the
    stem."""
    if draft.answer or draft.above.shared_options:
        return draft.stem, ""
    if len(draft.options) == 1:
        return draft.stem, draft.options[0]
    stem, _, key = draft.stem.partition("\n")
    is_whole = asks(flat(stem)) and flat(stem).rstrip(" .。:")[-1:] in ")]_?" and not asks(flat(key))
    return (stem, key.strip()) if is_whole and not draft.options and key.strip() and "\n" not in key.strip() else (draft.stem, "")


def _names_below(draft: Draft) -> set[str]:
    """Return the labels, such as `改正：`, of lines below the last option or statement; the labelled texts are unread."""
    words = draft.options[-1] if draft.options else draft.stem
    return {name["name"] for line in flat(words).split("\n")[1:] if (name := _NAME.match(line))}


def _misses_options(draft: Draft) -> bool:
    """Return whether options were missed: lines of the stem begin with A, B and C or with tick boxes, the answer is the label of such a
    line, or there is only one option.
    """
    if draft.options or draft.above.shared_options:
        return len(draft.options or draft.above.shared_options or []) == 1
    if draft.answer and (_PLACE.fullmatch(draft.answer) or (_RINGS.fullmatch(draft.answer) and set(draft.answer) <= set(draft.stem))):
        return True
    lines = flat(draft.stem).split("\n")[1:]
    if draft.answer and len(draft.answer) < _LONGEST_LABEL:
        own = re.compile(rf"\s{{0,9}}[(\[【]?{re.escape(flat(draft.answer))}[\s.、:)\]】]")
        if any(own.match(line) for line in lines):
            return True
    letters = "".join(match["letter"] for line in lines if (match := _LETTER_LINE.match(line)))
    return letters.startswith("ABC") or sum(_BOX_LINE.match(line) is not None for line in lines) > 1


def questions_by_layout(name: str, text: Text, layout: PaperLayout, provenance: Provenance) -> FileReading:
    """Return the questions of a paper as read with the patterns of its layout.

    Raises:
        ValueError: a pattern is wrong.
    """
    paper, source = read_by_patterns(text, patterns_of(layout, f"{name}: its layout"))
    return reading_of(name, text, paper, source, provenance)


def reading_of(name: str, text: Text, paper: Paper, source: Text, provenance: Provenance) -> FileReading:
    """Return the questions of a paper as items; `source` has the lines for the character account."""
    titles = _titles(name, text.lines, paper)
    reading = FileReading(unread=[*text.dropped, *paper.unread], source=source)
    for draft, (title, subject) in zip(paper.drafts, titles, strict=True):
        draft_provenance, fields = structs.replace(provenance, position=draft.position), {"subject_raw": subject} | draft.raw_fields()
        reading.items.append(QuestionItem(url=provenance.url, provenance=draft_provenance, paper_raw=title, **fields))
    reading.faults += _faults_of(paper.drafts)
    for lost in text.lost:
        reading.give_up(lost, provenance)
    reading.record_count = len(reading.items)
    return reading


def _faults_of(drafts: Sequence[Draft]) -> Iterator[str]:
    """Yield where and why questions are rejected; adjacent ones with the same cause share a line."""
    usual = _usual_count(drafts)
    for _, group in groupby(drafts, key=lambda one: (one.doubt, one.words or one.ordinal)):
        first, *others = group
        if first.doubt:
            numbers = f"numbers {first.number} to {others[-1].number}" if others else f"number {first.number}"
            found = first.words or _found_in(first, usual) or DOUBTS[first.doubt]
            yield f"line {first.line + 1}: {numbers}: {first.doubt}: {found}"


def _usual_count(drafts: Sequence[Draft]) -> int:
    """Return how many options most questions of a paper have; 0 if none has options."""
    counts = Counter(len(draft.options) for draft in drafts if draft.options)
    return counts.most_common(1)[0][0] if counts else 0


def _found_in(draft: Draft, usual: int) -> str:
    """Return what was found and what was expected; empty if the cause is not a common one.

    Args:
        usual: how many options most questions of its paper have.
    """
    options = draft.options or draft.above.shared_options or []
    if draft.doubt != "options_unreadable":
        return ""
    if not options:
        return f"it has no options; expected {usual}, as most have" if usual else ""
    letters = [letter_of(option) for option in options]
    if (lettered := "".join(letters)) and lettered != LETTERS[: len(options)]:
        found = ", ".join(letter or "no letter" for letter in letters)
        return f"its options are lettered {found}; expected {', '.join(LETTERS[: max(len(options), usual)])}, each once and in this order"
    if further := next((option for option in options if "\n" in option.strip()), None):
        above, _, line = further.partition("\n")
        return f"another line, {shown(line)}, follows its option {shown(above)}; expected an option on each line, A, B, C and so on"
    is_lettered = draft.answer is not None and WHOLE_ANSWER.fullmatch(flat(draft.answer))
    if is_lettered and (beyond := sorted(set(draft.answer or "") & set(LETTERS[len(options) :]))):
        return f"its answer {draft.answer} names {', '.join(beyond)}, but its last option is {LETTERS[len(options) - 1]}"
    return f"it has {len(options)} options; expected {usual}, as most have" if len(options) != usual else ""


def _refuse_records(name: str, lines: list[str]) -> None:
    """Reject files of records, and rows with tick columns for true and false, which would be lost or misread if read as papers."""
    for line in lines[:_FIRST_LINES]:
        *_, right, wrong = ["", "", *(_AROUND_WORD.sub("", cell) for cell in line.strip("| \t").split())]
        if verdict_of(right) == TRUE and verdict_of(wrong) == FALSE and names_of("stem_raw").intersection(line.replace("|", " ").split()):
            raise Refusal(
                f"{name}: {line.strip()!r}: found separate columns to tick for true and false; write the answers in one column, 答案"
            )
    filled = [(line_number, line.strip()) for line_number, line in enumerate(lines, 1) if line.strip()]
    records = [line_number for line_number, line in filled if line.startswith("{") and line.endswith(("}", "},")) and '":' in line]
    if len(records) * 2 > len(filled):
        raise Refusal(
            f"{name}: line {records[0]}: found a JSON object, expected a paper in lines of text; if each line is a record, "
            "name the file .jsonl"
        )


def _titles(name: str, lines: list[str], paper: Paper) -> list[tuple[str, str | None]]:
    """Return, for each question, the file's name with the paper's title, and the subject from a line `科目：…` above the question.

    The title is the first possible title above the first question; a later line that is worded as a paper's title begins another paper.
    A line of a question is never a title. A title with a page number is a running header, which does not begin another paper.
    """
    stem, paper_title, part, subject, read, titles = PurePosixPath(name).stem, "", "", None, 0, []
    unread = {_bare(line) for line in paper.unread}
    for draft in paper.drafts:
        for line in lines[read : draft.line]:
            text = _bare(line)
            if text not in unread:
                continue
            text, numbered = _PAGE.subn(" ", text)
            text = text.strip()
            if (named := _NAMED_SUBJECT.fullmatch(text)) and named["label"] in names_of("subject_raw"):
                subject = named["subject"]
                continue
            if not _may_title(text) or (numbered and (paper_title or part)):
                continue
            if framed := _FRAMED.fullmatch(text):
                part = part if _NO_PART.fullmatch(framed["words"]) or not _may_title(framed["words"]) else framed["words"]
            elif _TITLE.search(text) if read or paper_title or part else True:
                paper_title, part = text, ""
        read = max(read, draft.line, 1)
        title = f"{paper_title} {part}".strip()
        titles.append((stem if title in stem else title if stem in title else f"{stem} {title}", subject))
    return titles


def _bare(line: str) -> str:
    return line.replace(IMAGE, "").strip("\ufeff #*\t\u3000\r")


def _may_title(text: str) -> bool:
    """Return whether a line is short enough for a title, and has no question number, option letter, mark or blank."""
    if not 0 < len(text) <= _TITLE_CHARS or _HEADING.match(text) or is_signed(text) or not _WORDS.search(text) or _NO_TITLE.fullmatch(text):
        return False
    number = number_of(flat(text))
    return (number is None or number.style in ("tight", "ocr")) and not asks(flat(text)) and parts_of(text) == (("text", text),)
