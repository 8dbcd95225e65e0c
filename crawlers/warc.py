"""One stored page as one WARC 1.1 record in its own gzip member, and back. Equal pages give equal bytes."""

import hashlib
import uuid
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from urllib.parse import quote, quote_from_bytes, unquote

from msgspec import Struct
from warcio.archiveiterator import ArchiveIterator
from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

WARC_VERSION = "WARC/1.1"
_CHUNK_BYTES = 1 << 16
_PRINTABLE = bytes(range(0x20, 0x7F)).decode()


class Key(Struct, frozen=True, order=True):
    """What tells one request from another."""

    url: str
    method: str = "GET"
    body_sha256: str | None = None
    """Of the body that was sent; None where none was."""

    def __str__(self) -> str:
        return f"{self.method} {self.url} {self.body_sha256 or ''}".strip()


class Page(Struct, frozen=True, kw_only=True):
    """One answer as it came, or one file."""

    key: Key
    date: str
    """ISO 8601 in UTC: `2026-11-20T00:00:00Z`."""
    status: int
    headers: list[tuple[str, str]] = []
    """Sorted; values in ASCII, other bytes percent-encoded."""
    body: bytes
    """As it came over the wire: compressed bodies stay compressed."""


def request_key(method: str, url: str, body: bytes = b"") -> Key:
    """Return the key of a request."""
    return Key(url, method, hashlib.sha256(body).hexdigest() if body else None)


def header_value(value: bytes) -> str:
    """Return a header's value in printable ASCII; a `Location` in GBK stays the address it is."""
    return quote_from_bytes(value, safe=_PRINTABLE)


def origin_member(origin: str) -> bytes:
    """Return the record that opens a file and says where its pages come from."""
    fields = f"software: atomexam\r\nformat: {WARC_VERSION}\r\norigin: {origin}\r\n".encode()
    record_headers = [
        ("WARC-Type", "warcinfo"),
        ("WARC-Record-ID", _record_id("origin", origin)),
        ("WARC-Date", "1970-01-01T00:00:00Z"),  # a file has no date of its own, or equal pages would not be equal bytes
        ("Content-Type", "application/warc-fields"),
    ]
    return _member("warcinfo", record_headers, fields)


def page_member(page: Page) -> bytes:
    """Return the record of a page; a page from a file (`file:` address) is a resource record."""
    is_file = page.key.url.startswith("file:")
    kind = "resource" if is_file else "response"
    record_headers = [
        ("WARC-Type", kind),
        ("WARC-Record-ID", _record_id(str(page.key), page.date)),
        ("WARC-Target-URI", quote(page.key.url, safe=":/") if is_file else page.key.url),
        ("WARC-Date", page.date),
    ]
    if page.key.method != "GET":
        record_headers.append(("X-Request-Method", page.key.method))
    if page.key.body_sha256:
        record_headers.append(("X-Request-Body-SHA256", page.key.body_sha256))
    record_headers.append(("Content-Type", "application/octet-stream" if is_file else "application/http; msgtype=response"))
    http = None if is_file else StatusAndHeaders(f"{page.status} ", list(page.headers), protocol="HTTP/1.1")
    return _member(kind, record_headers, page.body, http)


def read_member(member: bytes) -> tuple[str | None, Page | None]:
    """Return what one gzip member holds: the origin of a file, or a page."""
    record = next(iter(ArchiveIterator(BytesIO(member))))
    body = record.raw_stream.read()
    headers = record.rec_headers
    if record.rec_type == "warcinfo":
        lines = dict(line.split(": ", 1) for line in body.decode().splitlines())
        return lines["origin"], None
    http = record.http_headers
    url = headers.get_header("WARC-Target-URI")
    method = headers.get_header("X-Request-Method") or "GET"
    page = Page(
        key=Key(url if http else unquote(url), method, headers.get_header("X-Request-Body-SHA256")),
        date=headers.get_header("WARC-Date"),
        status=int(http.get_statuscode()) if http else 200,
        headers=list(http.headers) if http else [],
        body=body,
    )
    return None, page


def members(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield offset and bytes of each whole gzip member; a torn tail, as a killed writer leaves it, ends the file quietly."""
    with open(path, "rb") as file:
        offset, raw, unpacker = 0, bytearray(), zlib.decompressobj(zlib.MAX_WBITS | 16)
        chunk = file.read(_CHUNK_BYTES)
        while chunk:
            try:
                unpacker.decompress(chunk)
            except zlib.error:
                return
            rest = unpacker.unused_data
            raw += chunk[: len(chunk) - len(rest)]
            if unpacker.eof:
                yield offset, bytes(raw)
                offset, raw, unpacker = offset + len(raw), bytearray(), zlib.decompressobj(zlib.MAX_WBITS | 16)
            chunk = rest or file.read(_CHUNK_BYTES)


def _record_id(*parts: str) -> str:
    return f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, ' '.join(parts))}>"


def _member(kind: str, headers: list[tuple[str, str]], body: bytes, http: StatusAndHeaders | None = None) -> bytes:
    """Return a record as one gzip member without a time of its own."""
    out = BytesIO()
    record_headers = StatusAndHeaders("", headers, protocol=WARC_VERSION)
    content_type = dict(headers)["Content-Type"]
    record = ArcWarcRecord("warc", kind, record_headers, BytesIO(body), http, content_type, None, payload_length=len(body))
    WARCWriter(out, gzip=True, warc_version=WARC_VERSION).write_record(record)
    return out.getvalue()
