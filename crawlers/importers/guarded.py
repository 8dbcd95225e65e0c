"""PDF and parquet read in a process of their own: bytes in, what a reader makes of them out.

Such a file may unpack to any size, have its reader run in circles, or crash it. What it does to that process, the run survives: it
ends with the file's name and what to do, as for any other damaged file.
"""

import atexit
import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from crawlers.importers.pdf import read_pdf
from crawlers.importers.reading import Text

MAX_MEMORY_BYTES = 3 * 1024**3
"""Of the process; a book of 900 pages takes a tenth of it."""
_SECONDS, _SECONDS_PER_MEGABYTE = 60, 60
_START = multiprocessing.get_context("spawn")  # a fork would take the locks of the parent's threads with it
_ANSWER, _ERROR, _END = "answer", "error", "end"
Read = Callable[[str, bytes], Iterator[Any]]


class _Reader(NamedTuple):
    process: multiprocessing.process.BaseProcess
    pipe: Connection


_running: list[_Reader] = []


def read_pdf_guarded(name: str, body: bytes) -> Text:
    """Return the lines of a PDF.

    Raises:
        ValueError: it is damaged, locked or a scan, or it takes too much memory or time.
    """
    [text] = read_guarded(_pages_of, name, body, "print it to a new PDF, or cut it into parts")
    return text


def read_guarded(read: Read, name: str, body: bytes, advice: str) -> Iterator[Any]:
    """Yield what a reader, a function of a module, yields of one file.

    Args:
        advice: what to do about a file that takes too much, or on which the reader breaks down.

    Raises:
        ValueError: the reader's own, or the file takes too much memory or time.
    """
    if not _running:
        _running.append(_started())
    reader, kind = _running[0], ""
    limit = _SECONDS + _SECONDS_PER_MEGABYTE * len(body) / 1e6
    try:
        reader.pipe.send((read, name, body, advice))
        while True:
            if not reader.pipe.poll(limit):
                raise ValueError(f"{name}: not read within {limit:.0f} seconds; {advice}")
            kind, answer = reader.pipe.recv()
            if kind != _ANSWER:
                break
            yield answer
    except (EOFError, BrokenPipeError, ConnectionResetError):
        raise ValueError(f"{name}: its reader broke down on it; {advice}") from None
    finally:
        if kind not in (_ERROR, _END):  # what it still has to say would be taken for the next file's
            stop()
    if kind == _ERROR:
        raise ValueError(answer)


def _started() -> _Reader:
    here, there = _START.Pipe()
    process = _START.Process(target=_serve, args=(there, MAX_MEMORY_BYTES), daemon=True)
    process.start()
    there.close()  # so that its end is seen here when the process ends
    return _Reader(process, here)


@atexit.register
def stop() -> None:
    """End the process; the next file starts a new one."""
    while _running:
        reader = _running.pop()
        reader.pipe.close()
        reader.process.kill()
        reader.process.join()


def _pages_of(name: str, body: bytes) -> Iterator[Text]:
    yield read_pdf(name, body)


def _serve(pipe: Connection, most_bytes: int) -> None:
    _limit_memory(most_bytes)
    with suppress(EOFError, ConnectionError):  # the run has ended, or needs no more of the file
        while True:
            _answer(pipe, most_bytes, *pipe.recv())


def _answer(pipe: Connection, most_bytes: int, read: Read, name: str, body: bytes, advice: str) -> None:
    try:
        for answer in read(name, body):
            pipe.send((_ANSWER, answer))
        last: tuple[str, str | None] = (_END, None)
    except ValueError as error:
        last = (_ERROR, str(error))
    except MemoryError:
        last = (_ERROR, f"{name}: takes more than {most_bytes} bytes of memory; {advice}")
    pipe.send(last)


def _limit_memory(most_bytes: int) -> None:
    try:
        import resource  # not on Windows
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = most_bytes if hard == resource.RLIM_INFINITY else min(most_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
