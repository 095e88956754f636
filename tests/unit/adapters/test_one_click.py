"""Leaving a mailing with one POST, against real servers on this machine."""

import asyncio
import contextlib
import datetime as dt
import ipaddress
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from pytest_httpserver import HTTPServer
from werkzeug import Request

from email_assistant.errors import InputError, ProviderError, TransientError
from email_assistant.workflows.inbox_organizer.unsubscribing.list_headers import Unsubscriber
from email_assistant.workflows.inbox_organizer.unsubscribing.one_click import OneClick
from tests.conftest import OutsideConnectionError

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Resolving:
    """A resolver with prepared answers, the last of them for ever, that keeps what it was asked."""

    def __init__(self, *answers: Sequence[str]) -> None:
        """The answers, in order."""
        self._answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """The next answer."""
        self.asked.append(host)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def place(server: HTTPServer) -> str:
    """The server's host and port."""
    return f"{server.host}:{server.port}"


def allowing(server: HTTPServer) -> OneClick:
    """One that may use the server."""
    return OneClick(allow=frozenset([place(server)]))


def requests(server: HTTPServer) -> list[Request]:
    """What the server was asked."""
    return [request for request, _ in server.log]


@contextlib.asynccontextmanager
async def speaking(handler: Handler, host: str = "127.0.0.1") -> AsyncIterator[str]:
    """A bare server; gives its host and port."""
    open_ones: set[asyncio.StreamWriter] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_ones.add(writer)
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            await handler(reader, writer)

    server = await asyncio.start_server(handle, host, 0)
    name = f"[{host}]" if ":" in host else host
    try:
        yield f"{name}:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for writer in open_ones:
            writer.close()


def saying(data: bytes) -> Handler:
    """Answers every request with these bytes and hangs up."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(data)
        await writer.drain()
        writer.close()

    return handle


async def test_the_request_is_what_the_standard_asks_for(httpserver: HTTPServer) -> None:
    """One POST with the one pair as a form; path and query as they were; no cookie, referrer, login or other trace."""
    httpserver.expect_request("/u/88", method="POST").respond_with_data("", 200)
    leave: Unsubscriber = allowing(httpserver)
    await leave.post(f"http://{place(httpserver)}/u/88?t=a%2Fb+c&x=1#part")
    (request,) = requests(httpserver)
    assert request.get_data() == b"List-Unsubscribe=One-Click"
    assert request.content_type == "application/x-www-form-urlencoded"
    assert request.query_string == b"t=a%2Fb+c&x=1"
    sent = {name.lower() for name, _ in request.headers}
    assert sent == {
        "host",
        "user-agent",
        "accept-encoding",
        "content-type",
        "content-length",
        "accept",
        "connection",
    }
    assert request.headers["Host"] == place(httpserver)


@pytest.mark.parametrize(
    ("status", "transient"),
    [(400, False), (404, False), (410, False), (429, True), (500, True), (599, True)],
)
async def test_failure(httpserver: HTTPServer, status: int, transient: bool) -> None:
    """What may pass by itself is told apart from what will not; the request is made once."""
    httpserver.expect_request("/").respond_with_data("", status)
    with pytest.raises(ProviderError, match=f"status {status}") as caught:
        await allowing(httpserver).post(f"http://{place(httpserver)}/")
    assert isinstance(caught.value, TransientError) is transient
    assert len(requests(httpserver)) == 1


@pytest.mark.parametrize("status", [300, 301, 307])
async def test_no_redirect_is_followed(httpserver: HTTPServer, status: int) -> None:
    """A host that leads elsewhere, here into this machine, gets nothing more: no second request, never a GET."""
    httpserver.expect_request("/").respond_with_data("", status, {"Location": httpserver.url_for("/secret")})
    httpserver.expect_request("/secret").respond_with_data("secret")
    with pytest.raises(ProviderError, match="another address") as caught:
        await allowing(httpserver).post(f"http://{place(httpserver)}/")
    assert not isinstance(caught.value, TransientError)
    assert [(request.method, request.path) for request in requests(httpserver)] == [("POST", "/")]


async def test_nothing_is_remembered(httpserver: HTTPServer) -> None:
    """A cookie of the first answer does not come with the second request."""
    httpserver.expect_request("/").respond_with_data("", 200, {"Set-Cookie": "id=1; Path=/"})
    leave = allowing(httpserver)
    for _ in range(2):
        await leave.post(f"http://{place(httpserver)}/")
    assert all("Cookie" not in request.headers for request in requests(httpserver))


async def test_the_environment_has_no_say(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Neither a proxy nor a password file of the environment is used."""
    passwords = tmp_path / "netrc"
    passwords.write_text(f"machine {httpserver.host} login ana password secret\n")
    monkeypatch.setenv("NETRC", str(passwords))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    httpserver.expect_request("/").respond_with_data("")
    await allowing(httpserver).post(f"http://{place(httpserver)}/")
    assert "Authorization" not in requests(httpserver)[0].headers


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/", "https://169.254.169.254/latest/meta-data/", "https://[::ffff:7f00:1]/", "https://localhost/",
    ],
)  # fmt: skip
async def test_addresses_in_the_private_network_are_refused(url: str) -> None:
    """However a private address is written, nothing is sent to it."""
    with pytest.raises(InputError, match="not on the public internet"):
        await OneClick().post(url)


@pytest.mark.parametrize(
    "url",
    ["https://2130706433/", "https://user@1.1.1.1/", "https://1.1.1.1:22/", "http://1.1.1.1:443/", "file:///etc/passwd",
     "https://loc\u00adalhost/", "https://①②⑦.0.0.1/", "x" * 10_000],
)  # fmt: skip
async def test_odd_addresses_are_refused_before_any_look_up(url: str) -> None:
    """Numbers as hosts, user names, other ports and schemes never come as far as the resolver."""
    resolving = Resolving(["127.0.0.1"])
    with pytest.raises(InputError):
        await OneClick(resolve=resolving).post(url)
    assert resolving.asked == []


async def test_allowing_one_server_allows_no_other(httpserver: HTTPServer) -> None:
    """Another port, another name for the same machine, https in place of http: only what was named is allowed."""
    httpserver.expect_request("/").respond_with_data("")
    leave = OneClick(allow=frozenset([place(httpserver)]), resolve=Resolving(["127.0.0.1"]))
    for url in (f"http://127.0.0.1:{httpserver.port + 1}/", f"http://127.0.0.2:{httpserver.port}/",
                f"http://news.example:{httpserver.port}/", "https://news.example/"):  # fmt: skip
        with pytest.raises(InputError):
            await leave.post(url)
    assert requests(httpserver) == []


async def test_a_name_that_leads_to_a_private_address_is_refused() -> None:
    """A public name with a private address behind it, alone or among others, is refused and named."""
    for found in (["127.0.0.1"], ["::1"], ["1.1.1.1", "10.0.0.1"], ["::ffff:10.0.0.1"], ["fe80::1%lo"]):
        with pytest.raises(InputError, match=r"news\.example leads to"):
            await OneClick(resolve=Resolving(found)).post("https://news.example/")


async def test_a_name_that_changes_its_mind_gains_nothing() -> None:
    """The name is looked up once, and the connection goes to the address that was checked, not to a later answer."""
    resolving = Resolving(["1.1.1.1"], ["127.0.0.1"])
    with pytest.raises((OutsideConnectionError, ExceptionGroup)) as caught:
        await OneClick(resolve=resolving).post("https://news.example/")
    reasons = caught.value.exceptions if isinstance(caught.value, ExceptionGroup) else [caught.value]
    assert [str(reason) for reason in reasons] == ["tests may not connect to 1.1.1.1"]
    assert resolving.asked == ["news.example"]


async def test_an_answer_in_drops_is_not_waited_for() -> None:
    """A server that keeps the connection busy with ever new provisional answers is given up, too."""

    async def dripping(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"HTTP/1.1 102 Processing\r\n\r\n")
            await writer.drain()

    async with speaking(dripping) as where:
        with pytest.raises(TransientError, match=r"did not answer in time|failed"):
            await OneClick(allow=frozenset([where]), timeout=0.5).post(f"http://{where}/")


async def test_an_endless_body_is_not_read() -> None:
    """The status counts; of a body without end next to nothing is taken."""
    written = 0
    hung_up = asyncio.Event()

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal written
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n")
        try:
            while True:
                writer.write(b"x" * 65536)
                written += 65536
                await writer.drain()
        except ConnectionError:
            hung_up.set()

    async with speaking(endless) as where:
        await OneClick(allow=frozenset([where])).post(f"http://{where}/")
        await asyncio.wait_for(hung_up.wait(), 5)
    assert written < 50_000_000


@pytest.mark.parametrize(
    "data",
    [b"", b"HTTP/1.1 2", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 100_000],
    ids=["nothing", "a part", "nonsense", "endless headers"],
)  # fmt: skip
async def test_broken_answers(data: bytes) -> None:
    """An answer that is none is a lost connection, never a success."""
    async with speaking(saying(data)) as where:
        with pytest.raises(TransientError, match=r"connection to 127\.0\.0\.1 failed"):
            await OneClick(allow=frozenset([where])).post(f"http://{where}/")


async def test_many_at_once_block_nothing(httpserver: HTTPServer) -> None:
    """Twenty at once, and nothing blocks the event loop."""
    httpserver.expect_request("/").respond_with_data("")
    leave = allowing(httpserver)
    with blockbuster_ctx():
        await asyncio.gather(*(leave.post(f"http://{place(httpserver)}/") for _ in range(20)))
    assert len(requests(httpserver)) == 20


class Certified:
    """An https server with a certificate for `news.example`."""

    def __init__(self, folder: Path) -> None:
        """Makes the certificate."""
        path = folder / "cert.pem"
        path.write_bytes(_certificate("news.example"))
        self.trusting = ssl.create_default_context(cafile=path)
        self.names: list[str | None] = []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        context.sni_callback = lambda _socket, name, _context: self.names.append(name)
        self.server = HTTPServer(ssl_context=context)


def _certificate(name: str) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    start = dt.datetime.now(dt.UTC) - dt.timedelta(days=1)
    names = x509.SubjectAlternativeName(
        [x509.DNSName(name), x509.IPAddress(ipaddress.ip_address("127.0.0.9"))]
    )
    built = x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
    built = built.not_valid_before(start).not_valid_after(start + dt.timedelta(days=9))
    built = built.add_extension(names, critical=False)
    built = built.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private + built.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


@pytest.fixture
def certified(tmp_path: Path) -> Iterator[Certified]:
    """The https server while it runs."""
    made = Certified(tmp_path)
    made.server.expect_request("/u", method="POST").respond_with_data("")
    with made.server:
        yield made


async def test_the_certificate_is_checked_against_the_name(certified: Certified) -> None:
    """The connection goes to the address that was found, in the name of the host: in TLS, in the certificate, in Host."""
    port = certified.server.port
    leave = OneClick(
        allow=frozenset([f"news.example:{port}"]),
        resolve=Resolving(["127.0.0.1"]),
        certificates=certified.trusting,
    )
    await leave.post(f"https://news.example:{port}/u")
    assert certified.names == ["news.example"]
    assert requests(certified.server)[0].headers["Host"] == f"news.example:{port}"


async def test_another_hosts_certificate_is_refused(certified: Certified) -> None:
    """A server that has no certificate for the name gets no request; nor does one that nobody vouches for."""
    port = certified.server.port
    for name, trusted in (("other.example", certified.trusting), ("news.example", None)):
        leave = OneClick(
            allow=frozenset([f"{name}:{port}"]), resolve=Resolving(["127.0.0.1"]), certificates=trusted
        )
        with pytest.raises(ProviderError, match="no valid certificate") as caught:
            await leave.post(f"https://{name}:{port}/u")
        assert not isinstance(caught.value, TransientError)
    assert requests(certified.server) == []


async def test_plain_http_where_https_was_asked_for(httpserver: HTTPServer) -> None:
    """A server that speaks no TLS gives a lost connection, and no request in the clear."""
    with pytest.raises(TransientError, match="failed"):
        await allowing(httpserver).post(f"https://{place(httpserver)}/")
    assert requests(httpserver) == []
