"""Archives of files, .zip: one file's name and bytes in, its readable members out. Nothing is written to disk."""

import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import PurePosixPath

from msgspec import Struct, structs

from atomexam.records.item import Item, QuestionItem
from atomexam.text.refusal import Refusal
from crawlers.importers.files.containers import CONTAINERS
from crawlers.importers.files.reading import FileReading
from crawlers.importers.files.zipped import BROKEN_ZIP, MAX_RATIO, MAX_UNPACKED_BYTES

SUFFIX = ".zip"
_MOST_MEMBERS = 2000
_SMALL = 1024 * 1024
_UTF8 = 0x800
_LOCKED = 0x1


class ArchiveMember(Struct):
    """One file of an archive."""

    name: str
    """As named in the archive, without steps out of it."""
    body: bytes = b""
    fault: str = ""
    """Why it is not read."""


def members_of(name: str, body: bytes, suffixes: tuple[str, ...]) -> Iterator[ArchiveMember]:
    """Yield the files of an archive in the order of their names; those with other suffixes and unsafe ones with the reason.

    Raises:
        ValueError: it is not a valid archive, or is larger than the limits.
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
    """Return why a member is not read; nothing if it is."""
    suffix = PurePosixPath(member).suffix.lower()
    if suffix not in suffixes or suffix == SUFFIX or suffix in CONTAINERS:
        return (
            "an archive within one; unpack it first"
            if suffix == SUFFIX or suffix in CONTAINERS
            else f"no format reads a file that ends in {suffix!r}"
        )
    if entry.flag_bits & _LOCKED:
        return "locked by a password; unpack it first"
    if entry.file_size > _SMALL and entry.file_size > MAX_RATIO * max(1, entry.compress_size):
        return f"grows from {entry.compress_size} to {entry.file_size} bytes; that is not a document"
    return ""


def _name_of(entry: zipfile.ZipInfo) -> str:
    """Return a member's name; those of older Chinese Windows are in GBK, which is declared nowhere."""
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


def add_member(whole: FileReading, member: str, reading: FileReading) -> None:
    """Add the reading of one member to that of its archive, with the member's name before its positions."""
    whole.items += [_relocated(item, member) for item in reading.items]
    whole.record_count += reading.record_count
    whole.misfits += reading.misfits
    whole.unread += [f"{member}: {text}" for text in reading.unread]
    whole.skipped += [f"{member}: {text}" for text in reading.skipped]
    whole.faults += [f"{member}: {text}" for text in reading.faults]
    whole.columns |= {field: keys for field, keys in reading.columns.items() if field not in whole.columns}
    whole.beside |= {f"{member}:{position}": text for position, text in reading.beside.items()}


def _relocated(item: Item, member: str) -> Item:
    own = structs.replace(item.provenance, position=f"{member}:{item.provenance.position}")
    if isinstance(item, QuestionItem) and item.group_raw:
        return structs.replace(item, provenance=own, group_raw=f"{member}:{item.group_raw}")
    return structs.replace(item, provenance=own)
