"""What a file with an unknown or wrong suffix contains: its name and bytes in, a name with the true suffix out."""

import re
import struct
import zipfile
from collections.abc import Collection
from io import BytesIO
from pathlib import PurePosixPath

import olefile

from atomexam.text.encodings import decoded
from crawlers.read.containers.files.archives import BROKEN_ZIP

_PACKED = (("word/", ".docx"), ("xl/", ".xlsx"), ("ppt/", ".pptx"), ("META-INF/container.xml", ".epub"))
"""Parts of a zip -> what it is."""
_COMPOUND, _STREAMS = b"\xd0\xcf\x11\xe0", (("WordDocument", ".doc"), ("Workbook", ".xls"))
"""The first bytes of an old Office file, and its streams -> what it is."""
_OASIS = {"spreadsheet": ".ods", "text": ".odt"}
OLD = (".wps", ".et", ".ppt", ".dps")
"""Suffixes of Office files in a form that is read only if it is that of another suffix."""
_PAGE = re.compile(r"<(?:!doctype html|html|head|body|table|div|meta|style)\b", re.IGNORECASE)
_HEAD = 4096
_SHEETS = (".xls", ".xlsx")
_DOCUMENTS = (".doc", ".docx")
_WORD_XML = re.compile(r"<(?:w:wordDocument|pkg:package)\b")


def true_name(name: str, body: bytes, known: Collection[str]) -> str:
    """Return a file's name, with the suffix of its content if its own is unknown or claims something else.

    The name is returned unchanged if the content is of no known kind.
    """
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in known and not (suffix in _SHEETS and _is_text(body)) and not _is_other_document(suffix, body):
        return name
    own_suffix = _suffix_of(name, body)
    return f"{name}{own_suffix}" if own_suffix not in ("", suffix) else name


def _is_text(body: bytes) -> bool:
    return not body.startswith((b"PK", _COMPOUND)) and b"\0" not in body[:_HEAD].replace(b"\xff\xfe", b"")[:2]


def _is_other_document(suffix: str, body: bytes) -> bool:
    """Return whether a Word document is not of the form that its suffix names: a new one of the old form, an old one of any other."""
    return suffix in _DOCUMENTS and body.startswith(_COMPOUND) == (suffix == ".docx")


def _suffix_of(name: str, body: bytes) -> str:
    if body.startswith(b"PK\x03\x04"):
        return _packed(body)
    if body.startswith(_COMPOUND):
        return _compound(body)
    for start, suffix in ((b"%PDF-", ".pdf"), (b"SQLite format 3\0", ".sqlite"), (b"\x1f\x8b", ".gz"), (b"bplist00", ".plist")):
        if body.startswith(start):
            return suffix
    try:
        text = decoded(name, body).lstrip("\ufeff \t\r\n")
    except ValueError:
        return ""
    head = text[:_HEAD]
    if head.startswith("{\\rtf"):
        return ".rtf"
    if head[:1] in ("{", "["):
        return ".json"
    if head.startswith("<?php"):
        return ".php"
    if _PAGE.match(head) or (head.startswith("<?xml") and re.search(r"<html\b", head, re.IGNORECASE)):
        return ".html"
    if head.startswith("<"):
        return ".doc" if _WORD_XML.search(head) else ".xml"
    if PurePosixPath(name).suffix.lower() in _SHEETS:
        return ".tsv" if head.split("\n", 1)[0].count("\t") > 1 else ""
    return ".txt"


def _compound(body: bytes) -> str:
    try:
        with olefile.OleFileIO(BytesIO(body)) as streams:
            return next((suffix for stream, suffix in _STREAMS if streams.exists(stream)), "")
    except (OSError, ValueError, LookupError, TypeError, AttributeError, struct.error, RecursionError):  # its reader reports that
        return ""


def _packed(body: bytes) -> str:
    try:
        with zipfile.ZipFile(BytesIO(body)) as parts:
            names = parts.namelist()
            kind = (
                parts.read("mimetype")[:80].decode("ascii", "replace")
                if "mimetype" in names and parts.getinfo("mimetype").file_size < 200
                else ""
            )
    except BROKEN_ZIP:
        return ".zip"
    if kind.startswith("application/vnd.oasis.opendocument.") and (suffix := _OASIS.get(kind.rsplit(".", 1)[-1].split("-", 1)[0])):
        return suffix
    return next((suffix for start, suffix in _PACKED if any(each.startswith(start) for each in names)), ".zip")
