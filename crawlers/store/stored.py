"""Which requests are answered, and where the answers lie: some 130 bytes a page, no address in memory."""

import hashlib
from typing import NamedTuple

from w3lib.url import canonicalize_url

from crawlers.store.warc import Key

_DIGEST_BYTES = 16  # a page whose address was made to collide with another's would be told when it is read
_LENGTH_BITS = 40
_OFFSET_BITS = 48


class Place(NamedTuple):
    """A record in a source's folder."""

    file: str
    offset: int
    length: int


class Stored:
    """Requests to places."""

    def __init__(self) -> None:
        self._files: list[str] = []
        self._numbers: dict[str, int] = {}
        self._places: dict[bytes, int] = {}  # file, offset and length in one number: a tuple of them takes thrice the memory

    def __contains__(self, key: Key) -> bool:
        return digest_of(str(key)) in self._places

    def __len__(self) -> int:
        return len(self._places)

    def __setitem__(self, key: Key, place: Place) -> None:
        number = self._numbers.setdefault(place.file, len(self._files))
        if number == len(self._files):
            self._files.append(place.file)
        self._places[digest_of(str(key))] = ((number << _OFFSET_BITS | place.offset) << _LENGTH_BITS) | place.length

    def get(self, key: Key) -> Place | None:
        """Return where the answer to a request lies, or None."""
        value = self._places.get(digest_of(str(key)))
        if value is None:
            return None
        rest, length = value >> _LENGTH_BITS, value & ((1 << _LENGTH_BITS) - 1)
        return Place(self._files[rest >> _OFFSET_BITS], rest & ((1 << _OFFSET_BITS) - 1), length)

    def discard(self, key: Key) -> None:
        """Forget a request."""
        self._places.pop(digest_of(str(key)), None)


def canonical(key: Key) -> str:
    """Return a request as all addresses share it that Scrapy takes for one."""
    try:
        return str(Key(canonicalize_url(key.url), key.method, key.body_sha256))
    except ValueError:  # an address that cannot be read
        return str(key)


def digest_of(request: str) -> bytes:
    """Return what stands for a request, as `str(Key)` writes it, in memory."""
    return hashlib.blake2b(request.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()
