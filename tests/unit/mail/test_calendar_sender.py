"""Whom calendar mail is from."""

import pytest

from email_assistant.mail.address import Address
from email_assistant.mail.authenticity import calendar_sender, header_warnings
from email_assistant.mail.message import Message

HOST = "mx.vale.example"
ICLOUD, TOKEN = "noreply@email.apple.com", "2_gezdgnbv@imip.me.com"
CLOUD, ANA = "invitations-noreply@cloud.petrova.example", "ana@petrova.example"


def mail(sender: str, reply_to: str, found: str) -> Message:
    """Calendar mail of which the receiving host says this."""
    domain = sender.partition("@")[2]
    results = f"{HOST}; dkim={found} header.d={domain}; dmarc={found} header.from={domain}"
    return Message(
        id="m", mail_thread_id="t", sender=Address(sender), subject="Budget", text="", calendars=("BEGIN:VCALENDAR",),
        reply_to=(Address(reply_to),) if reply_to else (), headers={"authentication-results": results} if found else {},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sender", "reply_to", "found", "host", "whom"),
    [
        (ANA, "", "pass", HOST, ANA),
        (ANA, "", "fail", HOST, ""),
        (ICLOUD, TOKEN, "pass", HOST, TOKEN),
        (ICLOUD, TOKEN, "", HOST, ICLOUD),
        (ICLOUD, TOKEN, "fail", HOST, ""),
        (CLOUD, ANA, "pass", HOST, ANA),
        (CLOUD, "ana@example.com", "pass", HOST, CLOUD),
        ("noreply@evil.example", ANA, "pass", HOST, "noreply@evil.example"),
    ],
)
def test_whom_calendar_mail_is_from(sender: str, reply_to: str, found: str, host: str, whom: str) -> None:
    """From, or whom a calendar's own no-reply address writes for; nobody where a check failed."""
    assert calendar_sender(mail(sender, reply_to, found), host=host).email == whom


@pytest.mark.parametrize(
    ("sender", "found", "told"), [(ICLOUD, "pass", 0), (ICLOUD, "", 1), ("noreply@evil.example", "pass", 1)]
)
def test_icloud_writes_for_its_users(sender: str, found: str, told: int) -> None:
    """That replies go to its user, and not to its own domain, is no warning; with anybody else it is one."""
    assert len(header_warnings(mail(sender, TOKEN, found), own=frozenset(), host=HOST)) == told
