"""Addresses of servers: what of them may be shown."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

# The ports that are meant where an address of Spark has none.
CONNECT_PORT = 15002
MASTER_PORT = 7077

_AT_BEHIND_HOST = re.compile("[/?#].*@", re.DOTALL)


def server_of(address: str, default_port: int) -> tuple[str, int] | None:
    """The host and the port of an address, the first one of several. None if it names no host.

    What stands before an ``@`` and after a ``;`` may be a secret. With an ``@`` behind the host, nobody can
    say where the secret is: such an address names no host.

    >>> server_of("spark://one,two:7000", 7077), server_of("sc://user:pw@one:1/;token=t", 15002)
    (('one', 7077), ('one', 1))
    >>> server_of("local[2]", 7077), server_of("spark://[x:1", 7077), server_of("sc://one/?a=b@c", 1)
    (None, None, None)
    """
    scheme, _, named = address.strip().partition(";")[0].rpartition("://")
    if _AT_BEHIND_HOST.search(named):
        return None
    try:
        parts = urlsplit(f"//{named.rpartition('@')[2].partition(',')[0]}")
        host, port = parts.hostname, parts.port or default_port
    except ValueError:
        return None
    return (host, port) if scheme and host else None


def shown_server(address: str, default_port: int) -> str:
    """The host and the port of an address as people read them. Empty if it names no host.

    >>> shown_server("sc://user:pw@one/;token=t", 15002), shown_server("spark://[::1]:7000", 7077)
    ('one:15002', '[::1]:7000')
    """
    server = server_of(address, default_port)
    if server is None:
        return ""
    host, port = server
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
