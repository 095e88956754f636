"""The `Mailbox` port over IMAP: INBOX and Sent are followed, what is in them is kept on the server."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from email_assistant.adapters.account_check import relay_of
from email_assistant.adapters.imap.connection import TOGETHER, Commands, Connection
from email_assistant.adapters.imap.drafts import ImapDrafts
from email_assistant.adapters.imap.folders import Folders, find_folders
from email_assistant.adapters.imap.idle import Idle
from email_assistant.adapters.imap.labels import read_labels, write_labels
from email_assistant.adapters.imap.records import (
    INBOX,
    SENT,
    FolderNews,
    FolderState,
    ImapRecords,
    PlacedMessage,
    Role,
    is_same,
)
from email_assistant.adapters.microsoft import secret_of
from email_assistant.adapters.sends import Posting, Sends
from email_assistant.adapters.smtp import Relay
from email_assistant.calendars.event import in_utc
from email_assistant.clock import Clock
from email_assistant.errors import (
    AccessError,
    ConfigError,
    CursorExpiredError,
    NotFoundError,
    ProviderError,
    TransientError,
)
from email_assistant.journal.database import Database
from email_assistant.mail.conversation import in_order
from email_assistant.mail.mailbox import Changes, Listed, MailQuery, Whereabouts
from email_assistant.mail.message import Message
from email_assistant.mail.mime import attachment_content, parse_message
from email_assistant.mail_accounts import Account

_TRIES = 5
"""So often a folder is looked at anew that another process has taken in meanwhile."""
T = TypeVar("T")


class ImapMailbox(ImapDrafts):
    """The mailbox of one account. Ids are ours, on record beside where each message lies.

    Read state is the flag `\\Seen`, what was answered gets `\\Answered`; what is marked `\\Deleted` is not listed. Labels are Gmail's
    on Gmail, else keywords, and on a server that keeps none they are on record here. Any number of processes may use the mailbox, and
    other programs read, flag, move and deliver at any time.
    """

    def __init__(
        self, account: Account, connection: Connection, database: Database, clock: Clock, relay: Relay | None
    ) -> None:
        """Opens nothing; without a relay nothing can be sent."""
        self.name = f"imap:{account.email.lower()}"
        self._account, self._connection = account, connection
        self._idle = Idle(connection.another())
        self._records = ImapRecords(database, self.name)
        self._clock = clock
        self._posting = Posting(Sends(database, clock, self.name), relay)
        self._found: Folders | None = None

    @classmethod
    def of(cls, deps: Any, name: str) -> "ImapMailbox":
        """The account of that name in the settings; raises `ConfigError` when there is none."""
        account, secret = deps.settings.account(name), secret_of(deps.settings, name)
        if account.imap is None:
            raise ConfigError(f"[accounts.{name}] has no imap")
        connection = Connection(account.imap, account.login(account.imap), secret)
        return cls(account, connection, deps.database, deps.clock, relay_of(account, secret))

    async def inbox(self, query: MailQuery) -> list[str]:
        """Ids of the messages that match, oldest first; raises `InputError` for naive times."""
        return [each.id for each in await self._listed(query)]

    async def scan(self, query: MailQuery) -> AsyncIterator[Listed]:
        """The same with their conversations."""
        for each in await self._listed(query):
            yield Listed(each.id, each.thread)

    async def _listed(self, query: MailQuery) -> list[PlacedMessage]:
        for field in ("after", "before"):
            if instant := getattr(query, field):
                in_utc(field, instant)
        await self._refresh(SENT if query.sent else INBOX)
        return await self._records.listed(query)

    async def cursor(self) -> str:
        """The next numbers of the inbox and of Sent, and what their folders were numbered by."""
        inbox, sent = [await self._refresh(role) for role in (INBOX, SENT)]
        return " ".join(f"{each.validity}:{each.next_uid}" for each in (inbox, sent))

    async def changes(self, cursor: str, *, unread_only: bool = False) -> Changes:
        """What came in since; raises `CursorExpiredError` for a cursor of other numbers."""
        now = await self.cursor()
        try:
            before = [tuple(map(int, each.split(":"))) for each in cursor.split()]
            there = [int(each.partition(":")[0]) for each in now.split()]
            (inbox, first), (sent, first_sent) = before
        except ValueError:
            raise CursorExpiredError("not a cursor of this mailbox") from None
        if [inbox, sent] != there:
            raise CursorExpiredError("the mailbox's folders were numbered anew")
        new = await self._records.since(INBOX, inbox, first)
        own = await self._records.since(SENT, sent, first_sent)
        return Changes(
            tuple(Listed(each.id, each.thread) for each in new if not (unread_only and each.is_read)),
            now,
            tuple(dict.fromkeys(each.thread for each in own)),
        )

    async def wait(self, seconds: float) -> None:
        """Until the server says that something has come in, where it can; at the latest after so long."""
        await self._idle.wait("INBOX", seconds)

    async def fetch(self, message_id: str) -> Message:
        """The message, received or sent, and where it was moved to by another program; raises `NotFoundError`."""
        place, raw = await self._text_of(message_id)
        return await asyncio.to_thread(_message, place, raw)

    async def in_place(self, message_ids: Collection[str]) -> frozenset[str]:
        """Those in the inbox or in Sent that are not marked as deleted."""
        for role in (INBOX, SENT):
            await self._refresh(role)
        return await self._records.in_place(message_ids)

    async def where(self, message: Message) -> Whereabouts:
        """By what the server says of the folders, or by their names; where they are too many, `MOVED`."""
        if await self.in_place([message.id]):
            return Whereabouts.IN_PLACE
        place = await self._records.get(message.id)
        self._found = None  # A folder may be new.
        folders = await self._folders()
        if place is None:
            return Whereabouts.MOVED
        # What is marked as deleted may have been copied before, as programs do that cannot move.
        for names, where in ((folders.looked, Whereabouts.MOVED), (folders.junk, Whereabouts.JUNK)):
            if await self._connection.run(partial(_found_in, place=place, names=names)):
                return where
        return Whereabouts.THROWN_AWAY if folders.looked == folders.others else Whereabouts.MOVED

    async def attachment(self, message_id: str, index: int) -> bytes:
        """What is in one attachment; raises `NotFoundError`."""
        _, raw = await self._text_of(message_id)
        return await asyncio.to_thread(attachment_content, raw, index)

    async def thread(self, mail_thread_id: str) -> list[Message]:
        """Received and sent messages of the conversation; [] when unknown. Former ids of joined ones still find them."""
        return (await self.threads([mail_thread_id]))[mail_thread_id]

    async def threads(self, mail_thread_ids: Sequence[str]) -> dict[str, list[Message]]:
        """`thread` of each id."""
        for role in (INBOX, SENT):
            await self._refresh(role)
        places = {each: await self._records.conversation(each) for each in mail_thread_ids}
        texts = await self._texts([place for some in places.values() for place in some])

        def read(some: Sequence[PlacedMessage]) -> list[Message]:
            return in_order([_message(each, texts[each.id]) for each in some if each.id in texts])

        return {name: await asyncio.to_thread(read, some) for name, some in places.items()}

    async def mark_read(self, message_id: str) -> None:
        """Set `\\Seen`; no error when it is set already; raises `NotFoundError`."""

        def mark(commands: Commands, place: PlacedMessage) -> None:
            if "\\Seen" not in commands.flags(place.uid):
                commands.store(place.uid, add=["\\Seen"])

        await self._at(message_id, mark, writes=True)

    async def is_read(self, message_id: str) -> bool:
        """Whether the message has `\\Seen`; raises `NotFoundError`."""
        return "\\Seen" in await self._at(message_id, lambda commands, place: commands.flags(place.uid))

    async def labels(self, message_id: str) -> frozenset[str]:
        """The message's labels; raises `NotFoundError`."""
        there = await self._at(message_id, lambda commands, place: read_labels(commands, place.uid))
        return there | await self._records.labels(message_id)

    async def change_labels(
        self, message_id: str, *, add: frozenset[str] = frozenset(), remove: frozenset[str] = frozenset()
    ) -> None:
        """Add and remove labels; one in both is removed. Raises `NotFoundError`, and `InputError` for one that cannot be shown."""

        def change(commands: Commands, place: PlacedMessage) -> bool:
            return write_labels(commands, place.uid, add=add, remove=remove)

        keeps = await self._at(message_id, change, writes=True)
        await self._records.change_labels(message_id, () if keeps else add, remove)

    async def _folders(self) -> Folders:
        if self._found is None:
            self._found = await self._connection.run(partial(find_folders, account=self._account))
        return self._found

    async def _refresh(self, role: Role) -> FolderState:
        """Take in what has become of a folder since; how it stands."""
        try:
            return await self._follow(role)
        except (AccessError, TransientError):
            raise
        except ProviderError:  # It may have been renamed.
            self._found = None
            return await self._follow(role)

    async def _follow(self, role: Role) -> FolderState:
        name = (await self._folders()).named(role)
        for _ in range(_TRIES):
            before, is_first = await self._records.folder(role), False
            while not is_first:
                news = await self._connection.run(partial(_look, role=role, name=name, before=before))
                if news is None and before:
                    return before
                if news is None or not await self._records.take(before, news):
                    is_first = True  # Another process was quicker.
                elif not news.is_partial:
                    return news.now
                else:
                    before = news.now
        raise TransientError(f"{self.name}: {name} keeps changing")

    async def _at(
        self, message_id: str, work: Callable[[Commands, PlacedMessage], T], *, writes: bool = False
    ) -> T:
        """What `work` returns with the folder open in which the message is."""
        place = await self._place(message_id)
        try:
            return await self._with(place, work, writes=writes)
        except NotFoundError:  # It is elsewhere since it was looked for.
            return await self._with(await self._place(message_id, anew=True), work, writes=writes)

    async def _with(
        self, place: PlacedMessage, work: Callable[[Commands, PlacedMessage], T], *, writes: bool
    ) -> T:
        name = (await self._folders()).named(place.role)

        def do(commands: Commands) -> T:
            commands.select(name, place.validity, writes=writes)
            return work(commands, place)

        return await self._connection.run(do)

    async def _place(self, message_id: str, *, anew: bool = False) -> PlacedMessage:
        place = None if anew else await self._records.get(message_id)
        if place is None or not place.uid:
            for role in (INBOX, SENT):
                await self._refresh(role)
            place = await self._records.get(message_id)
        if place is None or not place.uid:
            raise NotFoundError(f"no such message: {message_id[:100]}")
        return place

    async def _text_of(self, message_id: str) -> tuple[PlacedMessage, bytes]:
        def read(commands: Commands, place: PlacedMessage) -> tuple[PlacedMessage, bytes]:
            raw = commands.texts([place.uid]).get(place.uid)
            if raw is None:
                raise NotFoundError(f"no such message: {message_id[:100]}")
            return place, raw

        try:
            return await self._at(message_id, read)
        except NotFoundError:
            place = await self._records.get(message_id)
            self._found = None  # A folder may be new.
            names = (await self._folders()).looked

            def moved(commands: Commands) -> bytes | None:
                uid = place and _found_in(commands, place, names)
                return commands.texts([uid]).get(uid) if uid else None

            raw = await self._connection.run(moved)
            if place is None or raw is None:
                raise
            return place, raw

    async def _texts(self, places: Sequence[PlacedMessage]) -> dict[str, bytes]:
        found = dict[str, bytes]()
        for role in (INBOX, SENT):
            some = {each.uid: each for each in places if each.role == role}
            if some:
                with suppress(NotFoundError):
                    raws = await self._with(
                        next(iter(some.values())), partial(_texts, uids=[*some]), writes=False
                    )
                    found.update((some[uid].id, raw) for uid, raw in raws.items())
        return found


def _texts(commands: Commands, place: PlacedMessage, *, uids: Sequence[int]) -> dict[int, bytes]:
    return commands.texts(uids)


def _look(commands: Commands, *, role: Role, name: str, before: FolderState | None) -> FolderNews | None:
    """What has changed in the folder; of what is new some messages at a time; None where nothing has."""
    now = commands.status(role, name)
    if now == before:
        return None
    if before is None or before.validity != now.validity:
        before = replace(now, next_uid=1, messages=0, modseq=0)
    commands.select(name)
    new = commands.uids(before.next_uid) if now.next_uid > before.next_uid else []
    some = new[:TOGETHER]
    messages = commands.new_messages(some) if some else []
    if len(some) < len(new):
        return FolderNews(replace(before, next_uid=some[-1] + 1), messages, is_partial=True)
    if before.next_uid == 1:
        return FolderNews(now, messages)
    there = frozenset(uid for uid in commands.uids() if uid < before.next_uid)
    return FolderNews(now, messages, commands.changed_flags(there, before.modseq), there)


def _found_in(commands: Commands, place: PlacedMessage, names: Sequence[str]) -> int:
    """The number of a message in the first of these folders that it is in, which is open then; 0 where it is in none."""
    for name in names:
        commands.select(name)
        alike = commands.of_size(place.size)
        for new in commands.new_messages(alike) if alike else ():
            if is_same(place, new):
                return new.uid
    return 0


def _message(place: PlacedMessage, raw: bytes) -> Message:
    message = parse_message(raw, id=place.id, mail_thread_id=place.thread)
    return replace(message, sent=place.role == SENT, arrived=place.received_at)
