"""PDFs read in a process of their own: bytes in, lines out. A PDF may unpack to any size and have its reader run in circles.

What a file does to that process, the run survives: it ends with the file's name and what to do, as for any other damaged file.
"""

import atexit
import multiprocessing
from multiprocessing.connection import Connection
from typing import NamedTuple

from crawlers.importers.pdf import read_pdf
from crawlers.importers.reading import Text

MAX_MEMORY_BYTES = 3 * 1024**3
"""Of the process; a book of 900 pages takes a tenth of it."""
_SECONDS, _SECONDS_PER_MEGABYTE = 60, 60
_START = multiprocessing.get_context("spawn")  # a fork would take the locks of the parent's threads with it


class _Reader(NamedTuple):
    process: multiprocessing.process.BaseProcess
    pipe: Connection


_running: list[_Reader] = []


def read_pdf_guarded(name: str, body: bytes) -> Text:
    """Return the lines of a PDF.

    Raises:
        ValueError: it is damaged, locked or a scan, or it takes too much memory or time.
    """
    if not _running:
        _running.append(_started())
    reader = _running[0]
    limit = _SECONDS + _SECONDS_PER_MEGABYTE * len(body) / 1e6
    try:
        reader.pipe.send((name, body))
        if not reader.pipe.poll(limit):
            raise ValueError(f"{name}: not read within {limit:.0f} seconds; print it to a new PDF, or cut it into parts")
        answer = reader.pipe.recv()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        stop()
        raise ValueError(f"{name}: the reader of PDFs broke down on it; print it to a new PDF") from None
    except ValueError:
        stop()
        raise
    if isinstance(answer, str):
        raise ValueError(answer)
    return answer


def _started() -> _Reader:
    here, there = _START.Pipe()
    process = _START.Process(target=_serve, args=(there, MAX_MEMORY_BYTES), daemon=True)
    process.start()
    there.close()  # so that its end is seen here when the process ends
    return _Reader(process, here)


@atexit.register
def stop() -> None:
    """End the process; the next PDF starts a new one."""
    while _running:
        reader = _running.pop()
        reader.pipe.close()
        reader.process.kill()
        reader.process.join()


def _serve(pipe: Connection, most_bytes: int) -> None:
    _limit_memory(most_bytes)
    while True:
        try:
            name, body = pipe.recv()
        except EOFError:
            return
        try:
            answer: Text | str = read_pdf(name, body)
        except ValueError as error:
            answer = str(error)
        except MemoryError:
            answer = f"{name}: takes more than {most_bytes} bytes of memory; print it to a new PDF"
        pipe.send(answer)


def _limit_memory(most_bytes: int) -> None:
    try:
        import resource  # not on Windows
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = most_bytes if hard == resource.RLIM_INFINITY else min(most_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
