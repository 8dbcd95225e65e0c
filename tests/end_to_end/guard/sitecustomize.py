"""Refuse, and write down, every connection that leaves this machine. Python runs this at its start when the folder is on PYTHONPATH."""

import ipaddress
import os
import socket

_LOG = os.environ.get("NETWORK_LOG")
_connect, _connect_ex, _getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo


def _refuse(what: object) -> None:
    if _LOG:
        with open(_LOG, "a", encoding="utf-8") as log:
            log.write(f"{os.getpid()} {what}\n")
    raise OSError(f"the network is taken away: {what}")


def _is_here(host: object) -> bool:
    if host in (None, "", "localhost", b"localhost", socket.gethostname()):
        return True
    try:
        return ipaddress.ip_address(host.decode() if isinstance(host, bytes) else str(host)).is_loopback
    except ValueError:
        return False


def _guarded(original):
    def call(self, address):
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_here(address[0]):
            _refuse(address)
        return original(self, address)

    return call


def _lookup(host, *rest, **named):
    if not _is_here(host):
        _refuse(host)
    return _getaddrinfo(host, *rest, **named)


socket.socket.connect = _guarded(_connect)
socket.socket.connect_ex = _guarded(_connect_ex)
socket.getaddrinfo = _lookup
