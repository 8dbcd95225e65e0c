"""Rows of the sheets of a file, with codes replaced by the meanings that column names and comments state, `答案(1对0错)`."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from atomexam.text.option_letters import LETTERS
from atomexam.text.refusal import Refusal
from atomexam.text.verdicts import SURE_VERDICT, verdict_of
from crawlers.read.containers.documents.doc import WORD, read_word
from crawlers.read.containers.documents.pdf import SUFFIX as PDF
from crawlers.read.containers.documents.pdf import table_rows
from crawlers.read.containers.files.csv import csv_rows
from crawlers.read.containers.files.workbook import BOOKS, sheets_of
from crawlers.read.vocabulary.words import any_of

SHEETS = (".csv", ".tsv", *BOOKS, PDF)
TABLED = (*SHEETS, *WORD)
"""Suffixes of files that may be read as sheets; Word documents are read as sheets only if they are tables."""


def _sheets(name: str, body: bytes) -> Iterator[tuple[str, bool, Iterator[tuple[str, list[str]]]]]:
    """Yield the name of each sheet, whether it is hidden, and its rows with their positions; a csv or PDF is one sheet without a name.

    Raises:
        ValueError: the file is damaged, or is a PDF that is not one table.
    """
    if name.lower().endswith(BOOKS):
        yield from sheets_of(name, body)
    elif name.lower().endswith(WORD):
        text = read_word(name, body)
        if not text.rows:
            raise Refusal(f"{name}: too little of its text is in tables; import it as a paper, which is read line by line")
        yield "", False, iter(text.rows)
    else:
        yield "", False, iter(table_rows(name, body)) if name.lower().endswith(PDF) else csv_rows(name, body)


_WITHIN = 20
"""Number of rows that may contain the column names."""
_LEGEND = re.compile(r"(?P<name>[^()（）\[\]【】]{0,20})[(（\[【](?P<legend>[^()（）\[\]【】]{3,60})[)）\]】]\s{0,4}")
_COMMENT = re.compile(r"(?:[^:：]{0,20}[:：]|[^\W\d]{1,12}[\s,，；;]{1,4})?\s{0,4}(?P<legend>[^:：()（）]{3,60})")
_NOTE = re.compile(
    r"COMMENT\s{1,9}ON\s{1,9}COLUMN\s{1,9}[\w.\"`]{1,99}\.[\"`]?(?P<noted>\w{1,60})[\"`]?\s{1,9}IS\s{1,9}'(?P<note>[^'\n]{3,80})'"
    r"|(?<![\w`\"])[`\"]?(?P<column>\w{1,60})[`\"]?[ \t]{1,20}\w{1,20}[^,'\n]{0,99}?\bCOMMENT\s{1,9}'(?P<comment>[^'\n]{3,80})'",
    re.IGNORECASE,
)
"""A column comment in an SQL dump of PostgreSQL or MySQL."""
_WORD = f"{SURE_VERDICT}|[真假]|[A-H](?![A-Za-z])"
_CODE = r"\d|[A-Za-z](?![A-Za-z])"
_SAYS, _APART = r"\s{0,2}(?:[=:：\-—→]|代表|表示|为|是)?\s{0,2}", r"[\s,，;；、/|]{0,3}"
_FORMS = (
    re.compile(rf"(?P<code>{_CODE}){_SAYS}(?P<word>{_WORD}){_APART}"),
    re.compile(rf"(?P<word>{_WORD}){_SAYS}(?P<code>{_CODE}){_APART}"),
)
_VERDICTS = re.compile(
    r"\s{0,4}(?:判断|正误|对错|是非)(?:题|结果)?\s?[(（\[【]\s?(?P<right>[^\s/、,，|]{1,5}?)\s?[/、,，|或]?\s?(?P<wrong>[^\s/、,，|]{1,5})\s?[)）\]】]\s{0,4}"
)
"""The name of a verdict column with both verdicts in brackets; without the brackets, 判断 may be a question type."""
_BARE_VERDICTS = re.compile(
    r"\s{0,4}(?P<right>正确|对|√|✓|T|真|正)\s?[/／、|或]\s?(?P<wrong>错误|错|不正确|×|✗|X|F|假|误)\s{0,4}", re.IGNORECASE
)
"""A name that consists of both verdicts, `√/×`; 是/否 could mean anything."""
_OWN = re.compile(r"我的|你的|考生|学[生员]|用户|作答|得分|成绩|user|score", re.IGNORECASE)
_TRUTH = {"正确", "错误"}
_ANSWER = re.compile(any_of("answer", "answer_in_english"), re.IGNORECASE)


Sheet = tuple[str, bool, Iterator[tuple[str, list[str]]]]
"""A sheet: its name, whether it is hidden, and its rows with their positions."""


def sheets_in(name: str, body: bytes) -> Iterator[Sheet]:
    """Yield the sheets of a workbook, csv, PDF or Word document that is a table, with the meanings of their codes."""
    return ((title, hidden, with_legends(rows)) for title, hidden, rows in _sheets(name, body))


def with_legends(rows: Iterable[tuple[str, list[str]]]) -> Iterator[tuple[str, list[str]]]:
    """Yield rows with codes replaced by their meanings if the column's name states them; that name becomes 答案, or loses the meanings."""
    codes_by_column: dict[int, dict[str, str]] = {}
    for number, (position, cells) in enumerate(rows):
        may_name = not codes_by_column and number < _WITHIN
        if may_name and (legends := {at: legend for at, cell in enumerate(cells) if (legend := _legend_of(cell))}):
            codes_by_column = {at: codes for at, (_, codes) in legends.items()}
            yield position, [legends[at][0] if at in legends else cell for at, cell in enumerate(cells)]
        elif codes_by_column:
            yield position, [codes.get(cell, cell) if (codes := codes_by_column.get(at)) else cell for at, cell in enumerate(cells)]
        else:
            yield position, cells


def verdicts_of_name(name: str) -> dict[str, str]:
    """Return the two verdicts in brackets in a column's name, `判断（T/F）`, with their meanings; empty if there are none."""
    form = _VERDICTS.fullmatch(name) or _BARE_VERDICTS.fullmatch(name)
    if form is None:
        return {}
    if form.re is _BARE_VERDICTS:
        return {form["right"]: "正确", form["wrong"]: "错误"}
    meanings = {form[group]: verdict_of(form[group]) for group in ("right", "wrong")}
    return meanings if [*meanings.values()] == ["正确", "错误"] else {}


def _legend_of(cell: str) -> tuple[str, dict[str, str]] | None:
    """Return the name of an answer column and the meanings of its codes; None if it states no meanings."""
    if verdicts := verdicts_of_name(cell):
        return "判断结果", verdicts
    label = _LEGEND.fullmatch(cell) if len(cell) < 90 else None
    if not label or _OWN.search(label["name"]):
        return None
    pairs = _pairs_in(label["legend"])
    is_answer = _ANSWER.search(label["name"])
    if not pairs or not (is_answer or set(pairs.values()) == _TRUTH):
        return None
    return label["name"].strip() if is_answer else "判断结果", pairs


def _pairs_in(legend: str) -> dict[str, str]:
    """Return the meanings of codes; empty if the text states anything else."""
    for form in _FORMS:
        pairs, end = dict[str, str](), 0
        while pair := form.match(legend, end):
            word, end = pair["word"], pair.end()
            pairs[pair["code"]] = word if word in LETTERS else verdict_of(word)
        if end == len(legend) and len(set(pairs.values())) == len(pairs) > 1:
            return pairs
    return {}


def with_comments(tables: Mapping[str, list[dict[str, Any]]], dump: str) -> None:
    """Replace codes with the truth values that the comments in an SQL dump state for their columns."""
    for match in _NOTE.finditer(dump):
        for rows in tables.values():
            _with_comment(rows, match["noted"] or match["column"], match["note"] or match["comment"])


def _with_comment(rows: Iterable[dict[str, Any]], column: str, comment: str) -> None:
    """Replace the codes in a database column with the truth values that its comment states: `判断题：1对0错`.

    This applies only to digits, and only if the column has no other values: if answers range from 1 to 4, a 1 may be an option.
    """
    label = None if _OWN.search(column) or _OWN.search(comment) else _COMMENT.fullmatch(comment.strip())
    codes = _pairs_in(label["legend"]) if label else {}
    legend = _legend_of(comment)
    codes = codes or (legend[1] if legend else {})
    if set(codes.values()) != _TRUTH or not all(map(str.isdigit, codes)):
        return
    rows = [row for row in rows if row.get(column) is not None]
    if any(text.isdigit() and text not in codes for row in rows if (text := str(row[column]).strip())):
        return
    for row in rows:
        row[column] = codes.get(str(row[column]).strip(), row[column])
