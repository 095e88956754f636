"""Which letters of the user's wait for an answer: over a real local mailbox and database; the deployment is a stand-in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from email_assistant.adapters.importer import bring_in
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.app import ingesting
from email_assistant.app.accounts import AccountDeps, account_deps
from email_assistant.app.journal import journal_deps
from email_assistant.clock import FixedClock
from email_assistant.ingest.follow_ups import MOST
from email_assistant.ingest.starter import run_thread_id
from email_assistant.journal.records import MailStatus
from email_assistant.mail.email_input import FOLLOWS_UP
from email_assistant.settings import load_settings
from tests.support.deployment import Deployment

FRIDAY = datetime(2026, 11, 20, 12, tzinfo=UTC)
WROTE = datetime(2026, 11, 12, 9, tzinfo=UTC)
ME = "Robin Vale <robin@vale.example>"
OWN = frozenset({"robin@vale.example"})
QUESTION = "Hi {name},\n\ncould you send me the measurements of the shelf?\n\nBest regards\nRobin"
AWAY = {"Auto-Submitted": "auto-replied", "Subject": "Automatic reply: Shelf"}


@dataclass
class Post:
    """A mailbox, the looks into it, and what they start."""

    folder: Path
    now: datetime = FRIDAY
    deployment: Deployment = field(default_factory=Deployment)
    count: int = 0

    @property
    def house(self) -> AccountDeps:
        values = {"EMAIL_ASSISTANT_DATA_DIR": str(self.folder), "EMAIL_ASSISTANT_EMAIL": "robin@vale.example"}
        mailbox = MaildirMailbox(self.folder / "mailbox", FixedClock(self.now))
        clock = FixedClock(self.now)
        return account_deps(journal_deps(load_settings(values, self.folder), clock), mailbox=mailbox)

    async def put(self, raw: bytes) -> str:
        """A message into the inbox, or into Sent when it is the user's own; its id."""
        mailbox = MaildirMailbox(self.folder / "mailbox", FixedClock(self.now))
        return (await bring_in(mailbox, raw, OWN)).id

    async def look(self, *, is_news: bool = False, anew: bool = False) -> int:
        """One pass; how many reminders were begun."""
        house = self.house
        return await ingesting.follow_ups(house, self.deployment.client).run(is_news=is_news, anew=anew)

    @property
    def started(self) -> set[str]:
        """The Message-IDs of the letters that are followed up."""
        given = [run["input"]["email_input"] for run in self.deployment.runs]
        assert all(each[FOLLOWS_UP] for each in given)
        return {each["message_id"] for each in given}


def letter(name: str, to: str = "", *, body: str = QUESTION, at: datetime = WROTE, **headers: str) -> bytes:
    """A letter of the user's whose Message-ID is <NAME@vale.example>."""
    return message(ME, to or f"{name.title()} Berg <{name}@berg.example>", body.format(name=name.title()), at, {
        "Message-ID": f"<{name}@vale.example>", "Subject": f"Shelf {name}", **headers,
    })  # fmt: skip


def message(sender: str, to: str, body: str, at: datetime, headers: Mapping[str, str]) -> bytes:
    """A raw message."""
    made = EmailMessage()
    made["From"], made["To"], made["Date"] = sender, to, format_datetime(at)
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    made.set_content(body)
    return bytes(made)


def answer(
    name: str, *, sender: str = "", body: str = "It is 80 cm.", named: bool = True, **headers: str
) -> bytes:
    """An answer to that letter, four days later; `named`: with the headers that say so."""
    refers = (
        {"In-Reply-To": f"<{name}@vale.example>", "References": f"<{name}@vale.example>"} if named else {}
    )
    own = {"Message-ID": f"<re-{name}-{len(body)}@berg.example>", "Subject": f"Re: Shelf {name}"}
    sender = sender or f"{name.title()} Berg <{name}@berg.example>"
    return message(sender, ME, body, WROTE + timedelta(days=4), {**own, **refers, **headers})


def invitation(name: str) -> bytes:
    """An invitation of theirs, in a conversation of its own."""
    made = EmailMessage()
    made["From"], made["To"] = f"{name}@berg.example", ME
    made["Subject"], made["Message-ID"] = "Measuring", f"<invite-{name}@berg.example>"
    made["Date"] = format_datetime(WROTE + timedelta(days=1))
    made.set_content("See the calendar.")
    made.add_attachment(
        b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", "text", "calendar", params={"method": "REQUEST"}
    )
    return bytes(made)


ANSWERED: Mapping[str, Sequence[bytes]] = {
    "anna": [answer("anna")],
    "bela": [answer("bela", body="Thanks, I will measure it.")],
    "cora": [answer("cora", sender="Cora <cora@elsewhere.example>")],
    "dora": [answer("dora", named=False)],
    "eva": [answer("eva", sender="Eva Berg <eva.berg@phone.example>", named=False)],
    "finn": [invitation("finn")],
    "gero": [message(ME, "gero@berg.example", "We have it by now, thank you.", WROTE + timedelta(days=2), {
        "Message-ID": "<phone-1@vale.example>", "Subject": "Re: Shelf gero", "References": "<gero@vale.example>"})],
    "hans": [message(ME, "hans@berg.example", "I have measured it.", WROTE + timedelta(days=2), {
        "Message-ID": "<phone-2@vale.example>", "Subject": "Shelf hans"})],
    "ines": [answer("ines", body="I am away until 16 November.", **AWAY), answer("ines", body="80 cm, back again.")],
    "jan": [answer("jan", body="")],
}  # fmt: skip
AUTOMATIC = {
    "kai": answer("kai", body="I am out of the office and back on 25 November.", **AWAY),
    "lea": answer("lea", body="I am away until 18 November.", **AWAY),
}
SILENT = ("mia", "noah", "olga", "paul", "rita", "sven", "tina", "udo")
NOT_WAITING = {
    "asks nothing": letter("vera", body="Hi {name},\n\nthe shelf came today.\n\nRobin"),
    "to a list": letter("will", "shelves@lists.example", **{"List-Id": "<shelves.lists.example>"}),
    "to nobody": letter("xaver", "noreply@shop.example"),
    "to many": letter("yves", ", ".join(f"a{n}@berg.example" for n in range(8))),
    "too young": letter("zoe", at=FRIDAY - timedelta(days=2)),
    "too old": letter("alma", at=FRIDAY - timedelta(days=40)),
}


async def test_of_twenty_letters_those_without_an_answer_are_followed_up(tmp_path: Path) -> None:
    """Each once; an automatic reply is waited for until the day that it names."""
    post = Post(tmp_path)
    for name in (*ANSWERED, *AUTOMATIC, *SILENT):
        await post.put(letter(name))
    for raw in (
        *(each for some in ANSWERED.values() for each in some),
        *AUTOMATIC.values(),
        *NOT_WAITING.values(),
    ):
        await post.put(raw)
    assert await post.look() == len(SILENT) + 1
    due = {f"<{name}@vale.example>" for name in (*SILENT, "lea")}
    assert post.started == due
    post.now += timedelta(minutes=30)
    assert await post.look() == 0
    # Monday after next: the one too young by then, and the one who is back.
    post.now = datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert await post.look() == 2
    assert post.started == due | {"<kai@vale.example>", "<zoe@vale.example>"}
    post.now += timedelta(hours=2)
    assert await post.look() == 0
    assert len(post.deployment.runs) == len(post.started)


@pytest.mark.parametrize("raw", [answer("mia"), answer("mia", named=False), invitation("mia")])
async def test_an_answer_closes_the_reminder(tmp_path: Path, raw: bytes) -> None:
    """And none comes again, also after the user's own next letter in the conversation."""
    post = Post(tmp_path)
    written = await post.put(letter("mia"))
    assert await post.look() == 1
    record = await waiting(post, written)
    await post.put(raw)
    assert await post.look(is_news=True) == 0
    (closed,) = await post.house.mail_log.by_run_thread(record)
    assert (closed.status, closed.reason) == (MailStatus.done, "answered since")
    later = {
        "References": "<mia@vale.example>",
        "In-Reply-To": "<mia@vale.example>",
        "Subject": "Re: Shelf mia",
    }
    await post.put(letter("again", "mia@berg.example", at=FRIDAY + timedelta(hours=1), **later))
    post.now += timedelta(days=10)
    assert await post.look() == 0


async def waiting(post: Post, message_id: str) -> str:
    """The reminder's card waits; on which run thread."""
    house = post.house
    record = await house.mail_log.get(house.mailbox.name, message_id, "email_assistant")
    assert record is not None
    assert record.run_thread_id == run_thread_id(record.mail_thread_id)
    await house.mail_log.set_status(record.mailbox, message_id, record.graph, MailStatus.waiting_review)
    return record.run_thread_id


async def test_what_is_more_than_one_pass_begins_comes_with_the_next(tmp_path: Path) -> None:
    """None is forgotten."""
    post = Post(tmp_path)
    for number in range(MOST + 3):
        await post.put(letter(f"guest{number}"))
    assert await post.look() == MOST
    post.now += timedelta(hours=1)
    assert await post.look() == 3


async def test_what_is_brought_in_later_is_followed_up_too(tmp_path: Path) -> None:
    """Although a pass has gone by its day, and at once."""
    post = Post(tmp_path)
    assert await post.look() == 0
    await post.put(letter("mia"))
    assert await post.look() == 0
    assert await post.look(anew=True) == 1


async def test_zero_days_follow_up_nothing(tmp_path: Path) -> None:
    """The setting ends it."""
    post = Post(tmp_path)
    await post.put(letter("mia"))
    values: dict[str, Any] = {
        "EMAIL_ASSISTANT_FOLLOW_UP_DAYS": "0",
        "EMAIL_ASSISTANT_EMAIL": "robin@vale.example",
    }
    settings = load_settings(values | {"EMAIL_ASSISTANT_DATA_DIR": str(tmp_path)}, tmp_path)
    house = account_deps(journal_deps(settings, FixedClock(FRIDAY)), mailbox=post.house.mailbox)
    assert await ingesting.follow_ups(house, post.deployment.client).run(is_news=True) == 0
    assert post.deployment.runs == []
