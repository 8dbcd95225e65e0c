"""Rows of a text whose lines are divided by one separator, whatever the file's name; Anki's exports name their separator. Text in, rows
out.
"""

import csv
import io
import re
from typing import NamedTuple

from atomexam.text.verdicts import SURE_VERDICTS, verdict_of
from crawlers.tables.delimiters import SHARE, delimiter_of, signs_in

_LONG_SIGNS = ("@@", "##", "||", "$$", "::", "###")
_LETTERS = re.compile(r"[A-J][A-J,，、\s]{0,18}")
_LONGEST_ANSWER = 19
_MOST_CELLS = 14
_ANKI = re.compile(r"#(?P<key>separator|html|columns|tags column|notetype column|deck column|guid column|notetype|deck|tags):(?P<value>.*)")
_NAMED_SIGNS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "colon": ":", "space": " "}
_LEAST_LINES, _MOST_LINES, _MOST_HEAD = 5, 2000, 12
_ASIDE = {"tags column": "标签", "notetype column": "notetype", "deck column": "deck", "guid column": "guid"}


class Separated(NamedTuple):
    """The rows of a text."""

    columns: list[str]
    """Their names as stated in the text; empty if it states none."""
    rows: list[tuple[str, list[str]]]


def separated(text: str) -> Separated | None:
    """Return the rows of a text; None if its lines are not divided alike."""
    headers = _anki_headers(text)
    if not headers and (answered := _ending_in_answers(text)):
        return answered
    sign = headers.get("separator", "")
    sign = _NAMED_SIGNS.get(sign.lower(), sign) if headers else _sign_of(text)
    if len(sign) != 1:
        return None
    head = len(headers)
    lines = text.lstrip("\ufeff").split("\n")[head:]
    rows: list[tuple[str, list[str]]] = []
    reader = csv.reader(io.StringIO("\n".join(lines), newline=""), delimiter=sign)
    last = 0
    try:
        for cells in reader:
            if any(cells):
                rows.append((f"line:{head + last + 1}", [cell.strip() for cell in cells]))
            last = reader.line_num
    except csv.Error:
        return None
    columns = [name.strip() for name in re.split(re.escape(sign) + r"|\t", headers.get("columns", ""))] if headers.get("columns") else []
    for key, name in _ASIDE.items():
        if headers.get(key, "").strip().isdigit() and rows:
            width = max(len(cells) for _, cells in rows)
            columns += [f"column {index}" for index in range(len(columns) + 1, width + 1)]
            index = int(headers[key])
            columns[index - 1 : index] = [name]
    return Separated(columns, rows)


def _anki_headers(text: str) -> dict[str, str]:
    """Return what the header lines of an Anki export state about the rest."""
    headers: dict[str, str] = {}
    for line in text.lstrip("\ufeff").split("\n", _MOST_HEAD)[:_MOST_HEAD]:
        if not (match := _ANKI.fullmatch(line.rstrip("\r"))):
            break
        headers[match["key"]] = match["value"]
    return headers if "separator" in headers else {}


def _ending_in_answers(text: str) -> Separated | None:
    """Return the rows of a text whose lines all end in a separator and letters, whatever the number of options before them; else None."""
    lines = [(index, line) for index, line in enumerate(map(str.strip, text.lstrip("\ufeff").split("\n")), 1) if line]
    if len(lines) < _LEAST_LINES or '"' in text:
        return None
    for sign in (*_LONG_SIGNS, *signs_in(text)):
        if lines[0][1].count(sign) < 1:
            continue
        if sum(_may_end_in_answer(line, sign) for _, line in lines) < SHARE * len(lines):
            continue
        rows = [(f"line:{index}", [cell.strip() for cell in line.split(sign)]) for index, line in lines]
        sound = sum(_ends_in_answer(cells) for _, cells in rows)
        if sound < SHARE * len(rows) or any(len(cells) > _MOST_CELLS for _, cells in rows):
            continue
        width = max(len(cells) for _, cells in rows)
        return Separated([], [(index, [*cells[:-1], *[""] * (width - len(cells)), cells[-1]]) for index, cells in rows])
    return None


def _may_end_in_answer(line: str, sign: str) -> bool:
    """Return whether the text after a line's last separator is no longer than letters or a truth value: most lines end otherwise."""
    return sign in line and len(line.rpartition(sign)[2].strip()) <= _LONGEST_ANSWER


def _ends_in_answer(cells: list[str]) -> bool:
    """Return whether letters follow a stem and its options, or a truth value follows a statement."""
    return (len(cells) > 2 and _LETTERS.fullmatch(cells[-1]) is not None) or (
        len(cells) == 2 and verdict_of(cells[-1], SURE_VERDICTS) != ""
    )


def _sign_of(text: str) -> str:
    """Return the separator that divides nearly all lines into the same number of cells; nothing if there is none."""
    lines = [line for line in text.lstrip("\ufeff").split("\n")[:_MOST_LINES] if line.strip()]
    return delimiter_of("\n".join(lines)) if len(lines) >= _LEAST_LINES else ""
