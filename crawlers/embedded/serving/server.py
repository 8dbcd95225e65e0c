"""An HTTP server on loopback that serves all replicas, each under its own host name."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import ModuleType

from aiohttp import web

from crawlers.embedded.content import Content, load_content
from crawlers.embedded.serving.saved import SavedSite, saved_site
from crawlers.embedded.site import Respond, SiteReply, SiteRequest
from crawlers.embedded.sites import SITES
from crawlers.html.source_spider import SourceSpider

_NOT_FOUND = SiteReply(
    status=404, headers={"Content-Type": "text/html; charset=utf-8"}, body="<title>404</title><p>页面不存在</p>".encode()
)
_NO_RULES = SiteReply(headers={"Content-Type": "text/plain"}, body=b"User-agent: *\nDisallow:\n")
_MAX_BODY_BYTES = 1 << 20
Site = ModuleType | SavedSite


class _Dispatch:
    """Dispatches requests to the site for their host; a site is built on its first request."""

    def __init__(self, snapshot: str, sites: Mapping[str, Site], content: Callable[[], Content]) -> None:
        # The replicas' clock is fixed at the snapshot date, so that stored pages do not depend on the time.
        self.date = format_datetime(datetime.strptime(snapshot, "%Y-%m-%d").replace(tzinfo=UTC), usegmt=True)
        self.by_host = {host: site for site in sites.values() for host in site.HOSTS}
        self.content = content
        self.built: dict[str, Respond] = {}

    async def answer(self, request: web.Request) -> web.Response:
        host = request.host.partition(":")[0].lower()
        ask = SiteRequest(
            method=request.method,
            host=host,
            target=request.raw_path,
            headers={name.lower(): value for name, value in request.headers.items()},
            body=await request.read(),
        )
        reply = self.reply(ask)
        headers = {"Server": "nginx", "Date": self.date, **reply.headers}
        if reply.status == 200:
            headers.setdefault("ETag", _tag(reply))
            if ask.method == "GET" and ask.headers.get("if-none-match") == headers["ETag"]:
                remaining = {name: value for name, value in headers.items() if not name.lower().startswith("content-")}
                return web.Response(status=304, headers=remaining)
        return web.Response(status=reply.status, headers=headers, body=reply.body)

    def reply(self, ask: SiteRequest) -> SiteReply:
        site = self._site(ask.host)
        if site is None:
            text = f"no embedded site answers for {ask.host}; known: {', '.join(sorted(self.by_host))}"
            return SiteReply(status=501, headers={"Content-Type": "text/plain; charset=utf-8"}, body=text.encode())
        if site.__name__ not in self.built:
            self.built[site.__name__] = site.build(self.content())
        reply = self.built[site.__name__](ask)
        if reply is None:
            reply = _NO_RULES if ask.target == "/robots.txt" else _NOT_FOUND
        return reply

    def _site(self, host: str) -> Site | None:
        """Return the site of a host; subdomains belong to a known host, as in `allowed_domains`."""
        while host and host not in self.by_host:
            host = host.partition(".")[2]
        return self.by_host.get(host)


def _tag(reply: SiteReply) -> str:
    """Return the ETag of an answer."""
    headers = "\n".join(f"{name}: {value}" for name, value in sorted(reply.headers.items()))
    return f'"{sha256(headers.encode() + reply.body).hexdigest()[:20]}"'


async def _leave_out_type(request: web.Request, response: web.StreamResponse) -> None:
    """Remove the content type that aiohttp adds to a reply that has none, because some real sites send none."""
    if response.headers.get("Content-Type") == "application/octet-stream":
        del response.headers["Content-Type"]


@contextmanager
def serving(snapshot: str, sites: Mapping[str, Site] = SITES, content: Callable[[], Content] = load_content) -> Iterator[str]:
    """Serve the replicas while the block runs; yield the server's base URL. The header `Host` selects the site."""
    loop = asyncio.new_event_loop()
    app = web.Application(client_max_size=_MAX_BODY_BYTES)
    app.router.add_route("*", "/{path:.*}", _Dispatch(snapshot, sites, content).answer)
    app.on_response_prepare.append(_leave_out_type)
    runner = web.AppRunner(app, access_log=None)

    async def start() -> int:
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner.addresses[0][1]

    thread = threading.Thread(target=loop.run_forever, name="embedded sites", daemon=True)
    thread.start()
    try:
        port = asyncio.run_coroutine_threadsafe(start(), loop).result()
        yield f"http://127.0.0.1:{port}"
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def site_of(spider: type[SourceSpider]) -> tuple[Callable[[str], AbstractContextManager[str]], str]:
    """Return the server for a source's replica or saved pages, to be called with a snapshot, and a hash of its content.

    Raises:
        ValueError: the source has neither; the message says what to do.
    """
    if spider.name in SITES:
        return serving, state()
    site = saved_site(spider)
    return partial(serving, sites={spider.name: site}, content=Content), site.state()


def state() -> str:
    """Return a hash of all replica files, so that one crawl never mixes pages from two versions."""
    folder = Path(__file__).parents[1]
    digest = sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"{path.relative_to(folder).as_posix()}\0".encode() + sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
