"""Tables of a document: rows of cells, each a list of lines, in; the lines of a paper out."""

import re

from atomexam.text.option_letters import LETTERS, are_fillers
from atomexam.text.verdicts import SURE_VERDICT
from crawlers.column_roles.option_cells import split_options
from crawlers.column_roles.values import EXAM_VERDICTS, verdict_of, verdict_word
from crawlers.importers.documents.option_rows import lines_of_grouped_rows, with_questions_in_rows
from crawlers.importers.layouts.columns import RecordLayout, is_option_name, layout_of_keys, named, whole_header
from crawlers.papers.sections.signals import is_worded_as_question
from crawlers.papers.signs.answer_cards import letters_of_card
from crawlers.papers.signs.answer_marks import flat
from crawlers.papers.signs.headings import is_heading
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import TYPE, number_of
from crawlers.tables.marked_options import ANSWER, ticked_columns, verdicts_of

CellLines = list[str]
_MAY_ANSWER, _OWN = re.compile(r"^$|判|正误|对错|结论|结果|答|是否|[√×]"), re.compile(r"学生|学员|考生|作答|[我你您]的|批改|得分|通过|合格")
"""Names of columns whose truth values may be answers, and of those that say what somebody chose or reached."""
_KEY_LABEL = re.compile(r"题号|序号|编号|答案|正确答案|参考答案|")
_KEY = re.compile(rf"[A-Ja-j]{{1,10}}|{SURE_VERDICT}")
_LEAST_KEY, _LEAST_FIELDS, _LEAST_TICKED = 3, 3, 2
_TICK = "√✓✔☑✅●■"
_LEAST_CELLS, _MOST_CELLS, _ASKING, _LONGER = 3, 11, 0.6, 60
"""Number of cells in a row of a stem and its options, share of the rows that must ask something, and maximum length of an option relative
to its stem.
"""
_TAG = re.compile(r"<[^<>\n]{1,40}>|</>")
"""Tags that show how words are emphasised: see `docx.py`."""
_NUMBER = re.compile(
    r"(?:第|题号?|No\.?|[A-Za-z]{1,3}-?)?\s?[(（\[【]?\s?0{0,5}(?P<number>\d{1,5})\s?题?\s?[)）\]】]?\s?[.、．:：]?", re.IGNORECASE
)
"""A cell that is only the number of a question."""
_NUMBER_NAME, _TYPE_NAME = "题号", "题型"
_TITLE = re.compile(rf"(?:第\s?)?(?P<number>\d{{1,5}})\s?(?:题|[.、．])?\s{{0,9}}[(（【\[]?(?P<type>{TYPE})?[)）】\]]?", re.IGNORECASE)
_WORDS = re.compile("[\u4e00-\u9fff]")
_FIELDS = ("type_raw", "case_raw", "number_raw", "stem_raw", "options_raw", "answer_raw", "explanation_raw")


def table_lines(rows: list[list[CellLines]]) -> list[str]:
    """Return a table as lines: one with a header such as 题干, A, B, 答案 in the form of a paper, any other row by row."""
    rows = [[[letters_of_card(line) or line for line in cell] for cell in row] for row in rows]
    if key := _key_lines(rows):
        return key
    if grouped := lines_of_grouped_rows(rows):
        return grouped
    rows = _with_verdicts(with_questions_in_rows(rows))
    header, below = _header(rows)
    header = _with_answers_named(header, below)
    shape = layout_of_keys(header) if below else None
    if shape is None and (card := _card(rows)):
        header, below = card
        shape = layout_of_keys(header)
    if shape is None and (bare := _bare_lines(rows)):
        return bare
    if shape is None and (titles := _titles_above(rows)):
        return [line for row in rows[:titles] for cell in row for line in cell] + table_lines(rows[titles:])
    if shape is None:
        filled = [[cell for cell in row if cell] for row in _with_names_for_ticks(rows)]
        parted = sum(_is_numbered(row) and any(len(cell) > 1 for cell in row) for row in filled) >= _LEAST_FIELDS
        return [line for row in filled for line in _row_lines(row, parted)]
    lines: list[str] = []
    kind = ""
    for number, row in enumerate(below, 1):
        record = {key: cell for key, cell in zip(header, row, strict=False)}
        fields = {field: _cell(record, shape, field) for field in _FIELDS}
        lines += fields["case_raw"]
        if (now := " ".join(fields["type_raw"])) and now != kind:
            lines.append(now)
            kind = now
        lines += _question(number, fields, record, shape)
    return lines


def _titles_above(rows: list[list[CellLines]]) -> int:
    """Return how many rows of one cell, as titles have, are above one that names the columns; 0 if none does."""
    count = next((at for at, row in enumerate(rows) if sum(map(bool, row)) > 1), 0)
    header, below = _header(_with_verdicts(rows[count:]))
    return count if below and sum(map(bool, rows[count])) >= _LEAST_FIELDS and layout_of_keys(header) else 0


def _with_names_for_ticks(rows: list[list[CellLines]]) -> list[list[CellLines]]:
    """Return a table with the name of its column in the place of each tick if several columns have nothing else."""
    words = [[" ".join(cell).strip() for cell in row] for row in rows]
    first = next((at for at, row in enumerate(words) if sum(map(bool, row)) > 1), 0)
    columns = [
        at
        for at in range(max(map(len, rows), default=0))
        if {word for row in words[first + 1 :] for word in row[at : at + 1] if word} and not _words_beside_ticks(words[first + 1 :], at)
    ]
    if len(columns) < _LEAST_TICKED:
        return rows
    names = {at: [words[first][at]] if at < len(words[first]) and words[first][at] else [f"column {at + 1}"] for at in columns}
    head, below = rows[: first + 1], rows[first + 1 :]
    return [*head, *([names[at] if cell and at in names else cell for at, cell in enumerate(row)] for row in below)]


def _words_beside_ticks(words: list[list[str]], at: int) -> set[str]:
    return {word for row in words for word in row[at : at + 1] if word} - set(_TICK)


def _with_verdicts(rows: list[list[CellLines]]) -> list[list[CellLines]]:
    """Return a table with a column to tick for true and one for false as one with a column of answers."""
    header = [" ".join(cell).strip() for cell in rows[0]] if rows else []
    pair = ticked_columns(header)
    if not pair or len(rows) < _LEAST_FIELDS:
        return rows
    places = [header.index(name) for name in pair]
    cells = [[" ".join(row[at]) if at < len(row) else "" for at in places] for row in rows[1:]]
    verdicts = verdicts_of([(right, wrong) for right, wrong in cells], pair)
    rest = [[cell for at, cell in enumerate(row) if at not in places] for row in rows]
    answers = [[ANSWER], *([verdict] if verdict else [] for verdict in verdicts)]
    return [[*row, answer] for row, answer in zip(rest, answers, strict=True)]


def _with_answers_named(header: list[str], below: list[list[CellLines]]) -> list[str]:
    """Return column names with that of the answers for the one column, named otherwise, that has nothing but truth values of both kinds."""
    if layout_of_keys(header) is not None or len(below) < _LEAST_FIELDS:
        return header
    columns = [{verdict_word(" ".join(row[at])) for row in below if at < len(row)} for at in range(len(header))]
    judged = [at for at, words in enumerate(columns) if words <= EXAM_VERDICTS and len(set(map(verdict_of, words))) > 1]
    judged = [at for at in judged if _MAY_ANSWER.search(header[at]) and not _OWN.search(header[at])]
    return [ANSWER if [at] == judged else name for at, name in enumerate(header)]


def _key_lines(rows: list[list[CellLines]]) -> list[str]:
    """Return a table of numbers with the answers below them as a list of answers; nothing if any row differs."""
    words = [[" ".join(cell).strip() for cell in row] for row in rows]
    entries: list[str] = []
    for upper, lower in zip(words[::2], words[1::2], strict=False):
        pairs = [(number, answer) for number, answer in zip(upper, lower, strict=False) if number or answer]
        pairs = pairs[1:] if pairs and _KEY_LABEL.fullmatch(pairs[0][0]) and _KEY_LABEL.fullmatch(pairs[0][1]) else pairs
        if not pairs or not all(number.isdigit() and _KEY.fullmatch(answer) for number, answer in pairs):
            return []
        entries += [f"{number}.{answer}" for number, answer in pairs]
    return ["参考答案", " ".join(entries)] if len(words) % 2 == 0 and len(entries) >= _LEAST_KEY else []


def _bare_lines(rows: list[list[CellLines]]) -> list[str]:
    """Return a table without a header, with a stem and its options in each row, in the form of a paper; nothing if most rows differ."""
    cells = [[cell for cell in row if cell] for row in rows]
    words = [[_TAG.sub("", " ".join(cell)).strip() for cell in row] for row in cells]
    numbers = [match["number"] if row and (match := _NUMBER.fullmatch(row[0])) else "" for row in words]
    starts = [1 if number else 0 for number in numbers]
    if len(rows) < _LEAST_FIELDS or not all(
        _LEAST_CELLS <= len(row) - start <= _MOST_CELLS for row, start in zip(words, starts, strict=True)
    ):
        return []
    if any(
        letter_of(flat(word)) or "\n" in word or is_option_name(word)
        for row, start in zip(words, starts, strict=True)
        for word in row[start + 1 : -1]
    ):
        return []
    asking = sum(is_worded_as_question(flat(row[start])) for row, start in zip(words, starts, strict=True))
    if asking < _ASKING * len(rows) or any(
        len(word) > len(row[start]) + _LONGER for row, start in zip(words, starts, strict=True) for word in row
    ):
        return []
    answered = all(_KEY.fullmatch(row[-1]) for row in words)
    lines: list[str] = []
    for row_number, (row, start, number) in enumerate(zip(cells, starts, numbers, strict=True), 1):
        lines.append(f"{number or row_number}. {' '.join(row[start])}")
        options = row[start + 1 : -1 if answered else None]
        lines += [f"{letter}. {' '.join(option)}" for letter, option in zip(LETTERS, options, strict=False)]
        lines += [f"答案：{' '.join(row[-1])}"] if answered else []
    return lines


def _card(rows: list[list[CellLines]]) -> tuple[list[str], list[list[CellLines]]] | None:
    """Return names and values of a two-column table of one question with a field per row; None if it is not such a table.

    Its first row may be its number and type: `第15题 | 多选题`.
    """
    if len(rows) < _LEAST_FIELDS or any(len(row) != 2 for row in rows):
        return None
    title = _TITLE.fullmatch(" ".join(rows[0][0] + rows[0][1]).strip())
    if title is not None:
        fields = ((_NUMBER_NAME, title["number"]), (_TYPE_NAME, title["type"]))
        rows = [*([[name], [value]] for name, value in fields if value), *rows[1:]]
    names = named(" ".join(row[0]) for row in rows)
    is_card = len(names) == len(rows) and layout_of_keys(names) is not None
    return (names, [[row[1] for row in rows]]) if is_card else None


def _header(rows: list[list[CellLines]]) -> tuple[list[str], list[list[CellLines]]]:
    """Return the column names, which are in one or two rows, and the rows below them."""
    upper, second = ([" ".join(cell) for cell in row] for row in [*rows, [], []][:2])
    if both := whole_header(upper, second):
        return both, rows[2:]
    return named(upper), rows[1:]


def _question(row_number: int, fields: dict[str, CellLines], record: dict[str, CellLines], shape: RecordLayout) -> list[str]:
    stem, number = fields["stem_raw"], " ".join(fields["number_raw"]).strip(" .、．")
    is_alone = sum(map(bool, record.values())) == 1
    if not stem or (is_alone and is_heading(flat(stem[0]))):  # a row that continues, or a heading across the table
        return [line for cell in record.values() for line in cell]
    own = None if number.isdigit() else number_of(flat(stem[0]))
    numbered = own is not None and own.style != "tight"  # 1928 年 is none
    first = stem[0] if numbered else f"{number if number.isdigit() else row_number}、{stem[0]}"
    options = split_options("\n".join(fields["options_raw"])) or ["\n".join(record.get(key, [])) for key in shape.option_keys]
    while options and not options[-1]:
        options.pop()
    options = [] if are_fillers(options) else options
    if shape.option_keys or not all(option[:1] in LETTERS for option in options):
        options = [f"{letter}.{option}" for letter, option in zip(LETTERS, options, strict=False)]
    lines = [first, *stem[1:], *(line for option in options for line in option.split("\n"))]
    for mark, field in (("答案：", "answer_raw"), ("解析：", "explanation_raw")):
        if fields[field]:
            lines += [f"{mark}{fields[field][0]}", *fields[field][1:]]
    return lines


def _cell(record: dict[str, CellLines], shape: RecordLayout, field: str) -> CellLines:
    keys = (shape.questions or {}).get(field, [])
    return next((record[key.rstrip("?")] for key in ([keys] if isinstance(keys, str) else keys) if key.rstrip("?") in record), [])


def _is_numbered(row: list[CellLines]) -> bool:
    return len(row) > 1 and len(row[0]) == 1 and row[0][0].strip(" .、．").isdigit()


def _row_lines(cells: list[CellLines], parted: bool) -> list[str]:
    """Return a row as one line if no cell has more than one; else cell by cell, with a number-only cell before the text of the next.

    Args:
        parted: numbered rows elsewhere in the table have one line per cell, so this one does, too: a statement among questions.
    """
    if all(len(cell) == 1 for cell in cells) and not (parted and _is_numbered(cells)):
        words = [cell[0] for cell in cells]
        if _is_numbered(cells) and _WORDS.search(words[1]):  # `1`, `3岁的儿童…` are no 13
            words = [f"{words[0].strip(' .、．')}、{words[1]}", *words[2:]]
        return ["\t".join(words)] if words else []
    if parted and _is_numbered(cells) and len(cells[-1]) == 1 and _KEY.fullmatch(cells[-1][0]):
        cells = [*cells[:-1], [f"答案：{cells[-1][0]}"]]
    lines: list[str] = []
    number = ""
    for cell in cells:
        plain = cell[0].strip(" .、．")
        if len(cell) == 1 and plain.isdigit():
            number = plain
            continue
        lines += [f"{number}、{cell[0]}" if number else cell[0], *cell[1:]]
        number = ""
    return [*lines, number] if number else lines
