"""Names of hosts to addresses, public ones only: a page on the web has no business with the network this runs in."""

import ipaddress
import socket
from collections.abc import Sequence

from scrapy.crawler import Crawler
from scrapy.resolver import CachingThreadedResolver
from twisted.internet.base import ReactorBase
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError

_CLOUD_SERVICES = {ipaddress.ip_address("168.63.129.16")}  # public by its number, but answers inside Azure alone
refused: dict[str, str] = {}
"""Host -> address, of hosts that were not connected to. Twisted drops what a resolver says."""


class PublicResolver(CachingThreadedResolver):
    """Resolver of live crawls, IPv4 alone. What it returns is what is connected to, so a redirect or a name that changes is held too."""

    own_proxy: str | None = None
    """The host of a proxy that the user named: it may stand in the own network."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> "PublicResolver":
        """Return the resolver of a crawl."""
        resolver = super().from_crawler(crawler, reactor)
        resolver.own_proxy = crawler.settings.get("PROXY_HOST")
        return resolver

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:
        """Return the address of a host, or fail when it is loopback, private, link-local or otherwise not public."""
        found = super().getHostByName(name, timeout)
        return found if name == self.own_proxy else found.addCallback(_public, name)


def is_public(address: str) -> bool:
    """Tell whether an address may be anybody's: not loopback, private, link-local, shared, multicast or a cloud's own service."""
    number = ipaddress.ip_address(address)
    mapped = getattr(number, "ipv4_mapped", None) or number
    return mapped.is_global and not mapped.is_multicast and mapped not in _CLOUD_SERVICES


def literal(host: str) -> str | None:
    """Return the address that a host name spells (`2130706433`, `0x7f.1`, `::1`), or None where it is a name."""
    try:
        return str(ipaddress.ip_address(host.strip("[]")))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(host.rstrip(".")))  # reads every form that a connection would
    except (OSError, UnicodeError):
        return None


def _public(address: str, name: str) -> str:
    if not is_public(address):
        refused[name] = address
        raise DNSLookupError(f"{name} has the address {address}, which is not public")
    return address
