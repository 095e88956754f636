"""Promises about mail that the user answers with another program: nobody gets a second reply that the user did not want twice."""

import asyncio
import mailbox
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from email_assistant.adapters.importer import deliver
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.app import ingesting
from email_assistant.app.accounts import local_mailbox
from email_assistant.ingest.look import Look
from email_assistant.ingest.starter import run_thread_id
from email_assistant.journal.records import MailStatus
from email_assistant.mail.email_input import REOPENED
from email_assistant.mail.message import Message
from email_assistant.review.moved_mail import MOVED, told_where
from email_assistant.review.waiting import waiting_cards
from email_assistant.tools.sending import LEFT
from eval.mails import USER, received
from tests.support.graph_server import GraphServer
from tests.support.workflows import Bench, echoed

SAID = "I wrote this on my phone."
TOLD = "You answered this on "
ALIAS = "Robin at the shop <shop@vale.example>"


class ElsewhereContract:
    """The user's own reply lies in Sent, where a phone or a mail program has put it."""

    @pytest.mark.parametrize("minutes", [1, 0, -1], ids=["later", "equal dates", "a clock behind"])
    async def test_a_reply_of_the_users_own_is_asked_about_at_the_accept(
        self, bench: Bench, minutes: int
    ) -> None:
        """The first line quotes it, and nothing goes out; accepted with that shown, the second reply is sent."""
        message, card = await bench.to_reply()
        await write_elsewhere(bench, message, minutes=minutes)
        again = await bench.answer(message, echoed(card))
        assert again is not None
        assert again["description"].startswith(TOLD)
        first = again["description"].splitlines()[0]
        assert f"“{SAID}”. Accept again to send this one as well." in first
        assert len(await bench.sent()) == 1
        assert await bench.answer(message, echoed(again)) is None
        assert len(await bench.sent()) == 2

    async def test_a_mail_that_was_deleted_meanwhile_is_not_answered_twice(self, bench: Bench) -> None:
        """The reply still says what it answers, and a newer mail still asks again."""
        message, card = await bench.to_reply()
        await write_elsewhere(bench, message, minutes=-1)
        delete(bench, message)
        again = await bench.answer(message, echoed(card))
        assert again is not None
        assert again["description"].startswith(TOLD)
        newer = dict(bench.workflow.case) | {"id": "two", "text": "Wait, one more thing."}
        newer |= {"headers": {"In-Reply-To": message.message_id, "References": message.message_id}}
        await received(bench.house, newer)
        third = await bench.answer(message, echoed(again))
        assert third is not None
        assert "A newer message from " in third["description"].splitlines()[0]
        assert len(await bench.sent()) == 1

    async def test_a_reply_under_an_alias_that_no_setting_names_is_the_users(self, bench: Bench) -> None:
        """What lies in Sent is the user's, whatever its From says."""
        message, card = await bench.to_reply()
        await write_elsewhere(bench, message, sender=ALIAS)
        again = await bench.answer(message, echoed(card))
        assert again is not None
        assert again["description"].startswith(TOLD)

    async def test_what_only_bears_the_users_address_is_no_reply_of_theirs(self, bench: Bench) -> None:
        """A forged reply in the inbox neither closes the card nor asks again in the user's name."""
        message, card = await bench.to_reply()
        await deliver(local_mailbox(bench.house), reply_to(message))
        server = await shown(bench, message)
        assert await ingesting.closing(bench.house, server.client).close_answered() == 0
        assert await bench.answer(message, echoed(card)) is None
        assert len(await bench.sent()) == 1

    async def test_a_reply_to_another_mail_of_the_conversation_closes_nothing(self, bench: Bench) -> None:
        """The card stays, and its accept tells what was written; the same holds for a mail that was only passed on."""
        first = dict(bench.workflow.case) | {"id": "zero", "text": "Good morning, are you there?"}
        message, card = await bench.to_reply(dict(bench.workflow.case) | {"thread": [first]})
        (earlier,) = [m for m in await thread_of(bench, message) if m.id != message.id]
        await write_elsewhere(bench, earlier, at=message)
        await write_elsewhere(bench, message, to="Cy <cy@elsewhere.example>", said="What do you think?")
        server = await shown(bench, message)
        assert await ingesting.closing(bench.house, server.client).close_answered() == 0
        again = await bench.answer(message, echoed(card))
        assert again is not None
        assert again["description"].startswith("You wrote in this conversation on ")
        assert len(await bench.sent()) == 2

    async def test_a_look_closes_the_card_of_a_mail_that_was_answered_elsewhere(self, bench: Bench) -> None:
        """The draft goes, the journal says why, and no later look brings the card back."""
        message, _ = await bench.to_reply()
        await write_elsewhere(bench, message, minutes=0)
        server = await shown(bench, message)
        for _ in range(2):
            await look(bench, server)
            assert await bench.card(message) is None
        assert (len(await bench.sent()), await bench.drafts()) == (1, [])
        (record,) = await bench.house.mail_log.by_run_thread(thread(message))
        assert (record.status, record.reason) == ("done", "answered by you in the mailbox")

    @pytest.mark.parametrize(
        ("folder", "why"), [("Trash", "deleted in the mailbox"), ("Junk", "marked as junk in the mailbox")]
    )
    async def test_a_mail_that_is_deleted_or_junk_takes_its_card_along(
        self, bench: Bench, folder: str, why: str
    ) -> None:
        """And its draft; when it comes back it has a card anew, once."""
        message, _ = await bench.to_reply()
        server, runs = await shown(bench, message), []
        file = put_elsewhere(bench, message, folder)
        for _ in range(2):
            await look(bench, server)
            assert (await bench.card(message), await bench.drafts(), await bench.sent()) == (None, [], [])
        (record,) = await bench.house.mail_log.by_run_thread(thread(message))
        assert (record.status, record.reason) == ("done", why)
        file.rename(Path(bench.house.settings.maildir_path or "") / "cur" / f"{message.id}:2,")
        for _ in range(2):
            await look(bench, server)
            runs.append(len(server.runs))
        assert await bench.card(message) is not None
        assert runs == [1, 1]

    async def test_a_mail_that_is_moved_keeps_its_card_which_says_so(self, bench: Bench) -> None:
        """Whoever accepts it with that on it sends the letter; back in the inbox nothing says so any more."""
        message, card = await bench.to_reply()
        server, house = await shown(bench, message), bench.house
        file = put_elsewhere(bench, message, "Projects")

        async def said() -> list[bool]:
            await look(bench, server)
            cards = await waiting_cards(server.client, house.trace)
            told = await told_where(cards, house.mail_log)
            assert [each.digest for each in told] == [each.digest for each in cards]
            return [f"This mail was {MOVED}." in each.facts.facts for each in told]

        server.rows[thread(message)]["metadata"] = {"graph_id": bench.workflow.graph}
        assert await said() == [True]
        back = file.rename(Path(house.settings.maildir_path or "") / "cur" / f"{message.id}:2,")
        assert await said() == [False]
        back.rename(file)
        assert await said() == [True]
        assert await bench.answer(message, echoed(card)) is None
        assert len(await bench.sent()) == 1

    async def test_from_an_account_of_drafts_alone_nothing_is_sent(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The card says so, and accepting it leaves the letter as a draft; once it was sent with another program the card goes."""
        monkeypatch.setattr(MaildirMailbox, "sends", False)
        message, card = await bench.to_reply()
        assert LEFT in card["description"]
        again = await bench.answer(message, echoed(card))
        assert again is not None
        assert again["description"].startswith(LEFT)
        assert (await bench.sent(), len(await bench.drafts())) == ([], 1)
        await write_elsewhere(bench, message)
        await look(bench, await shown(bench, message))
        assert (await bench.card(message), len(await bench.sent()), await bench.drafts()) == (None, 1, [])

    async def test_a_mail_that_was_brought_back_stays_although_it_is_answered(self, bench: Bench) -> None:
        """The user knows what they wrote."""
        message, _ = await bench.to_reply()
        await write_elsewhere(bench, message)
        record = (await bench.house.mail_log.by_run_thread(thread(message)))[0]
        back = {**(record.email_input or {}), REOPENED: True}
        await bench.house.mail_log.reopen(replace(record, email_input=back))
        key = (record.mailbox, record.message_id, record.graph)
        await bench.house.mail_log.set_status(*key, MailStatus.waiting_review)
        server = await shown(bench, message)
        assert await ingesting.closing(bench.house, server.client).close_answered() == 0
        assert await bench.card(message) is not None

    async def test_a_plain_mail_that_crosses_the_answer_gets_its_card(self, bench: Bench) -> None:
        """What came in between the last look and the accept is not settled by a reply to what was there before."""
        message, card = await bench.to_reply()
        newer = dict(bench.workflow.case) | {"id": "two"}
        newer |= {"headers": {"In-Reply-To": message.message_id, "References": message.message_id}}
        crossing = (await received(bench.house, newer)).current
        again = await bench.answer(message, echoed(card))
        assert again is not None
        assert await bench.answer(message, echoed(again)) is None
        server = await shown(bench, message)
        await look(bench, server)
        record = await bench.house.mail_log.get(bench.house.mailbox.name, crossing.id, bench.workflow.graph)
        assert record is not None
        assert record.status == "waiting_review"


def thread(message: Message) -> str:
    """The run thread of its conversation."""
    return run_thread_id(message.mail_thread_id)


async def thread_of(bench: Bench, message: Message) -> list[Message]:
    """Its conversation."""
    return await bench.house.mailbox.thread(message.mail_thread_id)


async def shown(bench: Bench, message: Message) -> GraphServer:
    """A deployment that shows the message's thread."""
    server = GraphServer(bench.graph)
    await server.show(thread(message))
    return server


async def look(bench: Bench, server: GraphServer) -> Any:
    """Look into the mailbox."""
    return await ingesting.ingestion(bench.house, server.client, bench.workflow.graph).run(
        Look(include_read=True)
    )


def reply_to(
    message: Message, *, sender: str = USER, to: str = "", at: datetime | None = None, said: str = SAID
) -> bytes:
    """An answer as a mail program writes it."""
    answer = EmailMessage()
    answer["From"], answer["To"] = sender, to or f"<{message.sender.email}>"
    answer["Subject"], answer["Message-ID"] = (
        f"Re: {message.subject}",
        f"<{len(said)}.{len(sender)}@phone.example>",
    )
    answer["Date"] = format_datetime(at or datetime.now(UTC))
    answer["In-Reply-To"] = answer["References"] = message.message_id
    answer.set_content(said)
    return bytes(answer)


async def write_elsewhere(
    bench: Bench, message: Message, *, minutes: int = 1, at: Message | None = None, **written: str
) -> str:
    """Answer it so many minutes after it (or after `at`), by the clock of another program; the answer's Message-ID."""
    moment = ((at or message).date or datetime.now(UTC)) + timedelta(minutes=minutes)
    raw = reply_to(message, at=moment, **written)  # type: ignore[arg-type]
    await asyncio.to_thread(put_into_sent, bench, raw, moment)
    return str(raw.decode().partition("Message-ID: ")[2].splitlines()[0])


def put_into_sent(bench: Bench, raw: bytes, moment: datetime) -> None:
    """As a program does that keeps Sent in step with a server."""
    folder = mailbox.Maildir(bench.house.settings.maildir_path or "", create=True).add_folder("Sent")
    found = mailbox.MaildirMessage(raw)
    found.set_flags("S")
    found.set_date(moment.timestamp())
    folder.add(found)


def put_elsewhere(bench: Bench, message: Message, folder: str) -> Path:
    """As a program does that moves mail; its file."""
    root = Path(bench.house.settings.maildir_path or "")
    (found,) = [f for name in ("new", "cur") for f in (root / name).glob(f"{message.id}*")]
    other = mailbox.Maildir(root).add_folder(folder)
    return found.rename(Path(other._path) / "cur" / f"{message.id}:2,S")  # type: ignore[attr-defined]


def delete(bench: Bench, message: Message) -> None:
    """As a person does on the phone."""
    root = Path(bench.house.settings.maildir_path or "")
    (found,) = [f for name in ("new", "cur") for f in (root / name).glob(f"{message.id}*")]
    found.unlink()
