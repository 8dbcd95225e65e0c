"""Check that response bodies are complete and within the size limit.

Scrapy decompresses what it can and ignores the rest, so it would store truncated pages.
"""

import sys
import zlib
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import brotli
from scrapy import Request
from scrapy.exceptions import DownloadCancelledError, ResponseDataLossError
from scrapy.http import Response

from crawlers.store.request_keys import is_robots
from crawlers.web.failure_causes import EMPTY_BODY, NOT_PACKED, TOO_LARGE, TORN_BODY

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_CHUNK_BYTES = 1 << 16
_MAX_STREAMS = 1024  # gzip members or zstd frames; in blocks of 64 KiB, the largest allowed page has half as many
_MAX_LAYERS = 4
_GZIP = 16 + zlib.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"
_MAGIC = {b"gzip": _GZIP_MAGIC, b"x-gzip": _GZIP_MAGIC}  # the other formats have no magic bytes


_PARTIAL_SHA256 = "partial_sha256"  # meta key of a request whose answer may be truncated


class _Torn(ValueError):
    """A compressed stream that is truncated or invalid."""


class _TooManyStreams(ValueError):
    """A body with more compressed streams than any server would send."""


def flaw(body: bytes, encodings: list[bytes], max_bytes: int) -> str | None:
    """Return what is wrong with a body that has these Content-Encoding headers, or None.

    If the body was compressed only once, at most one chunk of it is in memory at a time. An unknown encoding ends the check.
    """
    packed = _packings(encodings)
    if len(packed) > _MAX_LAYERS:
        return f"{TOO_LARGE}: packed {len(packed)} times"
    while packed and body:
        name = packed.pop()
        if name not in _UNPACK:
            return None
        if not body.startswith(magic := _MAGIC.get(name, b"")) and not magic.startswith(body):
            return f"{NOT_PACKED}: {name.decode('ascii')}"
        chunks, size = [], 0
        try:
            for chunk in _UNPACK[name](body):
                size += len(chunk)
                if size > max_bytes:
                    return f"{TOO_LARGE}: over {max_bytes} bytes when unpacked"
                if packed:
                    chunks.append(chunk)
        except _TooManyStreams:
            return f"{TOO_LARGE}: over {_MAX_STREAMS} compressed streams"
        except (_Torn, zlib.error, brotli.error, zstd.ZstdError):
            return f"{TORN_BODY}: {name.decode('ascii', 'replace')}"
        body = b"".join(chunks)
    return None


def _packings(encodings: list[bytes]) -> list[bytes]:
    """Return the encodings in Content-Encoding headers, outermost last."""
    return [name.strip().lower() for header in encodings for name in header.split(b",") if name.strip()]


def unpacked(body: bytes, encodings: list[bytes]) -> bytes:
    """Decompress a valid body; return it unchanged if the encoding is unknown."""
    packed = _packings(encodings)
    while packed and packed[-1] in _UNPACK:
        body = b"".join(_UNPACK[packed.pop()](body))
    return body


def whole(request: Request, response: Response, max_bytes: int) -> Response:
    """Return an answer as received if its body is complete.

    Raises:
        ResponseDataLossError: the body is truncated or missing; another request may succeed.
        DownloadCancelledError: it is larger than `max_bytes` when decompressed.
    """
    why = flaw(response.body, response.headers.getlist("Content-Encoding"), max_bytes)
    if why is None and response.status == 200:
        if not response.body and request.method == "GET" and not is_robots(request.url):
            why = EMPTY_BODY
        elif "partial" in response.flags and _is_cut(request, response):
            why = f"{TORN_BODY}: without length or end"
    if why is None:
        if "download_stopped" in response.flags:  # robots.txt at its limit
            response.headers.pop("Content-Length", None)
        return response
    raise DownloadCancelledError(why) if why.startswith(TOO_LARGE) else ResponseDataLossError(why)


def _is_cut(request: Request, response: Response) -> bool:
    """Return whether a page without a stated length seems truncated. If the same bytes arrive twice, they are the complete page."""
    body = response.body.lower()
    if b"<html" not in body or b"</html" in body:
        return False
    digest = sha256(response.body).hexdigest()
    before, request.meta[_PARTIAL_SHA256] = request.meta.get(_PARTIAL_SHA256), digest
    return before != digest


def _streams(body: bytes, new: Callable[[], Any], magic: bytes | None = None) -> Iterator[bytes]:
    """Decompress the first stream of a body and, with `magic`, the following streams that begin with it.

    The input is passed in slices, since a stream copies unused input.
    """
    at = 0
    for _ in range(_MAX_STREAMS):
        stream = new()
        while not stream.eof:
            piece = body[at : at + _CHUNK_BYTES] if getattr(stream, "needs_input", True) else b""
            chunk = stream.decompress(piece, _CHUNK_BYTES)
            at += len(piece) - len(getattr(stream, "unconsumed_tail", b""))
            if not (chunk or piece or stream.eof):
                raise _Torn
            yield chunk
        at -= len(stream.unused_data)
        if magic is None or at >= len(body) or not body.startswith(magic, at):
            return
    raise _TooManyStreams


def _gzip(body: bytes) -> Iterator[bytes]:
    return _streams(body, lambda: zlib.decompressobj(_GZIP), _GZIP_MAGIC)  # anything else after a member is padding


def _deflate(body: bytes) -> Iterator[bytes]:
    bits = zlib.MAX_WBITS
    try:
        zlib.decompressobj().decompress(body[:2])
    except zlib.error:  # some servers send a raw stream without a header
        bits = -bits
    return _streams(body, lambda: zlib.decompressobj(bits))


def _brotli(body: bytes) -> Iterator[bytes]:
    stream = brotli.Decompressor()
    yield stream.process(body, output_buffer_limit=_CHUNK_BYTES)
    while not stream.is_finished():
        chunk = stream.process(b"", output_buffer_limit=_CHUNK_BYTES)
        if not chunk:
            raise _Torn
        yield chunk


def _zstd(body: bytes) -> Iterator[bytes]:
    return _streams(body, zstd.ZstdDecompressor, b"")


_UNPACK: dict[bytes, Callable[[bytes], Iterator[bytes]]] = {
    b"gzip": _gzip,
    b"x-gzip": _gzip,
    b"deflate": _deflate,
    b"br": _brotli,
    b"zstd": _zstd,
}
