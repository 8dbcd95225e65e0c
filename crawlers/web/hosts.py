"""Where a crawl may go: the source's own hosts, at the ports of the web, and through no proxy that was not named for it."""

from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest

from crawlers.store.session import without_password
from crawlers.web.account import OFF_SITE, refuse
from crawlers.web.faults import NOT_PUBLIC, NOT_THE_WEB, OTHER_SITE
from crawlers.web.public_hosts import is_public, literal


class Hosts:
    """Downloader middleware, the first of all. A spider's `allowed_domains` are the hosts it may ask, with their subdomains.

    Scrapy's own lets start pages, and whatever they redirect to, go anywhere, and drops links without a word to their errback.
    Settings: WEB_PORTS (empty allows any), PUBLIC_ONLY.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.stats = crawler.stats
        self.domains = tuple(domain.lower() for domain in getattr(crawler.spider or crawler.spidercls, "allowed_domains", None) or ())
        ports = [int(port) for port in crawler.settings.getlist("WEB_PORTS")]
        self.ports = {None, *ports} if ports else set()
        self.public_only = crawler.settings.getbool("PUBLIC_ONLY")
        if not self.domains:
            where = f"crawlers/sources/{crawler.spidercls.name}/spider.py"
            raise ValueError(f"{where}: the spider names no host in `allowed_domains`, and would follow every link; name its site's")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Hosts":
        """Return the middleware of a crawl."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Let a request through, or say why not."""
        why = self.why_not(request.url)
        if why and why.startswith(OTHER_SITE) and not request.meta.get("redirect_urls"):
            self.stats.inc_value(OFF_SITE)
            raise IgnoreRequest(f"{without_password(request.url)}: not on a host of this source")
        if why:
            raise refuse(self.stats, request, why)

    def why_not(self, url: str) -> str | None:
        """Return why an address may not be asked, or None."""
        address = urlsplit(url)
        host = (address.hostname or "").lower()
        if not any(host == domain or host.endswith(f".{domain}") for domain in self.domains):
            return f"{OTHER_SITE}: {host}"
        try:
            port = address.port
        except ValueError:
            return f"{NOT_THE_WEB}: a port that is none"
        if "@" in address.netloc:
            return f"{NOT_THE_WEB}: it holds a name or password"
        if address.scheme not in ("http", "https") or (self.ports and port not in self.ports):
            return f"{NOT_THE_WEB}: {address.scheme}, port {port}"
        if self.public_only and (number := literal(host)) and not is_public(number):
            return f"{NOT_PUBLIC}: {host} is {number}"
        return None


class Proxy:
    """Downloader middleware before Scrapy's proxy middleware: every request goes through the proxy of the setting PROXY, or none."""

    def __init__(self, proxy: str | None) -> None:
        self.proxy = proxy

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Proxy":
        """Return the middleware of a crawl."""
        return cls(crawler.settings.get("PROXY"))

    def process_request(self, request: Request) -> None:
        """Name the proxy; None keeps Scrapy from taking one from the environment."""
        request.meta["proxy"] = self.proxy
