"""The guard that keeps tests on this machine."""

import asyncio
import socket

import pytest

OUTSIDE = ["192.0.2.1", "db.example.com"]


@pytest.mark.parametrize("host", OUTSIDE)
def test_outside_is_refused(host: str) -> None:
    """Connecting to, and looking up, anything that is not this machine is an error."""
    with pytest.raises(RuntimeError, match="tests may not"):
        socket.create_connection((host, 443), timeout=1)
    with pytest.raises(RuntimeError, match="tests may not"):
        socket.getaddrinfo(host, 443)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as sock, pytest.raises(RuntimeError, match="tests may not connect"):
        sock.connect((host, 443))
    with (
        socket.socket(family, socket.SOCK_DGRAM) as sock,
        pytest.raises(RuntimeError, match="tests may not connect"),
    ):
        sock.sendto(b"x", (host, 53))


async def test_outside_is_refused_to_the_event_loop() -> None:
    """Connections that asyncio makes are guarded, too."""
    with pytest.raises(RuntimeError, match="tests may not"):
        await asyncio.open_connection("192.0.2.1", 443)


def test_loopback_is_allowed() -> None:
    """A server of this machine can be reached."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(("localhost", server.getsockname()[1]), timeout=5).close()
