"""Leaving a mailing with one POST (RFC 8058), to an address that its sender chose.

So the request must not become a way into the network this program runs in, nor tell more than it has to. The host's
name is looked up once, and every address of it must be on the public internet; the connection goes to the very network address
that was checked, and the certificate is checked against the name. Proxies of the environment are not used: behind one nobody could
tell where the request goes.
"""

import asyncio
import ipaddress
import socket
import ssl
import tomllib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from email_assistant.errors import InputError, ProviderError, TransientError
from email_assistant.workflows.inbox_organizer.unsubscribing.list_headers import ONE_CLICK, one_click_address
from email_assistant.workflows.inbox_organizer.unsubscribing.uris import PORTS, WebAddress

TIMEOUT_SECONDS = 10.0
"""For everything from looking the name up to the answer's status."""

CONNECT_SECONDS = 4.0
"""For one network address; then the host's next one is tried."""

MAX_ADDRESSES = 4
USER_AGENT = "email-assistant (one-click unsubscribe, RFC 8058)"

_AGAIN = frozenset([408, 425, 429])

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Looks a host name up: its addresses as text. Raises `OSError`."""

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_PUBLIC_V6 = ipaddress.IPv6Network("2000::/3")
_NO_SUCH_NAME = frozenset(
    code for name in ("EAI_NONAME", "EAI_NODATA") if (code := getattr(socket, name, None)) is not None
)

_REGISTRIES = tomllib.loads(Path(__file__).with_name("networks.toml").read_text(encoding="utf-8"))
_NETWORKS: tuple[tuple[_Network, str], ...] = tuple(
    (ipaddress.ip_network(text), kind) for text, kind in _REGISTRIES.items()
)


def not_public(address: str) -> str:
    """The reason why the network address is not one of the public internet ("loopback", "private" …), or "" when it is."""
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
    """The addresses by this machine's resolver, in its order of preference."""
    loop = asyncio.get_running_loop()
    entries = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in entries]


@dataclass(frozen=True)
class OneClick:
    """An `Unsubscriber` over HTTPS; it keeps nothing from one request to the next.

    `allow` are the "host:port" ("127.0.0.1:8080", "[::1]:8080") that may be private and plain http: for trying out
    against a server of one's own. `certificates` are those to trust instead of the usual ones.
    """

    allow: frozenset[str] = frozenset()
    resolve: Resolver = system_resolver
    timeout: float = TIMEOUT_SECONDS
    certificates: ssl.SSLContext | None = None

    async def post(self, url: str) -> None:
        """Ask to be taken off the list.

        Raises `InputError` when the address is refused, `TransientError` for a time-out, a lost connection, 5xx, 408,
        425 and 429, `ProviderError` for any other answer that is not a success; redirects are not followed.
        """
        address = one_click_address(url, allow=self.allow)
        try:
            async with asyncio.timeout(self.timeout):
                status = await self._status(address)
        except (TimeoutError, httpx.TimeoutException):
            raise TransientError(f"{address.host} did not answer in time") from None
        except httpx.TransportError as error:
            raise _failure(address.host, error) from None
        _judge(address.host, status)

    async def _status(self, address: WebAddress) -> int:
        """The answer's status. Of its body nothing is read: whatever it says, the status alone counts."""
        find = addresses_of if address.netloc in self.allow else public_addresses
        found = await find(address.host, address.port, self.resolve)
        trusted = self.certificates
        if trusted is None:
            trusted = await asyncio.to_thread(httpx.create_ssl_context, trust_env=False)
        timeout = httpx.Timeout(self.timeout, connect=CONNECT_SECONDS)
        async with httpx.AsyncClient(
            verify=trusted, trust_env=False, follow_redirects=False, timeout=timeout
        ) as client:
            return await _first_answer(client, address, found[:MAX_ADDRESSES])


async def _first_answer(client: httpx.AsyncClient, address: WebAddress, found: list[str]) -> int:
    """From the first network address that can be connected to; up to there nothing has been sent."""
    for position, ip in enumerate(found, 1):
        try:
            async with client.stream(
                "POST",
                _url(address, ip),
                content=ONE_CLICK,
                headers=_headers(address),
                extensions={"sni_hostname": address.host},
            ) as answer:
                return answer.status_code
        except (httpx.ConnectError, httpx.ConnectTimeout):
            if position == len(found):
                raise
    raise AssertionError("a host without addresses")


def _url(address: WebAddress, ip: str) -> httpx.URL:
    host = f"[{ip}]" if ":" in ip else ip
    return httpx.URL(f"{address.scheme}://{host}:{address.port}{address.target}")


def _headers(address: WebAddress) -> dict[str, str]:
    usual = address.port == PORTS[address.scheme]
    return {
        "host": address.netloc.removesuffix(f":{address.port}") if usual else address.netloc,
        "user-agent": USER_AGENT,
        "accept-encoding": "identity",
        "content-type": "application/x-www-form-urlencoded",
    }


def _failure(host: str, error: httpx.TransportError) -> ProviderError:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return ProviderError(f"{host} has no valid certificate: {cause.verify_message}")
        cause = cause.__cause__ or cause.__context__
    return TransientError(f"the connection to {host} failed")


def _judge(host: str, status: int) -> None:
    if 200 <= status < 300:
        return
    if status >= 500 or status in _AGAIN:
        raise TransientError(f"{host} cannot take the request now (status {status})")
    if 300 <= status < 400:
        raise ProviderError(
            f"{host} wants to lead to another address, which is not followed (status {status})"
        )
    raise ProviderError(f"{host} refused the request (status {status})")
