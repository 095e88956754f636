"""What people say to an invitation's card, and what it comes to."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from email_assistant.calendars.event import Event
from email_assistant.meetings.instructions import Instruction, instruction_in, proposed_time


@pytest.mark.parametrize(
    ("words", "answer", "comment", "when"),
    [
        ("Decline, and tell Ana that my train is late.", "declined", "My train is late.", ""),
        ("No, I am away that day.", "declined", "No, I am away that day.", ""),
        ("propose Friday 10:00 instead", "tentative", "", "Friday 10:00 instead"),
        ("suggest Monday at 9 and say sorry for that", "tentative", "Sorry for that", "Monday at 9 and"),
        ("sag ab und schreib: Leider bin ich verreist.", "declined", "Leider bin ich verreist.", ""),
        ("No, estoy de viaje ese día.", "declined", "No, estoy de viaje ese día.", ""),
        ("propón el viernes a las 10:00 en su lugar", "tentative", "", "el viernes a las 10:00 en su lugar"),
        ("refuse et dis que je suis absent", "declined", "Je suis absent", ""),
        ("Yes, no problem", "accepted", "", ""),
        ("Ich sage nicht zu", "declined", "Ich sage nicht zu", ""),
    ],
)
def test_an_instruction_is_followed(words: str, answer: str, comment: str, when: str) -> None:
    """The answer, the person's own words to go with it, and another time."""
    assert instruction_in(words) == Instruction(answer, comment, when)


@pytest.mark.parametrize(
    "when",
    [
        "Friday 10:00 instead", "Freitag 10 Uhr vor", "el viernes a las 10:00 en su lugar",
        "vendredi à 10h à la place",
    ],
)  # fmt: skip
def test_the_time_to_propose_is_read_in_each_language(when: str) -> None:
    """As long as the event is, at the day and the hour that were said."""
    friday = datetime(2026, 11, 27, 10, tzinfo=ZoneInfo("Europe/Berlin"))
    assert _proposed(when) == (friday, friday + timedelta(hours=1))


@pytest.mark.parametrize(
    "when",
    [
        "Friday 10:00 and invite Bo", "anything but Friday 10:00", "Freitag um elf Uhr vor",
        "Friday 10:00 in Mars/Olympus time",
    ],
)  # fmt: skip
def test_words_beside_a_time_that_nobody_reads_make_it_none(when: str) -> None:
    """Half of what was said would be done, or an hour be taken that was not said."""
    assert _proposed(when) is None


@pytest.mark.parametrize("when", ["tomorrow at 10:00", "morgen um 10 Uhr"])
def test_tomorrow_is_the_day_after_the_words(when: str) -> None:
    """Not the day after the event."""
    found = _proposed(when)
    assert found is not None
    assert found[0] == datetime(2026, 11, 21, 10, tzinfo=ZoneInfo("Europe/Berlin"))


def _proposed(when: str) -> tuple[datetime, datetime] | None:
    start = datetime(2026, 11, 26, 9, tzinfo=ZoneInfo("Europe/Berlin"))
    event = Event("e", "Budget", start, start + timedelta(hours=1))
    return proposed_time(when, event, now=datetime(2026, 11, 20, 8, tzinfo=UTC), timezone="Europe/Berlin")


@pytest.mark.parametrize(
    "words",
    [
        "decline politely", "do not decline", "I am away", "Schreib ihr, dass ich verreist bin",
        "no aceptes", "n'accepte pas", "decline and propose lunch, say I am away, propose Friday",
        "sag nicht ab", "no, I mean yes", "No problem", "I can't wait!",
    ],
)  # fmt: skip
def test_what_is_not_understood_to_the_end_is_no_instruction(words: str) -> None:
    """It is asked about again."""
    assert instruction_in(words) is None
