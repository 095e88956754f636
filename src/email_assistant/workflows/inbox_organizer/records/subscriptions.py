"""Which mailings come in, what the user decided about each, and whether leaving one has worked."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import ColumnElement, Row, and_, case, literal, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.clock import Clock
from email_assistant.errors import InputError, NotFoundError
from email_assistant.journal.columns import UtcDateTime
from email_assistant.journal.database import Database
from email_assistant.journal.one_go import one_read, one_write
from email_assistant.journal.records import OPEN
from email_assistant.journal.statements import check_keys, insert_or_ignore, upsert
from email_assistant.journal.tables import MAIL, SUBSCRIPTION_MAIL, SUBSCRIPTIONS
from email_assistant.mail.message import Message
from email_assistant.mail.unsubscribe import Unsubscribe, is_list_mail, list_key, list_name
from email_assistant.workflows.inbox_organizer.records.subscription import (
    MAILTO,
    MIN_MESSAGES,
    MOVES,
    ONE_CLICK,
    Subscription,
    SubscriptionState,
    Verdicts,
    verdict,
)

_ROW = SUBSCRIPTIONS.c
log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Subscriptions:
    """The subscriptions table; each mailbox has its own lists."""

    database: Database
    clock: Clock

    @one_write
    async def note(
        self, mailbox: str, message: Message, offer: Unsubscribe | None, *, answered: bool = False
    ) -> Subscription | None:
        """Count a message for its list; returns the list, or None when the message comes from none.

        Safe to repeat: a message counts once, by its id in the mailbox. `answered` says that the user has written in the
        conversation; once true for a list, it stays. Raises `InputError` for an empty or too long mailbox or message id.
        """
        key = list_key(message)
        if not key or not is_list_mail(message):
            return None
        check_keys(mailbox=mailbox, message_id=message.id, list_key=key)
        now = self.clock.now()
        # A date is the sender's word: one in the future would look like mail that came after a request.
        when = min(message.date or now, now)
        seen = {"mailbox": mailbox, "message_id": message.id, "list_key": key}
        async with self.database.begin() as connection:
            if await insert_or_ignore(connection, SUBSCRIPTION_MAIL, seen):
                await _count(connection, _facts(mailbox, key, message, offer), when)
            if answered:
                await connection.execute(update(SUBSCRIPTIONS).where(_is(mailbox, key)).values(answered=True))
            return await _one(connection, mailbox, key)

    @one_read
    async def get(self, mailbox: str, key: str) -> Subscription | None:
        """The list, or None."""
        async with self.database.read() as connection:
            return await _one(connection, mailbox, key)

    async def with_state(
        self, mailbox: str, *states: SubscriptionState, limit: int = 200
    ) -> list[Subscription]:
        """Up to `limit` lists in one of these states (in any when none is named), the one with most mail first."""
        wanted = _ROW.state.in_(states) if states else literal(True)
        return await self._lists(and_(_ROW.mailbox == mailbox, wanted), limit)

    async def due_recommendations(
        self, mailbox: str, run_thread_id: str = "", *, min_messages: int = MIN_MESSAGES, limit: int = 50
    ) -> list[Subscription]:
        """Lists to ask about: with so many messages, none answered, that the program can leave; most mail first.

        They are active, or were to be asked about by a card that is lost: that of a run thread all of whose messages are
        settled, or one of `run_thread_id` itself, whose run was cut off after it had taken them.
        """
        wanted = and_(
            _ROW.mailbox == mailbox,
            _is_free(run_thread_id),
            _ROW.messages >= min_messages,
            _ROW.answered.is_(False),
            _ROW.offers.in_((ONE_CLICK, MAILTO)),
        )
        return await self._lists(wanted, limit)

    @one_write
    async def recommend(self, mailbox: str, key: str, run_thread_id: str) -> bool:
        """Take a list that is due for the card of this run thread; False when another one has it. Safe to repeat."""
        check_keys(run_thread_id=run_thread_id)
        change = {"state": SubscriptionState.recommended, "run_thread_id": run_thread_id}
        condition = and_(_is(mailbox, key), _is_free(run_thread_id))
        async with self.database.begin() as connection:
            taken = await connection.execute(update(SUBSCRIPTIONS).where(condition).values(change))
        return taken.rowcount == 1

    @one_write
    async def move(
        self,
        mailbox: str,
        key: str,
        to: SubscriptionState,
        *,
        expected: SubscriptionState,
        method: str = "",
    ) -> bool:
        """Move a list on; False when it is not in the `expected` state any more, so that of two callers one wins.

        A move to `requested` needs the `method` and notes the time; to `recommended` leads `recommend` alone. Raises
        `InputError` for a move that there is not, `NotFoundError` for a list that is not on record.
        """
        if to not in MOVES[expected]:
            raise InputError(f"a list cannot go from {expected} to {to}")
        if (to is SubscriptionState.requested) != bool(method):
            raise InputError("method is for a request, which cannot be without")
        change: dict[str, Any] = {"state": to, "run_thread_id": ""}
        if to is SubscriptionState.requested:
            asked = {"requested_at": self.clock.now(), "verified_at": None, "still_coming": False}
            change |= asked | {"method": method}
        condition = and_(_is(mailbox, key), _ROW.state == expected)
        async with self.database.begin() as connection:
            moved = await connection.execute(update(SUBSCRIPTIONS).where(condition).values(change))
            if moved.rowcount == 0 and await _one(connection, mailbox, key) is None:
                raise NotFoundError(f"no list {key!r} in this mailbox")
        return moved.rowcount == 1

    async def verify(self, mailbox: str, now: datetime) -> Verdicts:
        """Look after the lists that were asked to stop; see `verdict`.

        `now` is the instant up to which all mail of the mailbox has been noted, for what was not read is not silence:
        call it at the end of an ingest with the time of its beginning.
        """
        asked = (SubscriptionState.requested, SubscriptionState.unsubscribed)
        condition = and_(_ROW.mailbox == mailbox, _ROW.state.in_(asked))
        verified: list[Subscription] = []
        reopened: list[Subscription] = []
        for one in await self._lists(condition, None):
            found = verdict(one, now)
            if found is None or not await self._settle(one, found, now):
                continue
            (verified if found is SubscriptionState.unsubscribed else reopened).append(
                _after(one, found, now)
            )
        if verified or reopened:
            log.info("subscriptions_verified", verified=len(verified), reopened=len(reopened))
        return Verdicts(tuple(verified), tuple(reopened))

    async def _settle(self, one: Subscription, found: SubscriptionState, now: datetime) -> bool:
        """Write a verdict down, unless the list has changed since it was read."""
        unchanged = and_(
            _is(one.mailbox, one.list_key),
            _ROW.state == one.state,
            _ROW.messages == one.messages,
            _ROW.requested_at == literal(one.requested_at, UtcDateTime),
            _ROW.verified_at.is_(None) if one.verified_at is None else _ROW.verified_at.is_not(None),
        )
        async with self.database.begin() as connection:
            statement = update(SUBSCRIPTIONS).where(unchanged).values(_outcome(found, now))
            return (await connection.execute(statement)).rowcount == 1

    @one_read
    async def _lists(self, condition: ColumnElement[bool], limit: int | None) -> list[Subscription]:
        statement = select(SUBSCRIPTIONS).where(condition).limit(limit)
        statement = statement.order_by(_ROW.messages.desc(), _ROW.list_key)
        async with self.database.read() as connection:
            return [_subscription(row) for row in await connection.execute(statement)]


def _outcome(found: SubscriptionState, now: datetime) -> dict[str, Any]:
    if found is SubscriptionState.active:
        return {"state": found, "verified_at": None, "still_coming": True}
    return {"state": found, "verified_at": now}


def _after(one: Subscription, found: SubscriptionState, now: datetime) -> Subscription:
    values = {field.name: getattr(one, field.name) for field in fields(Subscription)}
    return Subscription(**values | _outcome(found, now))


def _facts(mailbox: str, key: str, message: Message, offer: Unsubscribe | None) -> dict[str, str]:
    return {
        "mailbox": mailbox,
        "list_key": key,
        "name": list_name(message),
        "sender": message.sender.email,
        "message_id": message.id if offer else "",
        "offers": offer.method if offer else "",
    }


async def _count(connection: AsyncConnection, facts: Mapping[str, str], when: datetime) -> None:
    """Count a message that was not counted before; what is shown of a list is what its latest message says."""
    first = {**facts, "messages": 1, "first_at": when, "last_at": when, "answered": False,
             "state": SubscriptionState.active, "method": "", "still_coming": False,
             "run_thread_id": ""}  # fmt: skip
    await upsert(connection, SUBSCRIPTIONS, first, keys=("mailbox", "list_key"), update=_counted)


def _counted(one: Any) -> dict[str, Any]:
    latest = _ROW.last_at <= one.last_at
    better = and_(or_(latest, _ROW.offers == ""), one.offers != "")
    newest = {
        **dict.fromkeys(("name", "sender", "last_at"), latest),
        **dict.fromkeys(("message_id", "offers"), better),
    }
    return {
        "messages": _ROW.messages + 1,
        "first_at": case((_ROW.first_at > one.first_at, one.first_at), else_=_ROW.first_at),
        **{column: case((holds, one[column]), else_=_ROW[column]) for column, holds in newest.items()},
    }


async def _one(connection: AsyncConnection, mailbox: str, key: str) -> Subscription | None:
    row = (await connection.execute(select(SUBSCRIPTIONS).where(_is(mailbox, key)))).first()
    return _subscription(row) if row else None


def _subscription(row: Row[Any]) -> Subscription:
    values = row._asdict()
    return Subscription(**values | {"state": SubscriptionState(values["state"])})


def _is_free(run_thread_id: str) -> ColumnElement[bool]:
    """Undecided, and on no card of another run thread that may still come to be answered."""
    open_mail = and_(MAIL.c.run_thread_id == _ROW.run_thread_id, MAIL.c.status.in_(OPEN))
    lost = or_(_ROW.run_thread_id == run_thread_id, ~select(MAIL.c.id).where(open_mail).exists())
    return or_(
        _ROW.state == SubscriptionState.active, and_(_ROW.state == SubscriptionState.recommended, lost)
    )


def _is(mailbox: str, key: str) -> ColumnElement[bool]:
    return and_(_ROW.mailbox == mailbox, _ROW.list_key == key)
