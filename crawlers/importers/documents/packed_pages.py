"""Files that contain pages: a book of pages (.epub), a page saved with its images (.mht) -> one HTML page. Nothing is written to disk."""

import posixpath
import re
import zipfile
from collections.abc import Iterator
from email.message import Message
from io import BytesIO
from urllib.parse import unquote

from lxml import etree

from atomexam.text.encodings import decoded, is_charset
from atomexam.text.refusal import Refusal
from crawlers.importers.documents.odt import page_of_odt
from crawlers.importers.documents.pptx import page_of_slides
from crawlers.importers.documents.rtf import page_of_rtf
from crawlers.importers.files.containers import message_of
from crawlers.importers.files.reading import Text
from crawlers.importers.files.text import text_of_page
from crawlers.importers.files.zipped import BROKEN_PARTS, MAX_PART_BYTES, PARSER, check_zipped

SLIDES, BOOKS, SAVED, RICH, ODT = (".pptx",), (".epub",), (".mht", ".mhtml"), (".rtf",), (".odt",)
PACKED = (*SLIDES, *BOOKS, *SAVED, *RICH, *ODT)
"""Suffixes of files that are read as the page they contain."""
_BODY = re.compile(r"<body[^<>]{0,500}>(?P<inner>.*?)(?:</body\s{0,9}>|\Z)", re.IGNORECASE | re.DOTALL)
_DOCUMENTS = ("application/xhtml+xml", "text/html")
_MOST_PAGES = 5000


def read_packed(name: str, body: bytes) -> Text:
    """Return the lines of the page in a file."""
    return text_of_page(name, packed_page(name, body))


def packed_page(name: str, body: bytes) -> str:
    """Return the content of a file as one HTML page.

    Raises:
        ValueError: the file is not what its suffix claims, is damaged, or is larger than the limits.
    """
    lower = name.lower()
    if lower.endswith(SAVED):
        return _of_saved(name, body)
    if lower.endswith(RICH):
        return page_of_rtf(name, body)
    if lower.endswith(ODT):
        return page_of_odt(name, body)
    return page_of_slides(name, body) if lower.endswith(SLIDES) else _of_book(name, body)


def _of_saved(name: str, body: bytes) -> str:
    """Return the first page of a message whose other parts are its images, styles and frames."""
    message = message_of(name, body.lstrip(b"\xef\xbb\xbf\r\n"))
    for part in message.walk():
        if part.get_content_type() in _DOCUMENTS:
            return _words_of(name, part)
    raise Refusal(f"{name}: no page in it; expected a text/html part, as in a page that a browser saved as one file")


def _words_of(name: str, part: Message) -> str:
    payload = part.get_payload(decode=True)
    page = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset()
    try:
        return page.decode(charset) if charset and is_charset(charset) else decoded(name, page)
    except UnicodeDecodeError:  # its declared charset is wrong
        return decoded(name, page)


def _of_book(name: str, body: bytes) -> str:
    """Return the pages of a book in order, with its styles."""
    check_zipped(name, body, "META-INF/", "epub")
    try:
        with zipfile.ZipFile(BytesIO(body)) as parts:
            known = {entry.filename: entry for entry in parts.infolist()}
            pages = list(_pages(name, parts, known))
    except Refusal:
        raise
    except BROKEN_PARTS as error:
        raise Refusal(f"{name}: not a readable epub ({error}); is it complete?") from None
    if not any(pages):
        raise Refusal(f"{name}: no pages in its spine; is it complete?")
    return "\n".join(["<html><body>", *pages, "</body></html>"])


def _pages(name: str, parts: zipfile.ZipFile, known: dict[str, zipfile.ZipInfo]) -> Iterator[str]:
    """Yield the styles of a book, then the content of its pages, in the order of its spine.

    Each is read once: a small book that names one page thousands of times would fill any memory.
    """
    read: set[str] = set()
    container = etree.fromstring(_part(name, parts, known, "META-INF/container.xml"), PARSER)
    root = next((element.get("full-path") for element in container.iter("{*}rootfile")), None) or ""
    package = etree.fromstring(_part(name, parts, known, root), PARSER)
    entries = {element.get("id"): element for element in package.iter("{*}item")}
    spine = [entries.get(element.get("idref")) for element in package.iter("{*}itemref")]
    for entry in entries.values():
        path = _path(root, entry)
        if entry.get("media-type") == "text/css" and path not in read:
            read.add(path)
            style = decoded(name, _part(name, parts, known, path) or b" ")
            yield f"<style>{style.replace('<', ' ')}</style>"
    for entry in spine[:_MOST_PAGES]:
        if entry is None:
            raise Refusal(f"{name}: its spine names a page that is not in its list; is it complete?")
        path = _path(root, entry)
        if entry.get("media-type") in _DOCUMENTS and path not in read:
            read.add(path)
            page = decoded(name, _part(name, parts, known, path) or b" ")
            inner = _BODY.search(page)
            yield inner["inner"] if inner else page


def _path(root: str, entry: etree._Element) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(root), unquote(entry.get("href") or "")))


def _part(name: str, parts: zipfile.ZipFile, known: dict[str, zipfile.ZipInfo], path: str) -> bytes:
    if path not in known:
        raise Refusal(f"{name}: its list of contents names {path[:80]!r}, which is not in it; is it complete?")
    if known[path].file_size > MAX_PART_BYTES:
        raise Refusal(f"{name}: {path[:80]} has {known[path].file_size} bytes when unpacked; at most {MAX_PART_BYTES} are read")
    with parts.open(known[path]) as part:
        return part.read()
