"""How the texts of a workbook are emphasised, in each format of sheets: bytes in, the parts of its cells with their marks out.

A mark is a fill, a colour, bold type, a line under or through the words, or a comment that says that its cell is right. Cells have what
their row, their column and the styles above their own give them, too.
"""

import re
import zipfile
from collections.abc import Iterator
from io import BytesIO, StringIO
from typing import Any

from lxml import etree
from openpyxl import load_workbook
from openpyxl.cell.read_only import ReadOnlyCell
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.styles.colors import COLOR_INDEX
from openpyxl.worksheet._reader import WorkSheetParser

from crawlers.importers.files.open_document import ODS, attributes_of
from crawlers.importers.files.sheet_marks import marks_of
from crawlers.importers.files.workbook import OLD_BOOK
from crawlers.importers.files.zipped import root_of
from crawlers.papers.passes.standing_out import STRUCK

Run = tuple[str, list[str]]
"""A part of a cell's text, and its kinds of emphasis."""
_Rows = Iterator[tuple[str, list[list[Run]]]]
_MOST_CELLS, _MOST_PARENTS = 2_000_000, 9
_PLAIN = re.compile(r"(?:FF|00)?(?:000000|FFFFFF)", re.IGNORECASE)
_THEME_PLAIN = 4
"""Colours of a theme before its accents: white, black and their shades."""
_HEX = re.compile(r"#?([0-9a-fA-F]{6})")
_RIGHT = re.compile(
    r"(?:(?:这是|此为|此项[为是]?)?(?:正确|标准|参考)?的?(?:答案|选项)|(?:此项)?(?:正确|对)|[√✓✔]|correct|right)\s{0,4}[。.!！]?",
    re.IGNORECASE,
)
"""A comment that says that its cell is the correct option."""
_BOLD = re.compile(r"bold|[6-9]00")
_STYLED = {
    "background-color": ("fill", None),
    "color": ("colour", None),
    "font-weight": ("bold", _BOLD),
    "text-underline-style": ("underlined", re.compile(r"(?!none).+")),
    "text-line-through-style": (STRUCK, re.compile(r"(?!none).+")),
}
"""Properties of styles in .ods, and which of their values emphasise."""


def runs_by_row(name: str, body: bytes) -> _Rows:
    """Yield the parts of each cell of a row with its position, for a workbook that was already read."""
    if name.lower().endswith(ODS):
        return _of_ods(body)
    return _of_xls(body) if body.startswith(OLD_BOOK) else _of_xlsx(body)


def _of_xlsx(body: bytes) -> _Rows:
    """Yield the rows of an .xlsx; openpyxl omits the parts of a cell's own text when it streams."""
    book = load_workbook(BytesIO(body), read_only=True, data_only=True, rich_text=True)
    marks, cell_count = marks_of(body), 0
    formats = {"date_formats": book._date_formats, "timedelta_formats": book._timedelta_formats}
    for sheet in book.worksheets:
        comments = marks[sheet.title].comments if sheet.title in marks else {}
        right_ones = {cell for cell, text in comments.items() if _RIGHT.fullmatch(text)}
        with sheet._get_source() as source:
            parser = WorkSheetParser(source, sheet._shared_strings, data_only=True, epoch=book.epoch, rich_text=True, **formats)
            for number, row in parser.parse():
                cells = [ReadOnlyCell(sheet, **cell) for cell in row if cell["value"] is not None]
                cell_count += len(cells)
                if cell_count > _MOST_CELLS:
                    return
                yield f"{sheet.title}:row:{number}", [_runs_of(cell, (number, cell.column - 1) in right_ones) for cell in cells]


def _runs_of(cell: Any, is_right: bool) -> list[Run]:
    whole = [*_kinds(cell.fill, cell.font), *(["commented"] if is_right else [])]
    if not isinstance(cell.value, CellRichText):
        return [(str(cell.value), whole)]
    return [(part.text, _kinds(cell.fill, part.font)) if isinstance(part, TextBlock) else (part, whole) for part in cell.value]


def _kinds(fill: Any, font: Any) -> list[str]:
    kinds = [f"fill {colour}"] if fill is not None and fill.fill_type and (colour := _colour(fill.fgColor)) else []
    if font is None:
        return kinds
    kinds += [f"colour {colour}"] if (colour := _colour(font.color)) else []
    kinds += ["bold"] if font.b else []
    kinds += ["underlined"] if font.u not in (None, "none") else []
    return kinds + ([STRUCK] if font.strike else [])


def _colour(colour: Any) -> str:
    """Return a colour that is not black or white, however it is given: as itself, by its place in the old palette, or in the theme."""
    kind = getattr(colour, "type", "")
    if kind == "theme":
        return f"theme {colour.theme:06d}" if colour.theme >= _THEME_PLAIN else ""
    value = COLOR_INDEX[colour.indexed] if kind == "indexed" and colour.indexed < len(COLOR_INDEX) else getattr(colour, "rgb", None)
    return value if isinstance(value, str) and _HEX.fullmatch(value[-6:]) and not _PLAIN.fullmatch(value) else ""


def _of_xls(body: bytes) -> _Rows:
    import xlrd  # only needed for old files

    book = xlrd.open_workbook(file_contents=body, formatting_info=True, logfile=StringIO())

    def colour_of(kind: str, index: int) -> list[str]:
        shades = book.colour_map.get(index)
        value = "".join(f"{shade:02X}" for shade in shades) if shades else ""
        return [f"{kind} {value}"] if value and not _PLAIN.fullmatch(value) else []

    def kinds_of(font: Any) -> list[str]:
        kinds = colour_of("colour", font.colour_index) + (["bold"] if font.bold or font.weight > 550 else [])
        return kinds + (["underlined"] if font.underline_type else []) + ([STRUCK] if font.struck_out else [])

    for sheet in book.sheets():
        right_ones = {cell for cell, note in sheet.cell_note_map.items() if _RIGHT.fullmatch(note.text.strip())}
        for number in range(sheet.nrows):
            cells = []
            for column in range(sheet.row_len(number)):
                cell = sheet.cell(number, column)
                if cell.ctype in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK):
                    continue
                style = book.xf_list[cell.xf_index]
                fill = colour_of("fill", style.background.pattern_colour_index) if style.background.fill_pattern else []
                fill += ["commented"] if (number, column) in right_ones else []
                text = format(cell.value, ".15g") if isinstance(cell.value, float) else str(cell.value)
                starts = [(0, style.font_index), *sheet.rich_text_runlist_map.get((number, column), [])]
                ends = [start for start, _ in starts[1:]] + [len(text)]
                cells.append(
                    [
                        (text[start:end], fill + kinds_of(book.font_list[font]))
                        for (start, font), end in zip(starts, ends, strict=True)
                        if end > start
                    ]
                )
            yield f"{sheet.name}:row:{number + 1}", cells


def _of_ods(body: bytes) -> _Rows:
    with zipfile.ZipFile(BytesIO(body)) as parts:
        roots = [root_of(parts, part) for part in ("styles.xml", "content.xml") if part in parts.namelist()]
    styles = {attributes_of(style).get("name", ""): style for root in roots for style in root.iter("{*}style")}
    cell_count = 0
    for sheet in roots[-1].iter("{*}table"):
        title = attributes_of(sheet).get("name") or "sheet"
        of_columns = _column_styles(sheet)
        for number, row in enumerate(sheet.iter("{*}table-row"), 1):
            of_row = attributes_of(row).get("default-cell-style-name", "")
            cells, column = [], 0
            for cell in row.iterchildren("{*}table-cell", "{*}covered-table-cell"):
                attributes = attributes_of(cell)
                own = attributes.get("style-name") or of_row or of_columns.get(column, "")
                times = attributes.get("number-columns-repeated", "1")
                column += int(times) if times.isdigit() and len(times) < 8 else 1
                runs = [(text, _kinds_of_style(styles, *names)) for text, names in _texts_of(cell, own)]
                if _is_right_cell(cell):
                    runs = [(text, [*kinds, "commented"]) for text, kinds in runs]
                cells += [runs] if any(text.strip() for text, _ in runs) else []
            cell_count += len(cells)
            if cell_count > _MOST_CELLS:
                return
            yield f"{title}:row:{number}", cells


def _column_styles(sheet: Any) -> dict[int, str]:
    """Return the style of the cells of each of the first columns, if the column gives them one."""
    styles: dict[int, str] = {}
    at = 0
    for column in sheet.iter("{*}table-column"):
        attributes = attributes_of(column)
        times = attributes.get("number-columns-repeated", "1")
        count = min(int(times) if times.isdigit() and len(times) < 8 else 1, 512)
        styles |= dict.fromkeys(range(at, at + count), attributes.get("default-cell-style-name", ""))
        at += count
    return styles


def _is_right_cell(cell: Any) -> bool:
    comments = ("".join("".join(part.itertext()) for part in comment.iter("{*}p")) for comment in cell.iterchildren("{*}annotation"))
    return any(_RIGHT.fullmatch(comment.strip()) for comment in comments)


def _texts_of(cell: Any, own: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the texts of a cell's paragraphs, each with the names of its styles from the cell's to the innermost."""
    for at, paragraph in enumerate(cell.iterchildren("{*}p")):
        yield from [("\n", (own,))] if at else []
        names = [own]
        for event, element in etree.iterwalk(paragraph, events=("start", "end")):
            is_span = isinstance(element.tag, str) and etree.QName(element).localname == "span"
            if event == "start":
                names += [attributes_of(element).get("style-name", "")] if is_span else []
                text = element.text if isinstance(element.tag, str) else ""
            else:
                names = names[:-1] if is_span else names
                text = element.tail if element is not paragraph else ""
            if text:
                yield text, tuple(names)


def _kinds_of_style(styles: dict[str, Any], *names: str) -> list[str]:
    """Return the emphasis that styles give; the later of them has the last word, and each has it over its parent."""
    said: dict[str, str] = {}
    for name in names:
        chain: list[Any] = []
        while name in styles and len(chain) < _MOST_PARENTS:
            chain.append(styles[name])
            name = attributes_of(styles[name]).get("parent-style-name", "")
        for style in reversed(chain):
            for properties in style.iterchildren():
                said |= {key: value for key, value in attributes_of(properties).items() if key in _STYLED}
    kinds = []
    for key, value in said.items():
        kind, emphasises = _STYLED[key]
        colour = _HEX.fullmatch(value) if emphasises is None else None
        if emphasises is not None:
            kinds += [kind] if emphasises.fullmatch(value) else []
        elif colour and not _PLAIN.fullmatch(colour[1]):
            kinds.append(f"{kind} {colour[1].upper()}")
    return kinds
