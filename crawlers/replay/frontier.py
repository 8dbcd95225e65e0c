"""What a replay still has to read: requests in the order of their finding, each once, from values to values."""

import zlib
from collections import deque
from collections.abc import Iterable

import msgspec

_CHUNK_REQUESTS = 256  # of one chunk: requests of one list are alike, and pack to a tenth together

Found = tuple[bytes | None, bytes]
"""A request that was found: what tells it from others (None where it is to be asked whether or not it was asked before), and itself."""


class Frontier:
    """First in, first out. A site of 300,000 pages may stand here as a whole, so what waits in the middle is packed."""

    def __init__(self) -> None:
        self._seen: set[bytes] = set()
        self._head: deque[bytes] = deque()
        self._chunks: deque[bytes] = deque()
        self._tail: list[bytes] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def add(self, found: Iterable[Found]) -> None:
        """Append requests, but those that were found before."""
        for identity, request in found:
            if identity is not None:
                if identity in self._seen:
                    continue
                self._seen.add(identity)
            self._tail.append(request)
            self._length += 1
            if len(self._tail) == _CHUNK_REQUESTS:
                self._chunks.append(zlib.compress(msgspec.msgpack.encode(self._tail), 1))
                self._tail = []

    def take(self, count: int) -> list[bytes]:
        """Remove and return the requests that were found first, `count` at most."""
        taken = [self._next() for _ in range(min(count, self._length))]
        self._length -= len(taken)
        return taken

    def _next(self) -> bytes:
        if not self._head and self._chunks:
            self._head.extend(msgspec.msgpack.decode(zlib.decompress(self._chunks.popleft()), type=list[bytes]))
        elif not self._head:
            self._head.extend(self._tail)
            self._tail = []
        return self._head.popleft()
