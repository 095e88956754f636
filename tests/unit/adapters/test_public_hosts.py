"""Which network addresses are of the public internet."""

import asyncio
import ipaddress
import socket
from collections.abc import Sequence

import pytest

from email_assistant.errors import InputError, ProviderError, TransientError
from email_assistant.workflows.inbox_organizer.unsubscribing.one_click import (
    Resolver,
    not_public,
    public_addresses,
    system_resolver,
)


def answering(*addresses: str) -> Resolver:
    """A resolver that always gives these addresses."""

    async def resolve(host: str, port: int) -> Sequence[str]:
        return addresses

    return resolve


def failing(error: Exception) -> Resolver:
    """A resolver that always fails."""

    async def resolve(host: str, port: int) -> Sequence[str]:
        raise error

    return resolve


@pytest.mark.parametrize(
    "address",
    ["1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.167.1.1", "198.17.255.255",
     "223.255.255.255", "2606:4700:4700::1111", "2001:4860:4860::8888", "2a00:1450::1"],
)  # fmt: skip
def test_public_addresses_are_taken(address: str) -> None:
    """Addresses of the internet, some just beside a special range, are public."""
    assert not_public(address) == ""


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("0.0.0.0", "this host"),
        ("127.0.0.1", "loopback"),
        ("10.0.0.1", "private"),
        ("172.16.0.1", "private"),
        ("169.254.169.254", "link-local"),
        ("100.64.0.1", "shared by a provider"),
        ("192.0.0.192", "reserved"),
        ("224.0.0.1", "multicast"),
        ("255.255.255.255", "reserved"),
        ("::1", "loopback"),
        ("::ffff:127.0.0.1", "IPv4-mapped"),
        ("64:ff9b::127.0.0.1", "NAT64"),
        ("2002:7f00:1::", "6to4"),
        ("fc00::1", "private"),
        ("fe80::1", "link-local"),
        ("", "unreadable"),
        ("0177.0.0.1", "unreadable"),
    ],
)
def test_all_others_are_refused(address: str, kind: str) -> None:
    """Each special range is refused under its name, and so is what is no address in its usual form."""
    assert not_public(address) == kind


def test_it_is_never_laxer_than_the_standard_library() -> None:
    """Of many addresses all over the IPv4 and IPv6 space none is public that Python calls special."""
    spread = [ipaddress.ip_address(number * 0x0001_0F35 % 2**32) for number in range(20_000)]
    spread += [ipaddress.IPv6Address((number << 117) + 1) for number in range(2_000)]
    for ip in spread:
        if not ip.is_global or ip.is_multicast or ip.is_reserved:
            assert not_public(str(ip)), ip


async def test_one_private_answer_spoils_all() -> None:
    """A name that leads to a public and a private address is refused, in whichever order they come."""
    assert await public_addresses("a.example", 443, answering("1.1.1.1", "1.1.1.1", "2606:4700::1")) == [
        "1.1.1.1",
        "2606:4700::1",
    ]
    for found in (("1.1.1.1", "10.0.0.1"), ("10.0.0.1", "1.1.1.1")):
        with pytest.raises(InputError, match=r"a\.example leads to 10\.0\.0\.1.*private"):
            await public_addresses("a.example", 443, answering(*found))


async def test_failed_look_ups() -> None:
    """No such name is for good; any other failure may pass."""
    with pytest.raises(ProviderError, match="there is no host") as caught:
        await public_addresses("a.example", 443, failing(socket.gaierror(socket.EAI_NONAME, "x")))
    assert not isinstance(caught.value, TransientError)
    with pytest.raises(ProviderError, match="there is no host"):
        await public_addresses("a.example", 443, answering())
    for error in (socket.gaierror(socket.EAI_AGAIN, "x"), OSError(), UnicodeError()):
        with pytest.raises(TransientError, match="could not be looked up"):
            await public_addresses("a.example", 443, failing(error))


async def test_the_systems_own_resolver() -> None:
    """It knows this machine, whose addresses are refused; many may look up at once."""
    found = await asyncio.gather(*(system_resolver("localhost", 443) for _ in range(5)))
    assert all({"127.0.0.1", "::1"} & set(one) for one in found)
    with pytest.raises(InputError, match="loopback"):
        await public_addresses("localhost", 443, system_resolver)
