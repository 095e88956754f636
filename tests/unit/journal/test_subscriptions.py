"""Which mailings come in, and what became of them."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from email_assistant.clock import FixedClock
from email_assistant.errors import InputError
from email_assistant.journal.database import Database
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import OPEN, MailRecord, MailStatus
from email_assistant.mail.address import Address
from email_assistant.mail.message import Message
from email_assistant.workflows.inbox_organizer.records.subscriptions import (
    GRACE,
    Subscription,
    Subscriptions,
    SubscriptionState,
)
from email_assistant.workflows.inbox_organizer.unsubscribing.list_headers import unsubscribe_of

S = SubscriptionState
NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
DAY = timedelta(days=1)
KEY = "weekly.design.example"
ONE_CLICK = {
    "list-unsubscribe": "<https://design.example/u/1>",
    "list-unsubscribe-post": "List-Unsubscribe=One-Click",
}


@pytest.fixture
def subscriptions(database: Database, clock: FixedClock) -> Subscriptions:
    """The subscriptions of a fresh database."""
    return Subscriptions(database, clock)


def mailing(
    id: str, when: datetime | None = NOW - DAY, *, key: str = KEY, name: str = "Design", **headers: str
) -> Message:
    """A message of a list that can be left with one click."""
    named = {"list-id": f"{name} <{key}>"} | ONE_CLICK
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    return Message(id, id, Address("news@design.example"), "", "", date=when, headers=named)


async def note(subscriptions: Subscriptions, *messages: Message, answered: bool = False) -> Subscription:
    """Note the messages; what is then known of the last one's list."""
    found = None
    for message in messages:
        found = await subscriptions.note("m", message, unsubscribe_of(message), answered=answered)
    assert found is not None
    return found


async def listed(subscriptions: Subscriptions, mailbox: str) -> Subscription | None:
    """The list of `KEY`, or None."""
    found = [one for one in await subscriptions.all(mailbox) if one.list_key == KEY]
    return found[0] if found else None


def later(subscriptions: Subscriptions, days: float) -> Subscriptions:
    """The same record, so many days after the clock's instant."""
    return replace(subscriptions, clock=FixedClock(NOW + days * DAY))


async def at_work(subscriptions: Subscriptions, run_thread_id: str) -> MailLog:
    """Put a message on record that this run thread is at work on."""
    log = MailLog(subscriptions.database, subscriptions.clock)
    await log.claim(MailRecord("m", f"of {run_thread_id}", "g", "t", run_thread_id, MailStatus.processing))
    return log


async def request(subscriptions: Subscriptions, key: str = KEY) -> None:
    """Ask the list, at the clock's instant, to stop; its host takes the request."""
    assert await subscriptions.move("m", key, S.requested, expected=S.active)
    assert await subscriptions.move("m", key, S.unsubscribed, expected=S.requested)


async def test_mail_of_a_list_is_counted(subscriptions: Subscriptions) -> None:
    """Count, times and what the latest message says come together, in whatever order the messages arrive."""
    await note(subscriptions, mailing("2", NOW - 2 * DAY))
    await note(subscriptions, mailing("1", NOW - 9 * DAY, name="Old name"))
    found = await note(subscriptions, mailing("3", NOW - DAY, name="New name"))
    assert found == Subscription(
        "m", KEY, "New name", "news@design.example", "3", "one_click", 3, NOW - 9 * DAY, NOW - DAY
    )
    assert await listed(subscriptions, "m") == found
    assert await listed(subscriptions, "other") is None


async def test_a_message_counts_once(subscriptions: Subscriptions) -> None:
    """However often and however much later a message is noted again, nothing changes."""
    messages = [mailing(str(number), NOW - number * DAY) for number in range(1, 40)]
    first = await note(subscriptions, *messages)
    assert first.messages == 39
    assert await note(subscriptions, *messages, messages[0]) == first


async def test_the_way_out_is_the_latest_messages(subscriptions: Subscriptions) -> None:
    """A message that offers none does not take away what an earlier one offered; an older one does not come back."""
    bare = {"list_unsubscribe": "", "list_unsubscribe_post": ""}
    found = await note(subscriptions, mailing("1", NOW - 5 * DAY, **bare))
    assert (found.message_id, found.offers) == ("", "")
    found = await note(subscriptions, mailing("2", NOW - 9 * DAY, list_unsubscribe_post=""))
    assert (found.message_id, found.offers) == ("2", "link")
    found = await note(subscriptions, mailing("3", NOW - 3 * DAY))
    assert (found.message_id, found.offers) == ("3", "one_click")
    found = await note(subscriptions, mailing("4", NOW - 2 * DAY, **bare), mailing("5", NOW - 8 * DAY))
    assert (found.message_id, found.offers, found.messages) == ("3", "one_click", 5)


async def test_what_is_due(subscriptions: Subscriptions) -> None:
    """Lists with three messages, none answered, undecided, that can be left; the one with most mail first."""
    for key, count in (("three.example", 3), ("two.example", 2), ("five.example", 5), ("answered.example", 4),
                       ("kept.example", 4)):  # fmt: skip
        await note(subscriptions, *(mailing(f"{key}{number}", key=key) for number in range(count)))
    await note(
        subscriptions,
        *(mailing(f"x{n}", key="closed.example", list_unsubscribe="") for n in range(5)),
    )
    link = [mailing(f"p{n}", key="page.example", list_unsubscribe_post="") for n in range(9)]
    await note(subscriptions, *link)
    await note(subscriptions, mailing("answered.example0", key="answered.example"), answered=True)
    await subscriptions.move("m", "kept.example", S.kept, expected=S.active)
    due = await subscriptions.due_recommendations("m")
    assert [one.list_key for one in due] == ["five.example", "three.example"]
    assert await subscriptions.due_recommendations("other") == []
    await at_work(subscriptions, "thread")
    for one in due:
        assert await subscriptions.recommend("m", one.list_key, "thread")
    assert await subscriptions.due_recommendations("m") == []
    found = await subscriptions.all("m")
    assert sum(one.state in (S.recommended, S.kept) for one in found) == 3
    assert len(found) == 7
    assert len(await subscriptions.all("m", 2)) == 2


async def test_what_was_taken_is_found_again_by_its_own_thread(subscriptions: Subscriptions) -> None:
    """A run that starts over gets the same lists in the same order; another thread gets none of them."""
    keys = ["a.example", "b.example", "c.example"]
    for key in keys:
        await note(subscriptions, *(mailing(f"{key}{number}", key=key) for number in range(3)))
    await at_work(subscriptions, "thread")
    await at_work(subscriptions, "other")
    for key in keys[:2]:
        assert await subscriptions.recommend("m", key, "thread")
    assert [one.list_key for one in await subscriptions.due_recommendations("m", "thread")] == keys
    assert [one.list_key for one in await subscriptions.due_recommendations("m", "other")] == ["c.example"]
    assert await subscriptions.recommend("m", "a.example", "thread")
    assert not await subscriptions.recommend("m", "a.example", "other")


@pytest.mark.parametrize("status", list(MailStatus))
async def test_the_lists_of_a_lost_card_are_free(subscriptions: Subscriptions, status: MailStatus) -> None:
    """As long as a message of the thread is open its card may still be answered; when all are settled it is lost."""
    await note(subscriptions, *(mailing(str(number)) for number in range(3)))
    log = await at_work(subscriptions, "thread")
    await at_work(subscriptions, "other")
    assert await subscriptions.recommend("m", KEY, "thread")
    await log.set_status("m", "of thread", "g", status)
    held = status in OPEN
    assert await subscriptions.recommend("m", KEY, "other") is not held
    found = await listed(subscriptions, "m")
    assert found is not None
    assert (found.state, found.run_thread_id) == (S.recommended, "thread" if held else "other")


async def test_of_many_cards_one_gets_the_list(subscriptions: Subscriptions) -> None:
    """Ten threads at once that would ask about the same list: one does."""
    await note(subscriptions, *(mailing(str(number)) for number in range(3)))
    threads = [f"thread {number}" for number in range(10)]
    for thread in threads:
        await at_work(subscriptions, thread)
    taken = await asyncio.gather(*(subscriptions.recommend("m", KEY, thread) for thread in threads))
    assert sorted(taken) == [False] * 9 + [True]


async def test_mail_in_the_grace_is_tolerated(subscriptions: Subscriptions) -> None:
    """Mail that was on its way when the list was asked does not speak against it."""
    await note(subscriptions, mailing("1"))
    await request(subscriptions)
    found = await note(later(subscriptions, 2), mailing("2", NOW + GRACE))
    assert (found.state, found.still_coming) == (S.unsubscribed, False)


async def test_mail_that_still_comes_reopens_the_list(subscriptions: Subscriptions) -> None:
    """Mail after the grace makes the list active again and says so, and it is due at once."""
    await note(subscriptions, *(mailing(str(number)) for number in range(3)))
    await request(subscriptions)
    after = later(subscriptions, 3)
    one = await note(after, mailing("9", NOW + GRACE + timedelta(seconds=1)))
    assert (one.state, one.still_coming) == (S.active, True)
    assert await listed(subscriptions, "m") == one
    assert [found.list_key for found in await subscriptions.due_recommendations("m")] == [KEY]
    assert await after.move("m", KEY, S.requested, expected=S.active)
    again = await note(after, mailing("9", NOW + GRACE + timedelta(seconds=1)))
    assert (again.state, again.still_coming, again.requested_at) == (S.requested, False, NOW + 3 * DAY)


async def test_what_a_person_keeps_is_not_reopened(subscriptions: Subscriptions) -> None:
    """Whatever it was asked before."""
    await note(subscriptions, mailing("1"))
    await request(subscriptions)
    assert await subscriptions.move("m", KEY, S.kept, expected=S.unsubscribed)
    found = await note(later(subscriptions, 40), mailing("2", NOW + 40 * DAY))
    assert (found.state, found.still_coming) == (S.kept, False)


async def test_dates_that_lie(subscriptions: Subscriptions) -> None:
    """A date in the future counts as now, and a message without a date is of now: neither looks like mail to come."""
    found = await note(subscriptions, mailing("1", NOW + 3000 * DAY), mailing("2", None))
    assert (found.first_at, found.last_at) == (NOW, NOW)
    await request(subscriptions)
    assert (await note(subscriptions, mailing("3", NOW + 3000 * DAY))).state is S.unsubscribed


async def test_hostile_facts(subscriptions: Subscriptions) -> None:
    """Huge, odd and unstorable names, addresses and ids are noted in bounds or refused by name."""
    odd = "\0\ud800 ' ; DROP TABLE subscriptions; -- \u202e" * 300
    message = Message(
        "1\0", "1", Address("a@" + "b" * 200 + ".example", odd), "", "", date=NOW, headers=ONE_CLICK
    )
    found = await note(subscriptions, message, message)
    assert found.messages == 1
    assert len(found.name) <= 80
    for mailbox, id in (("", "1"), ("m", ""), ("m" * 900, "1"), ("m", "1" * 900)):
        with pytest.raises(InputError):
            await subscriptions.note(mailbox, mailing(id), None)
