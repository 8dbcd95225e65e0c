"""Importer of exam papers: the lines of a text, docx, pdf or saved page in, questions out."""

import re
from collections.abc import Callable
from pathlib import PurePosixPath

from msgspec import structs

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.runtime.budgets import uncollected
from atomexam.text.refusal import Refusal
from crawlers.importers.documents.doc import read_doc
from crawlers.importers.documents.docx import read_docx
from crawlers.importers.documents.packed_pages import PACKED, read_packed
from crawlers.importers.documents.pdf import read_pdf_guarded
from crawlers.importers.files.reading import FileReading, Text
from crawlers.importers.files.text import read_html, read_light, read_text
from crawlers.importers.layouts.paper_layout import PaperLayout, patterns_of
from crawlers.importers.not_question_banks import refuse_no_bank
from crawlers.importers.papers_by_layout import read_by_patterns
from crawlers.papers.doubts.found import found_in, usual_count
from crawlers.papers.doubts.whole_paper import accounted
from crawlers.papers.paper import read_paper
from crawlers.papers.questions.draft import DOUBTS, Draft
from crawlers.papers.questions.draft import ParsedPaper as Paper
from crawlers.papers.questions.unlettered import with_plain_options
from crawlers.papers.sections.signals import asks
from crawlers.papers.signs.answer_marks import IMAGE, flat, parts_of
from crawlers.papers.signs.letters import is_signed
from crawlers.papers.signs.numbers import number_of
from crawlers.template_reader.choice import better_by_form

LineReader = Callable[[str, bytes], Text]
LINE_READERS: dict[str, LineReader] = {
    ".txt": read_text,
    ".text": read_text,
    ".gift": read_text,
    ".md": read_text,
    ".markdown": read_text,
    ".org": read_text,
    ".wiki": read_text,
    ".rmd": read_text,
    ".rnw": read_text,
    ".mediawiki": read_text,
    ".tex": read_light,
    ".docx": read_docx,
    ".doc": read_doc,
    ".pdf": read_pdf_guarded,
    ".html": read_html,
    ".htm": read_html,
    **dict.fromkeys(PACKED, read_packed),
}
_LETTER_LINE, _BOX_LINE = re.compile(r"\s{0,9}(?P<letter>[A-J])\s?[^\w\s]"), re.compile(r"\s{0,9}[☐☑☒□■]\s?\S")
_TITLE_CHARS = 60
_WORDS = re.compile(r"[^\W\d_]{2}")
_TITLE = re.compile(r"试卷|试题|真题|模拟|考试|练习|题库|卷[一二三四五六七八九十\d]")
_FRAMED = re.compile(r"[-—=~]{2,40}\s{0,4}(?P<words>[^-—=~\s].{0,60}?)\s{0,4}[-—=~]{2,40}")
"""A title between rules: `--- 组织生活 ---`. It is above a part of the file, wherever that begins."""
_NO_TITLE = re.compile(
    r"[【\[（(]?(?:章节|单元|课后|课堂|随堂|阶段|综合|模拟|同步|巩固)?(?:测试|测验|练习|自测|检测|作业|习题|试题|考试|题目)[题卷]?[】\]）)]?\d{0,3}"
    r"|(?:[-*•]\s{0,3})?(?:考试|答题|转换|导出|创建|截止|更新|发布|开始|结束)?(?:时间|日期|题量|总分|满分|得分|成绩|姓名|班级|学号|作者|来源|目标|说明)\s{0,3}[:：].{0,200}"
    r"|(?:https?://|www\.)?[\w.-]{1,60}\.(?:com|cn|net|org|io)(?:/\S{0,100})?"
    r"|试卷|(?:绝密|机密|秘密)(?:[★☆*\s]{0,3}(?:考试)?(?:启用|结束)前)?",
    re.I,
)
"""What is above questions without naming a paper: only the word for a test, a field of a platform, an address, a seal."""
_PAGE = re.compile(
    r"[\s(（,，/|·—-]{0,6}+(?:[第共]\s{0,2}[\d一二三四五六七八九十百]{1,4}\s{0,2}页|\bpage\s{0,2}\d{1,4}(?:\s{0,2}(?:of|/)\s{0,2}\d{1,4})?)[\s)）,，/|·—-]*+",
    re.I,
)
_NO_PART = re.compile(
    r"未完待续|待续|全?[卷文]?完"
    r"|(?:参考|标准|正确|试题|习题)?(?:答案|解析|详解)(?:[及与和](?:参考)?(?:答案|解析|详解))?",
    re.I,
)
"""What is between rules without naming a part of the file: its end, the answers."""
_HEADING = re.compile(r"[（(第【]?[一二三四五六七八九十]+\s*[、.．）)】部大]|.{0,8}题$|.*[:：。]$")


def read_questions(name: str, body: bytes, suffix: str, provenance: Provenance) -> FileReading:
    """Return the questions of a paper.

    Args:
        seen: provenance without its position.

    Raises:
        ValueError: the file is not what its suffix claims, or its lines are records.
    """
    return questions_in(name, LINE_READERS[suffix](name, body), provenance)


def questions_in(name: str, text: Text, provenance: Provenance) -> FileReading:
    """Return the questions of a paper that was read into lines.

    Raises:
        ValueError: its lines are records, notes or a survey.
    """
    with uncollected():
        return reading_of(name, text, paper_in(name, text), text, provenance)


def paper_in(name: str, text: Text) -> Paper:
    """Return what a paper's own forms of numbers, letters and marks show of it.

    Raises:
        ValueError: its lines are records, notes or a survey.
    """
    _refuse_records(name, text.lines)
    with uncollected():
        paper = with_plain_options(read_paper(text.lines))
        paper = better_by_form(text.lines, accounted(text.lines, _with_missed_options_doubted(paper)))
    refuse_no_bank(name, text.lines, paper)
    return paper


def _with_missed_options_doubted(paper: Paper) -> Paper:
    """Return a paper whose questions without options are doubted if their stems have these, in lines of an unknown form."""
    questions, rejected = list[Draft](), [*paper.rejected]
    for draft in paper.questions:
        if _misses_options(draft):
            rejected.append(draft.doubted("options_unreadable"))
        else:
            questions.append(draft)
    return structs.replace(paper, questions=questions, rejected=rejected)


def _misses_options(draft: Draft) -> bool:
    """Return whether lines of a stem begin with A, B and C and any signs, or with boxes to tick."""
    lines = [] if draft.options or draft.above.shared_options else flat(draft.stem).split("\n")[1:]
    letters = "".join(match["letter"] for line in lines if (match := _LETTER_LINE.match(line)))
    return letters.startswith("ABC") or sum(_BOX_LINE.match(line) is not None for line in lines) > 1


def questions_by_layout(name: str, text: Text, layout: PaperLayout, provenance: Provenance) -> FileReading:
    """Return the questions of a paper by the patterns of its layout.

    Raises:
        ValueError: a pattern is wrong.
    """
    paper, source = read_by_patterns(text, patterns_of(layout, f"{name}: its layout"))
    return reading_of(name, text, paper, source, provenance)


def reading_of(name: str, text: Text, paper: Paper, source: Text, provenance: Provenance) -> FileReading:
    """Return the questions of a paper as items; `source` has the lines for the account of its characters."""
    titles = _titles(name, text.lines, paper)
    reading, usual = FileReading(unread=[*text.dropped, *paper.unread], source=source), usual_count(paper.drafts)
    for draft, title in zip(paper.drafts, titles, strict=True):
        draft_provenance = structs.replace(provenance, position=draft.position)
        reading.items.append(QuestionItem(url=provenance.url, provenance=draft_provenance, paper_raw=title, **draft.raw_fields()))
        if draft.doubt:
            found = draft.words or found_in(draft, usual) or DOUBTS[draft.doubt]
            reading.faults.append(f"line {draft.line + 1}: number {draft.number}: {draft.doubt}: {found}")
    for lost in text.lost:
        reading.give_up(lost, provenance)
    reading.record_count = len(reading.items)
    return reading


def _refuse_records(name: str, lines: list[str]) -> None:
    """Refuse a file of records: as a paper, nearly all of them would be lost."""
    filled = [(line_number, line.strip()) for line_number, line in enumerate(lines, 1) if line.strip()]
    records = [line_number for line_number, line in filled if line.startswith("{") and line.endswith(("}", "},")) and '":' in line]
    if len(records) * 2 > len(filled):
        raise Refusal(f"{name}: line {records[0]}: a JSON object on a line; expected a paper in lines of text; name the file .jsonl")


def _titles(name: str, lines: list[str], paper: Paper) -> list[str]:
    """Return for each question the file's name and the paper's title above it: either may name the subject.

    Above the first question, the first line that may be a title is one; a further paper in the file begins with a line that names itself a
    paper. A line of a question is never a title, whatever it states. A title with a page number is a running title, which begins no further
    paper.
    """
    stem, paper_title, part, read, titles = PurePosixPath(name).stem, "", "", 0, []
    unread = {_bare(line) for line in paper.unread}
    for draft in paper.drafts:
        for line in lines[read : draft.line]:
            text = _bare(line)
            if text not in unread:
                continue
            text, numbered = _PAGE.subn(" ", text)
            text = text.strip()
            if not _may_title(text) or (numbered and (paper_title or part)):
                continue
            if framed := _FRAMED.fullmatch(text):
                part = part if _NO_PART.fullmatch(framed["words"]) or not _may_title(framed["words"]) else framed["words"]
            elif _TITLE.search(text) if read or paper_title or part else True:
                paper_title, part = text, ""
        read = max(read, draft.line, 1)
        title = f"{paper_title} {part}".strip()
        titles.append(stem if title in stem else title if stem in title else f"{stem} {title}")
    return titles


def _bare(line: str) -> str:
    return line.replace(IMAGE, "").strip("\ufeff #*\t\u3000\r")


def _may_title(text: str) -> bool:
    """Return whether a line is as short as a title, and has no number, letter, mark or blank of a question."""
    if not 0 < len(text) <= _TITLE_CHARS or _HEADING.match(text) or is_signed(text) or not _WORDS.search(text) or _NO_TITLE.fullmatch(text):
        return False
    number = number_of(flat(text))
    return (number is None or number.style in ("tight", "ocr")) and not asks(flat(text)) and parts_of(text) == (("text", text),)
