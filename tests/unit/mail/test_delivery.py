"""What reports on a delivery say; the forms of programs are in `tests/contract/workflow_undelivered_contract.py`."""

import pytest

from email_assistant.mail.conversation import delivery_report
from email_assistant.mail.mime import parse_message
from tests.support.bounces import bounces

RAW = bounces("<letter@vale.example>", "ana@petrova.example", "Re: Chair")["Postfix"]


def test_what_is_still_tried_is_told_so() -> None:
    """A warning that a mail is late is no failure."""
    late = RAW.replace(b"Action: failed", b"Action: delayed").replace(b"550 5.1.1", b"450 4.7.1")
    report = delivery_report(parse_message(late, id="1"))
    assert report is not None
    assert (report.is_final, report.recipients) == (False, ("ana@petrova.example",))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"Action: failed", b"Action: delivered"),
        (b"Mail Delivery System <MAILER-DAEMON@", b"Ana <ana@"),
    ],
    ids=["delivered", "passed on by a person"],
)
def test_other_mail_is_no_report(old: bytes, new: bytes) -> None:
    """What was delivered, and what somebody writes about a report."""
    raw = RAW.replace(b"Return-Path: <>\r\nAuto-Submitted: auto-replied\r\n", b"")
    assert delivery_report(parse_message(raw.replace(old, new), id="1")) is None
