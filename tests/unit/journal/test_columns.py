"""Times and text come back as they should, on both engines."""

from datetime import UTC, datetime, timedelta, timezone

from email_assistant.clock import FixedClock
from email_assistant.journal.database import Database
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord, MailStatus
from email_assistant.journal.sql import MAX_DEPTH, clean, plain, state_as_json

HOSTILE = "a\0b\ud800c\udfff \U0001f600 'x'; DROP TABLE mail; -- %s :p"


async def test_times_are_utc_and_exact(database: Database) -> None:
    """An instant in any zone comes back as the same instant, aware, in UTC, to the microsecond."""
    zone = timezone(timedelta(hours=5, minutes=45))
    instant = datetime(2026, 11, 20, 0, 15, 0, 123456, tzinfo=zone)
    log = MailLog(database, FixedClock(instant))
    await log.claim(MailRecord("box", "m1", "g", "t", "r", received_at=instant))
    found = await log.get("box", "m1", "g")
    assert found is not None
    assert found.received_at == found.claimed_at == found.updated_at == instant
    assert found.received_at is not None
    assert found.received_at.tzinfo is UTC


async def test_hostile_text_is_stored(database: Database, clock: FixedClock) -> None:
    """NUL, lone surrogates and SQL in a message's fields neither fail nor change anything else."""
    log = MailLog(database, clock)
    record = MailRecord("box", HOSTILE, "g", HOSTILE, "r", reason=HOSTILE, email_input={HOSTILE: [HOSTILE]})
    assert await log.claim(record)
    assert not await log.claim(record)
    await log.set_status("box", HOSTILE, "g", MailStatus.done, reason=HOSTILE)
    found = await log.get("box", HOSTILE, "g")
    assert found is not None
    assert found.reason == clean(HOSTILE) == HOSTILE.translate({0: 0xFFFD, 0xD800: 0xFFFD, 0xDFFF: 0xFFFD})
    assert found.email_input == {HOSTILE: [HOSTILE]}
    assert await log.known("box", [HOSTILE, "other"]) == {HOSTILE}


def test_plain_ends_for_what_contains_itself() -> None:
    """A value that contains itself is cut off, not followed for ever."""
    loop: list[object] = []
    loop.append(loop)
    depth, found = 0, plain(loop)
    while isinstance(found, list):
        depth, found = depth + 1, found[0]
    assert depth == MAX_DEPTH


def test_long_texts_of_a_state_are_cut_with_a_note() -> None:
    """Wherever they are; the note says how much is missing, and what is short stays whole."""
    state = {"emails": [{"body": "a" * 1_000_000, "subject": "Hi"}], "classification": "reply"}
    cut = "a" * 16_384 + "… [cut: 983,616 of 1,000,000 characters left out]"
    assert state_as_json(state) == {
        "emails": [{"body": cut, "subject": "Hi"}],
        "classification": "reply",
    }
