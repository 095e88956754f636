"""Takes up the newest state of each conversation, once, for the graph that owns it; closes what needs no run."""

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Literal

from email_assistant.errors import ProviderError
from email_assistant.ingest.closing import shown_kinds
from email_assistant.ingest.files import with_files_read
from email_assistant.ingest.starter import Starter, run_thread_id
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import OPEN, MailRecord, MailStatus
from email_assistant.mail.address import Address
from email_assistant.mail.authenticity import Authorship, header_warnings
from email_assistant.mail.conversation import answers, delivery_report
from email_assistant.mail.email_input import to_email_input
from email_assistant.mail.mailbox import Listed, Mailbox
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline.triage import asks, goes_with, is_automatic_reply
from email_assistant.review.kinds import RowGroup, kind_or_unknown
from email_assistant.workflow_registry import answering, workflow

Result = Literal["started", "known", "own", "superseded", "gone", "dead_letter"]

OWN_LAST = "the user has written last"
TAKEN_UP = "a newer message of the conversation was taken up"
WRITTEN_SINCE = "it is told with what was asked before it"
MAX_EARLIER = 100
"""Earlier messages that go into a run's input, the latest ones."""


@dataclass(frozen=True)
class Ownership:
    """One answering graph a conversation, by the address that its mail was sent to.

    A conversation stays with the graph that its first mail belongs to: what goes on in it is often sent to the user's own
    address, because that is where answers come from.
    """

    default: str
    """Owns what no rule names."""
    rules: tuple[tuple[str, str], ...] = ()
    """An address, or a domain as "@shop.example", in lower case, and the graph that owns mail to it; the first that fits counts."""
    follows: bool = False
    """Whether this is the division of the settings, and not one graph that was named for a look at all mail."""

    @property
    def graphs(self) -> tuple[str, ...]:
        """All owners, each once; the default first."""
        return tuple(dict.fromkeys((self.default, *(graph for _, graph in self.rules))))

    @property
    def dealt_with_by(self) -> tuple[str, ...]:
        """The graphs that have dealt with a mail when it is on record for them: a mail that one has answered changes no owner."""
        answers = self.follows and not answering().isdisjoint(self.graphs)
        return tuple(sorted({*self.graphs, *(answering() if answers else ())}))

    def owner(self, messages: Sequence[Message], own: frozenset[str]) -> str:
        """The graph that deals with a conversation (oldest message first); the user's own messages, whoever wrote them, tell nothing."""
        received = [message for message in messages if message.sender.key not in own] or messages
        found = (self._rule(address) for message in received for address in (*message.to, *message.cc))
        return next((graph for graph in found if graph), self.default)

    def _rule(self, address: Address) -> str:
        fits = {address.key, f"@{address.domain}"}
        return next((graph for where, graph in self.rules if where in fits), "")


@dataclass(frozen=True)
class FoundConversation:
    """Messages of one conversation that were listed, and the whole conversation, oldest first, or why it cannot be read."""

    listed: Sequence[Listed]
    messages: Sequence[Message] | ProviderError
    is_alone: bool = False
    """Whether its one listed message is dealt with by itself, and takes no letter's place; see `_is_alone`."""

    @property
    def mail_thread_id(self) -> str:
        """Of the conversation."""
        return self.listed[0].mail_thread_id

    @property
    def ids(self) -> tuple[str, ...]:
        """Of the listed messages."""
        return tuple(each.id for each in self.listed)

    @property
    def read(self) -> Sequence[Message]:
        """The conversation as far as it can be read."""
        return () if isinstance(self.messages, ProviderError) else self.messages

    def apart(self) -> list["FoundConversation"]:
        """Its letters together, and all else by itself: of what they ask neither says anything about the other."""
        ids = {each.id for each in self.read if _is_alone(each)}
        others = [each for each in self.listed if each.id in ids]
        letters = [each for each in self.listed if each not in others]
        found = [FoundConversation(letters, self.messages)] if letters else []
        return found + [FoundConversation([each], self.messages, is_alone=True) for each in others]


def _is_alone(message: Message) -> bool:
    """Whether it brings a calendar part, or a program has written it: an automatic reply, a report on a delivery."""
    return bool(message.calendars) or is_automatic_reply(message) or delivery_report(message) is not None


@dataclass(frozen=True, slots=True)
class Begun:
    """What became of some conversations."""

    run_threads: Sequence[str | None]
    """Where a run was started for each; None where none was."""
    counts: Counter[Result]
    """How many of their messages (for "started": conversations) came to which end."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a conversation is dealt with."""

    graph: str
    run_thread: str


@dataclass(frozen=True)
class _Plan:
    """What is to become of the listed messages of one conversation."""

    current: MailRecord | None = None
    """The message that a run is started for."""
    closed: Sequence[MailRecord] = ()
    """What is settled without one."""
    closed_as: Result = "superseded"
    gone: int = 0
    again: bool = False
    """Whether `current` is on record, and its run begins anew: what it asks stays asked, with what was written since."""


@dataclass(frozen=True)
class Intake:
    """Decides what becomes of each listed message, and does it."""

    starter: Starter
    mail_log: MailLog
    mailbox: Mailbox
    ownership: Ownership
    own: frozenset[str]
    """The user's addresses, lower case."""
    authorship: Authorship

    async def begin(self, found: Sequence[FoundConversation], *, rerun: bool = False) -> Begun:
        """Settle the listed messages, or start the runs that will.

        All are put on record in one step and only then runs are started: a crash leaves them all unknown, or each
        on record with what is to become of it.
        """
        owners = [self.ownership.owner(each.read, self.own) for each in found]
        threads = await self._run_threads(found, owners)
        plans = [
            await self._plan(each, graph, thread, rerun=rerun)
            for each, graph, thread in zip(found, owners, threads, strict=True)
        ]
        currents = [plan.current for plan in plans if plan.current]
        closed = [record for plan in plans for record in plan.closed]
        again = [plan.current for plan in plans if plan.current and plan.again]
        # First: what was written since is on record only when nobody can miss it any more.
        for record in again:
            await self.mail_log.reopen(record)
        claimed = await self.mail_log.claim_all([*currents, *closed])
        ours = [r for r, new in zip(currents, claimed, strict=False) if new or rerun or r in again]
        for record, new in zip(currents, claimed, strict=False):
            if rerun and not new:
                await self.mail_log.reopen(record)
        begun = await self.starter.begin(ours)
        started = {record.run_thread_id for record, is_ours in zip(ours, begun, strict=True) if is_ours}
        counts: Counter[Result] = Counter({"started": sum(begun), "known": len(currents) - sum(begun)})
        for plan in plans:
            counts["gone"] += plan.gone
            counts[plan.closed_as] += len(plan.closed)
        # The sign leaves out what did not occur.
        return Begun([thread if thread in started else None for thread in threads], +counts)

    async def _run_threads(self, found: Sequence[FoundConversation], owners: Sequence[str]) -> list[str]:
        """The run thread of each conversation: one that another graph works on already is left to it."""
        mails = [each.mail_thread_id for each in found]
        usual = [run_thread_id(mail) for mail in mails]
        graphs = await self.mail_log.graphs_on(usual)
        return [
            await self._apart(
                each, graph, run_thread_id(mail, graph) if graph not in graphs.get(run, {graph}) else run
            )
            for each, mail, run, graph in zip(found, mails, usual, owners, strict=True)
        ]

    async def _apart(self, found: FoundConversation, graph: str, usual: str) -> str:
        """Another run thread than the usual one where a card waits there whose place the new one must not take."""
        others = {each.id for each in found.read if _is_alone(each)}
        word = not workflow(graph).answers and await self._asked_before(found, usual)
        alone = found.is_alone or (word and len(found.listed) == 1)
        if len(found.read) < 2 or not (others or alone):
            return usual
        name = found.listed[0].id if alone else "letters"
        apart = run_thread_id(found.mail_thread_id, f"{graph}\n{name}")
        if await self.mail_log.by_run_thread(apart):
            return apart
        there = await self.mail_log.by_run_thread(usual)
        waiting = {each.message_id for each in there if each.status in OPEN}
        crosses = waiting if alone else waiting & others
        return apart if crosses and not {each.message_id for each in there} & set(found.ids) else usual

    async def _plan(self, found: FoundConversation, graph: str, run_thread: str, *, rerun: bool) -> _Plan:
        place = _Place(graph, run_thread)
        if isinstance(found.messages, ProviderError):
            reason = f"the mailbox cannot give it: {found.messages}"
            return _Plan(
                closed=self._closed(found.listed, place, MailStatus.dead_letter, reason),
                closed_as="dead_letter",
            )
        if not found.messages:
            return _Plan(gone=len(found.listed))  # Deleted since it was listed: nothing to do for it.
        last = await self._current(found, graph)
        if last is None:
            return _Plan(closed=self._closed(found.listed, place, MailStatus.done, OWN_LAST), closed_as="own")
        asked = await self._asked_before(found, run_thread) if workflow(graph).answers else None
        last = asked or last
        if not rerun and (other := await self._asked_by_another(last, graph)):
            reason = f"left to {other}, which asks about it"
            return _Plan(closed=self._closed(found.listed, place, MailStatus.superseded, reason))
        # The user's own answer to it may be newer; that it is there tells that none is awaited.
        others = [message for message in found.messages if message.id != last.id]
        last_read = await with_files_read(self.mailbox, last)
        conversation = Conversation(last_read, tuple(others[-MAX_EARLIER:]))
        older = [each for each in found.listed if each.id != last.id]
        return _Plan(
            self._record(last, place, to_email_input(conversation)),
            self._closed(older, place, MailStatus.superseded, WRITTEN_SINCE if asked else TAKEN_UP),
            again=asked is not None and asked.id not in found.ids,
        )

    async def _asked_by_another(self, message: Message, graph: str) -> str:
        """The other graph whose card on the message waits and would do something about it; "" without one."""
        if not workflow(graph).answers:
            return ""  # It may sort what another one answers, and proposes nothing then.
        there = await self.mail_log.elsewhere(self.mailbox.name, message.id, graph)
        waiting = {r.run_thread_id: r.graph for r in there if r.status is MailStatus.waiting_review}
        kinds = await shown_kinds(self.starter.client, list(waiting))
        asking = (waiting[thread] for thread, kind in kinds.items() if kind_or_unknown(kind).answers_mail)
        return next(asking, "")

    async def _asked_before(self, found: FoundConversation, run_thread: str) -> Message | None:
        """The letter whose question the newest one leaves standing, and which the user has not answered; None without one.

        It was listed with it, or its card waits, and does more than show it.
        """
        letters = [] if found.is_alone else [each for each in found.read if not _is_alone(each)]
        since = takewhile(lambda each: not each.sent, reversed(letters))
        newest = next(since, None)
        if newest is None or newest.id not in found.ids or header_warnings(newest, own=self.own):
            return None
        waiting = await self._acting(run_thread)
        open_ones = (each for each in since if each.id in waiting or (each.id in found.ids and asks(each)))
        asked = next(open_ones, None)
        return asked if asked and goes_with(newest, asked) else None

    async def _acting(self, run_thread: str) -> set[str]:
        """The message of the run thread whose card waits and would do something."""
        there = await self.mail_log.by_run_thread(run_thread)
        waiting = {each.message_id for each in there if each.status is MailStatus.waiting_review}
        kinds = (await shown_kinds(self.starter.client, [run_thread])).values() if waiting else ()
        acts = any(kind_or_unknown(kind).together is not RowGroup.NOTICES for kind in kinds)
        return waiting if acts else set()

    async def _current(self, found: FoundConversation, graph: str) -> Message | None:
        """The newest message that still asks for something; None when the user has answered all that was listed.

        Only what the mailbox has as sent is the user's: a forged sender must not hide the mail before it, nor does an answer to
        another one of the conversation, or a letter a calendar mail.
        """
        listed, answered = set(found.ids), set[str]()
        for at, message in reversed([*enumerate(found.read)]):
            is_other = _is_alone(message) != found.is_alone
            if message.sent and (is_other or workflow(graph).takes_answered):
                continue
            if message.sent or message.id in answered:  # Whoever has read a message has read what it answers.
                earlier = found.read[:at]
                answered |= {each.id for each in earlier if answers(message, each, found.read, self.own)}
            elif message.id in listed:
                return message
            elif found.is_alone or _is_alone(message):
                continue
            elif await self._is_with(message, listed - answered, graph):
                return message
            if listed <= answered:
                return None
        return None

    async def _is_with(self, newer: Message, ids: Set[str], graph: str) -> bool:
        """Whether these are before whoever deals with a newer message: not when that was taken up before they came."""
        record = await self.mail_log.get(self.mailbox.name, newer.id, graph)
        given = (record.email_input or {}).get("thread", ()) if record else ()
        return record is None or ids <= {each["id"] for each in given}

    def _closed(
        self, listed: Sequence[Listed], place: _Place, status: MailStatus, reason: str
    ) -> list[MailRecord]:
        return [self._record(each, place, None, status, reason) for each in listed]

    def _record(
        self,
        of: Message | Listed,
        place: _Place,
        email_input: dict[str, Any] | None,
        status: MailStatus = MailStatus.claimed,
        reason: str = "",
    ) -> MailRecord:
        return MailRecord(
            mailbox=self.mailbox.name,
            message_id=of.id,
            graph=place.graph,
            mail_thread_id=of.mail_thread_id,
            run_thread_id=place.run_thread,
            status=status,
            reason=reason,
            attempts=1 if status is MailStatus.dead_letter else 0,
            email_input=email_input,
            received_at=of.date if isinstance(of, Message) else None,
        )
