"""Mailings that come in, and what the user decided about each."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import structlog
from sqlalchemy import ColumnElement, and_, case, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.clock import Clock
from email_assistant.errors import InputError, NotFoundError
from email_assistant.journal.database import Database
from email_assistant.journal.engines import one_read, one_write
from email_assistant.journal.records import OPEN
from email_assistant.journal.sql import Rows, check_keys, insert_or_ignore, upsert
from email_assistant.journal.tables import MAIL
from email_assistant.mail.message import Message
from email_assistant.workflows.inbox_organizer.records.tables import SUBSCRIPTION_MAIL, SUBSCRIPTIONS
from email_assistant.workflows.inbox_organizer.unsubscribing.list_headers import (
    BY_CLICK,
    BY_MAIL,
    Unsubscribe,
    is_list_mail,
    list_key,
    list_name,
)

_ROW = SUBSCRIPTIONS.c
log = structlog.get_logger(__name__)

GRACE = timedelta(days=2)
"""After a request; mail that comes in it was on its way already. The large mailbox providers give senders two days, too."""

MIN_MESSAGES, MAX_DUE = 3, 50
"""The number of messages that make a list one to ask about, and the most lists that are due at once."""


class SubscriptionState(StrEnum):
    """The stations of a list."""

    active = "active"
    """Its mail comes in; nothing was decided."""
    recommended = "recommended"
    """The user is being asked whether to leave it, by the card of `run_thread_id`, as long as that one waits."""
    requested = "requested"
    """The user said yes. The request is going out, or went out and nobody said that it was taken."""
    unsubscribed = "unsubscribed"
    """The list's host took the request."""
    kept = "kept"
    """The user wants to stay."""


MOVES = {
    SubscriptionState.active: {"requested", "kept"},
    SubscriptionState.recommended: {"active", "requested", "kept"},
    SubscriptionState.requested: {"unsubscribed", "active"},
    SubscriptionState.unsubscribed: {"active", "kept"},
    SubscriptionState.kept: {"active", "requested"},
}


@dataclass(frozen=True, slots=True)
class Subscription:
    """One list in one mailbox. Times are aware and in UTC."""

    mailbox: str
    list_key: str
    """See `mail.unsubscribe.list_key`."""
    name: str
    sender: str
    """The address the latest message came from."""
    message_id: str
    """The latest message that offers a way out: take the addresses from it, they are not kept here. "" when none did."""
    offers: str
    """Its best way out, see `Unsubscribe.method`; "" when there is none."""
    messages: int
    first_at: datetime
    last_at: datetime
    answered: bool = False
    """Whether the user has ever written back."""
    state: SubscriptionState = SubscriptionState.active
    requested_at: datetime | None = None
    still_coming: bool = False
    """Whether mail came although the list was asked to stop; until it is asked again."""
    run_thread_id: str = ""
    """The run thread whose card asks about it; "" while none does."""


_LISTS = Rows(SUBSCRIPTIONS, Subscription, state=SubscriptionState)


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
        conversation; once true for a list, it stays. A list that was asked to stop is active again when mail of it comes after the
        grace. Raises `InputError` for an empty or too long mailbox or message id.
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
            one = await _one(connection, mailbox, key)
            if one is None or not _goes_on(one):
                return one
            again: dict[str, Any] = {"state": SubscriptionState.active, "still_coming": True}
            await connection.execute(update(SUBSCRIPTIONS).where(_is(mailbox, key)).values(again))
            return replace(one, **again)

    async def all(self, mailbox: str, limit: int = 200) -> list[Subscription]:
        """Up to `limit` lists, the one with most mail first."""
        return await self._lists(_ROW.mailbox == mailbox, limit)

    async def due_recommendations(self, mailbox: str, run_thread_id: str = "") -> list[Subscription]:
        """Lists to ask about: with `MIN_MESSAGES` messages, none answered, that can be left by one click or by a mail; most mail first.

        They are active, or were to be asked about by a card that is lost: that of a run thread all of whose messages are
        settled, or one of `run_thread_id` itself, whose run was cut off after it had taken them.
        """
        wanted = and_(
            _ROW.mailbox == mailbox,
            _is_free(run_thread_id),
            _ROW.messages >= MIN_MESSAGES,
            _ROW.answered.is_(False),
            _ROW.offers.in_((BY_CLICK, BY_MAIL)),
        )
        return await self._lists(wanted, MAX_DUE)

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
    ) -> bool:
        """Move a list on; False when it is not in the `expected` state any more, so that of two callers one wins.

        A move to `requested` notes the time; to `recommended` leads `recommend` alone. Raises `InputError` for a move that there
        is not, `NotFoundError` for a list that is not on record.
        """
        if to not in MOVES[expected]:
            raise InputError(f"a list cannot go from {expected} to {to}")
        change: dict[str, Any] = {"state": to, "run_thread_id": ""}
        if to is SubscriptionState.requested:
            change |= {"requested_at": self.clock.now(), "still_coming": False}
        condition = and_(_is(mailbox, key), _ROW.state == expected)
        async with self.database.begin() as connection:
            moved = await connection.execute(update(SUBSCRIPTIONS).where(condition).values(change))
            if moved.rowcount == 0 and await _one(connection, mailbox, key) is None:
                raise NotFoundError(f"no list {key!r} in this mailbox")
        return moved.rowcount == 1

    @one_read
    async def _lists(self, condition: ColumnElement[bool], limit: int) -> list[Subscription]:
        statement = _LISTS.select(condition).order_by(_ROW.messages.desc(), _ROW.list_key)
        return await _LISTS.read(self.database, statement.limit(limit))


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
             "state": SubscriptionState.active, "still_coming": False,
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
    return await _LISTS.first(connection, _LISTS.select(_is(mailbox, key)))


def _goes_on(one: Subscription) -> bool:
    """Whether mail of a list came although it was asked to stop, and had the time to."""
    asked = one.state in {SubscriptionState.requested, SubscriptionState.unsubscribed}
    return asked and one.requested_at is not None and one.last_at > one.requested_at + GRACE


def _is_free(run_thread_id: str) -> ColumnElement[bool]:
    """Undecided, and on no card of another run thread that may still come to be answered."""
    open_mail = and_(MAIL.c.run_thread_id == _ROW.run_thread_id, MAIL.c.status.in_(OPEN))
    lost = or_(_ROW.run_thread_id == run_thread_id, ~select(MAIL.c.id).where(open_mail).exists())
    return or_(
        _ROW.state == SubscriptionState.active, and_(_ROW.state == SubscriptionState.recommended, lost)
    )


def _is(mailbox: str, key: str) -> ColumnElement[bool]:
    return and_(_ROW.mailbox == mailbox, _ROW.list_key == key)
