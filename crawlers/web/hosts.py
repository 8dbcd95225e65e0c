"""Restrict a crawl to the source's hosts and standard ports, and to the proxy set by the user, if any."""

import ipaddress
import re
import socket
from collections.abc import Sequence
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.resolver import CachingThreadedResolver
from twisted.internet.base import ReactorBase
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError

from crawlers.store.exchanges import without_password
from crawlers.web.failure_causes import NOT_PUBLIC, NOT_THE_WEB, OFF_SITE, OTHER_SITE, refuse

_CLOUD_SERVICES = {ipaddress.ip_address("168.63.129.16")}  # a public address, but it answers only inside Azure
_SESSION = re.compile(r"([;?&])(?:jsessionid|phpsessid|aspsessionid[a-z]*|cfid|cftoken)=[\w.!-]*(&?)|/\([SFX]\([0-9a-z]{24}\)\)(?=/)", re.I)
"""Session ids in URLs, which differ on each visit and would make each page look new."""
_CALENDAR = re.compile(r"(?:[?&](?:year|month|ym|date|day|start)=|/(?:calendar|rili|events?|archives?)/)(\d{4})(?!\d{3})", re.I)
FOR_ROBOTS = "is_robots"
"""Meta key: true if a robots.txt is requested."""
refused: dict[str, str] = {}
"""Refused host -> address. It is kept here because Twisted drops a resolver's message."""


class PublicResolver(CachingThreadedResolver):
    """Resolver of live crawls, IPv4 only. Connections use the address it returns, so redirects and DNS rebinding are checked too."""

    own_proxy: str | None = None
    """The host of the user's proxy, which may be on the user's own network."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> "PublicResolver":
        """Return the resolver of a crawl."""
        resolver = super().from_crawler(crawler, reactor)
        resolver.own_proxy = crawler.settings.get("PROXY_HOST")
        return resolver

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:
        """Return the address of a host; fail if it is loopback, private, link-local or otherwise not public."""
        address = super().getHostByName(name, timeout)
        return address if name == self.own_proxy else address.addCallback(_public, name)


def is_public(address: str) -> bool:
    """Return whether an address is public: not loopback, private, link-local, shared, multicast or a cloud-internal service."""
    number = ipaddress.ip_address(address)
    mapped = getattr(number, "ipv4_mapped", None) or number
    return mapped.is_global and not mapped.is_multicast and mapped not in _CLOUD_SERVICES


def literal(host: str) -> str | None:
    """Return the IP address that a host spells out (`2130706433`, `0x7f.1`, `::1`), or None if it is a name."""
    try:
        return str(ipaddress.ip_address(host.strip("[]")))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(host.rstrip(".")))  # accepts every form that a connection accepts
    except (OSError, UnicodeError):
        return None


def _public(address: str, name: str) -> str:
    if not is_public(address):
        refused[name] = address
        raise DNSLookupError(f"{name} has the address {address}, which is not public")
    return address


class Hosts:
    """The first downloader middleware. A spider may request only the hosts in its `allowed_domains`, and their subdomains.

    Scrapy's own middleware does not restrict start pages and their redirects, and drops links without calling their errback.
    Settings: WEB_PORTS (empty allows any), PUBLIC_ONLY.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.stats = crawler.stats
        self.domains = tuple(domain.lower() for domain in getattr(crawler.spider or crawler.spidercls, "allowed_domains", None) or ())
        ports = [int(port) for port in crawler.settings.getlist("WEB_PORTS")]
        self.ports = {None, *ports} if ports else set()
        self.last_year = int((getattr(crawler.spider, "snapshot", None) or "9998")[:4]) + 1
        self.public_only = crawler.settings.getbool("PUBLIC_ONLY")
        if not self.domains:
            where = f"crawlers/sources/{crawler.spidercls.name}/spider.py"
            raise ValueError(f"{where}: `allowed_domains` is empty, so the spider would follow every link; add the hosts of its site")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Hosts":
        """Return the middleware of a crawl."""
        return cls(crawler)

    def process_request(self, request: Request) -> Request | None:
        """Pass a request, replace it with one without a session id, or raise with the reason."""
        if not request.meta.get("redirect_urls") and (lasting := _SESSION.sub(_without_session, request.url)) != request.url:
            return request.replace(url=lasting)
        if any(int(year) > self.last_year for year in _CALENDAR.findall(request.url)):
            self.stats.inc_value(OFF_SITE)
            raise IgnoreRequest(f"{request.url}: a page of an endless calendar")
        why = self.why_not(request)
        if why and why.startswith(OTHER_SITE) and not request.meta.get("redirect_urls"):
            self.stats.inc_value(OFF_SITE)
            raise IgnoreRequest(f"{without_password(request.url)}: not on a host of this source")
        if why:
            raise refuse(self.stats, request, why)
        return None

    def why_not(self, request: Request) -> str | None:
        """Return why a request may not be sent, or None. A request for robots.txt may be redirected to any host."""
        address = urlsplit(request.url)
        host = (address.hostname or "").lower()
        if not request.meta.get(FOR_ROBOTS) and not any(host == domain or host.endswith(f".{domain}") for domain in self.domains):
            return f"{OTHER_SITE}: {host}"
        try:
            port = address.port
        except ValueError:
            return f"{NOT_THE_WEB}: an invalid port"
        if "@" in address.netloc:
            return f"{NOT_THE_WEB}: it contains a user name or password"
        if address.scheme not in ("http", "https") or (self.ports and port not in self.ports):
            return f"{NOT_THE_WEB}: {address.scheme}, port {port}"
        if self.public_only and (number := literal(host)) and not is_public(number):
            return f"{NOT_PUBLIC}: {host} is {number}"
        return None


def _without_session(match: re.Match[str]) -> str:
    return match[1] if match[2] and match[1] != ";" else match[2] or ""


class Proxy:
    """Downloader middleware that runs before Scrapy's proxy middleware and sends all requests through the proxy in PROXY, if it is set."""

    def __init__(self, proxy: str | None) -> None:
        self.proxy = proxy

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Proxy":
        """Return the middleware of a crawl."""
        return cls(crawler.settings.get("PROXY"))

    def process_request(self, request: Request) -> None:
        """Set the proxy; None keeps Scrapy from using a proxy from the environment."""
        request.meta["proxy"] = self.proxy
