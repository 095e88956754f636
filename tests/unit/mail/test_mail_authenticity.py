"""Warnings about senders who are not who they seem."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from email_assistant.mail.address import Address
from email_assistant.mail.authenticity import (
    KnownSender,
    sender_warnings,
    written_to,
)
from email_assistant.mail.domains import name_skeleton, registered
from email_assistant.mail.message import Message
from email_assistant.mail.mime import parse_message

OWN = frozenset({"me@example.com", "me@work.example"})
ANA = Address("ana@petrova.example", "Ana Petrova")
HOSTILE = (
    "(", '"', "\\", ";", "(a", '"(;', "dkim=fail ", "dkim/ 1 ", "; spf=", "header . d = ", "<", ",mailto:", "receiver",
    "a@a.", "\n", " ", "xn--", "=?utf-8?q?=28?= ", "é", "\U0001d41a",
)  # fmt: skip


def message(
    email: str = "ana@shop.example",
    name: str = "Ana",
    reply_to: str = "",
    to: str = "me@example.com",
    **headers: str,
) -> Message:
    """A message from this sender; underscores in header names stand for hyphens."""
    return Message(
        id="1",
        mail_thread_id="t",
        sender=Address(email, name),
        subject="",
        text="",
        to=(Address(to),),
        reply_to=(Address(reply_to),) if reply_to else (),
        headers={key.replace("_", "-"): value for key, value in headers.items()},
    )


@pytest.mark.parametrize(
    "ordinary",
    [
        message(),
        message(reply_to="office@mail.shop.example"),
        message(email="ana@münchen.example"),
        message(authentication_results="mx.example; spf=pass; dkim=pass header.d=shop.example; dmarc=pass"),
        message(
            reply_to="list@lists.example.org",
            to="list@lists.example.org",
            list_id="A list <list.lists.example.org>",
            authentication_results="mx.example; spf=pass; dkim=fail; dmarc=fail",
        ),
        message(
            email="list@lists.example.org",
            name="'ana@shop.example' via A list",
            list_id="<list.lists.example.org>",
        ),
    ],
)
def test_ordinary_mail_gives_no_warning(ordinary: Message) -> None:
    """Valid mail, forwarded mail, international domains and mailing lists raise no false alarm."""
    assert sender_warnings(ordinary, own=OWN) == ()


@pytest.mark.parametrize(
    ("odd", "part"),
    [
        (message(name="boss@bank.example"), "name shows boss@bank.example"),
        (message(name="Me <me@example.com>"), "shows your own address"),
        (message(reply_to="ana@evil.example"), "Replies would go to ana@evil.example"),
        (message(authentication_results="mx.example; spf=fail smtp.mailfrom=x"), "check failed (SPF)"),
        (
            message(email="me@example.com", authentication_results="mx; dmarc=fail"),
            "claims to come from your own",
        ),
        (message(email="a@pаypal.example"), "imitate"),
        (message(email="a@examp1e.com"), "looks like example.com"),
    ],
)
def test_each_sign_is_told_in_a_sentence(odd: Message, part: str) -> None:
    """Every sign of a false sender is told, in one plain sentence each."""
    warnings = sender_warnings(odd, own=OWN)
    assert any(part in warning for warning in warnings), warnings
    assert all(warning.endswith(".") for warning in warnings)


@pytest.mark.parametrize("host", ["", "mx.example"])
def test_a_forged_pass_does_not_help(host: str) -> None:
    """Whatever the sender wrote below the host's own header, with the host's name or another one, is not believed."""
    forged = "Authentication-Results: {}; spf=pass; dkim=pass header.d=shop.example; dmarc=pass\r\n"
    raw = (
        "Received: from evil.example by mx.example\r\nAuthentication-Results: mx.example;\r\n dmarc=fail\r\n"
        + forged.format("mx.example")
        + forged.format("mx.google.com")
        + "ARC-Authentication-Results: i=1; mx.example; dmarc=pass\r\n"
        + "From: Ana <ana@shop.example>\r\nTo: me@example.com\r\n\r\nHi"
    )
    expected = ("The mail may not come from that address: its check failed (DMARC).",)
    assert sender_warnings(parse_message(raw.encode(), id="1"), own=OWN, host=host) == expected


@pytest.mark.parametrize(
    ("sender", "known", "warned"),
    [
        (ANA, KnownSender((ANA,)), False),
        (Address("a.petrova@mail.petrova.example", "Ana Petrova"), KnownSender((ANA,)), False),
        (Address("ana.petrova@evil.test", "Ana Petrova"), KnownSender((ANA,)), True),
        (Address("ana.petrova@evil.test", "Аna Реtrоvа"), KnownSender((ANA,)), True),
        (
            Address("x@evil.test", "Ana Petrova"),
            KnownSender((ANA,), (), Address("x@evil.test", "Bo Lee")),
            True,
        ),
        (
            Address("ana.p@gmail.com", "Ana Petrova"),
            KnownSender((Address("ana@gmail.com", "Ana Petrova"),)),
            True,
        ),
        (Address("notifications@github.com", "Ana Petrova"), KnownSender((ANA,)), False),
    ],
)
def test_a_known_name_on_a_strange_address(sender: Address, known: KnownSender, warned: bool) -> None:
    """A correspondent's name from an address and organisation never seen with it is told, with the known address."""
    found = sender_warnings(message(sender.email, sender.name), own=OWN, known=known)
    text = f"You know this name as {known.namesakes[0].email if warned else ''}"
    assert any(text in warning for warning in found) is warned, found
    assert len(found) == warned


def test_services_are_believed_only_as_long_as_the_checks_do_not_fail() -> None:
    """A service that writes in people's names is excused; somebody who only says to be that service is not."""
    forged = message("noreply@github.com", "Ana Petrova", authentication_results="mx.example; dmarc=fail")
    found = sender_warnings(forged, own=OWN, name="Ana Petrova", known=KnownSender((ANA,)))
    assert any("You know this name" in warning for warning in found)
    assert any("name is your own" in warning for warning in found)


def test_a_list_header_does_not_excuse_a_known_name() -> None:
    """Anybody can call a mail a list's; only a list that the user writes to may show its members' names."""
    posted = message("club@lists.example.org", "Ana Petrova", list_id="<club.lists.example.org>")
    assert sender_warnings(posted, own=OWN, known=KnownSender((ANA,)))
    subscribed = KnownSender((ANA,), (), Address("club@lists.example.org", "The club"))
    assert sender_warnings(posted, own=OWN, known=subscribed) == ()


@pytest.mark.parametrize(
    ("email", "name", "warned"),
    [
        ("robin@evil.test", "Robin Vale", True),
        ("robin@evil.test", "Robin", False),
        ("office@work.example", "Robin Vale", False),
        ("notifications@gitlab.com", "Robin Vale", False),
    ],
)
def test_the_users_own_name_from_outside(email: str, name: str, warned: bool) -> None:
    """Mail that is signed as from the user, but comes from outside the user's organisations, is told."""
    found = sender_warnings(message(email, name), own=OWN, name="Robin Vale")
    assert ("The sender's name is your own" in " ".join(found)) is warned
    assert sender_warnings(message(email, "Robin"), own=OWN, name="Robin") if warned else True
    assert sender_warnings(message(email, ""), own=OWN, name="") == ()


@pytest.mark.parametrize(
    ("email", "domains", "genuine"),
    [
        ("a@petr0va.example", ("petrova.example",), "petrova.example"),
        ("a@mail.реtrоvа.example", ("petrova.example",), "petrova.example"),
        ("a@paypa1.com", (), "paypal.com"),
        ("a@paypal.com.evil.test", (), "paypal.com"),
        ("a@paypal.com", (), ""),
    ],
)
def test_look_alike_domains(email: str, domains: tuple[str, ...], genuine: str) -> None:
    """Domains that look like, or begin with, those of the user, of correspondents and of the much-imitated are told."""
    found = sender_warnings(message(email), own=OWN, known=KnownSender((), domains))
    assert (f"looks like {genuine}, but is another one." in " ".join(found)) is bool(genuine), found
    assert len(found) == bool(genuine)


def test_many_answer_addresses_hide_none() -> None:
    """A strange Reply-To behind many harmless ones is told, and many strange ones do not flood the card."""
    harmless = [Address(f"a{number}@shop.example") for number in range(50)]
    strange = [Address(f"a{number}@evil{number}.test") for number in range(50)]
    base = message()
    found = sender_warnings(replace(base, reply_to=(*harmless, strange[0])), own=OWN)
    assert found == ("Replies would go to a0@evil0.test, not to the sender's domain shop.example.",)
    flood = sender_warnings(replace(base, reply_to=tuple(strange)), own=OWN)
    assert flood[3:] == ("Replies would go to 47 further addresses outside the sender's domain.",)


def test_whom_the_user_has_written_to() -> None:
    """Sent messages tell whom the user knows; one that was delivered and only says to be the user's tells nothing."""
    sent = message("me@example.com", to="ana@petrova.example")
    forged = message("me@example.com", to="eve@evil.test", authentication_results="mx.example; dmarc=fail")
    bare = message("me@example.com", to="mallory@evil.test", return_path="<x@evil.test>")
    to_self = message("me@example.com", to="me@work.example")
    received = message("ana@petrova.example", to="bo@example.org")
    assert written_to([sent, forged, bare, to_self, received, sent], OWN) == (Address("ana@petrova.example"),)


def hostile_messages(junk: str) -> list[Message]:
    """Messages with the junk in every place that the check reads."""
    names = ("authentication-results", "received-spf", "list-id", "list-post")
    return [
        *(message(name=junk, reply_to="a@b.test", **{name: junk, "list_id": junk}) for name in names),
        message(authentication_results="mx.example; dkim=fail header.d=" + junk),
        message(email=f"a@{junk[:200].strip()}.example", name=junk),
    ]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(HOSTILE) | st.text(max_size=8), max_size=40), st.sampled_from(["", "mx"]))
def test_no_header_breaks_the_check(pieces: list[str], host: str) -> None:
    """Whatever stands in headers and names, the answer is a list of sentences."""
    for odd in hostile_messages("".join(pieces)):
        found = sender_warnings(odd, own=OWN, name="Robin Vale", host=host, known=KnownSender((ANA,)))
        assert all(warning.endswith(".") for warning in found)
        assert name_skeleton(odd.sender.name) == name_skeleton(odd.sender.name)
        assert registered(odd.sender.domain) is not None


@pytest.mark.parametrize(
    ("form", "vouched", "known", "warned"),
    [
        ("noreply@forms.example", "forms.example", False, False),
        ("web@vale.example", "vale.example", True, False),
        ("web@vale.example", "", True, True),
    ],
)
def test_a_form_that_names_somebody_known(form: str, vouched: str, known: bool, warned: bool) -> None:
    """Anybody may fill in a name; only a form of the user's own house that the host vouches for is believed."""
    filled = Message("1", "t", ANA, "Shelf", "How much?", form=Address(form))
    result = f"mx.vale.example; dmarc=pass header.from={vouched}"
    filled = replace(filled, headers={"authentication-results": result} if vouched else {})
    who = KnownSender(sender=ANA) if known else KnownSender()
    own = frozenset({"robin@vale.example"})
    told = sender_warnings(filled, own=own, host="mx.vale.example", known=who)
    assert any("A form at" in each for each in told) == warned
