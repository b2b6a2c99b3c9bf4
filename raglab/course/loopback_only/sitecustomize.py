"""Cuts a Python process off from every network but loopback.

Python runs this file at its start when its folder is on PYTHONPATH. `raglab test` and `raglab class` put it there, so
it holds for pytest, for the kernels of lessons and submissions, and for every Python they start in turn.
"""

import ipaddress
import sys
from typing import Any


def _is_loopback(host: object) -> bool:
    name = host.decode() if isinstance(host, bytes) else str(host or "localhost")
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        host = arguments[0]
    elif event in ("socket.connect", "socket.sendto", "socket.sendmsg") and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    if not _is_loopback(host) and host not in ("0.0.0.0", "::"):  # the wildcard is for listening
        raise ConnectionRefusedError(f"only loopback may be reached here, not {host}")


if "loopback_only" not in sys.__dict__:
    sys.__dict__["loopback_only"] = True  # an audit hook cannot be removed, so it must not be added twice
    sys.addaudithook(_refuse)
