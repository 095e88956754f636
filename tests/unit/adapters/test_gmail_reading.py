"""Reading messages that are larger than is good."""

import base64
import re
from datetime import UTC, datetime
from pathlib import Path

from pytest_httpserver import HTTPServer

from email_assistant.adapters.google.access import GoogleTokens, Places
from email_assistant.adapters.google.api import GoogleApi
from email_assistant.adapters.google.mailbox import GmailMailbox
from email_assistant.clock import FixedClock
from email_assistant.mail.mime import CUT_NOTE, MAX_MESSAGE

CLOCK = FixedClock(datetime(2026, 11, 20, 12, tzinfo=UTC))
HEAD = (
    b"From: ana@example.org\r\nSubject: Photos\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
    b"--b\r\nContent-Type: text/plain\r\n\r\nSee the photos.\r\n"
    b"--b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n"
)


async def test_a_message_that_is_too_large_is_cut(httpserver: HTTPServer, tmp_path: Path) -> None:
    """What stands at its beginning is read, and the note says that the rest is missing."""
    raw = HEAD + (b"QUJD" * 19 + b"\r\n") * (MAX_MESSAGE // 78 + 10) + b"--b--\r\n"
    answer = {"id": "m1", "threadId": "t1", "raw": base64.urlsafe_b64encode(raw).decode()}
    httpserver.expect_request(re.compile("/gmail/v1/users/me/messages/m1")).respond_with_json(answer)
    places = Places(httpserver.url_for("").rstrip("/"))
    api = GoogleApi(places, GoogleTokens(places, tmp_path, token='{"token": "t"}'))
    message = await GmailMailbox(api, "robin@example.com").fetch("m1")
    assert (message.subject, message.text.strip()) == ("Photos", "See the photos.")
    assert CUT_NOTE in message.notes
