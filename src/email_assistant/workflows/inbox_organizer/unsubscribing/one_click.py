"""Leaving a mailing with one POST (RFC 8058), to an address that its sender chose.

So the request must not become a way into the network this program runs in, nor tell more than it has to. The host's
name is looked up once; the connection goes to the very network address that was checked, and the certificate is
checked against the name. Proxies of the environment are not used: behind one nobody could tell where the request goes.
"""

import asyncio
import ssl
from dataclasses import dataclass

import httpx

from email_assistant.errors import ProviderError, TransientError
from email_assistant.mail.unsubscribe import ONE_CLICK, one_click_address
from email_assistant.mail.web_address import PORTS, WebAddress
from email_assistant.workflows.inbox_organizer.unsubscribing.public_hosts import (
    Resolver,
    addresses_of,
    public_addresses,
    system_resolver,
)

TIMEOUT_SECONDS = 10.0
"""For everything from looking the name up to the answer's status."""

CONNECT_SECONDS = 4.0
"""For one network address; then the host's next one is tried."""

MAX_ADDRESSES = 4
USER_AGENT = "email-assistant (one-click unsubscribe, RFC 8058)"

_AGAIN = frozenset([408, 425, 429])


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
            trusted = await asyncio.to_thread(_usual_certificates)
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


def _usual_certificates() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)


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
