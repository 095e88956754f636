"""Where an address's servers are looked for, against loopback stand-ins of a domain's pages and name servers."""

import socket
import ssl
from collections.abc import Iterator
from dataclasses import replace

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from email_assistant.adapters import server_search
from email_assistant.adapters.server_search import (
    FoundServers,
    Provider,
    ServerSearch,
    providers,
    server_at,
    servers_of,
)
from email_assistant.errors import ConfigError
from email_assistant.mail_accounts import Server
from tests.support.mail_tls import Authority
from tests.support.name_servers import NameServer, name_server

ME = "ana.petrova@firm.example"
PAGES = ("/autoconfig.{domain}/mail", "/{domain}/.well-known", "/list/{domain}")
"""The paths at which the stand-in has what is at three places outside."""


def server(
    kind: str,
    host: str,
    port: int,
    socket_type: str,
    username: str = "%EMAILADDRESS%",
    way: str = "password-cleartext",
) -> str:
    """One of a `clientConfig`."""
    return f"""<{kind}><hostname>{host}</hostname><port>{port}</port><socketType>{socket_type}</socketType>
<username>{username}</username><authentication>{way}</authentication></{kind.partition(" ")[0]}>"""


def config(*servers: str, head: str = "") -> str:
    """A page in Mozilla's form."""
    return f'{head}<clientConfig version="1.1"><emailProvider id="x">{"".join(servers)}</emailProvider></clientConfig>'


IMAP, SMTP = 'incomingServer type="imap"', 'outgoingServer type="smtp"'
GOOD = config(
    server(IMAP, "imap.%EMAILDOMAIN%", 993, "SSL"),
    server(SMTP, "smtp.firm.example", 587, "STARTTLS", "%EMAILLOCALPART%"),
)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Who vouches for the stand-in."""
    return Authority(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def page_server(authority: Authority) -> Iterator[HTTPServer]:
    """The stand-in for web pages, over TLS."""
    with HTTPServer(ssl_context=authority.certified().context) as made:
        yield made


@pytest.fixture
def pages(page_server: HTTPServer) -> HTTPServer:
    """The same with nothing on it, and nothing asked yet."""
    page_server.clear()
    return page_server


@pytest.fixture
def names() -> Iterator[NameServer]:
    """The stand-in for name servers."""
    with name_server() as made:
        yield made


@pytest.fixture
def search(pages: HTTPServer, names: NameServer, authority: Authority) -> ServerSearch:
    """One that knows no place but the stand-ins."""
    places = tuple(f"https://localhost:{pages.port}{path}" for path in PAGES)
    return ServerSearch(places, names.resolver, ssl.create_default_context(cafile=str(authority.file)))


def at(found: object) -> tuple[str, str]:
    """Where mail is read and given in, with the login where it is no address."""
    assert isinstance(found, FoundServers), found
    imap, smtp = (
        f"{each.login}@{each.host}:{each.port} {each.security}".lstrip("@") if each else ""
        for each in (found.imap, found.smtp)
    )
    return imap, smtp


FOUND = ("imap.firm.example:993 tls", "ana.petrova@smtp.firm.example:587 starttls")


@pytest.mark.parametrize("number", range(3))
def test_a_domain_s_pages_in_their_order(search: ServerSearch, pages: HTTPServer, number: int) -> None:
    """The first that has servers counts, the others are not asked; what stands before the @ never leaves the machine."""
    asked = list[str]()

    def answer(request: Request) -> Response:
        asked.append(request.url)
        return Response(
            GOOD if len(asked) == number + 1 else "", status=200 if len(asked) == number + 1 else 404
        )

    for path in PAGES:
        pages.expect_request(path.format(domain="firm.example")).respond_with_handler(answer)
    assert at(search.find(ME)) == FOUND
    assert [each.removeprefix(f"https://localhost:{pages.port}") for each in asked] == [
        path.format(domain="firm.example") for path in PAGES[: number + 1]
    ]
    assert not any("ana" in str(each.url) + str(each.headers) for each, _ in pages.log)


def test_the_table_comes_first(search: ServerSearch, pages: HTTPServer, names: NameServer) -> None:
    """For an address at a provider that it knows nobody is asked anything."""
    assert at(search.find("ana@web.de")) == ("ana@imap.web.de:993 tls", "ana@smtp.web.de:465 tls")
    assert at(search.find("ana@Me.com")) == ("ana@imap.mail.me.com:993 tls", "smtp.mail.me.com:587 starttls")
    assert (pages.log, names.asked) == ([], [])


def test_every_provider_of_the_table_can_be_used() -> None:
    """Each has servers that are encrypted, and a domain is one provider's alone."""
    domains = [domain for each in providers() for domain in each.domains]
    assert len(set(domains)) == len(domains)
    for each in providers():
        found = servers_of(each, f"ana@{min(each.domains)}")
        assert found.smtp is not None
        assert {found.imap.security, found.smtp.security} <= {"tls", "starttls"}


@pytest.mark.parametrize(
    "page",
    [
        config(server(IMAP, "imap.firm.example", 143, "plain")),
        config(server(IMAP, "imap.firm.example", 993, "SSL", way="OAuth2")),
        config(server('incomingServer type="pop3"', "pop.firm.example", 995, "SSL")),
        config(server(IMAP, "imap firm", 993, "SSL")),
        config(server(IMAP, "imap.firm.example", 993, "SSL", "a&#10;b")),
        config(server(IMAP, "&host;", 993, "SSL"), head='<!DOCTYPE x [<!ENTITY host "imap.firm.example">]>'),
        GOOD + " " * 200_000,
        "<html>Not found</html>",
        "<broken",
        "\x00",
    ],
    ids=["plain", "no password", "no IMAP", "no host", "control character", "entities", "too long", "HTML", "broken", "no text"],
)  # fmt: skip
def test_what_is_never_taken(search: ServerSearch, pages: HTTPServer, page: str) -> None:
    """It is as if the place had said nothing."""
    pages.expect_request(PAGES[0].format(domain="firm.example")).respond_with_data(page)
    assert search.find(ME) is None


def test_the_encrypted_one_of_several(search: ServerSearch, pages: HTTPServer) -> None:
    """One in clear before it is passed over, also for sending."""
    page = config(
        server(IMAP, "a.firm.example", 143, "plain"), server(IMAP, "b.firm.example", 143, "STARTTLS"),
        server(SMTP, "c.firm.example", 25, "plain"),
    )  # fmt: skip
    pages.expect_request(PAGES[0].format(domain="firm.example")).respond_with_data(page)
    assert at(search.find(ME)) == ("b.firm.example:143 starttls", "")


def test_a_page_that_leads_away_from_encryption(search: ServerSearch, pages: HTTPServer) -> None:
    """Is not followed there; to another encrypted one it is."""
    with HTTPServer() as plain:
        plain.expect_request("/x").respond_with_data(GOOD)
        first, second = (path.format(domain="firm.example") for path in PAGES[:2])
        pages.expect_request(first).respond_with_data(status=302, headers={"Location": plain.url_for("/x")})
        assert search.find(ME) is None
        assert plain.log == []
    pages.expect_request("/moved").respond_with_data(GOOD)
    pages.expect_request(second).respond_with_data(status=302, headers={"Location": "/moved"})
    assert at(search.find(ME)) == FOUND


def test_a_place_that_says_nothing(
    search: ServerSearch, pages: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Is waited for a moment, then the next one is asked."""
    monkeypatch.setattr(server_search, "SECONDS", 1.0)
    second = PAGES[1].format(domain="firm.example")
    pages.expect_request(second).respond_with_data(GOOD)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        places = (f"https://localhost:{silent.getsockname()[1]}/{{domain}}", *search.places[1:])
        assert at(replace(search, places=places).find(ME)) == FOUND


def test_service_records(search: ServerSearch, names: NameServer) -> None:
    """Asked for when no page says anything: those of lowest priority; "." is none, and names elsewhere are no sure ones."""
    names.records = {
        ("_imaps._tcp.firm.example", "SRV"): ["20 1 993 old.firm.example.", "10 1 9993 imap.firm.example."],
        ("_submissions._tcp.firm.example", "SRV"): ["0 0 0 ."],
        ("_submission._tcp.firm.example", "SRV"): ["0 1 587 smtp.firm.example."],
        ("_caldavs._tcp.firm.example", "SRV"): [
            "0 1 443 dav.elsewhere.example.",
            "1 1 8443 dav.firm.example.",
        ],
    }
    found = search.find(ME)
    assert at(found) == ("imap.firm.example:9993 tls", "smtp.firm.example:587 starttls")
    assert isinstance(found, FoundServers)
    assert (found.is_sure, found.calendar) == (True, "https://dav.firm.example:8443/")
    names.records |= {("_submissions._tcp.firm.example", "SRV"): ["0 1 465 mx.elsewhere.example."]}
    assert isinstance(found := search.find(ME), FoundServers)
    assert (found.smtp, found.is_sure) == (Server(host="mx.elsewhere.example", port=465), False)
    assert not any("ana" in name for name in names.asked)


@pytest.mark.parametrize(
    ("host", "title"),
    [("firm-example.mail.protection.outlook.com.", "Microsoft 365"), ("aspmx.l.google.com.", "Gmail")],
)
def test_a_domain_of_one_s_own_at_a_provider(
    search: ServerSearch, names: NameServer, host: str, title: str
) -> None:
    """Who takes in its mail is looked up last; with those two a password does not do, or not best."""
    names.records = {("firm.example", "MX"): [f"10 {host}"]}
    found = search.find(ME)
    assert isinstance(found, Provider)
    assert (found.title.startswith(title), bool(found.instead)) == (True, True)
    names.records = {("firm.example", "MX"): ["10 in1-smtp.messagingengine.com."]}
    assert at(search.find(ME))[0] == "imap.fastmail.com:993 tls"


@pytest.mark.parametrize("place", ["imap.firm.example:x", "a b:1", "imap.firm.example:70000"])
def test_a_server_that_is_none(place: str) -> None:
    """One line names it."""
    with pytest.raises(ConfigError, match=place[:5]):
        server_at(place, 993)
