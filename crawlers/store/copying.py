"""Stored records on their way into a segment: rows in the order of their requests -> of each request the first record that can be read."""

import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from crawlers.store.segments import UNREADABLE, Row, read_page
from crawlers.store.warc import Asked, Page, Revisit, read_member

_logger = logging.getLogger("crawlers.archive")


class Found(NamedTuple):
    """A row, and the file that holds the snapshot's own record of it."""

    file: str
    row: Row


class Entry(NamedTuple):
    """A row, and what is to be written for it."""

    row: Row
    request: bytes
    answer: bytes


def copied(folder: Path, found: Iterator[tuple[str, Row]]) -> Iterator[Entry]:
    """Yield an entry for each request. Every record is read on its way: those it is copied from are about to be removed."""
    with ExitStack() as stack:
        files: dict[str, BinaryIO] = {}
        for key, same in groupby(found, key=lambda one: one[1].key):
            for file, row in same:
                if file not in files:
                    files[file] = stack.enter_context(open(folder / file, "rb"))
                if entry := _entry(folder, files[file], row, row.own(file).offset, row.own(file).length):
                    yield entry
                    break
            else:
                _logger.warning("%s at %d: %s cannot be read, and is left out", folder / file, row.own(file).offset, key)


def _entry(folder: Path, file: BinaryIO, row: Row, offset: int, length: int) -> Entry | None:
    """Return what is to be written for a row; None where its record is damaged, or the older page that it refers to."""
    both = os.pread(file.fileno(), row.request_length + length, offset - row.request_length)
    request, answer = both[: row.request_length], both[row.request_length :]
    try:
        found = read_member(answer)
        if isinstance(found, Revisit):
            read_page(folder, row)
    except UNREADABLE:
        return None
    if not isinstance(found, Revisit if row.revisit else Page) or found.key != row.key:
        return None
    if _is_request(request, row):
        return Entry(row, request, answer)
    return Entry(msgspec.structs.replace(row, request_length=0), b"", answer)


def _is_request(member: bytes, row: Row) -> bool:
    try:
        found = read_member(member)
    except UNREADABLE:
        return False
    return isinstance(found, Asked) and found.key == row.key
