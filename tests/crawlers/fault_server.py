"""A site on loopback that fails as sites do: by status, on the wire, in the body, by redirects and rules. Which page fails how is seeded.

A page is `/KIND/TRIES/NUMBER`: it fails in the way of its kind until it was asked for TRIES times, and is whole from then on.
"""

import asyncio
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from fault_kinds import FAULTS, GONE, HTML, LASTING, PASSWORD, SLOW, TRIES, WHOLE, Writer, answer, html, location, text

from crawlers.web import failure_causes as faults

HOST = "faults.example"
NEVER = 99
SIGNED_LINK = f"http://somebody:{PASSWORD}@{HOST}/plain/0/1"
FORBIDDEN = "forbidden"
CRAWL_DELAY = 0.6
# host -> (answers to its robots.txt in turn, the last for good; what becomes of its page)
ROBOTS: dict[str, tuple[tuple[bytes, ...], str | None]] = {
    f"none.{HOST}": ((answer(404, b"no rules"),), None),
    f"refused.{HOST}": ((answer(403, b"no rules"),), None),
    f"late.{HOST}": ((answer(500, b""), answer(200, b"User-agent: *\nDisallow: /private/\n", "Content-Type: text/plain")), None),
    f"forbids.{HOST}": ((answer(200, b"User-agent: *\nDisallow: /\n", "Content-Type: text/plain"),), FORBIDDEN),
    f"names.{HOST}": ((answer(200, b"User-agent: *\nDisallow:\n\nUser-agent: atomexam\nDisallow: /plain\n"),), FORBIDDEN),
    f"down.{HOST}": ((answer(503, b""),), f"{faults.NO_ROBOTS}: HTTP status 503"),
    f"torn.{HOST}": ((b"",), f"{faults.NO_ROBOTS}: {faults.CONNECTION_LOST}"),
    f"slow.{HOST}": ((answer(200, f"User-agent: *\nCrawl-delay: {CRAWL_DELAY}\n".encode()),), None),
    f"part.{HOST}": ((answer(206, b"User-agent: *\nDisallow: /\n", "Content-Type: text/plain"),), FORBIDDEN),
    f"empty.{HOST}": ((answer(200, b""),), None),
    f"circles.{HOST}": ((answer(301, b"", "Location: /robots.txt"),), f"{faults.NO_ROBOTS}: {faults.REDIRECT_LOOP}"),
    f"leaves.{HOST}": ((answer(301, b"", "Location: http://other.example/robots.txt"),), None),
    f"led.{HOST}": ((location("Location: http://step1.rules.example/robots.txt"),), FORBIDDEN),
    f"endless.{HOST}": ((location("Location: http://step0.rules.example/robots.txt"),), None),
    f"versions.{HOST}": ((answer(200, b"User-agent: *\nDisallow:\n\nUser-agent: AtomExam/2.0 (x)\nDisallow: /plain\n"),), FORBIDDEN),
    f"huge.{HOST}": ((answer(200, b"User-agent: *\nDisallow: /plain\n".ljust(1 << 25, b"#") + b"#" * 99),), FORBIDDEN),
}
RULES = {  # of another site: a redirect further each, and the rules in the last
    **{f"step{n}.rules.example": (location(f"Location: http://step{n + 1}.rules.example/robots.txt"),) for n in range(5)},
    "step5.rules.example": (answer(200, b"User-agent: *\nDisallow: /plain\n"),),
}


# What pages of a kind lead to: `/KIND/NUMBER`, and whether they are whole when the site is well.
LEAD: dict[str, tuple[Callable[[str], bytes], bool]] = {
    "members": (lambda path: location(f"Location: /login?from={path}"), True),
    "signed-out": (lambda path: location("Location: /login"), True),
    "parked": (lambda path: location("Location: http://parking.example/sorry"), True),
    "sorry": (lambda path: location("Location: /plain/0/1"), True),
    "renamed": (lambda path: location("Location: /plain/0/1", status=301), False),
    "two-steps": (lambda path: location(f"Location: /parked{path.removeprefix('/two-steps')}"), True),
    "nowhere": (lambda path: location("Location: mailto:x@faults.example"), False),
    "away": (lambda path: location(f"Location: {SIGNED_LINK.replace(HOST, 'other.example')}"), False),
    "wall": (lambda path: location(f"Location: http://somebody:{PASSWORD}@{HOST}/login"), False),
}
# Forbidden, not of the web, of other hosts, and with a password.
ODD_LINKS = ("/private/1", f"ftp://{HOST}/page", "file:///etc/passwd", "data:text/html,<p>x", "http://127.0.0.1/", "//[::1]/", SIGNED_LINK)
PAUSE_SECONDS = 1


class FaultSite:
    """Pages with seeded faults, and what each was asked."""

    def __init__(self, pages: int, seed: int, slow: bool = True, is_well: bool = False) -> None:
        self.is_well = is_well
        draw = random.Random(seed)
        faulty = [kind for kind in FAULTS if slow or kind not in SLOW]
        kinds = faulty * 3 + [*WHOLE] * 3 + [*GONE] * 3 + ["plain"] * 40
        drawn = [(kind, NEVER) for kind in (*faulty, *LASTING)] + [(kind, 0) for kind in WHOLE]
        drawn += [(kind, draw.randint(1, TRIES.get(kind, 3))) for kind in draw.choices(kinds, k=max(0, pages - len(drawn)))]
        draw.shuffle(drawn)
        self.paths = [f"/{kind}/{0 if kind in WHOLE else tries}/{number}" for number, (kind, tries) in enumerate(drawn)]
        self.gone = sum(kind in GONE for kind, _ in drawn)
        self.asked: Counter[str] = Counter()
        self.times: list[tuple[str, float]] = []
        self.heads: set[str] = set()

    def expected(self) -> tuple[set[str], dict[str, str]]:
        """Return the texts that must be read, and the cause of each request that must fail; the forbidden ones are neither."""
        read = {text(f"/plain/0/{host}") for host, (_, end) in ROBOTS.items() if end is None}
        failed = {f"GET http://{host}/plain/0/{host}": end for host, (_, end) in ROBOTS.items() if end and end != FORBIDDEN}
        read |= {text(f"/plain/0/query{n}") for n in range(9)}
        failed |= {f"GET ftp://{HOST}/page": faults.NOT_THE_WEB, f"GET http://-@{HOST}/plain/0/1": faults.NOT_THE_WEB}
        for path in self.paths:
            _, kind, tries, _ = path.split("/")
            if kind in GONE:
                continue
            if int(tries) == NEVER:
                failed[f"GET http://{HOST}{path}"] = (FAULTS.get(kind) or LASTING[kind])[1]
            else:
                read.add(text(f"/plain{path}" if kind in ("moved", "steps", "refreshed") else path))
        return read, failed

    def index(self) -> str:
        """Return the list of all pages, some of them by several addresses that are one."""
        links = [f"<a href={path}>x</a><a href={path}#part>x</a>" for path in self.paths]
        links += [f"<a href=/plain/0/query{n}?{query}>x</a>" for n in range(9) for query in ("a=1&b=2", "b=2&a=1", "b=2&a=1#c")]
        links += [f"<a href=http://{host}/plain/0/{host}>x</a>" for host in ROBOTS]
        return "".join([*links, *(f"<a href={link!r}>x</a>" for link in ODD_LINKS)])

    async def serve(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        """Answer the requests of one connection."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                host = next(line[6:].decode() for line in head.split(b"\r\n") if line.lower().startswith(b"host: "))
                path = head.split(b" ")[1].decode().removeprefix(f"http://{host}")  # a proxy is asked for whole addresses
                self.asked[path if host == HOST else host + path] += 1
                self.times.append((host, time.monotonic()))
                self.heads.update(line for line in head.decode("latin-1").split("\r\n")[1:] if line)
                await self._answer(writer, host, path, cookie=b"\r\nCookie: " in head)
                if writer.is_closing():
                    return
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, writer: Writer, host: str, path: str, cookie: bool) -> None:
        if path == "/robots.txt":
            turns = ROBOTS[host][0] if host in ROBOTS else RULES.get(host, (answer(200, b"User-agent: *\nDisallow: /private/\n"),))
            turn = turns[min(self.asked[host + path], len(turns)) - 1]
            writer.write(turn)
            return None if turn else writer.close()
        if path == "/same":  # a list whose pages are all alike: no rule, no fault
            return writer.write(answer(200, "".join(f"<a href=/plain/0/{n}>x</a>" for n in range(5)).encode(), HTML))
        if path == "/down":
            return writer.write(answer(200, "".join(f"<a href=/503/99/{n}>x</a>" for n in range(20)).encode(), HTML))
        if path.startswith("/list-of/"):  # 30 pages of one kind, and one that is whole
            links = (f"<a href=/{path.split('/')[2]}/{n}>x</a>" for n in range(30))
            return writer.write(answer(200, "".join(["<a href=/plain/0/1>x</a>", *links]).encode(), HTML))
        if path.split("/")[1] in LEAD:
            leads, ready = LEAD[path.split("/")[1]]
            return writer.write(answer(200, html(path).encode(), HTML) if ready and self.is_well else leads(path))
        if urlsplit(path).path == "/login":
            return writer.write(answer(200, "<p>登录</p>".encode(), HTML))
        if path == "/leave-me":
            return writer.write(answer(429, b"", "Retry-After: 3600"))
        if path == "/busy":
            ready = self.asked[path] > 1
            return writer.write(answer(200, html(path).encode(), HTML) if ready else answer(429, b"", f"Retry-After: {PAUSE_SECONDS}"))
        if path == "/":
            return writer.write(answer(200, self.index().encode(), HTML))
        if path.startswith("/turn?"):
            return writer.write(location(f"Location: {urlsplit(path).query}"))
        if path.startswith("/endless?"):
            number = int(path.rsplit("=", 1)[1]) + 1
            return writer.write(answer(200, f"<a href=/endless?page={number}>x</a><p>{number}</p>".encode(), HTML))
        if path.startswith("/step/"):
            left, end = int(path.split("/")[2].partition("?")[0]) - 1, urlsplit(path).query
            return writer.write(location(f"Location: {f'/step/{left}?{end}' if left else end}"))
        return await self._page(writer, path, cookie)

    async def _page(self, writer: Writer, path: str, cookie: bool) -> None:
        kind, tries = path.split("/")[1:3]
        if kind in WHOLE and not (kind == "cookie_first" and cookie):
            await WHOLE[kind](writer, path.partition("?")[0])
        elif kind in GONE:
            await GONE[kind](writer, path)
        elif kind in FAULTS and self.asked[path] <= int(tries):
            await FAULTS[kind][0](writer, path)
        elif kind in LASTING:
            await LASTING[kind][0](writer, path)
        else:
            await WHOLE["plain"](writer, path)


@contextmanager
def serving(site: FaultSite) -> Iterator[str]:
    """Serve a site while the block runs; yield the server's base URL."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="faults", daemon=True)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(asyncio.start_server(site.serve, "127.0.0.1", 0), loop).result()
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        asyncio.run_coroutine_threadsafe(_end(server), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _end(server: asyncio.Server) -> None:
    """End the server, and the connections that still wait."""
    server.close()
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
