"""A meeting as people live with it, on the real server: made, declined by a guest, moved, called off. Sent and the calendar judge."""

import mailbox
from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any

import httpx
import icalendar
import pytest
from langgraph_sdk import get_sync_client

from email_assistant.clock import SystemClock
from tests.e2e.cli_support import OFFLINE, PERSON, Cli, Running, running
from tests.e2e.conftest import SETTINGS
from tests.servers.calendar_reader import understood
from tests.support.desk import deliver, mail

pytestmark = pytest.mark.xdist_group("served")
ASKS = "Hi Robin,\n\ncould we meet on Thursday 26 November 2026 at 10:00 in the workshop?\n\nAna"
MOVES = "Hi Robin,\n\ncan we move Thursday to Friday at 11:00?\n\nAna"
CANCELS = "Hi Robin,\n\nI'm afraid I have to cancel our meeting.\n\nAna"
ANA = "Ana Petrova <ana@example.com>"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of its own: what is in Sent is what this walk has led to."""
    folder = tmp_path_factory.mktemp("walk")
    now = {
        "EMAIL_ASSISTANT_NOW": SETTINGS["EMAIL_ASSISTANT_NOW"],
        "EMAIL_ASSISTANT_TIMEZONE": "Europe/Berlin",
    }
    with running(Cli(folder, folder / "data", OFFLINE | PERSON | now), command="serve") as up:
        yield up


class Walk:
    """Robin at the desk, and Ana at hers."""

    def __init__(self, up: Running) -> None:
        self.data = up.cli.data
        self.url = f"http://127.0.0.1:{up.port}"
        self.client = get_sync_client(url=self.url)

    def gets(self, raw: bytes) -> None:
        """Mail comes in and is taken up, up to its first card or to its end."""
        deliver(self.data / "mailbox", raw)
        told: Any = self.client.runs.wait(None, "ingest", input={}, raise_error=True)
        assert told["counts"].get("started") == 1, told
        for thread in self.client.threads.search(limit=20):
            for run in self.client.runs.list(thread["thread_id"], limit=1):
                self.client.runs.join(thread["thread_id"], run["run_id"])

    @property
    def waiting(self) -> list[tuple[str, dict[str, Any]]]:
        """Thread and card of what waits."""
        found = self.client.threads.search(status="interrupted")
        return [
            (thread["thread_id"], interrupt["value"][0])
            for thread in found
            for interrupts in (thread["interrupts"] or {}).values()
            for interrupt in interrupts
        ]

    def answer(self, kind: str) -> str:
        """The answer to the one card that waits; its title."""
        ((thread_id, card),) = self.waiting
        request = {
            "assistant_id": "email_assistant",
            "command": {"resume": [{"type": kind, "args": card["action_request"]}]},
        }
        if kind == "ignore":
            request["command"] = {"resume": [{"type": "ignore", "args": None}]}
        httpx.post(f"{self.url}/threads/{thread_id}/runs/wait", json=request, timeout=60).raise_for_status()
        return str(card["action_request"]["action"])

    @property
    def scheduling(self) -> list[dict[str, Any]]:
        """What calendar programs understand of what is in Sent, by revision."""
        box = mailbox.Maildir(self.data / "mailbox", create=True)
        sent = box.get_folder("Sent") if "Sent" in box.list_folders() else []
        parts = [
            part.get_payload(decode=True)
            for each in sent
            for part in each.walk()
            if part.get_content_type() == "text/calendar"
        ]
        return sorted(
            (understood(part.decode()) for part in parts), key=lambda each: each["events"][0]["sequence"]
        )

    @property
    def event(self) -> Any:
        """The one event of the calendar file."""
        calendar = icalendar.Calendar.from_ical((self.data / "calendar.ics").read_bytes())
        (event,) = calendar.walk("VEVENT")
        return event


def from_ana(body: str, number: int) -> bytes:
    """Ana's next mail in the conversation, written after what Robin has sent."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = ANA, "Robin Vale <robin@vale.example>", "Re: Fitting"
    message["Message-ID"] = f"<m{number}@example.com>"
    message["In-Reply-To"] = message["References"] = "<m1@example.com>"
    message["Date"] = format_datetime(SystemClock().now() + timedelta(minutes=number))
    message.set_content(body)
    return bytes(message)


def declined(uid: str) -> bytes:
    """What Ana's calendar program sends when she declines."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = ANA, "robin@vale.example", "Declined: Fitting"
    message["Message-ID"], message["Date"] = "<no@example.com>", format_datetime(SystemClock().now())
    message.set_content("Ana has declined.")
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//ana//EN", "METHOD:REPLY", "BEGIN:VEVENT", f"UID:{uid}", "SEQUENCE:0",
        "DTSTAMP:20261120T100000Z", "DTSTART:20261126T090000Z", "ORGANIZER:mailto:robin@vale.example",
        "ATTENDEE;PARTSTAT=DECLINED:mailto:ana@example.com", "END:VEVENT", "END:VCALENDAR", "",
    ]  # fmt: skip
    message.add_alternative("\r\n".join(lines), subtype="calendar", params={"method": "REPLY"})
    return bytes(message)


def test_a_meeting_is_made_declined_moved_and_called_off(desk: Running) -> None:
    """One event all the way, one card for each step, and one mail to the guest for each of the user's; nothing is left to answer."""
    robin = Walk(desk)
    robin.gets(mail(ASKS, subject="Fitting"))
    assert robin.answer("accept") == "Schedule meeting: Fitting"
    assert robin.waiting == []  # The invitation answers the mail.
    (invited,) = robin.scheduling
    uid = invited["events"][0]["uid"]
    assert (invited["method"], str(robin.event["UID"]), robin.event["ATTENDEE"].params["PARTSTAT"]) == (
        "REQUEST", uid, "NEEDS-ACTION",
    )  # fmt: skip

    # Nobody vouches for the mail here, so what it says is asked about before it is noted.
    robin.gets(declined(uid))
    assert robin.answer("accept") == "Note in calendar: Fitting"
    assert robin.event["ATTENDEE"].params["PARTSTAT"] == "DECLINED"

    robin.gets(from_ana(MOVES, 2))
    assert robin.answer("accept") == "Schedule meeting: Fitting (message 2)"
    assert robin.event["DTSTART"].dt.isoformat() == "2026-11-27T11:00:00+01:00"
    assert (int(robin.event["SEQUENCE"]), robin.event["ATTENDEE"].params["PARTSTAT"]) == (1, "NEEDS-ACTION")

    robin.gets(from_ana(CANCELS, 3))
    assert robin.answer("accept") == "Cancel meeting: Fitting (message 3)"
    assert (str(robin.event["UID"]), str(robin.event["STATUS"])) == (uid, "CANCELLED")
    assert robin.waiting == []
    told = [
        (each["method"], each["events"][0]["uid"] == uid, each["events"][0]["sequence"])
        for each in robin.scheduling
    ]
    assert told == [("REQUEST", True, 0), ("REQUEST", True, 1), ("CANCEL", True, 2)]
