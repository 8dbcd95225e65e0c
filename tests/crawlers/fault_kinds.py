"""How a page can fail, and how a whole one can look odd: what goes over the wire for each."""

import asyncio
import gzip
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable

import brotli

from crawlers.web import failure_causes as faults

BIG_BYTES = 50 * 1024 * 1024
DRIP_SECONDS = 0.05
PASSWORD = "hunter2"
HTML = "Content-Type: text/html; charset=utf-8"

Writer = asyncio.StreamWriter
Fault = Callable[[Writer, str], Awaitable[None]]


def text(path: str) -> str:
    """Return what a whole page says, and no other."""
    return f"第{path}页：下列关于本页的说法，正确的是哪一项"


def html(path: str, meta: str = "") -> str:
    """Return a whole page."""
    return f"<html><head>{meta}<title>{path}</title></head><body><p>{text(path)}</p>{'字' * 200}</body></html>"


def answer(status: int, body: bytes, *headers: str, length: int | None = None) -> bytes:
    """Return an answer as it goes over the wire."""
    head = [f"HTTP/1.1 {status} x", f"Content-Length: {len(body) if length is None else length}", *headers]
    return "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + body


def _chunked(*pieces: bytes, ended: bool = True) -> bytes:
    body = b"".join(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" for piece in pieces)
    return f"HTTP/1.1 200 x\r\n{HTML}\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + body + (b"0\r\n\r\n" if ended else b"")


def _reset(writer: Writer) -> None:
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def _sends(*, reset: bool = False, close: bool = False) -> Callable[[Callable[[str], bytes]], Fault]:
    """Make a fault of a function that gives the bytes to send."""

    def made(give: Callable[[str], bytes]) -> Fault:
        async def send(writer: Writer, path: str) -> None:
            writer.write(give(path))
            await writer.drain()
            if reset:
                await asyncio.sleep(0.01)
                _reset(writer)
            if close:
                writer.close()

        return send

    return made


async def _drip_too_long(writer: Writer, path: str) -> None:
    body = html(path).encode()
    writer.write(answer(200, b"", HTML, length=len(body)))
    for byte in body:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(DRIP_SECONDS)


async def _drip(writer: Writer, path: str) -> None:
    body = html(path).encode()
    writer.write(answer(200, b"", HTML, length=len(body)))
    for place in range(0, len(body), len(body) // 5 + 1):
        writer.write(body[place : place + len(body) // 5 + 1])
        await writer.drain()
        await asyncio.sleep(DRIP_SECONDS)


async def _silence(writer: Writer, path: str) -> None:
    await asyncio.sleep(30)


def _big(path: str) -> bytes:
    return answer(200, b"x", HTML, length=BIG_BYTES)


async def _big_chunked(writer: Writer, path: str) -> None:
    writer.write(_chunked(ended=False))
    chunk = b"100000\r\n" + b"x" * (1 << 20) + b"\r\n"
    for _ in range(BIG_BYTES >> 20):
        writer.write(chunk)
        await writer.drain()


async def _endless_head(writer: Writer, path: str) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while not writer.is_closing():
        writer.write(b"".join(b"X-%d: %s\r\n" % (number, b"a" * 4000) for number in range(20)))
        await writer.drain()


def _bomb(path: str) -> bytes:
    return answer(200, gzip.compress(b"\0" * BIG_BYTES), HTML, "Content-Encoding: gzip")


def location(*headers: str, status: int = 302) -> bytes:
    return answer(status, b"", *headers)


def _packed(pack: Callable[[bytes], bytes], encoding: str, cut: int = 0) -> Fault:
    """Make a page with a Content-Encoding; `cut` takes so many bytes off its end, and names the length of what is left."""

    def give(path: str) -> bytes:
        body = pack(html(path).encode())
        return answer(200, body[: len(body) - cut], HTML, f"Content-Encoding: {encoding}")

    return _sends()(give)


def _page(encoding: str, kind: str | None, meta: str = "") -> Fault:
    """Make a page in an encoding, whatever its header and meta tag say."""
    headers = [f"Content-Type: {kind}"] if kind else []
    return _sends()(lambda path: answer(200, html(path, meta).encode(encoding), *headers))


def _cut(path: str, by: int) -> bytes:
    body = html(path).encode()
    return answer(200, body[:-by], HTML, length=len(body))


# kind -> (what it does, the cause that failed.jsonl must name where it never recovers)
FAULTS: dict[str, tuple[Fault, str]] = {
    "500": (_sends()(lambda path: answer(500, b"Internal", HTML)), "HTTP status 500"),
    "503": (_sends()(lambda path: answer(503, b"", "Retry-After: 0")), "HTTP status 503"),
    "403": (_sends()(lambda path: answer(403, b"no", HTML)), "HTTP status 403"),
    "405": (_sends()(lambda path: answer(405, b"not so", HTML)), "HTTP status 405"),
    "451": (_sends()(lambda path: answer(451, b"", HTML)), "HTTP status 451"),
    "429": (_sends()(lambda path: answer(429, b"slow", "Retry-After: 0")), "HTTP status 429"),
    "0": (_sends()(lambda path: answer(0, b"none", HTML)), "HTTP status 0"),
    "-12": (_sends()(lambda path: answer(-12, b"none", HTML)), "HTTP status -12"),
    "567": (_sends()(lambda path: answer(567, b"cdn")), "HTTP status 567"),
    "reset": (_sends(reset=True)(lambda path: b""), faults.CONNECTION_LOST),
    "hang_up": (_sends(close=True)(lambda path: b""), faults.CONNECTION_LOST),
    "reset_in_head": (_sends(reset=True)(lambda path: b"HTTP/1.1 200 OK\r\nContent-Ty"), faults.CONNECTION_LOST),
    "reset_in_body": (_sends(reset=True)(lambda path: _cut(path, 300)), faults.TORN_BODY),
    "short": (_sends(close=True)(lambda path: _cut(path, 40)), faults.TORN_BODY),
    "short_chunks": (_sends(close=True)(lambda path: _chunked(html(path).encode()[:90], ended=False)), faults.TORN_BODY),
    "garbage": (_sends(close=True)(lambda path: b"\x15\x03\x01\x00\x02\x02\x0a\r\n\r\n"), faults.NOT_HTTP),
    "torn_gzip": (_packed(gzip.compress, "gzip", cut=30), faults.TORN_BODY),
    "torn_br": (_packed(brotli.compress, "br", cut=9), faults.TORN_BODY),
    "torn_deflate": (_packed(zlib.compress, "deflate", cut=9), faults.TORN_BODY),
    "not_gzip": (_packed(bytes, "gzip"), faults.NOT_PACKED),
    "empty": (_sends()(lambda path: answer(200, b"", HTML)), faults.EMPTY_BODY),
    "drip_too_long": (_drip_too_long, faults.TIMEOUT),
    "silence": (_silence, faults.TIMEOUT),
}
# What asking again does not mend: it is asked for once.
LASTING: dict[str, tuple[Fault, str]] = {
    "big": (_sends()(_big), faults.TOO_LARGE),
    "big_chunked": (_big_chunked, faults.TOO_LARGE),
    "endless_head": (_endless_head, faults.TOO_LARGE),
    "bomb": (_sends()(_bomb), faults.TOO_LARGE),
    "loop": (_sends()(lambda path: location(f"Location: {path}")), faults.REDIRECT_LOOP),
    "circle": (_sends()(lambda path: location(f"Location: /turn?{path}")), faults.REDIRECT_LOOP),
    "meta_circle": (
        _sends()(lambda path: answer(200, f"<html><meta http-equiv=refresh content='0;url=/turn?{path}'>".encode(), HTML)),
        faults.REDIRECT_LOOP,
    ),
    "chain": (_sends()(lambda path: location(f"Location: /step/40?{path}")), faults.TOO_MANY_REDIRECTS),
    "elsewhere": (_sends()(lambda path: location("Location: http://other.example/")), faults.OTHER_SITE),
    "inside": (_sends()(lambda path: location("Location: http://127.0.0.1:9/")), faults.OTHER_SITE),
    "password": (_sends()(lambda path: location(f"Location: http://somebody:{PASSWORD}@faults.example/plain/0/1")), faults.NOT_THE_WEB),
    "unreadable": (_sends()(lambda path: location("Location: http://[x")), faults.UNREADABLE_REDIRECT),
}
# What looks odd and is a page.
WHOLE: dict[str, Fault] = {
    "plain": _page("utf-8", "text/html; charset=utf-8"),
    "chunked": _sends()(lambda path: _chunked(html(path).encode()[:70], html(path).encode()[70:])),
    "gzip": _packed(gzip.compress, "gzip"),
    "deflate": _packed(zlib.compress, "deflate"),
    "bare_deflate": _packed(lambda body: zlib.compress(body, wbits=-15), "deflate"),
    "br": _packed(brotli.compress, "br"),
    "odd_encoding": _packed(bytes, "UTF-8"),
    "gbk": _page("gbk", "text/html; charset=gb2312"),
    "gbk_by_meta": _page("gbk", "text/html", "<meta charset=gbk>"),
    "gbk_unsaid": _page("gbk", "text/html"),
    "gbk_denied": _page("gbk", "text/html; charset=utf-8", "<meta charset=gb2312>"),
    "gbk_as_latin": _page("gbk", "text/html; charset=ISO-8859-1"),
    "utf8_as_gbk": _page("utf-8", "text/html; charset=gb2312"),
    "gb18030": _page("gb18030", "text/html; charset=gb18030"),
    "no_type": _page("gbk", None),
    "no_length": _sends(close=True)(lambda path: f"HTTP/1.0 200 x\r\n{HTML}\r\n\r\n{html(path)}".encode()),
    "no_length_no_end": _sends(close=True)(lambda path: f"HTTP/1.0 200 x\r\n{HTML}\r\n\r\n{html(path)[:-14]}".encode()),
    "wrong_type": _page("gbk", "application/octet-stream"),
    "with_mark": _page("utf-8-sig", "text/html; charset=gbk"),
    "drip": _drip,
    "reloads": _sends()(lambda path: answer(200, html(path, f"<meta http-equiv=refresh content='5;url={path}'>").encode(), HTML)),
    "reads_on": _sends()(lambda path: answer(200, html(path, "<meta http-equiv=refresh content='60;url=/'>").encode(), HTML)),
    "refreshed": _sends()(lambda path: answer(200, f"<html><meta http-equiv=refresh content='0;url=/plain{path}'>".encode(), HTML)),
    "moved": _sends()(lambda path: location(f"Location: /plain{path}", status=301)),
    "steps": _sends()(lambda path: location(f"Location: /step/4?/plain{path}")),
    "cookie_first": _sends()(lambda path: location(f"Location: {path}", "Set-Cookie: seen=1; Path=/")),
}
SLOW = ("drip_too_long", "silence")  # each try lasts as long as the time limit
TRIES = {"403": 1, "405": 1, "451": 1}  # a refusal is asked again in the second round alone
# What is an answer, though no page: stored, and neither read nor failed.
GONE: dict[str, Fault] = {
    "404": _sends()(lambda path: answer(404, b"gone", HTML)),
    "410": _sends()(lambda path: answer(410, b"", HTML)),
    "414": _sends()(lambda path: answer(414, b"", HTML)),
}
