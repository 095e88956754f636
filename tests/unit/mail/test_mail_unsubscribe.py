"""How a mailing says one can leave it, and what tells one list from another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.errors import InputError
from email_assistant.mail.address import Address
from email_assistant.mail.message import Message
from email_assistant.workflows.inbox_organizer.unsubscribing.list_headers import (
    MAX_KEY,
    MAX_NAME,
    Unsubscribe,
    list_key,
    list_name,
    one_click_address,
    unsubscribe_of,
)
from email_assistant.workflows.inbox_organizer.unsubscribing.uris import (
    MAX_ADDRESS,
    mail_address,
    read_web_address,
)

URL = "https://news.example/u/1"
POST = "List-Unsubscribe=One-Click"


def message(unsubscribe: str = "", post: str = "", sender: Address | None = None, **headers: str) -> Message:
    """A message with these headers."""
    named = {"list-unsubscribe": unsubscribe, "list-unsubscribe-post": post}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    kept = {name: value for name, value in named.items() if value}
    return Message("1", "1", sender or Address("News@Example.com", "News"), "", "", headers=kept)


def found(unsubscribe: str, post: str = "", **headers: str) -> Unsubscribe:
    """What the message offers, which must be something."""
    offer = unsubscribe_of(message(unsubscribe, post, **headers))
    assert offer is not None
    return offer


def test_every_way_of_a_good_header_is_found() -> None:
    """Both headers together give one click, a mail and a page; the best way is one click."""
    offer = found(f"<mailto:leave@news.example?subject=off%20list>, <{URL}>", POST)
    assert offer == Unsubscribe(URL, "leave@news.example", URL)
    assert (offer.method, offer.place) == ("one_click", "news.example")


def test_one_click_needs_both_headers_and_the_exact_value() -> None:
    """Without RFC 8058's second header, or with another value in it, an address is a page for people only."""
    for post in ("", "list-unsubscribe=one-click", f"{POST}; x", "One-Click", f"{POST}\n{POST}", "=" * 5000):
        offer = found(f"<{URL}>", post)
        assert (offer.one_click, offer.link, offer.withheld) == ("", URL, "")
        assert (offer.method, offer.place) == ("link", "news.example")
    assert found(f"<{URL}>", f"  {POST} ").one_click == URL


@pytest.mark.parametrize(
    ("value", "one_click", "mail"),
    [
        (f"(use this (or that)) <{URL}> (web)", URL, ""),
        (f"(<https://evil.example/>) <{URL}>", URL, ""),
        (rf"(a \) <https://evil.example/>) <{URL}>", URL, ""),
        (f"{URL}, mailto:a@b.example", "", "a@b.example"),
        (f"<mailto:a@b.example>, (open <{URL}>", "", "a@b.example"),
    ],
)
def test_comments_folds_and_breakage(value: str, one_click: str, mail: str) -> None:
    """Comments do not count, folds inside an address go, what is cut off is not used, bare addresses give no one click."""
    offer = found(value, POST)
    assert offer.one_click == one_click
    assert offer.mail == mail


@pytest.mark.parametrize(
    ("uri", "address"),
    [
        ("MAILTO:Leave@Lists.EXAMPLE?subject=off&cc=x@y.example#z", "Leave@lists.example"),
        ("mailto:a@b.example%2Cc@d.example", ""),
        ("mailto:a@b.example%0D%0ABcc:c@d.example", ""),
        (f"mailto:{'a' * MAX_ADDRESS}@b.example", ""),
    ],
)
def test_one_plain_address_is_named(uri: str, address: str) -> None:
    """Of the public internet; what might be another one, or several, is none."""
    assert mail_address(uri) == address


def test_a_page_may_be_http_but_one_click_may_not() -> None:
    """The https address wins as page, too; http alone is a page only; other ports are for pages."""
    assert found("<http://news.example/x>", POST) == Unsubscribe(link="http://news.example/x")
    assert found(f"<http://news.example/x>, <{URL}>").link == URL
    offer = found("<https://news.example:8443/x>", POST)
    assert (offer.one_click, offer.place) == ("", "news.example:8443")


def test_a_bad_signature_withholds_the_mail_too() -> None:
    """Who forges mail learns from the answer that the address lives; only a page for the person stays."""
    bad = "mx.example; dkim=fail header.d=example.com"
    offer = found(f"<mailto:leave@news.example>, <{URL}>", authentication_results=bad)
    assert (offer.mail, offer.link, offer.method) == ("", URL, "link")
    assert "failed DKIM" in offer.withheld
    assert unsubscribe_of(message("<mailto:leave@news.example>", authentication_results=bad)) is None


def test_who_signed_is_told_when_the_host_is_known() -> None:
    """Only valid signatures count, and nobody's word but the named host's: anybody can write such a header."""
    results = "mx.example; dkim=pass header.d=a.example; dkim=pass header.i=@b.example; dkim=neutral header.d=c.example"
    mail = message("<mailto:leave@news.example>", authentication_results=results)
    for host, signers in (("mx.example", ("a.example", "b.example")), ("other.example", ()), ("", ())):
        offer = unsubscribe_of(mail, host=host)
        assert offer is not None
        assert offer.signers == signers


@pytest.mark.parametrize(
    ("results", "one_click", "verified", "why"),
    [
        ("", URL, False, ""),
        ("mx.example; dkim=pass header.d=example.com", URL, True, ""),
        ("mx.example; dkim=fail header.d=example.com", "", False, "failed DKIM"),
        (
            "mx.example; dkim=pass header.d=evil.example; dmarc=fail header.from=example.com",
            "",
            False,
            "DMARC",
        ),
    ],
)
def test_an_unsigned_message_gives_no_one_click(
    results: str, one_click: str, verified: bool, why: str
) -> None:
    """What the receiving host found wrong with the signature withholds one click and says why; the page stays."""
    offer = found(f"<{URL}>", POST, authentication_results=results)
    assert (offer.one_click, offer.link, offer.verified) == (one_click, URL, verified)
    assert why in offer.withheld
    assert bool(offer.withheld) == bool(why)


def test_only_the_receiving_host_is_believed() -> None:
    """A pass that the sender wrote into the mail does not verify it when the host's name is known."""
    forged = "evil.example; dkim=pass header.d=example.com\nmx.example; dkim=fail header.d=example.com"
    mail = message(f"<{URL}>", POST, authentication_results=forged)
    offer = unsubscribe_of(mail, host="MX.example")
    assert offer is not None
    assert offer.withheld
    own = unsubscribe_of(mail, host="evil.example")
    assert own is not None
    assert own.verified


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://user:pw@news.example/", "user name"),
        ("https://news.example\\@evil.example/", "characters"),
        ("https://news.example/\r\nHost: evil", "characters"),
        ("https://nеws.example/", "characters"),
        ("https://2130706433/", "unusual"),
        ("https://017700000001/", "unusual"),
        ("https://[fe80::1%25eth0]/", "host"),
        ("https://%6cocalhost/", "host name"),
        ("https://news.example:0/", "port 0"),
        ("https://news.example/" + "x" * 2000, "longer"),
    ],
)
def test_ambiguous_web_addresses_are_refused(url: str, why: str) -> None:
    """What two programs might read in two ways is refused with the reason."""
    with pytest.raises(InputError, match=why):
        read_web_address(url)


def test_one_click_is_https_on_its_port() -> None:
    """Plain http and other ports are refused unless exactly this host and port are allowed."""
    assert one_click_address(URL).host == "news.example"
    with pytest.raises(InputError, match="not https"):
        one_click_address("http://news.example/")
    with pytest.raises(InputError, match="port 8443"):
        one_click_address("https://news.example:8443/")
    assert one_click_address("http://[::1]:99/", allow=frozenset(["[::1]:99"])).port == 99


def test_lists_are_told_apart() -> None:
    """List-Id counts where it makes sense, else the sender's address; both in lower case."""
    assert list_key(message(list_id="Design Weekly <Weekly.Design.EXAMPLE>")) == "weekly.design.example"
    assert list_key(message(list_id="weekly.design.example")) == "weekly.design.example"
    assert list_key(message(list_id='"a <b>" <c.design.example>')) == "c.design.example"
    assert list_key(message(list_id="<week\r\n ly.design.example>")) == "weekly.design.example"
    for odd in (
        "",
        "<one two@three>",
        f"<{'x' * MAX_KEY}.example>",
        "\0.\0<",
    ):
        assert list_key(message(list_id=odd)) == "news@example.com"
    assert list_key(message(sender=Address("", "x"))) == ""


def test_lists_have_names() -> None:
    """The list's own description, else the sender's name, else an address; on one line, short, decoded."""
    assert list_name(message(list_id='"Design  Weekly" <weekly.design.example>')) == "Design Weekly"
    assert list_name(message(list_id="=?utf-8?q?Caf=C3=A9?= <c.example.com>")) == "Café"
    assert list_name(message(list_id="<c.example.com>")) == "News"
    assert len(list_name(message(sender=Address("a@b.example", "x\u202ey " * 500)))) <= MAX_NAME


ODD = [
    "https://",
    "mailto:",
    "a.example",
    "é",
    "\u202e",
    "\ud800",
    "\0",
    *"<>(),;:\\/@?=&%#[]. \r\n\t\"'01af",
]
HEADER = st.lists(st.sampled_from(ODD), max_size=60).map("".join)


@given(HEADER, HEADER)
def test_no_header_can_break_the_reading(value: str, identity: str) -> None:
    """Whatever stands in the headers, reading never fails and gives only what passes the checks again."""
    mail = message(value, POST, list_id=identity)
    assert list_key(mail)
    assert list_name(mail)
    offer = unsubscribe_of(mail)
    if offer:
        assert offer.place
        for url in filter(None, (offer.one_click, offer.link)):
            assert read_web_address(url).host
        assert mail_address(f"mailto:{offer.mail}") == offer.mail
