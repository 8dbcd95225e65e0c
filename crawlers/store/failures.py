"""What a crawl could not get, and why: told as it happens, taken back when it comes after all; no address is kept in memory."""

import tempfile
from collections.abc import Iterator, MutableMapping

import msgspec

from crawlers.store.stored import digest_of

_Line = tuple[str, str]


class Failures(MutableMapping[str, str]):
    """Requests, as `str(Key)` writes them, and why each failed last."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the crawl runs
        self._offsets: dict[bytes, int] = {}
        self._encoder, self._decoder = msgspec.json.Encoder(), msgspec.json.Decoder(_Line)

    def __setitem__(self, request: str, why: str) -> None:
        self._offsets[digest_of(request)] = self._file.seek(0, 2)
        self._file.write(self._encoder.encode((request, why)) + b"\n")

    def __getitem__(self, request: str) -> str:
        return self._line(self._offsets[digest_of(request)])[1]

    def __delitem__(self, request: str) -> None:
        del self._offsets[digest_of(request)]

    def __iter__(self) -> Iterator[str]:
        """Yield the requests in the order in which they failed last."""
        for offset in sorted(self._offsets.values()):
            yield self._line(offset)[0]

    def __len__(self) -> int:
        return len(self._offsets)

    def has(self, digest: bytes) -> bool:
        """Tell whether a request failed by its digest."""
        return digest in self._offsets

    def _line(self, offset: int) -> _Line:
        self._file.seek(offset)
        return self._decoder.decode(self._file.readline())
