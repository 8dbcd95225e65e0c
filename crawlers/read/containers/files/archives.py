"""Identify files by their first bytes and unpack archives (.zip, .gz, .tar): bytes in, files and correct names out.

Writes nothing to disk and fetches nothing.
"""

import gzip
import lzma
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from io import BytesIO
from pathlib import PurePosixPath
from typing import IO, Any

import olefile
from lxml.etree import ErrorTypes, XMLParser, XMLSyntaxError, fromstring, parse
from msgspec import Struct

from atomexam.text.encodings import decoded
from atomexam.text.refusal import Refusal

MAX_UNPACKED_BYTES = 1024 * 1024 * 1024
MAX_PART_BYTES = 256 * 1024 * 1024
"""Size of one XML part in bytes. The limits are far above the size of any paper and far below the available memory."""
MAX_RATIO = 500
"""Ratio of the unpacked to the packed size of a part larger than `_SMALL_PART`; the XML of Word and Excel stays below 100."""
MAX_PARTS = 20_000
_SMALL_PART = 8 * 1024 * 1024
# Errors of the standard library and lxml for a damaged file, and of python-docx and openpyxl for parts that are missing or of another
# kind. RuntimeError: the zip has a password. OSError and ValueError: an invalid offset.
BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
BROKEN_PARTS = (*BROKEN_ZIP, XMLSyntaxError, LookupError, TypeError, AttributeError, ArithmeticError)
PARSER = XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, remove_comments=True, remove_pis=True)
"""Parser for untrusted XML that resolves no entities and loads nothing external."""
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEAD = 4096


def check_zipped(name: str, body: bytes, main_part: str, kind: str) -> None:
    """Check that a file is a zip of XML that can be opened safely.

    Args:
        main_part: path of the part that determines the kind of file, or of the folder of that part.

    Raises:
        ValueError: the file is not such a zip, is damaged, is too large when unpacked, or declares XML entities.
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


def tree_of(source: bytes | IO[bytes]) -> Any:
    """Return the root of untrusted XML.

    Raises:
        XMLSyntaxError: it is not XML. lxml also raises it if memory runs out; MemoryError is then raised instead.
    """
    try:
        return fromstring(source, PARSER) if isinstance(source, bytes) else parse(source, PARSER).getroot()
    except XMLSyntaxError as error:
        if error.code == ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from None
        raise


def _check_sizes(name: str, entries: list[zipfile.ZipInfo]) -> None:
    total = sum(entry.file_size for entry in entries)
    if len(entries) > MAX_PARTS or total > MAX_UNPACKED_BYTES:
        limits = f"at most {MAX_PARTS} parts and {MAX_UNPACKED_BYTES} bytes are unpacked"
        raise Refusal(f"{name}: {len(entries)} parts of {total} bytes when unpacked; {limits}")
    for entry in entries:
        if entry.file_size > _SMALL_PART and entry.file_size > MAX_RATIO * max(1, entry.compress_size):
            raise Refusal(
                f"{name}: {entry.filename} grows from {entry.compress_size} to {entry.file_size} bytes when unpacked, more than "
                "any document does"
            )


def _check_part(name: str, parts: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    if entry.file_size > MAX_PART_BYTES:
        raise Refusal(f"{name}: {entry.filename} has {entry.file_size} bytes when unpacked; at most {MAX_PART_BYTES} are read")
    with parts.open(entry) as part:
        head = part.read(_HEAD).replace(b"\0", b"")  # also in UTF-16
    if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
        raise Refusal(f"{name}: {entry.filename} declares a document type, which Office files never do; entities are not read")


SUFFIX = ".zip"
_MOST_MEMBERS = 2000
_SMALL = 1024 * 1024
_UTF8 = 0x800
_LOCKED = 0x1


class ArchiveMember(Struct):
    """One file of an archive."""

    name: str
    """Path in the archive, without steps that lead out of it."""
    body: bytes = b""
    fault: str = ""
    """Why the file is not read."""


def members_of(name: str, body: bytes, suffixes: tuple[str, ...]) -> Iterator[ArchiveMember]:
    """Yield the files in an archive in order of name; those that are unsafe or have unsupported suffixes come with the reason.

    Raises:
        ValueError: the file is not a valid archive, or exceeds the limits.
    """
    try:
        with zipfile.ZipFile(BytesIO(body)) as parts:
            entries = [(_name_of(entry), entry) for entry in parts.infolist() if not entry.is_dir()]
            entries = [(member, entry) for member, entry in entries if not _is_hidden(member)]
            total = sum(entry.file_size for _, entry in entries)
            if len(entries) > _MOST_MEMBERS or total > MAX_UNPACKED_BYTES:
                limits = f"at most {_MOST_MEMBERS} files and {MAX_UNPACKED_BYTES} bytes are unpacked"
                raise Refusal(f"{name}: {len(entries)} files of {total} bytes when unpacked; {limits}")
            for member, entry in sorted(entries, key=lambda each: each[0]):
                if fault := _fault(member, entry, suffixes):
                    yield ArchiveMember(member, fault=fault)
                    continue
                with parts.open(entry) as part:
                    yield ArchiveMember(member, part.read(entry.file_size + 1))
    except Refusal:
        raise
    except BROKEN_ZIP as error:
        raise Refusal(f"{name}: not a readable zip ({error}); is it complete?") from None


def _fault(member: str, entry: zipfile.ZipInfo, suffixes: tuple[str, ...]) -> str:
    """Return why a member is not read; empty if it is read."""
    suffix = PurePosixPath(member).suffix.lower()
    if suffix not in suffixes or suffix == SUFFIX or suffix in CONTAINERS:
        return (
            "an archive within an archive; unpack it first"
            if suffix == SUFFIX or suffix in CONTAINERS
            else f"no format reads files that end in {suffix!r}"
        )
    if entry.flag_bits & _LOCKED:
        return "locked with a password; unpack it first"
    if entry.file_size > _SMALL and entry.file_size > MAX_RATIO * max(1, entry.compress_size):
        return f"grows from {entry.compress_size} to {entry.file_size} bytes when unpacked, more than any document does"
    return ""


def _name_of(entry: zipfile.ZipInfo) -> str:
    """Return a member's name; older Chinese Windows wrote GBK without declaring it."""
    name = entry.filename
    if not entry.flag_bits & _UTF8:
        try:
            name = name.encode("cp437").decode("gb18030")
        except UnicodeError:
            name = entry.filename
    steps = [step for step in name.replace("\\", "/").split("/") if step not in ("", ".", "..") and not step.endswith(":")]
    return "/".join("".join(sign for sign in step if sign.isprintable()) for step in steps) or "file"


def _is_hidden(member: str) -> bool:
    return any(step.startswith((".", "~$", "__MACOSX")) for step in member.split("/"))


ContainedFiles = Iterator[tuple[str, bytes]]


def parts_of(name: str, body: bytes) -> ContainedFiles:
    """Yield the name and bytes of each file in a container.

    Raises:
        ValueError: the file is not such a container, is damaged, or exceeds the size limits when unpacked.
    """
    suffix = PurePosixPath(name.lower()).suffix
    total = 0
    for number, (part, inner) in enumerate(CONTAINERS[suffix](name, body), 1):
        total += len(inner)
        if number > _MOST_MEMBERS or total > MAX_UNPACKED_BYTES:
            raise Refusal(f"{name}: more than {_MOST_MEMBERS} files or {MAX_UNPACKED_BYTES} bytes when unpacked; unpack it first")
        yield part, inner


def _gzip(name: str, body: bytes) -> ContainedFiles:
    try:
        with gzip.open(BytesIO(body)) as file:
            inner = file.read(min(MAX_PART_BYTES, max(_SMALL, MAX_RATIO * len(body))) + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise Refusal(f"{name}: not a readable .gz ({error}); is it complete?") from None
    if len(inner) > min(MAX_PART_BYTES, max(_SMALL, MAX_RATIO * len(body))):
        raise Refusal(f"{name}: grows from {len(body)} to more than {len(inner) - 1} bytes when unpacked, more than any document does")
    plain = PurePosixPath(name).stem
    if name.lower().endswith(".tgz") or plain.lower().endswith(".tar"):
        yield from _tar(name, inner)
    else:
        yield plain, inner


def _tar(name: str, body: bytes) -> ContainedFiles:
    try:
        with tarfile.open(fileobj=BytesIO(body), mode="r:") as files:
            for member in files:
                if member.isfile() and member.size <= MAX_PART_BYTES and (file := files.extractfile(member)):
                    steps = [step for step in member.name.split("/") if step not in ("", ".", "..")]
                    if steps and not any(step.startswith(".") for step in steps):
                        yield "".join(sign for sign in "/".join(steps) if sign.isprintable()) or "file", file.read(member.size)
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        raise Refusal(f"{name}: not a readable .tar ({error}); is it complete?") from None


CONTAINERS: dict[str, Callable[[str, bytes], ContainedFiles]] = {".gz": _gzip, ".tgz": _gzip, ".tar": _tar}


_IWORK = ".iwork"
"""Suffix used here for Numbers, Pages and Keynote documents of any version."""
_PACKED = (
    *(("word/", ".docx"), ("xl/", ".xlsx"), ("ppt/", ".pptx"), ("META-INF/container.xml", ".epub")),
    *(("buildVersionHistory.plist", _IWORK), ("Metadata/BuildVersionHistory.plist", _IWORK), ("Index/Document.iwa", _IWORK)),
)
"""Part of a zip -> suffix of that kind of file."""
_COMPOUND, _STREAMS = b"\xd0\xcf\x11\xe0", (("WordDocument", ".doc"), ("Workbook", ".xls"))
"""First bytes of an old Office file; its streams -> suffix of that kind of file."""
_OASIS = {"spreadsheet": ".ods", "text": ".odt"}
OLD = (".wps", ".et", ".ppt", ".dps", ".rtf", ".odt", _IWORK)
"""Suffixes of documents that are read only if their content shows that another suffix is right."""
_PAGE = re.compile(r"<(?:!doctype html|html|head|body|table|div|meta|style)\b", re.IGNORECASE)
_SHEETS = (".xls", ".xlsx")
_DOCUMENTS = (".doc", ".docx")
_WORD_XML = re.compile(r"<(?:w:wordDocument|pkg:package)\b")


def true_name(name: str, body: bytes, known: Collection[str]) -> str:
    """Return the name of a file, followed by the suffix that fits its content if its own suffix is unknown or wrong.

    The name is unchanged if the kind of the content is unknown.
    """
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in known and not (suffix in _SHEETS and _is_text(body)) and not _is_other_document(suffix, body):
        return name
    own_suffix = _suffix_of(name, body)
    return f"{name}{own_suffix}" if own_suffix not in ("", suffix) else name


def _is_text(body: bytes) -> bool:
    return not body.startswith((b"PK", _COMPOUND)) and b"\0" not in body[:_HEAD].replace(b"\xff\xfe", b"")[:2]


def _is_other_document(suffix: str, body: bytes) -> bool:
    """Return whether a Word document has the wrong suffix: .docx on an old document, or .doc on anything else."""
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
    except (OSError, ValueError, LookupError, TypeError, AttributeError, struct.error, RecursionError):  # its reader reports the damage
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
