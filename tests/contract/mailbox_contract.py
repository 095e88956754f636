"""What every mailbox behind the `Mailbox` port must do.

A test class inherits from `MailboxContract` and brings four fixtures: `mailbox`, an empty one; `deliver`, which
puts raw bytes into its inbox as unread mail and returns the message's id; and as another program of the user's does: `write`,
which puts them among the sent ones, and `move`, which takes the message of an id to where its `Whereabouts` are then, or back.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from typing import ClassVar

import pytest

from email_assistant.clock import SystemClock
from email_assistant.effects.outbox import Outbox
from email_assistant.errors import CursorExpiredError, NotFoundError
from email_assistant.journal.database import Database
from email_assistant.journal.mailboxes import Correspondents
from email_assistant.mail.address import Address
from email_assistant.mail.authenticity import Authorship
from email_assistant.mail.mailbox import Mailbox, MailQuery, Whereabouts
from email_assistant.mail.message import Conversation, Message, OutgoingMessage
from email_assistant.review.action import Action
from email_assistant.tools.concerns import written_elsewhere
from email_assistant.tools.mail_tools import SendEmail, SendEmailArguments
from email_assistant.tools.outgoing import LetterDetails
from email_assistant.tools.sending import Sending
from email_assistant.tools.tool import AskAgain, Done, Turn, User
from tests.support.calendar_mail import invitation

Deliver = Callable[[bytes], Awaitable[str]]
Move = Callable[[str, Whereabouts], Awaitable[None]]

NINE = datetime(2026, 11, 20, 9, tzinfo=UTC)
OWNER = Address("robin@example.com", "Robin Example")
OWN = "Robin Example <robin@example.com>"
EVERYTHING = MailQuery()


def mail(
    number: int = 1,
    *,
    subject: str = "Ring fitting",
    sender: str = "Ana Petrova <ana@example.org>",
    reply_to: int | None = None,
    references: tuple[int, ...] = (),
    date: datetime | None = None,
    body: str = "When can I come by?",
) -> bytes:
    """A raw message whose Message-ID is <NUMBER@example.org>, dated NUMBER minutes after nine."""
    headers = [
        f"From: {sender}",
        "To: Robin Example <robin@example.com>",
        f"Subject: {subject}",
        f"Date: {format_datetime(date or NINE + timedelta(minutes=number))}",
        f"Message-ID: <{number}@example.org>",
    ]
    if reply_to is not None:
        headers.append(f"In-Reply-To: <{reply_to}@example.org>")
    if references:
        headers.append("References: " + " ".join(f"<{r}@example.org>" for r in references))
    return ("\r\n".join(headers) + f"\r\n\r\n{body}\r\n").encode()


def reply(
    number: int = 1, *, mail_thread_id: str = "", own: str = "<reply-1@example.com>"
) -> OutgoingMessage:
    """A reply to the message of that number."""
    return OutgoingMessage(
        sender=OWNER,
        to=(Address("ana@example.org", "Ana Petrova"),),
        subject="Re: Ring fitting",
        body="Tomorrow at ten?\n\nRobin",
        message_id=own,
        in_reply_to=f"<{number}@example.org>",
        references=(f"<{number}@example.org>",),
        mail_thread_id=mail_thread_id,
    )


def sends_over(mailbox: Mailbox, database: Database) -> SendEmail:
    """The tool over this mailbox, with an outbox of its own."""
    clock = SystemClock()
    return SendEmail(Sending(mailbox, Outbox(database, clock), Correspondents(database, clock), clock))


def turn_on(message: Message) -> Turn:
    """Work on a message, for its owner."""
    return Turn(
        "thread", Conversation(message), User(OWNER, "Europe/Berlin"), "call", graph="email_assistant"
    )


class MailboxContract:
    """Run against a real mailbox."""

    keeps_record_of_changes: ClassVar[bool] = True

    async def test_an_empty_mailbox_lists_nothing(self, mailbox: Mailbox) -> None:
        """Without mail, the inbox is empty and nothing is found."""
        assert await mailbox.inbox(EVERYTHING) == []
        assert [i async for i in mailbox.scan(EVERYTHING)] == []
        assert await mailbox.thread("unknown") == []
        assert await mailbox.draft("unknown") is None
        assert await mailbox.find_draft("<nobody@example.com>") is None
        assert await mailbox.find_sent("<nobody@example.com>") is None
        await mailbox.delete_draft("unknown")

    async def test_the_inbox_is_listed_oldest_first(self, mailbox: Mailbox, deliver: Deliver) -> None:
        """`inbox` and `scan` give the same ids, oldest first, up to the limit."""
        ids = [await deliver(mail(number)) for number in (1, 2, 3)]
        assert await mailbox.inbox(EVERYTHING) == ids
        assert [listed.id async for listed in mailbox.scan(EVERYTHING)] == ids
        assert await mailbox.inbox(MailQuery(limit=2)) == ids[:2]

    async def test_text_finds_words_of_sender_recipients_and_subject(
        self, mailbox: Mailbox, deliver: Deliver
    ) -> None:
        """Every word of the text must occur, without regard to case."""
        ring = await deliver(mail(1))
        await deliver(mail(2, subject="Invoice", sender="Bo Lee <bo@example.net>"))
        assert await mailbox.inbox(MailQuery(text="RING ana")) == [ring]
        assert await mailbox.inbox(MailQuery(text="ring bo")) == []

    async def test_calendar_mail_is_found_by_its_senders_address(
        self, mailbox: Mailbox, deliver: Deliver
    ) -> None:
        """From a day before a mail of theirs on, with its calendar part: what an answer may have crossed."""
        await deliver(mail(2, sender="Bo Lee <bo@example.net>"))
        sent = await deliver(invitation())
        after = (await mailbox.fetch(sent)).date
        assert after is not None
        assert await mailbox.inbox(MailQuery(after=after - timedelta(days=1), text="ana@example.com")) == [
            sent
        ]
        (part,) = (await mailbox.fetch(sent)).calendars
        assert "METHOD:REQUEST" in part

    async def test_a_message_is_fetched_as_it_was_delivered(self, mailbox: Mailbox, deliver: Deliver) -> None:
        """`fetch` gives the message under its id with its headers and text."""
        message = await mailbox.fetch(await deliver(mail(1)))
        assert (message.sender.key, message.subject) == ("ana@example.org", "Ring fitting")
        assert (message.message_id, message.text.strip()) == ("<1@example.org>", "When can I come by?")
        assert message.date == NINE + timedelta(minutes=1)
        assert message.id in await mailbox.inbox(EVERYTHING)

    async def test_a_message_is_listed_by_when_it_came_in(self, mailbox: Mailbox, deliver: Deliver) -> None:
        """Whatever its Date says: what a day is looked at, and which "tomorrow" a mail means, goes by it."""
        message = await mailbox.fetch(await deliver(mail(1)))
        at, hour = message.arrived, timedelta(hours=1)
        assert at is not None
        listed = [
            await mailbox.inbox(query)
            for query in (
                MailQuery(after=at - hour, before=at + hour),
                MailQuery(after=at + hour),
                MailQuery(before=at - hour),
            )
        ]
        assert listed == [[message.id], [], []]

    async def test_an_attachment_is_read_as_it_was_sent(self, mailbox: Mailbox, deliver: Deliver) -> None:
        """By its place among the message's attachments: its bytes, whatever they are; there is no other."""
        sent = EmailMessage()
        sent["From"], sent["To"], sent["Subject"] = "ana@example.org", str(OWNER.email), "Plans"
        sent["Message-ID"], sent["Date"] = "<plans@example.org>", "Fri, 20 Nov 2026 09:01:00 +0000"
        sent.set_content("Here they are.")
        contents = [bytes(range(256)) * 9, b"%PDF-1.4"]
        for number, content in enumerate(contents):
            sent.add_attachment(content, "application", "octet-stream", filename=f"plan {number}.pdf")
        message = await mailbox.fetch(await deliver(sent.as_bytes()))
        assert [each.name for each in message.attachments] == ["plan 0.pdf", "plan 1.pdf"]
        assert [await mailbox.attachment(message.id, index) for index in (0, 1)] == contents
        for wrong in (2, -1):
            with pytest.raises(NotFoundError):
                await mailbox.attachment(message.id, wrong)
        with pytest.raises(NotFoundError):
            await mailbox.attachment("18c0ffee0000dead", 0)

    async def test_what_another_program_deleted_is_not_there(
        self, mailbox: Mailbox, deliver: Deliver, move: Move
    ) -> None:
        """Neither in the inbox, read or unread, nor in its conversation."""
        first, second, third = [await deliver(mail(n, reply_to=1 if n > 1 else None)) for n in (1, 2, 3)]
        thread = (await mailbox.fetch(first)).mail_thread_id
        await mailbox.mark_read(third)
        await move(second, Whereabouts.THROWN_AWAY)
        assert await mailbox.inbox(EVERYTHING) == [first, third]
        assert await mailbox.inbox(MailQuery(unread_only=True)) == [first]
        assert [each.id for each in await mailbox.thread(thread)] == [first, third]

    @pytest.mark.parametrize("where", [each for each in Whereabouts if each != "in place"])
    async def test_where_another_program_puts_a_mail(
        self, mailbox: Mailbox, deliver: Deliver, move: Move, where: Whereabouts
    ) -> None:
        """Moved, junk or thrown away, and back; whoever tells what has moved since a cursor names it."""
        one, two = await deliver(mail(1)), await deliver(mail(2))
        message, cursor = await mailbox.fetch(one), await mailbox.cursor()
        assert (await mailbox.in_place([one, two]), await mailbox.where(message)) == ({one, two}, "in place")
        await move(one, where)
        assert (await mailbox.in_place([one, two]), await mailbox.where(message)) == ({two}, where)
        if self.keeps_record_of_changes:
            told = (await mailbox.changes(cursor)).moved
            assert told is None or told == (one,)
        await move(one, Whereabouts.IN_PLACE)
        assert (await mailbox.in_place([one]), await mailbox.where(message)) == ({one}, "in place")

    async def test_unknown_ids_are_not_found(self, mailbox: Mailbox) -> None:
        """Everything that takes a message's id raises `NotFoundError` for one that does not exist."""
        for call in (mailbox.fetch, mailbox.mark_read, mailbox.is_read, mailbox.labels, mailbox.send_draft):
            with pytest.raises(NotFoundError):
                await call("18c0ffee0000dead")
        with pytest.raises(NotFoundError):
            await mailbox.change_labels("18c0ffee0000dead", add=frozenset({"work"}))
        with pytest.raises(NotFoundError):
            await mailbox.save_draft(reply(), replaces="18c0ffee0000dead")

    async def test_marking_read(self, mailbox: Mailbox, deliver: Deliver) -> None:
        """New mail is unread; marking it read changes neither its id nor others, and can be repeated."""
        one, two = await deliver(mail(1)), await deliver(mail(2))
        assert not await mailbox.is_read(one)
        await mailbox.mark_read(one)
        await mailbox.mark_read(one)
        assert await mailbox.is_read(one)
        assert await mailbox.inbox(MailQuery(unread_only=True)) == [two]
        assert (await mailbox.fetch(one)).id == one

    async def test_labels(self, mailbox: Mailbox, deliver: Deliver) -> None:
        """Labels are added on demand and removed; they stay when the message is read."""
        one = await deliver(mail(1))
        assert await mailbox.labels(one) == frozenset()
        await mailbox.change_labels(one, add=frozenset({"Work", "Zu erledigen"}))
        await mailbox.mark_read(one)
        await mailbox.change_labels(one, add=frozenset({"Later"}), remove=frozenset({"Work", "Never there"}))
        assert await mailbox.labels(one) == {"Zu erledigen", "Later"}

    async def test_a_conversation_holds_mail_both_ways(self, mailbox: Mailbox, deliver: Deliver) -> None:
        """A conversation has received and sent messages, oldest first, and no drafts."""
        first = await mailbox.fetch(await deliver(mail(1)))
        await deliver(mail(9, subject="Something else"))
        draft = await mailbox.save_draft(reply(1, mail_thread_id=first.mail_thread_id))
        assert [m.message_id for m in await mailbox.thread(first.mail_thread_id)] == ["<1@example.org>"]
        sent = await mailbox.send_draft(draft.id)
        messages = await mailbox.thread(first.mail_thread_id)
        assert [m.id for m in messages] == [first.id, sent]
        assert {m.mail_thread_id for m in messages} == {first.mail_thread_id}

    async def test_a_listing_tells_the_conversations(self, mailbox: Mailbox, deliver: Deliver) -> None:
        """`scan` gives each message's conversation; `threads` reads several conversations at once."""
        one, two, three = [
            await mailbox.fetch(await deliver(raw))
            for raw in (
                mail(1),
                mail(2, subject="Something else"),
                mail(3, reply_to=1, references=(1,), subject="Re: Ring fitting"),
            )
        ]
        listed = [(each.id, each.mail_thread_id) async for each in mailbox.scan(EVERYTHING)]
        assert listed == [(m.id, m.mail_thread_id) for m in (one, two, three)]
        threads = await mailbox.threads([one.mail_thread_id, two.mail_thread_id, "unknown"])
        assert {key: [m.id for m in messages] for key, messages in threads.items()} == {
            one.mail_thread_id: [one.id, three.id],
            two.mail_thread_id: [two.id],
            "unknown": [],
        }

    async def test_what_came_in_since_a_cursor(self, mailbox: Mailbox, deliver: Deliver) -> None:
        """A mailbox that keeps a record of changes tells what arrived since, oldest first, each once."""
        await deliver(mail(1))
        cursor = await mailbox.cursor()
        new = [await deliver(mail(number)) for number in (2, 3)]
        if not self.keeps_record_of_changes:
            with pytest.raises(CursorExpiredError):
                await mailbox.changes(cursor, unread_only=True)
            return
        await mailbox.mark_read(new[0])
        await mailbox.save_draft(reply())
        changes = await mailbox.changes(cursor)
        assert [listed.id for listed in changes.messages] == new
        unread = await mailbox.changes(cursor, unread_only=True)
        assert [listed.id for listed in unread.messages] == new[1:]
        assert (await mailbox.changes(changes.cursor)).messages == ()

    async def test_what_the_user_answers_since_a_cursor_is_told(
        self, mailbox: Mailbox, deliver: Deliver, write: Deliver
    ) -> None:
        """From here or with another program, by its conversation, so that its card is closed."""
        if not self.keeps_record_of_changes:
            return
        one, two = [
            await mailbox.fetch(await deliver(mail(number, subject=f"Ring {number}"))) for number in (1, 2)
        ]
        cursor = await mailbox.cursor()
        assert (await mailbox.changes(cursor)).answered == ()
        await write(mail(3, sender=OWN, reply_to=1))
        draft = await mailbox.save_draft(reply(2, mail_thread_id=two.mail_thread_id))
        await mailbox.send_draft(draft.id)
        answered = (await mailbox.changes(cursor)).answered
        assert sorted(answered) == sorted((one.mail_thread_id, two.mail_thread_id))

    async def test_a_cursor_that_was_never_given_has_expired(self, mailbox: Mailbox) -> None:
        """It is another mailbox's, or another version's: everything is looked at again, and nothing is left out."""
        with pytest.raises(CursorExpiredError):
            await mailbox.changes("no such cursor")

    async def test_a_draft_comes_back_as_it_was_saved(self, mailbox: Mailbox, deliver: Deliver) -> None:
        """A draft is found by its id and by its Message-ID, with all its fields, and is not in the inbox."""
        first = await mailbox.fetch(await deliver(mail(1)))
        message = replace(
            reply(1, mail_thread_id=first.mail_thread_id), bcc=(Address("hidden@example.com", "Hidden"),)
        )
        saved = await mailbox.save_draft(message)
        assert saved.message == message
        assert await mailbox.draft(saved.id) == saved
        assert await mailbox.find_draft(message.message_id) == saved
        assert await mailbox.inbox(EVERYTHING) == [first.id]

    async def test_replacing_a_draft_leaves_one(self, mailbox: Mailbox) -> None:
        """A replaced draft has the new text only, and only one draft is left."""
        old = await mailbox.save_draft(reply())
        new = await mailbox.save_draft(
            replace(reply(), body="Better: eleven.", message_id="<reply-2@example.com>"), replaces=old.id
        )
        assert await mailbox.find_draft("<reply-1@example.com>") is None
        found = await mailbox.find_draft("<reply-2@example.com>")
        assert found is not None
        assert (found.id, found.message.body) == (new.id, "Better: eleven.")

    async def test_a_deleted_draft_is_gone(self, mailbox: Mailbox) -> None:
        """A deleted draft is not found, cannot be replaced or sent, and may be deleted again."""
        draft = await mailbox.save_draft(reply())
        await mailbox.delete_draft(draft.id)
        await mailbox.delete_draft(draft.id)
        assert await mailbox.draft(draft.id) is None
        assert await mailbox.find_draft("<reply-1@example.com>") is None
        with pytest.raises(NotFoundError):
            await mailbox.send_draft(draft.id)
        with pytest.raises(NotFoundError):
            await mailbox.save_draft(reply(), replaces=draft.id)

    async def test_sending_moves_the_draft_to_sent(self, mailbox: Mailbox) -> None:
        """A sent draft is no draft any more and is found in Sent by its Message-ID, as it was."""
        draft = await mailbox.save_draft(reply())
        assert await mailbox.find_sent("<reply-1@example.com>") is None
        sent = await mailbox.send_draft(draft.id)
        assert await mailbox.draft(draft.id) is None
        assert await mailbox.find_draft("<reply-1@example.com>") is None
        assert await mailbox.find_sent("<reply-1@example.com>") == sent
        message = await mailbox.fetch(sent)
        assert (message.subject, message.to[0].key) == ("Re: Ring fitting", "ana@example.org")
        assert await mailbox.inbox(EVERYTHING) == []
        assert [listed.id async for listed in mailbox.scan(MailQuery(sent=True))] == [sent]
        assert await mailbox.inbox(MailQuery(sent=True, text="ana@example.org")) == [sent]
        assert await mailbox.inbox(MailQuery(sent=True, text="bo@example.org")) == []

    async def test_what_the_user_has_sent_is_told_from_what_only_says_so(
        self, mailbox: Mailbox, deliver: Deliver
    ) -> None:
        """A forged sender, and a forged Message-ID of a sent message with it, prove nothing."""
        authorship = Authorship(mailbox, frozenset({OWNER.key}))
        sent = await mailbox.send_draft((await mailbox.save_draft(reply())).id)
        found = await authorship.sent(sent)
        assert found is not None
        assert (found.id, found.text) == (sent, "Tomorrow at ten?\n\nRobin")
        forged = mail(1, sender="Robin Example <robin@example.com>")
        same_id = forged.replace(b"<1@example.org>", found.message_id.encode())
        for raw in (mail(2), forged, same_id):
            assert await authorship.sent(await deliver(raw)) is None
        for unknown in ("", "no-such-message"):
            assert await authorship.sent(unknown) is None

    async def test_what_the_user_has_sent_with_another_program_says_so(
        self, mailbox: Mailbox, deliver: Deliver, write: Deliver
    ) -> None:
        """By where it lies, whatever From says: under an alias, too, and not in a forged mail."""
        first = await mailbox.fetch(await deliver(mail(1)))
        forged = await deliver(mail(2, sender=OWN, reply_to=1))
        own = await write(mail(3, sender=OWN, reply_to=1))
        alias = await write(mail(4, sender="shop@example.com", reply_to=1))
        told = {first.id: False, forged: False, own: True, alias: True}
        assert {m.id: m.sent for m in await mailbox.thread(first.mail_thread_id)} == told
        assert {each: (await mailbox.fetch(each)).sent for each in told} == told

    @pytest.mark.parametrize("minutes", [0, -1, -90])
    async def test_an_answer_stands_after_what_it_answers(
        self, mailbox: Mailbox, deliver: Deliver, write: Deliver, minutes: int
    ) -> None:
        """Whatever the clocks say: the user's own, by another program, and one that came in with an equal or earlier Date."""
        one, two = await deliver(mail(1)), await deliver(mail(2, reply_to=1))
        at = NINE + timedelta(minutes=2 + minutes)
        own = await write(mail(3, sender=OWN, reply_to=2, references=(1, 2), date=at))
        after = await deliver(mail(4, reply_to=3, references=(1, 2, 3), date=at))
        thread = (await mailbox.fetch(one)).mail_thread_id
        assert [m.id for m in await mailbox.thread(thread)] == [one, two, own, after]

    @pytest.mark.parametrize("minutes", [5, 0, -1])
    @pytest.mark.parametrize("when", ["before the card", "after the card"])
    async def test_a_mail_that_was_answered_with_another_program_is_answered_again_only_when_that_is_accepted(
        self, mailbox: Mailbox, deliver: Deliver, write: Deliver, database_url: str, when: str, minutes: int
    ) -> None:
        """The accept is asked again, with the user's own words; what we sent ourselves is told in another way."""
        message = await mailbox.fetch(await deliver(mail(1)))
        own = mail(7, sender=OWN, reply_to=1, date=NINE + timedelta(minutes=1 + minutes), body="Come at ten.")
        own = own.replace(b"To: Robin Example <robin@example.com>", b"To: ana@example.org")
        database = Database(database_url)
        sends = sends_over(mailbox, database)
        if when == "before the card":
            await write(own)
        action = await sends.prepare(SendEmailArguments(body="Come at eleven."), turn_on(message))
        assert isinstance(action, Action)
        if when == "after the card":
            await write(own)
        again = await sends.perform(action, acknowledged=frozenset())
        assert isinstance(again, AskAgain)
        assert again.problem.startswith("You answered this on Fri 20 Nov 2026, ")
        assert again.problem.endswith(": “Come at ten.”. Accept again to send this one as well.")
        assert await mailbox.find_sent(LetterDetails.of(action).message.message_id) is None
        assert isinstance(await sends.perform(action, acknowledged=frozenset(again.concerns)), Done)
        sent = [m for m in await mailbox.thread(message.mail_thread_id) if m.sent]
        written = await written_elsewhere(sent, sends.sending.outbox)
        assert ([m.message_id for m in written], len(sent)) == (["<7@example.org>"], 2)
        await database.close()

    async def test_of_many_that_send_one_draft_onesends_over(self, mailbox: Mailbox) -> None:
        """When ten callers race to send a draft, one gets the id and the others `NotFoundError`."""
        draft = await mailbox.save_draft(reply())
        results = await asyncio.gather(
            *(mailbox.send_draft(draft.id) for _ in range(10)), return_exceptions=True
        )
        assert sum(isinstance(result, str) for result in results) == 1
        assert sum(isinstance(result, NotFoundError) for result in results) == 9
