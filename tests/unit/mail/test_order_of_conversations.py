"""The order of a conversation's messages, and which of the user's own is the answer to which mail."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.mail.address import Address
from email_assistant.mail.conversation import answers, in_order, since
from email_assistant.mail.message import Message

NINE = datetime(2026, 11, 20, 9, tzinfo=UTC)
ANA, ME = Address("ana@example.org"), Address("robin@example.com")
OWN = frozenset({ME.key})


def message(
    number: int, *names: int, sent: bool = False, minutes: int | None = None, **more: object
) -> Message:
    """Number `number`, which names others, the last one being what it answers; `minutes` after nine."""
    fields: dict[str, object] = {
        "id": str(number),
        "mail_thread_id": "t",
        "sender": ME if sent else ANA,
        "to": (ANA,) if sent else (ME,),
        "subject": "",
        "text": "",
        "date": NINE + timedelta(minutes=number if minutes is None else minutes),
        "message_id": f"<{number}@x>",
        "in_reply_to": f"<{names[-1]}@x>" if names else "",
        "references": tuple(f"<{each}@x>" for each in names),
        "sent": sent,
    }
    return Message(**(fields | more))  # type: ignore[arg-type]


def numbers(messages: list[Message]) -> list[int]:
    """Which they are."""
    return [int(each.id) for each in messages]


@pytest.mark.parametrize("minutes", [2, 1, -600])
def test_the_users_answer_comes_after_what_it_answers(minutes: int) -> None:
    """Whatever its Date says, and what answers it follows."""
    own = message(3, 1, 2, sent=True, minutes=minutes)
    later = message(4, 1, 2, 3, minutes=minutes)
    assert numbers(in_order([later, own, message(1), message(2, 1)])) == [1, 2, 3, 4]


def test_mail_that_was_long_on_its_way_stays_where_it_arrived() -> None:
    """An answer in whose history it stands does not hide it: the user has not seen it."""
    arrived = [message(2, 1), message(3, 1, 2, sent=True), message(1)]
    assert numbers(in_order(arrived)) == [2, 3, 1]


def test_of_two_with_one_message_id_the_first_is_meant() -> None:
    """A stranger who takes the id of a mail that is answered does not stand before the answer."""
    copy = message(9, message_id="<1@x>")
    assert numbers(in_order([message(1), message(2, 1, sent=True), copy])) == [1, 2, 9]


@given(
    st.lists(st.tuples(st.sampled_from(range(6)), st.booleans(), st.integers(-3, 3)), min_size=1, max_size=6)
)
def test_nothing_is_lost_and_own_answers_stand_behind(made: list[tuple[int, bool, int]]) -> None:
    """Of any references, circles too: every message once; what the user answers outright stands before."""
    given = [message(n, names, sent=own, minutes=at) for n, (names, own, at) in enumerate(made)]
    found = numbers(in_order(given))
    assert sorted(found) == list(range(len(given)))
    for at, (names, own, _) in enumerate(made):
        if own and names < len(given) and made[names][0] == names:  # What it answers answers nothing itself.
            assert names == at or found.index(names) < found.index(at)


def test_what_came_after_a_deleted_message_is_found() -> None:
    """By what names it, and by what is dated later."""
    gone, own, other = message(2, 1), message(3, 2, sent=True, minutes=-5), message(4)
    assert numbers(since(gone, [message(1), own, other])) == [3, 4]
    assert numbers(since(gone, [message(1), gone, own, other])) == [3, 4]


@pytest.mark.parametrize(
    ("reply", "is_answer"),
    [
        (message(3, 1, 2, sent=True), True),
        (message(3, 1, sent=True), False),
        (message(3, 2, sent=True, to=(Address("cy@example.net"),)), False),
        (message(3, 2, sent=True, headers={"auto-submitted": "auto-replied"}), False),
    ],
    ids=["names it", "names another", "passed on", "by itself"],
)  # fmt: skip
def test_which_reply_is_the_answer(reply: Message, is_answer: bool) -> None:
    """To the second message of a conversation of two."""
    assert answers(reply, message(2, 1), [message(1), message(2, 1), reply], OWN) is is_answer
