"""Guard for docx and xlsx, which are zip files of XML: bytes in, nothing out except a ValueError for what is not safe to open."""

import lzma
import zipfile
import zlib
from io import BytesIO
from typing import Any

from lxml.etree import XMLParser, XMLSyntaxError, parse

from atomexam.text.refusal import Refusal

MAX_UNPACKED_BYTES = 1024 * 1024 * 1024
MAX_PART_BYTES = 256 * 1024 * 1024
"""Bytes of one XML part. The limits are far above any paper and far below what memory allows."""
MAX_RATIO = 500
"""Ratio of unpacked to packed size of a part above `_SMALL`; XML of Word and Excel stays below 100."""
MAX_PARTS = 20_000
_SMALL = 8 * 1024 * 1024
# What the standard library and lxml raise on a damaged file, and what python-docx and openpyxl raise on parts that are missing or
# of another kind. RuntimeError: the zip has a password. OSError and ValueError: an offset that points nowhere.
BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
BROKEN_PARTS = (*BROKEN_ZIP, XMLSyntaxError, LookupError, TypeError, AttributeError, ArithmeticError)
PARSER = XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, remove_comments=True, remove_pis=True)
"""For XML from elsewhere: no entity is resolved, and nothing external is loaded."""
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEAD = 4096


def check_zipped(name: str, body: bytes, main_part: str, kind: str) -> None:
    """Check that a file is a zip of XML that can be opened safely.

    Args:
        main_part: the part that determines its kind, or that part's folder.

    Raises:
        ValueError: it is not such a file, is damaged, is too large when unpacked, or declares XML entities.
    """
    if body.startswith(_OLD_OFFICE):
        raise Refusal(f"{name}: an old or locked Office file, not in {kind} format; open it, remove its password, and save it as {kind}")
    try:
        with zipfile.ZipFile(BytesIO(body)) as parts:
            entries = parts.infolist()
            if not any(entry.filename.startswith(main_part) for entry in entries):
                raise Refusal(f"{name}: a zip file without {main_part}, so not in {kind} format")
            _check_sizes(name, entries)
            for entry in entries:
                if entry.filename.endswith((".xml", ".rels")):
                    _check_part(name, parts, entry)
    except Refusal:
        raise
    except BROKEN_ZIP as error:
        raise Refusal(f"{name}: not a readable {kind} ({error}); is it complete?") from None


def root_of(parts: zipfile.ZipFile, part_name: str) -> Any:
    """Return the root of a part of XML."""
    with parts.open(part_name) as part:
        return parse(part, PARSER).getroot()


def _check_sizes(name: str, entries: list[zipfile.ZipInfo]) -> None:
    total = sum(entry.file_size for entry in entries)
    if len(entries) > MAX_PARTS or total > MAX_UNPACKED_BYTES:
        limits = f"at most {MAX_PARTS} parts and {MAX_UNPACKED_BYTES} bytes are unpacked"
        raise Refusal(f"{name}: {len(entries)} parts of {total} bytes when unpacked; {limits}")
    for entry in entries:
        if entry.file_size > _SMALL and entry.file_size > MAX_RATIO * max(1, entry.compress_size):
            raise Refusal(f"{name}: {entry.filename} grows from {entry.compress_size} to {entry.file_size} bytes; that is not a document")


def _check_part(name: str, parts: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    if entry.file_size > MAX_PART_BYTES:
        raise Refusal(f"{name}: {entry.filename} has {entry.file_size} bytes when unpacked; at most {MAX_PART_BYTES} are read")
    with parts.open(entry) as part:
        head = part.read(_HEAD).replace(b"\0", b"")  # also in UTF-16
    if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
        raise Refusal(f"{name}: {entry.filename} declares a document type; Office writes none, and entities are not read")
