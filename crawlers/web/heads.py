"""A limit for the head of an answer: Scrapy's own counts bodies alone, and lines of a head without end would fill the memory."""

from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Protocol
from twisted.web.client import HTTPConnectionPool

_MAX_BYTES = 256 * 1024
_IN_HEAD = ("STATUS", "HEADER")


def limit_heads(pool: HTTPConnectionPool) -> None:
    """Let a pool's connections end where a head grows beyond all measure; the failure names `ConnectionAborted`.

    Twisted has no public place for this. A test sends a head without end, so a version in which this does nothing is found out.
    """
    made = pool._factory

    class Limited(made):  # type: ignore[misc, valid-type]
        """Factory of connections that count what comes before a body."""

        def buildProtocol(self, addr: IAddress | None) -> Protocol:
            return _counting(super().buildProtocol(addr))

    pool._factory = Limited


def _counting(protocol: Protocol) -> Protocol:
    receive, seen, answer = protocol.dataReceived, 0, None

    def counted(data: bytes) -> None:
        nonlocal seen, answer
        if protocol._parser is not answer:  # one for each answer; those that come in one piece are never seen past their head
            seen, answer = 0, protocol._parser
        seen = seen + len(data) if getattr(answer, "state", None) in _IN_HEAD else 0
        if seen > _MAX_BYTES + len(data):
            protocol.transport.abortConnection()
        else:
            receive(data)

    protocol.dataReceived = counted
    return protocol
