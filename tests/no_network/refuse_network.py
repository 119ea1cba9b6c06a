"""Connections beyond this machine are refused, in this process: imported for its effect."""

import socket
import sys

_HERE = {"", "localhost", "::1", "::", "0.0.0.0", socket.gethostname()}


def _refuse(event: str, arguments: tuple) -> None:
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else ""  # else a socket of this machine's own
    elif event == "socket.getaddrinfo":
        host = arguments[0] or ""
    else:
        return
    host = host.decode() if isinstance(host, bytes) else str(host)
    if host not in _HERE and not host.startswith("127."):
        raise ConnectionRefusedError(f"tests open no connection beyond this machine, and this one asks for {host}")


sys.addaudithook(_refuse)
