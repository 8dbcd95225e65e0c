"""Importer of text: bytes in, the lines of the text in its true encoding out; for a saved page, the lines that a reader sees."""

import re

from atomexam.text.encodings import decoded, is_charset, refuse_mojibake
from crawlers.importers.files.data_blocks import with_listed_answers
from crawlers.importers.files.reading import Text
from crawlers.papers.paper import lines_of
from crawlers.papers.passes.emphasis import is_answer_sheet, label_marked_lines, with_signs
from crawlers.tables.inline_labels import without_inline_labels
from crawlers.tables.light_markup import page_of
from crawlers.tables.page_controls import without_controls
from crawlers.tables.page_options import page_without_visitor
from crawlers.tables.shown_signs import with_shown_signs

_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_OTHER_END = re.compile("[\r\x0b\x0c\x85\u2028\u2029]")
_HIDDEN_ANSWER = re.compile(
    r"<(?P<tag>[a-zA-Z][a-zA-Z0-9]{0,9})\b(?=[^<>]{0,600}?(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|\shidden\b))[^<>]{0,600}>"
    r"(?=\s{0,20}(?:<[a-zA-Z][^<>]{0,200}>\s{0,20}){0,3}[【\[]?\s?(?:(?:正确|参考|标准|本题)?答案|正解)\s?[】\]:：])"
)
"""The tag of an answer that a page hides until its reader asks for it."""
_RIGHT_KIND = re.compile(r"class|colour (?:green|#0[0-9a-f]?[8-f])", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]{3,20})", re.I)


def read_text(name: str, body: bytes) -> Text:
    """Return the lines of a text file."""
    text = decoded(name, body)
    lines = _LINE_END.split(text) if _OTHER_END.search(text) else text.split("\n")
    return Text(*with_listed_answers(lines))


def read_light(name: str, body: bytes) -> Text:
    """Return the lines of a text in light markup as a reader of its HTML page sees them."""
    return Text(lines_of(page_without_visitor(without_controls(page_of(name, decoded(name, body))))))


def read_html(name: str, body: bytes) -> Text:
    """Return the lines of a saved page as a reader sees them, with a placeholder for every image."""
    meta = _META.search(body[:4096])
    charset = meta[1].decode("ascii") if meta else None
    try:
        text = body.decode(charset) if charset and is_charset(charset) else decoded(name, body)
    except UnicodeDecodeError:  # the page's declared charset is wrong
        text = decoded(name, body)
    return text_of_page(name, text)


def text_of_page(name: str, text: str) -> Text:
    """Return the lines of a page as a reader sees them, with the answers marked by colour or bold type."""
    refuse_mojibake(name, text)
    text = _HIDDEN_ANSWER.sub(r"<\g<tag>>", page_without_visitor(with_shown_signs(without_inline_labels(without_controls(text)))))
    lines = lines_of(text, drop_hidden=True)
    signed, signs = with_signs(text)
    if not any(_RIGHT_KIND.match(kind) for kind in signs.values()) and any(map(is_answer_sheet, lines)):
        return Text(lines)  # what stands out is what was chosen
    return Text(label_marked_lines(lines, lines_of(signed, drop_hidden=True), signs) if signs else lines)
