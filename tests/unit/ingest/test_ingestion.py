"""Ingestion over a real local mailbox and database; the deployment is a stand-in that keeps what was started."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from email_assistant.adapters.importer import deliver
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.app import ingesting
from email_assistant.app.accounts import AccountDeps, account_deps
from email_assistant.app.journal import journal_deps
from email_assistant.cli.ingest import tally_line
from email_assistant.clock import FixedClock
from email_assistant.errors import AccessError, CursorExpiredError, ProviderError, TransientError
from email_assistant.ingest.ingestion import FIRST_LOOK, Ingestion, Tally
from email_assistant.ingest.look import Look
from email_assistant.ingest.starter import run_thread_id
from email_assistant.journal.mailboxes import LookRecord
from email_assistant.journal.records import MailRecord, MailStatus
from email_assistant.mail.address import Address
from email_assistant.mail.authenticity import Sought
from email_assistant.mail.mailbox import Changes, Listed, MailQuery
from email_assistant.mail.message import Message
from email_assistant.settings import load_settings
from tests.contract.mailbox_contract import mail
from tests.support.deployment import Deployment

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
GRAPH = "email_assistant"


class MailboxWithHistory(MaildirMailbox):
    """A local mailbox that also keeps a record of what arrived, as Gmail does, and that can be made to fail."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, FixedClock(NOW))
        self.arrived: list[Listed] = []
        self.oldest = 0
        self.failures: dict[str, Exception] = {}
        self.scanned: list[MailQuery] = []
        self.sent: dict[str, str] = {}
        """Message-ID of what the user has sent and the inbox has, too, as Gmail has mail to oneself; and its id."""

    def _fetch(self, message_id: str) -> Message:
        found = super()._fetch(message_id)
        return replace(found, sent=found.sent or self.sent.get(found.message_id) == message_id)

    async def find_sent(self, message_id: str) -> str | None:
        return self.sent.get(message_id) or await super().find_sent(message_id)

    async def cursor(self) -> str:
        return str(len(self.arrived))

    async def changes(self, cursor: str, *, unread_only: bool = False) -> Changes:
        if int(cursor) < self.oldest:
            raise CursorExpiredError("too old")
        return Changes(tuple(self.arrived[int(cursor) :]), str(len(self.arrived)))

    async def scan(self, query: MailQuery) -> AsyncIterator[Listed]:
        if not query.sent:
            self.scanned.append(query)
        async for listed in super().scan(query):
            yield listed

    async def thread(self, mail_thread_id: str) -> list[Message]:
        if error := self.failures.get(mail_thread_id):
            raise error
        return await super().thread(mail_thread_id)


@dataclass
class Ingest:
    """A mailbox, a journal and a deployment."""

    house: AccountDeps
    mailbox: MailboxWithHistory
    deployment: Deployment = field(default_factory=Deployment)
    thread_ids: dict[str, str] = field(default_factory=dict)

    async def receive(self, raw: bytes) -> str:
        message_id, _ = await deliver(self.mailbox, raw)
        message = await self.mailbox.fetch(message_id)
        thread = message.mail_thread_id
        if message.sender.email.lower().startswith("robin@"):
            self.mailbox.sent[message.message_id] = message_id
        self.thread_ids[message_id] = thread
        self.mailbox.arrived.append(Listed(message_id, thread))
        return message_id

    @property
    def ingestion(self) -> Ingestion:
        return ingesting.ingestion(self.house, self.deployment.client, GRAPH)

    async def look(self, **conditions: object) -> Tally:
        return await self.ingestion.run(Look(**conditions))  # type: ignore[arg-type]

    async def record(self, message_id: str) -> MailRecord | None:
        return await self.house.mail_log.get(self.mailbox.name, message_id, GRAPH)

    async def status(self, message_id: str) -> str:
        record = await self.record(message_id)
        return record.status.value if record else "unknown"

    async def cursor(self) -> str | None:
        return await self.ingestion.cursors.get(f"{self.mailbox.name} {GRAPH}")


def an_ingest(folder: Path) -> Ingest:
    """A fresh one in a folder."""
    values = {"EMAIL_ASSISTANT_DATA_DIR": str(folder), "EMAIL_ASSISTANT_EMAIL": "robin@example.com"}
    mailbox = MailboxWithHistory(folder / "mailbox")
    house = account_deps(journal_deps(load_settings(values, folder), FixedClock(NOW)), mailbox=mailbox)
    return Ingest(house, mailbox)


@pytest.fixture
def ingest(tmp_path: Path) -> Ingest:
    """A fresh one."""
    return an_ingest(tmp_path)


OWN = "Robin Example <robin@example.com>"


async def test_a_conversation_is_taken_up_in_its_newest_state(ingest: Ingest) -> None:
    """The run gets the last message with the earlier ones; those are closed as superseded."""
    first = await ingest.receive(mail(1))
    last = await ingest.receive(mail(2, reply_to=1, references=(1,), subject="Re: Ring fitting"))
    assert (await ingest.look()).counts == {"started": 1, "superseded": 1}
    (run,) = ingest.deployment.runs
    email_input = run["input"]["email_input"]
    assert (email_input["id"], [m["id"] for m in email_input["thread"]]) == (last, [first])
    assert (await ingest.status(first), await ingest.status(last)) == ("superseded", "processing")


async def test_later_mail_of_a_known_conversation_is_taken_up_on_its_thread(ingest: Ingest) -> None:
    """The same run thread goes on, and its metadata names the new message."""
    await ingest.receive(mail(1))
    await ingest.look()
    later = await ingest.receive(mail(2, reply_to=1, references=(1,), subject="Re: Ring fitting"))
    assert (await ingest.look()).counts == {"started": 1}
    one, two = ingest.deployment.runs
    assert one["thread_id"] == two["thread_id"]
    assert ingest.deployment.threads[two["thread_id"]]["metadata"]["email_id"] == later


async def test_a_forged_sender_does_not_hide_the_mail_before_it(ingest: Ingest) -> None:
    """Whoever writes in the user's name has not answered for the user: the conversation is taken up."""
    await ingest.receive(mail(1))
    forged = await ingest.receive(mail(2, sender=OWN, reply_to=1, references=(1,)))
    ingest.mailbox.sent.clear()
    assert (await ingest.look()).counts == {"started": 1, "superseded": 1}
    assert ingest.deployment.started() == [forged]


def answer_to(number: int, recipient: str) -> bytes:
    """A mail in the user's name to somebody else."""
    raw = mail(number, sender=OWN, reply_to=1, references=(1,))
    return raw.replace(b"To: Robin Example <robin@example.com>", f"To: {recipient}".encode())


async def correspondent(ingest: Ingest, address: str) -> Address | None:
    """What is on record of it."""
    return (await ingest.house.correspondents.known(ingest.mailbox.name, Sought(address, "", ()))).sender


async def test_a_forged_sender_makes_nobody_a_correspondent(ingest: Ingest) -> None:
    """Neither an address nor another name for one is believed; what the user has sent teaches both."""
    await ingest.receive(mail(1))
    await ingest.receive(answer_to(2, "Bo <bo@example.org>"))
    await ingest.receive(answer_to(3, "Cy <cy@example.org>, The Boss <bo@example.org>"))
    ingest.mailbox.sent.popitem()
    await ingest.look()
    assert await correspondent(ingest, "bo@example.org") == Address("bo@example.org", "Bo")
    assert await correspondent(ingest, "cy@example.org") is None


async def test_the_cursor_moves_when_everything_is_settled(ingest: Ingest) -> None:
    """A first look goes a week back, and says so; then only what is new is listed."""
    await ingest.receive(mail(1))
    first = await ingest.look()
    assert ingest.mailbox.scanned[0].after == first.first_since == NOW - timedelta(days=7)
    assert tally_line(first).startswith("Looked at unread mail of the last 7 days")
    assert await ingest.cursor() == "1"
    await ingest.receive(mail(2, subject="Another"))
    second = await ingest.look()
    assert (second.counts, tally_line(second)) == ({"started": 1}, "Mail: 1 taken up.")
    assert (await ingest.cursor(), len(ingest.mailbox.scanned)) == ("2", 1)


async def test_what_failed_does_not_wait_after_a_start(ingest: Ingest) -> None:
    """The start may have brought the setting that was wrong; otherwise a failed message waits for its time."""
    new = await ingest.receive(mail(1))
    await ingest.look()
    await ingest.house.mail_log.fail(ingest.mailbox.name, new, GRAPH, "refused the key")
    (thread,) = ingest.deployment.threads.values()
    thread |= {"status": "error", "state": {"values": {"email_input": {"id": new}}}}
    recovery = ingesting.recovery(ingest.house, ingest.deployment.client)
    assert await recovery.recover(NOW) == {}
    assert await recovery.recover(NOW, after_start=True) == {"resumed": 1}


@pytest.mark.parametrize("error", [TransientError("busy"), AccessError("revoked")])
async def test_the_cursor_stays_when_the_mailbox_fails(ingest: Ingest, error: Exception) -> None:
    """A look that breaks off leaves the cursor, and the next one finds what is left."""
    await ingest.look()
    new = await ingest.receive(mail(1))
    ingest.mailbox.failures[ingest.thread_ids[new]] = error
    with pytest.raises(type(error)):
        await ingest.look()
    assert await ingest.cursor() == "0"
    ingest.mailbox.failures.clear()
    assert (await ingest.look()).counts == {"started": 1}
    assert await ingest.cursor() == "1"


async def test_a_message_that_cannot_be_read_stops_nothing(ingest: Ingest) -> None:
    """It becomes a dead letter with its reason; the others are taken up and the cursor moves."""
    await ingest.look()
    bad = await ingest.receive(mail(1))
    good = await ingest.receive(mail(2, subject="Another"))
    ingest.mailbox.failures[ingest.thread_ids[bad]] = ProviderError(
        "Google refused the request (400): broken"
    )
    assert (await ingest.look()).counts == {"dead_letter": 1, "started": 1}
    assert (await ingest.status(bad), await ingest.status(good)) == ("dead_letter", "processing")
    record = await ingest.record(bad)
    assert record is not None
    assert "broken" in record.reason
    assert record.attempts == 1
    assert await ingest.cursor() == "2"


async def test_an_expired_cursor_is_replaced_by_a_bounded_list(ingest: Ingest) -> None:
    """The list begins where the first look did, and finds what the record of changes has lost."""
    await ingest.look()
    new = await ingest.receive(mail(1))
    ingest.mailbox.oldest = 5
    assert (await ingest.look()).counts == {"started": 1}
    assert ingest.mailbox.scanned[-1].after == NOW - FIRST_LOOK
    assert ingest.deployment.started() == [new]
    ingest.mailbox.oldest = 0
    assert await ingest.cursor() == "1"


async def test_what_was_imported_is_taken_up_however_old_it_is(ingest: Ingest) -> None:
    """And nothing else that is older than the first look's week."""
    old = [
        await ingest.receive(mail(n, subject=f"Old {n}", date=NOW - timedelta(days=70 + n))) for n in (1, 2)
    ]
    new = await ingest.receive(mail(3, subject="New"))
    assert (await ingest.look()).counts == {"started": 1}
    tally = await ingest.ingestion.run(Look(), imported=old[:1])
    assert tally.counts == {"started": 1}
    assert ingest.deployment.started() == [new, old[0]]


async def test_a_look_is_on_record(ingest: Ingest) -> None:
    """When it ended and, when it failed, why and since when; one row a mailbox."""
    looks, name = ingest.ingestion.looks, ingest.mailbox.name
    assert await looks.get(name) is None
    await ingest.look()
    well = await looks.get(name)
    assert well == LookRecord(NOW - FIRST_LOOK, NOW, "", None)
    new = await ingest.receive(mail(1))
    ingest.mailbox.failures[ingest.thread_ids[new]] = AccessError("revoked")
    with pytest.raises(AccessError):
        await ingest.look()
    assert await looks.get(name) == replace(well, failure="AccessError: revoked", failing_since=NOW)
    ingest.mailbox.failures.clear()
    await ingest.look()
    assert await looks.get(name) == well


async def test_a_limit_leaves_the_rest_for_the_next_look(ingest: Ingest) -> None:
    """The cursor waits, and nothing is taken up twice."""
    await ingest.look()
    ids = [await ingest.receive(mail(number, subject=f"Mail {number}")) for number in range(1, 6)]
    assert (await ingest.look(limit=2)).counts == {"started": 2}
    assert ingest.deployment.started() == ids[:2]
    assert await ingest.cursor() == "0"
    assert (await ingest.look()).counts == {"started": 3}
    assert (await ingest.cursor(), sorted(ingest.deployment.started())) == ("5", sorted(ids))


async def test_a_backfill_takes_read_mail_too_and_can_be_repeated(ingest: Ingest) -> None:
    """The whole inbox, oldest first, between two days when they are given."""
    ids = [await ingest.receive(mail(number, subject=f"Mail {number}")) for number in range(1, 5)]
    await ingest.mailbox.mark_read(ids[0])
    before = NOW.replace(hour=9, minute=4)
    assert (await ingest.look(backfill=True, before=before)).counts == {"started": 3}
    assert sorted(ingest.deployment.started()) == sorted(ids[:3])
    assert (await ingest.look(backfill=True)).counts == {"started": 1}


async def test_two_looks_at_once_start_each_run_once(ingest: Ingest) -> None:
    """Of two that see the same message one claims it."""
    ids = [await ingest.receive(mail(number, subject=f"Mail {number}")) for number in range(1, 9)]
    await asyncio.gather(*(ingest.look() for _ in range(4)))
    assert sorted(ingest.deployment.started()) == sorted(ids)


def breaking_at(number: int) -> Callable[[str], None]:
    """Breaks the connection at the request of that number, and at all later ones, as a kill does."""
    left = iter(range(number))

    def check(_: str) -> None:
        if next(left, None) is None:
            raise ConnectionError("killed")

    return check


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    at=st.integers(0, 24),
    lost_answer=st.booleans(),
    shape=st.lists(st.sampled_from(["new", "reply", "own"]), min_size=1, max_size=6),
)
async def test_broken_off_anywhere_every_message_is_settled_once(
    tmp_path_factory: pytest.TempPathFactory, at: int, lost_answer: bool, shape: list[str]
) -> None:
    """Broken off at any request to the deployment, before or after it was done, the next look settles the rest.

    Nothing is skipped, and a conversation's newest state has one run. What was begun and not started is recovery's.
    """
    ingest = an_ingest(tmp_path_factory.mktemp("broken"))
    ids = []
    for number, kind in enumerate(shape, start=1):
        link = {"reply_to": number - 1, "references": (number - 1,)} if kind != "new" and number > 1 else {}
        sender = OWN if kind == "own" else "Ana Petrova <ana@example.org>"
        ids.append(await ingest.receive(mail(number, subject=f"Mail {number}", sender=sender, **link)))  # type: ignore[arg-type]
    hook = "after_request" if lost_answer else "on_request"
    setattr(ingest.deployment, hook, breaking_at(at))
    try:
        await ingest.look()
    except* Exception:
        pass
    setattr(ingest.deployment, hook, lambda _: None)
    await ingest.look()
    await ingesting.recovery(ingest.house, ingest.deployment.client).recover(NOW + timedelta(hours=1))
    assert "unknown" not in [await ingest.status(i) for i in ids]
    last = {ingest.thread_ids[i]: i for i in ids}
    own = {i for i, kind in zip(ids, shape, strict=True) if kind == "own"}
    wanted = sorted(i for i in last.values() if i not in own)
    assert sorted(ingest.deployment.started()) == wanted
    claimed = [await ingest.status(i) for i in wanted]
    assert "claimed" not in claimed


@pytest.mark.parametrize(
    ("graph", "outcome", "status"),
    [("inbox_organizer", "labeled", MailStatus.done), (GRAPH, "ignored", MailStatus.ignored)],
)
async def test_a_run_whose_end_was_not_recorded_keeps_its_outcome(
    ingest: Ingest, graph: str, outcome: str, status: MailStatus
) -> None:
    """As if the server had not been killed between the run's end and the record of it."""
    message = await ingest.receive(mail(1))
    await ingesting.ingestion(ingest.house, ingest.deployment.client, graph).run(Look())
    (thread,) = ingest.deployment.threads.values()
    values = {"email_input": {"id": message}, "outcome": outcome}
    thread |= {"status": "idle", "state": {"values": values, "next": [], "metadata": {}}}
    found = await ingesting.recovery(ingest.house, ingest.deployment.client).recover(NOW + timedelta(hours=1))
    assert found == {"closed": 1}
    record = await ingest.house.mail_log.get(ingest.mailbox.name, message, graph)
    assert record is not None
    assert (record.status, record.outcome, record.reason) == (status, outcome, "")


async def test_two_graphs_do_not_share_a_run_thread(ingest: Ingest) -> None:
    """The second one to take a conversation up gets a thread of its own, and keeps it."""
    first = await ingest.receive(mail(1))
    await ingest.look()
    organizer = ingesting.ingestion(ingest.house, ingest.deployment.client, "inbox_organizer")
    assert (await organizer.run(Look())).counts == {"started": 1}
    await ingest.receive(mail(2, reply_to=1, references=(1,)))
    assert (await organizer.run(Look())).counts == {"started": 1}
    assert (await ingest.look()).counts == {"started": 1}
    usual = run_thread_id(ingest.thread_ids[first])
    other = run_thread_id(ingest.thread_ids[first], "inbox_organizer")
    assert [run["thread_id"] for run in ingest.deployment.runs] == [usual, other, other, usual]


async def test_the_organizer_takes_up_what_the_user_has_answered(ingest: Ingest) -> None:
    """It sorts the last message that is not the user's own; a conversation of own messages alone is settled."""
    asked = await ingest.receive(mail(1))
    await ingest.receive(mail(2, sender=OWN, reply_to=1, references=(1,)))
    await ingest.receive(mail(3, sender=OWN, subject="To myself"))
    organizer = ingesting.ingestion(ingest.house, ingest.deployment.client, "inbox_organizer")
    assert (await organizer.run(Look())).counts == {"started": 1, "superseded": 1, "own": 1}
    assert ingest.deployment.started() == [asked]
