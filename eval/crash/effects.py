"""What there is on the disk: what was done, what was left lying, and what the records say of the mail."""

import json
import mailbox
import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from pathlib import Path

from email_assistant.journal.records import OPEN, MailStatus
from eval.crash.worker import ACCEPTED, DATA

DONE = {
    "orders": "SELECT o.state, l.product_id, l.taken FROM orders o JOIN order_lines l USING (order_id) WHERE o.state = 'confirmed'",
    "refunds": "SELECT user_id, policy_id, CAST(amount AS TEXT) FROM refunds WHERE state IN ('paid', 'due')",
    "tickets": "SELECT user_id, type FROM tickets",
    "incidents": "SELECT user_id, policy_id FROM incidents",
    "lists": "SELECT list_key, state, messages FROM subscriptions",
    "allowance": "SELECT kind FROM outbox WHERE kind = 'allowance' AND status = 'done'",
}
"""Effects in the database; each row is one."""
LEFT = {
    "effects begun": "SELECT kind FROM outbox WHERE status = 'started' AND kind != 'draft'",
    "orders held": "SELECT order_id FROM orders WHERE state = 'held'",
    "money set aside": "SELECT policy_id FROM refunds WHERE state NOT IN ('paid', 'due', 'refused')",
    "stock": (
        "SELECT p.id, p.stock + COALESCE((SELECT SUM(l.taken) FROM orders o JOIN order_lines l USING (order_id) "
        "WHERE o.state != 'released' AND l.product_id = p.id), 0) FROM products p"
    ),
}
"""What is settled when everything is; of each product what is in stock, held and sold, which stays the same."""
ASKED_FOR = {
    "sent": "Send",
    "told": ("Schedule", "Cancel", "Invitation", "Move"),
    "events": ("Schedule", "Invitation"),
    "refunds": "Refund",
}
"""What needs a person's approval, and how its cards' titles begin."""
_HOLDS = ("SUMMARY", "DTSTART", "ATTENDEE", "LOCATION", "SEQUENCE", "STATUS")


@dataclass(frozen=True, slots=True)
class Found:
    """What is there."""

    done: Mapping[str, Counter[str]]
    """Kind → effects."""
    left: Mapping[str, Counter[str]]
    """Kind → what waits for somebody to come back to it."""
    mail: Mapping[str, str]
    """Message id → status and outcome, of every message in the inbox."""
    accepted: Counter[str]
    """Titles of cards, and how often each was accepted."""

    def unapproved(self, unasked: Mapping[str, int]) -> dict[str, int]:
        """Kind → how many effects are more than cards of that kind were accepted; `unasked` (also by kind) may be there without one."""
        asked = {title.partition(" (asked again")[0] for title in self.accepted}
        excess = {
            kind: self.done[kind].total()
            - sum(title.startswith(start) for title in asked)
            - unasked.get(kind, 0)
            for kind, start in ASKED_FOR.items()
        }
        return {kind: number for kind, number in excess.items() if number > 0}

    @property
    def lost_mail(self) -> list[str]:
        """Messages that are not on record, or neither settled nor waiting for an answer."""
        fine = {str(status) for status in MailStatus if status not in OPEN} | {
            MailStatus.waiting_review.value
        }
        fine -= {MailStatus.dead_letter.value}
        return [message for message, status in self.mail.items() if status.split(" ")[0] not in fine]


def found_in(folder: Path) -> Found:
    """What a work folder holds; nobody may be at work on it."""
    data = folder / DATA
    database = sqlite3.connect(data / "email_assistant.db")
    try:
        done = {kind: _rows(database, query) for kind, query in DONE.items()}
        left = {kind: _rows(database, query) for kind, query in LEFT.items()}
        query = "SELECT message_id, status || ' ' || outcome FROM mail"
        statuses = dict(database.execute(query).fetchall())
    finally:
        database.close()
    root = mailbox.Maildir(data / "mailbox", create=False)
    done |= {
        "sent": _folder(root, "Sent"),
        "told": _folder(root, "Sent", scheduling=True),
        "events": Counter(_events(data)),
        "notes": Counter(str(path.relative_to(folder)) for path in folder.rglob("*.md")),
        "labels": _labels(data),
        "read": Counter(
            "read" for path in (data / "mailbox").glob("cur/*") if "S" in path.name.rpartition(",")[2]
        ),
    }
    left["drafts"] = _folder(root, "Drafts") + _folder(root, "Drafts", scheduling=True)
    ids = [key.partition(":")[0] for key in root.keys()]  # noqa: SIM118 - a mailbox iterates over messages
    accepted = folder / ACCEPTED
    titles = accepted.read_text(encoding="utf-8").splitlines() if accepted.exists() else []
    return Found(done, left, {each: statuses.get(each, "unknown") for each in ids}, Counter(titles))


def _rows(database: sqlite3.Connection, query: str) -> Counter[str]:
    return Counter(" ".join(map(str, row)) for row in database.execute(query))


def _folder(root: mailbox.Maildir, name: str, *, scheduling: bool = False) -> Counter[str]:
    """Letters, or what brings its readers something for their calendars, with its method (REPLY, CANCEL, …)."""
    messages = root.get_folder(name) if name in root.list_folders() else []
    return Counter(
        " | ".join(map(str, (m["To"], m["Subject"], m["In-Reply-To"], *_methods(m))))
        for m in messages
        if m.is_multipart() is scheduling
    )


def _methods(message: Message) -> list[object]:
    return [part.get_param("method") for part in message.walk() if part.get_content_type() == "text/calendar"]


def _events(data: Path) -> list[str]:
    """The events' lines that say what and when, joined."""
    path = next(iter(data.glob("*.ics")), None)
    text = path.read_text(encoding="utf-8") if path else ""
    text = text.replace("\n ", "")  # Long lines are folded (RFC 5545 §3.1).
    return [
        " ".join(line for line in event.splitlines() if line.startswith(_HOLDS))
        for event in text.split("BEGIN:VEVENT")[1:]
    ]


def _labels(data: Path) -> Counter[str]:
    files = (data / "mailbox" / "labels").glob("*.json")
    return Counter(label for path in files for label in json.loads(path.read_text(encoding="utf-8")))
