"""Download handler that sends requests for any host to the replica server, while the spider still sees the original URLs."""

from urllib.parse import urlsplit

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.http import Response

from crawlers.web.bodies import whole
from crawlers.web.download import Pauses, limit_heads


class EmbeddedHandler(HTTP11DownloadHandler):
    """Handler for http and https, like LiveHandler, but for the server in the setting EMBEDDED_BASE_URL."""

    lazy = True

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        limit_heads(self._pool)
        self.base_url: str = crawler.settings["EMBEDDED_BASE_URL"]
        self.pauses = Pauses(crawler)
        self.max_bytes = crawler.settings.getint("DOWNLOAD_MAXSIZE")

    async def download_request(self, request: Request) -> Response:
        """Fetch a page of a replica."""
        await self.pauses.wait(request)
        address = urlsplit(request.url)
        target = (address.path or "/") + (f"?{address.query}" if address.query else "")
        local = request.replace(url=self.base_url + target, headers={**request.headers, b"Host": address.netloc.encode()})
        response = await super().download_request(local)
        self.pauses.note(request, response)
        return whole(request, response.replace(url=request.url), self.max_bytes)
