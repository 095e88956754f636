"""Warnings about senders who are not who they seem."""

import pytest

from email_assistant.mail.address import Address
from email_assistant.mail.authenticity import organisation, sender_warnings
from email_assistant.mail.message import Message

OWN = frozenset({"me@example.com", "me@work.example"})


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
        message(name="Ana Petrova (ana@shop.example)"),
        message(name="orders@shop.example", email="noreply@mail.shop.example"),
        message(reply_to="office@mail.shop.example"),
        message(reply_to="me@example.com"),
        message(email="ana@münchen.example"),
        message(email="ana@xn--mnchen-3ya.example"),
        message(email="a@例え.example"),
        message(email="ana@почта.example"),
        message(email="me@example.com"),
        message(authentication_results="mx.example; spf=pass; dkim=pass header.d=shop.example; dmarc=pass"),
        message(authentication_results="mx.example; spf=fail; dkim=pass; dmarc=pass"),
        message(authentication_results="mx.example; dkim=fail; dkim=pass; spf=softfail"),
        message(
            authentication_results='mx.example; spf=pass (dkim=fail (dmarc=fail)) reason="x; dmarc=fail"'
        ),
        message(authentication_results="mx.example; none"),
        message(authentication_results="mx.example 1; spf=none; dkim=neutral"),
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
        message(
            reply_to="list@lists.example.org", list_id="<l>", list_post="<mailto:list@lists.example.org>"
        ),
    ],
)
def test_ordinary_mail_gives_no_warning(ordinary: Message) -> None:
    """Valid mail, forwarded mail, international domains and mailing lists raise no false alarm."""
    assert sender_warnings(ordinary, own=OWN) == ()


@pytest.mark.parametrize(
    ("odd", "part"),
    [
        (message(email="", name="ghost"), "no readable sender"),
        (message(name="boss@bank.example"), "name shows boss@bank.example"),
        (message(name="Me <me@example.com>"), "shows your own address"),
        (message(reply_to="ana@evil.example"), "Replies would go to ana@evil.example"),
        (message(reply_to="ana@evil.example", list_id="<list.lists.example.org>"), "Replies would go"),
        (message(authentication_results="mx.example; spf=fail smtp.mailfrom=x"), "SPF failed"),
        (message(authentication_results="mx.example; dkim=fail"), "DKIM failed"),
        (message(authentication_results="mx.example;\tspf=pass;  DMARC = FAIL (p=reject)"), "DMARC failed"),
        (message(received_spf="Fail (mx.example: not permitted)"), "SPF failed"),
        (
            message(email="me@example.com", authentication_results="mx; dmarc=fail"),
            "claims to come from your own",
        ),
        (message(email="a@pаypal.example"), "imitate"),
        (message(email="a@xn--pypal-4ve.example"), "imitate"),
        (message(email="a@аррӏе.example"), "imitate"),
        (message(email="a@examp1e.com"), "looks like example.com"),
        (message(email="a@exarnple.com"), "looks like example.com"),
        (message(email="a@exámple.com"), "looks like example.com"),
        (message(email="a@mail.w0rk.example"), "looks like work.example"),
    ],
)
def test_each_sign_is_told_in_a_sentence(odd: Message, part: str) -> None:
    """Every sign of a false sender is told, in one plain sentence each."""
    warnings = sender_warnings(odd, own=OWN)
    assert any(part in warning for warning in warnings), warnings
    assert all(warning.endswith(".") for warning in warnings)


@pytest.mark.parametrize(
    ("domain", "registered"),
    [
        ("mail.shop.example", "shop.example"),
        ("shop.example", "shop.example"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("co.uk", "co.uk"),
        ("localhost", "localhost"),
        ("", ""),
    ],
)
def test_the_registered_domain_is_found(domain: str, registered: str) -> None:
    """Subdomains belong to the same organisation."""
    assert organisation(domain) == registered


def test_hostile_headers_are_read_quickly() -> None:
    """Senseless results and punycode neither raise nor take long."""
    for value in ("(" * 4_000, ";" * 4_000, '"' * 4_000, "mx; " + "spf=" * 1_000):
        sender_warnings(message(authentication_results=value), own=OWN)
    sender_warnings(message(email="a@xn--99999999999999.xn--" + "z" * 59 + ".example"), own=OWN)
