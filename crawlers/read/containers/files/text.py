"""Text and web pages: bytes in; decoded lines, cells of HTML and Markdown tables, and scripts of pages out."""

import re
from collections.abc import Iterator
from typing import Any

from lxml import etree
from lxml.html import HtmlElement, document_fromstring

from atomexam.text.encodings import decoded, is_charset, refuse_mojibake
from atomexam.text.option_letters import LETTERS
from atomexam.text.refusal import Refusal
from crawlers.read.containers.files.reading import MAX_COLUMNS, Text, bounded
from crawlers.read.vocabulary.emphasis import named_signs, with_signs
from crawlers.read.vocabulary.labels import IMAGE
from crawlers.read.vocabulary.words import ANSWER_NAME
from crawlers.text.fields import text_of, uncrowded

_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_ROW, _RULE, _CELL_END = re.compile(r"\s{0,9}\|(.{1,20000})\|\s{0,9}"), re.compile(r"[\s|:+-]{3,2000}"), re.compile(r"(?<!\\)\|")
_MARK = re.compile(r"\*\*|`|<br\s?/?>")


def read_text(name: str, body: bytes) -> Text:
    """Return the lines of a text file."""
    return Text(bounded(name, _LINE_END.split(decoded(name, body))))


def tables_of_markdown(text: str) -> Iterator[list[list[str]]]:
    """Yield each table in a Markdown text as rows of cells, without the line below the header."""
    rows: list[list[str]] = []
    for line in [*text.split("\n"), ""]:
        if row := _ROW.fullmatch(line):
            cells = [_MARK.sub(lambda mark: "\n" if mark[0][0] == "<" else "", cell).strip() for cell in _CELL_END.split(row[1])]
            rows += [] if _RULE.fullmatch(line) else [cells]
        elif rows:
            yield rows
            rows = []


_MOST_CELLS = 1_000_000
_IMAGE_DATA = re.compile(rb"(?<=;base64,)[A-Za-z0-9+/=]++")
"""Image data within a URL, which is not text."""
_MOST_PAGE_BYTES = 32 * 1024 * 1024  # as in a crawl
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]{3,20})", re.I)
_HIDDEN_ANSWER = re.compile(
    r"<(?P<tag>[a-zA-Z][a-zA-Z0-9]{0,9})\b(?=[^<>]{0,600}?(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|\shidden\b))[^<>]{0,600}>"
    rf"(?=\s{{0,20}}(?:<[a-zA-Z][^<>]{{0,200}}>\s{{0,20}}){{0,3}}[【\[]?\s?{ANSWER_NAME}\s?[】\]:：])"
)
"""The opening tag of an answer that a page hides until the reader reveals it."""
_LETTERED_LIST = re.compile(r"<ol\b[^<>]{0,200}?(?:\btype\s?=\s?[\"']?[Aa]\b|(?:upper|lower)-(?:alpha|latin))", re.IGNORECASE)
_OWN_CHOICE = re.compile(r"\b(?:my|your|user|stu|student|mine)[-_]?(?:answers?|ans|choices?|daan|select(?:ion|ed)?)\b", re.IGNORECASE)
"""Class of an element that shows what a visitor chose."""
_VOTES = re.compile(r"[A-J]\W{0,3}\w.*?[\s(（]?\d{1,7}\s?(?:人次?|票|votes?)[\s(（]{0,3}(?:\d{1,3}(?:\.\d{1,2})?%)?[)）]?")
"""An option that ends with the number of people who chose it."""
_FEWEST_VOTES = 4
_HEADING_TAG, _TERM = (
    re.compile(r"<h([1-6])\b[^<>]{0,600}>", re.I),
    re.compile(r"(<(?:dt|th)\b[^<>]{0,600}>)\s{0,9}([^<>\s][^<>]{0,39}?)\s{0,9}[:：]?\s{0,9}(?=</(?:dt|th)>)", re.I),
)
_END_OF_TERMS, _FOOTER = re.compile(r"(?<=</dl>)|(?<=</table>)", re.I), re.compile(r"(?=<footer\b)", re.I)
_DRAWN = "<p>──────</p>"


def read_html(name: str, body: bytes) -> Text:
    """Return the lines of a saved page as a reader sees them, with a placeholder for every image."""
    return text_of_page(name, _html_of(name, body))


def lines_with_headings(name: str, body: bytes) -> list[str]:
    """Return the lines of a saved page with `#` before headings, brackets around terms, and a line after each list or table of terms."""
    html = _HEADING_TAG.sub(lambda tag: tag[0] + "#" * int(tag[1]) + " ", _html_of(name, body))
    pieces = (piece + _DRAWN if _TERM.search(piece) else piece for piece in _END_OF_TERMS.split(_FOOTER.sub(_DRAWN, html)))
    return _lines(name, _TERM.sub(r"\1【\2】", "".join(pieces)))


def _html_of(name: str, body: bytes) -> str:
    if len(body := _IMAGE_DATA.sub(b"", body)) > _MOST_PAGE_BYTES:
        raise Refusal(f"{name}: a page of {len(body)} bytes without its pictures; at most {_MOST_PAGE_BYTES} are read, so split it")
    meta = _META.search(body[:4096])
    charset = meta[1].decode("ascii") if meta else None
    try:
        return body.decode(charset) if charset and is_charset(charset) else decoded(name, body)
    except UnicodeDecodeError:  # the declared charset is wrong
        return decoded(name, body)


def text_of_page(name: str, html: str) -> Text:
    """Return the lines of a page as a reader sees them, and the same lines with tags for emphasis.

    Raises:
        ValueError: the page is mojibake, or its options end with visitors' votes, which would become part of the options.
    """
    refuse_mojibake(name, html)
    html = _HIDDEN_ANSWER.sub(r"<\g<tag>>", _with_seen(html))
    lines = _lines(name, html)
    if sum(_VOTES.fullmatch(line) is not None for line in lines) >= _FEWEST_VOTES:
        raise Refusal(f"{name}: its options end with visitors' votes; describe the options in a layout (docs/papers.md)")
    signed, signs = with_signs(html)
    return Text(lines, marked=named_signs(_lines(name, signed), signs) if signs else [])


def _lines(name: str, html: str) -> list[str]:
    return bounded(name, text_of(html.replace("<img", f"{IMAGE}<img").replace("<IMG", f"{IMAGE}<img"), drop_hidden=True).split("\n"))


def _with_seen(html: str) -> str:
    """Return a page with the letters that a browser shows before list entries, and without what a visitor chose."""
    lettered, chosen = _LETTERED_LIST.search(html), _OWN_CHOICE.search(html)
    if not (lettered or chosen):
        return html
    document = document_of_page(html)
    for element in document.iter("ol") if lettered else ():
        if _LETTERED_LIST.match(etree.tostring(element, encoding="unicode")[:400]):
            for letter, entry in zip(LETTERS, element.iterchildren("li"), strict=False):
                first = next((each for each in entry.iter(etree.Element) if (each.text or "").strip()), entry)
                first.text = f"{letter}. {(first.text or '').lstrip()}"
    for element in [each for each in document.iter(etree.Element) if _OWN_CHOICE.search(each.get("class") or "")] if chosen else ():
        element.drop_tree()
    return etree.tostring(document, encoding="unicode", method="html")


def tables_of_page(text: str) -> Iterator[list[list[str]]]:
    """Yield each table on a page as rows of cells; skip tables that contain other tables.

    A cell that spans rows is repeated in each row; one that spans columns fills only the first.
    """
    for table in document_of_page(text).iter("table"):
        if next((each for each in table.iterdescendants("table")), None) is None:
            yield _cells_of(table)


def _cells_of(table: Any) -> list[list[str]]:
    rows, count = list[list[str]](), 0
    spanning: dict[int, tuple[int, str]] = {}
    """Column -> the number of rows that its cell still spans, and the text of the cell."""
    for row in table.iter("tr"):
        cells: list[str] = []
        for cell in row.iterchildren("td", "th"):
            _take_spanning(cells, spanning)
            text, width, height = visible_text(cell), _span(cell, "colspan"), _span(cell, "rowspan")
            if height > 1:
                spanning |= {len(cells) + step: (height, text if not step else "") for step in range(width)}
                _take_spanning(cells, spanning)
            else:
                cells += [text, *[""] * (width - 1)]
        _take_spanning(cells, spanning)
        rows.append(cells)
        if (count := count + len(cells)) > _MOST_CELLS:
            raise Refusal(f"a table of more than {_MOST_CELLS} cells, including spanned ones; split it")
    return rows


def _take_spanning(cells: list[str], spanning: dict[int, tuple[int, str]]) -> None:
    """Insert spanning cells into a row, up to the next cell of the row itself."""
    while len(cells) in spanning:
        left, text = spanning.pop(len(cells))
        if left > 1:
            spanning[len(cells)] = left - 1, text
            cells.append(text)
            if len(cells) > MAX_COLUMNS:
                return
        else:
            cells.append(text)


def _span(cell: Any, name: str) -> int:
    value = cell.get(name) or "1"
    return max(1, min(int(value), MAX_COLUMNS)) if value.isdigit() and len(value) < 6 else 1


def scripts_of_page(text: str) -> Iterator[str]:
    """Yield the scripts in a page."""
    for script in document_of_page(text).iter("script"):
        if not script.get("src") and (source := (script.text or "").strip()):
            yield source


def document_of_page(text: str) -> HtmlElement:
    """Return the tree of a page, even if its tags are broken."""
    try:
        return document_fromstring(uncrowded(re.sub(r"^\s*<\?xml[^>]{0,200}\?>", "", text)))
    except etree.ParserError:  # it contains no element and no text
        return document_fromstring("<html></html>")


def visible_text(element: Any) -> str:
    """Return the text of an element as a reader sees it."""
    return text_of(etree.tostring(element, encoding="unicode", with_tail=False, method="html"))
