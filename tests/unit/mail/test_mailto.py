"""The mail by which a mailing can be left: what is read of it, and to whom it may go."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.mail.address import Address, is_email
from email_assistant.mail.message import Message
from email_assistant.workflows.inbox_organizer.unsubscribing.uris import (
    MAX_MAIL,
    Mailto,
    not_the_lists,
    read_mailto,
)

OWN = frozenset(["robin@vale.example", "robin.vale@gmail.com"])


def message(sender: str = "news@shop.example", **headers: str) -> Message:
    """A mail of a list."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Message("1", "1", Address(sender, "News"), "", "", headers=named)


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("mailto:leave@lists.example", Mailto("leave@lists.example", "unsubscribe")),
        ("MAILTO:Leave@Lists.EXAMPLE", Mailto("Leave@lists.example", "unsubscribe")),
        ("mailto:a@b.example?", Mailto("a@b.example", "unsubscribe")),
        ("mailto:a@b.example?subject=", Mailto("a@b.example", "unsubscribe")),
        ("mailto:a@b.example?subject=Stop&body=id%20%3D%2017", Mailto("a@b.example", "Stop", "id = 17")),
        ("mailto:a@b.example?body=leave", Mailto("a@b.example", "", "leave")),
        ("mailto:a+b%2Bc@d.example?subject=a+b", Mailto("a+b+c@d.example", "a+b")),
        ("mailto:a@b.example?subject=x&amp;body=y", Mailto("a@b.example", "x", "y")),
        ("mailto:a@b.example?subject=%C3%A9t%C3%A9", Mailto("a@b.example", "été")),
        ("mailto:a@b.example?body=1%0D%0A2%0A", Mailto("a@b.example", "", "1\n2")),
        ("mailto:a@b.example?SUBJECT=1#x", Mailto("a@b.example", "1")),
        ("mailto:a@xn--caf-dma.example", Mailto("a@xn--caf-dma.example")),
        ("mailto:list-leave=robin=vale.example@b.example", Mailto("list-leave=robin=vale.example@b.example")),
    ],
)
def test_mail_addresses_are_read(uri: str, expected: Mailto) -> None:
    """Subject and body are decoded as RFC 6068 says; without either the mail says "unsubscribe"."""
    assert read_mailto(uri) == expected


@pytest.mark.parametrize(
    "uri",
    [
        "mailto:",
        "mailto:a@b.example,c@d.example",
        "mailto:a@b.example;c@d.example",
        "mailto:a@b.example%2Cc@d.example",
        "mailto:a@b.example%20c@d.example",
        "mailto:a@b.example?to=c@d.example",
        "mailto:?to=a@b.example",
        "mailto:a@b.example?cc=c@d.example",
        "mailto:a@b.example?BCC=c@d.example",
        "mailto:a@b.example?%62cc=c@d.example",
        "mailto:a@b.example?amp;bcc=c@d.example",
        "mailto:a@b.example?subject=x&amp;bcc=c@d.example",
        "mailto:a@b.example?subject=x&in-reply-to=%3C1%3E",
        "mailto:a@b.example?attach=/etc/passwd",
        "mailto:a@b.example?from=c@d.example",
        "mailto:a@b.example?subject=1&subject=2",
        "mailto:a@b.example?body=1&BODY=2",
        "mailto:a@b.example%0D%0ABcc:c@d.example",
        "mailto:a@b.example?subject=x%0D%0ABcc:%20c@d.example",
        "mailto:a@b.example?subject=x%0ABcc:%20c@d.example",
        "mailto:a@b.example?subject=x%0DBcc:%20c@d.example",
        "mailto:a@b.example?subject%0D%0ABcc=x",
        "mailto:a@b.example?subject=x%E2%80%A8Bcc:%20c@d.example",
        "mailto:a@b.example?subject=x%00y",
        "mailto:a@b.example?subject=x%E2%80%AEy",
        "mailto:a@b.example?body=x%E2%80%8By",
        "mailto:a@b.example?body=x%1B%5B2J",
        "mailto:a@b.example?subject=%FF",
        "mailto:%FF@b.example",
        "mailto:%D0%B0@b.example",
        "mailto:a@b\u0435.example",
        "mailto:a@%D0%B2.example",
        "mailto:Ana <a@b.example>",
        'mailto:"a@victim.example"@b.example',
        "mailto:%22a%22@b.example",
        "mailto:a%25victim.example@b.example",
        "mailto:victim.example!a@b.example",
        "mailto:-oQ/tmp@b.example",
        "mailto:|sh@b.example",
        "mailto:/dev/null@b.example",
        "mailto:a@b",
        "mailto:@b.example",
        "mailto://a@b.example",
        "mailto:a",
        "mailto:a@localhost",
        "mailto:a@printer.local",
        "mailto:a@db.internal",
        "mailto:a@host.lan",
        "mailto:a@127.0.0.1",
        "mailto:a@[127.0.0.1]",
        "mailto:a@[ipv6:::1]",
        "mailto:a@b.example.",
        "mailto:a@b..example",
        "mailto:" + "a" * 65 + "@b.example",
        "mailto:a@" + "b." * 100 + "example",
        "mailto:a@b.example?subject=" + "x" * MAX_MAIL,
        "mailto:a@b.example?body=" + "x" * MAX_MAIL,
        "https://b.example/?mailto:a@b.example",
    ],
)
def test_hostile_mail_addresses_are_refused(uri: str) -> None:
    """Several recipients, other fields, header injection, routes, private hosts and overlong mails give no mail at all."""
    assert read_mailto(uri) is None


@given(
    st.lists(
        st.sampled_from(["a", "@", ".", "b.example", "%0D%0A", "%2C", "?", "&", "=", "to", "bcc", "subject", "body",
                         ",", ";", "%40", "%", "+", "é", "\r\n", " ", "<", ">", '"', "#", "amp;"]),
        max_size=30,
    ).map("".join)
)  # fmt: skip
def test_whatever_is_read_is_one_plain_mail(rest: str) -> None:
    """Nothing that is read has more than one recipient, or a line break where a header could begin."""
    mail = read_mailto(f"mailto:{rest}")
    if mail:
        assert is_email(mail.address)
        assert mail.address.count("@") == 1
        assert mail.address.isascii()
        assert not set(mail.address + mail.subject) & set("\r\n")
        assert mail.subject or mail.body


LISTED = {"list_id": "Dev <dev.lists.example>", "list_post": "<mailto:dev@lists.example>"}


@pytest.mark.parametrize(
    ("address", "mail", "signers"),
    [
        ("leave@shop.example", message(), ()),
        ("u17@bounce.mail.shop.example", message(), ()),
        ("u17@esp.example", message(), ("shop.example", "mail.esp.example")),
        ("dev-leave@lists.example", message("ana@elsewhere.example", **LISTED), ()),
        ("dev+unsubscribe@lists.example", message("ana@elsewhere.example", **LISTED), ()),
        ("dev-request@lists.example", message("ana@elsewhere.example", list_id="<dev.lists.example>"), ()),
        ("bookclub+leave@gmail.com", message("bookclub@gmail.com"), ()),
        ("unsub@xn--caf-dma.example", message("news@xn--caf-dma.example"), ()),
        ("unsubscribe@google.com", message("news@google.com"), ()),
    ],
)
def test_addresses_of_the_list(address: str, mail: Message, signers: tuple[str, ...]) -> None:
    """The sender's and a signer's domain are the list's own; in that of List-Id a command is."""
    assert not_the_lists(address, mail, own=OWN, signers=signers) == ""


@pytest.mark.parametrize(
    ("address", "mail", "why"),
    [
        ("robin@vale.example", message(), "your own"),
        ("Robin+leave@Vale.example", message(), "your own"),
        ("robin.vale+x@gmail.com", message("robin.vale@gmail.com"), "your own"),
        ("boss@vale.example", message("news@vale.example"), "your own domain"),
        ("leave@lists.vale.example", message(list_id="<all.vale.example>"), "your own domain"),
        ("leave@va1e.example", message("news@va1e.example"), "looks like"),
        ("leave@vale.example.shop.example", message(), "looks like"),
        ("leave@xn--vle-5cd.example", message("news@xn--vle-5cd.example"), "looks like"),
        ("leave@paypa1.com", message("news@paypa1.com"), "looks like"),
        ("ana@gmail.com", message("bookclub@gmail.com"), "open to all"),
        ("ana-unsubscribe@gmail.com", message(list_id="<x.gmail.com>"), "open to all"),
        ("tips@police.example", message(), "neither"),
        ("ceo@victim.example", message(list_id="<x.victim.example>"), "neither"),
        ("ceo@victim.example", message(list_post="<mailto:x@victim.example>"), "neither"),
        ("leave@victim.example", message(list_id="<victim.example.shop.example>"), "neither"),
        ("leave@victim.example", message(""), "neither"),
        ("leave@notshop.example", message(), "neither"),
    ],
)  # fmt: skip
def test_addresses_of_somebody_else(address: str, mail: Message, why: str) -> None:
    """The user's own, their colleagues', a look-alike's, a stranger's: the user is not made to write there."""
    assert why in not_the_lists(address, mail, own=OWN)


def test_a_signature_that_nobody_vouches_for_gives_no_right() -> None:
    """Without a valid signature of its domain a mail service's address is a stranger's."""
    assert not_the_lists("u17@esp.example", message(), own=OWN)
    assert not_the_lists("u17@esp.example", message(), own=OWN, signers=("shop.example", ""))
