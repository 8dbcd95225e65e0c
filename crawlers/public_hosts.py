"""Names of hosts to addresses, public ones only: a page on the web has no business with the network this runs in."""

import ipaddress
import logging
from collections.abc import Sequence

from scrapy.resolver import CachingThreadedResolver
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError

logger = logging.getLogger(__name__)


class PublicResolver(CachingThreadedResolver):
    """Resolver of live crawls. Asked at each connection, so a redirect or a name that changes its address is held too."""

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:
        """Return the address of a host, or fail when it is loopback, private, link-local or otherwise not public."""
        return super().getHostByName(name, timeout).addCallback(_public, name)


def _public(address: str, name: str) -> str:
    if not ipaddress.ip_address(address).is_global:
        # Twisted drops the text of the error, so the reason is told here.
        logger.warning("%s has the address %s, which is not public; such hosts are not crawled", name, address)
        raise DNSLookupError(f"{name} has the address {address}, which is not public")
    return address
