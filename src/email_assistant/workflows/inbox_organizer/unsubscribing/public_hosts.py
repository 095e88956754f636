"""Which network addresses belong to the public internet, so that a link in a mail cannot reach into a private network."""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence

from email_assistant.errors import InputError, ProviderError, TransientError

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Looks a host name up: its addresses as text. Raises `OSError`."""

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_PUBLIC_V6 = ipaddress.IPv6Network("2000::/3")
_NO_SUCH_NAME = frozenset(
    code for name in ("EAI_NONAME", "EAI_NODATA") if (code := getattr(socket, name, None)) is not None
)

# The special-purpose registries of IANA (RFC 6890), written out: what Python's `is_global` says differs between its
# releases, and multicast, NAT64 and 6to4 addresses count as global there.
_SPECIAL: tuple[tuple[str, str], ...] = (
    ("0.0.0.0/8", "this host"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "shared by a provider"),
    ("127.0.0.0/8", "loopback"),
    ("169.254.0.0/16", "link-local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "reserved"),
    ("192.0.2.0/24", "for documentation"),
    ("192.31.196.0/24", "reserved"),
    ("192.52.193.0/24", "reserved"),
    ("192.88.99.0/24", "6to4"),
    ("192.168.0.0/16", "private"),
    ("192.175.48.0/24", "reserved"),
    ("198.18.0.0/15", "for benchmarks"),
    ("198.51.100.0/24", "for documentation"),
    ("203.0.113.0/24", "for documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
    ("::/128", "this host"),
    ("::1/128", "loopback"),
    ("::ffff:0:0/96", "IPv4-mapped"),
    ("::/96", "IPv4-compatible"),
    ("64:ff9b::/96", "NAT64"),
    ("64:ff9b:1::/48", "NAT64"),
    ("2001::/23", "reserved"),
    ("2001:db8::/32", "for documentation"),
    ("2002::/16", "6to4"),
    ("2620:4f:8000::/48", "reserved"),
    ("3fff::/20", "for documentation"),
    ("fc00::/7", "private"),
    ("fe80::/10", "link-local"),
    ("fec0::/10", "site-local"),
    ("ff00::/8", "multicast"),
)
_NETWORKS: tuple[tuple[_Network, str], ...] = tuple(
    (ipaddress.ip_network(text), kind) for text, kind in _SPECIAL
)


def not_public(address: str) -> str:
    """Why the network address is not one of the public internet ("loopback", "private" …), or "" when it is."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "unreadable"
    for network, kind in _NETWORKS:
        if ip.version == network.version and ip in network:
            return kind
    return "reserved" if ip.version == 6 and ip not in _PUBLIC_V6 else ""


async def addresses_of(host: str, port: int, resolve: Resolver) -> list[str]:
    """The host's network addresses, each once; a literal address is its own.

    Raises `ProviderError` when there is no such host, `TransientError` when it could not be looked up.
    """
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        pass
    try:
        found = list(dict.fromkeys(await resolve(host, port)))
    except socket.gaierror as error:
        if error.errno in _NO_SUCH_NAME:
            raise ProviderError(f"there is no host {host}") from None
        raise TransientError(f"the host {host} could not be looked up") from None
    except (OSError, UnicodeError):
        raise TransientError(f"the host {host} could not be looked up") from None
    if not found:
        raise ProviderError(f"there is no host {host}")
    return found


async def public_addresses(host: str, port: int, resolve: Resolver) -> list[str]:
    """`addresses_of`, every one of them public; raises `InputError` naming the first that is not."""
    found = await addresses_of(host, port, resolve)
    for address in found:
        if kind := not_public(address):
            raise InputError(f"{host} leads to {address}, which is not on the public internet ({kind})")
    return found


async def system_resolver(host: str, port: int) -> list[str]:
    """What this machine's resolver says, in its order of preference."""
    loop = asyncio.get_running_loop()
    entries = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in entries]
