"""Rows of a crawl in the order of their requests: sorted in memory as long as they fit, else merged from disk."""

import heapq
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec

from crawlers.store.segments import Row
from crawlers.web.faults import is_robots

_ROWS_IN_MEMORY = 10_000
_Numbered = tuple[tuple[str, str, str], int, str, Row]
"""What is sorted by: the request, then which came first."""


def in_order(found: Iterable[tuple[str, Row]], rows_in_memory: int = _ROWS_IN_MEMORY) -> Iterator[tuple[str, Row]]:
    """Yield files and rows in the order of the requests; of several answers to one request the one that counts comes first.

    That is the first to come; of a site's rules the last, since each run of a live crawl asks for them.
    """
    numbered = ((row.key.place, -number if is_robots(row.url) else number, file, row) for number, (file, row) in enumerate(found))
    runs = []
    while run := sorted(islice(numbered, rows_in_memory), key=_order):
        runs.append(iter(run) if len(run) < rows_in_memory else _on_disk(run))
    for _, _, file, row in heapq.merge(*runs, key=_order):
        yield file, row


def _order(one: _Numbered) -> tuple[tuple[str, str, str], int]:
    return one[:2]


def _on_disk(run: list[_Numbered]) -> Iterator[_Numbered]:
    encoder, decoder = msgspec.json.Encoder(), msgspec.json.Decoder(_Numbered)
    file = tempfile.TemporaryFile()  # noqa: SIM115 - gone when the last row is read
    file.writelines(encoder.encode(one) + b"\n" for one in run)
    file.seek(0)
    return map(decoder.decode, file)
