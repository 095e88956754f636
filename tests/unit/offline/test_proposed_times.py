"""Times that a mail offers are understood, or told to be not understood, written on Monday, 16 November 2026."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from email_assistant.models.offline.meeting import MeetingRequest
from email_assistant.models.offline.offers import meeting_request
from tests.unit.offline.building import conversation

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = datetime(2026, 11, 16, 10, tzinfo=BERLIN)


def read(text: str) -> MeetingRequest | None:
    """What a mail with the subject "Meeting" asks for."""
    return meeting_request(
        conversation(text, subject="Meeting", date=MONDAY), now=MONDAY, timezone="Europe/Berlin"
    )


def local(moment: datetime) -> str:
    """By the user's clock."""
    return f"{moment.astimezone(BERLIN):%d %b %H:%M}"


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("How about the day after tomorrow at 15:45?", ["18 Nov 15:45"]),
        ("Could we meet at noon on 31 December?", ["31 Dec 12:00"]),
        ("Hätten Sie am Donnerstag, 19.11., um 9.45 Uhr Zeit?", ["19 Nov 09:45"]),
        ("La semaine prochaine, mardi à 10 h ?", ["24 Nov 10:00"]),
        ("¿Le viene bien el jueves de la semana que viene a las 16:00?", ["26 Nov 16:00"]),
        ("Could you do 8-9 on Friday?", ["20 Nov 08:00"]),
        ("I cannot do 3pm on Thursday. Could we say 4pm?", ["19 Nov 16:00"]),
    ],
)
def test_times_are_understood(text: str, starts: list[str]) -> None:
    """As people say them, without a word of it left over."""
    request = read(text)
    assert request is not None
    assert [local(start) for start in request.proposed] == starts
    assert request.unread == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Could we meet next Thursday at 10?", "Thursday at 10"),
        ("Could we meet on the third Thursday of December at 10?", "third Thursday of December at 10"),
        ("Is 12/03/2026 at 10 ok?", "12/03/2026 at 10"),
        ("Are you free at 3pm?", "at 3pm"),
        ("Could we talk today at five?", "today at five"),
        ("Passt Ihnen Donnerstag um Viertel vor zehn?", "Donnerstag um Viertel vor zehn"),
        ("Thursday or Friday next week at 10?", "Thursday or Friday next week at 10"),
        ("How about a week on Tuesday at 10?", "week on Tuesday at 10"),
        ("Thursday after 3pm would suit me.", "Thursday after 3pm"),
        ("Could we meet on Thursday at 3 if Tom agrees?", "Thursday at 3 if"),
        ("Could we do Friday at 11 instead of Thursday at 3?", "Friday at 11 instead of Thursday at 3"),
        ("I'm out on Friday, but Monday at 9 works.", "Friday, but Monday at 9"),
        ("Let's have a call every Tuesday, is that possible?", "every Tuesday"),
    ],
)
def test_what_may_be_another_time_is_told(text: str, told: str) -> None:
    """Nothing is proposed in its place."""
    request = read(text)
    assert request is not None
    assert (request.proposed, request.unread) == ((), (told,))


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("Could we talk at 9am my time on Tuesday?", []),
        ("I am in New York this week. Could we talk on Tuesday at 9am?", []),
        ("I am in San Francisco. Could we talk on Tuesday at 9am?", []),
        ("Could we meet in our San Francisco office on Tuesday at 9am?", []),
        ("Could we talk Tuesday at 3pm London time?", ["17 Nov 16:00"]),
        ("Could we talk Tuesday at 3pm IST?", []),
    ],
)
def test_a_clock_is_known_or_nothing_is_proposed(text: str, starts: list[str]) -> None:
    """A place elsewhere, a name of several zones and "my time" are no reason to count by the user's own clock."""
    request = read(text)
    assert request is not None
    assert [local(start) for start in request.proposed] == starts
    assert bool(request.unread) is not bool(starts)


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("I can't do Thursday at 3.", []),
        ("Thursday 3pm has to move to Friday 11am. Ok?", []),
        ("The plumber comes on Thursday at 8, so could you do 11?", []),
        ("We met on Tuesday at 10 and should meet again. When?", []),
        ("My train arrives on Thursday at 9:30, could we meet then?", []),
    ],
)
def test_times_that_are_not_offered(text: str, starts: list[str]) -> None:
    """What the writer cannot do, what is moved away, what was, when a place is open."""
    request = read(text)
    assert ([local(start) for start in request.proposed] if request else []) == starts


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("Could we meet on Thursday afternoon?", ("19 Nov 12:00", "19 Nov 22:00")),
        ("Thursday morning?", ("19 Nov 06:00", "19 Nov 12:00")),
    ],
)
def test_a_part_of_a_day_is_no_time(text: str, window: tuple[str, str]) -> None:
    """Somewhere in it the meeting may be."""
    request = read(text)
    assert request is not None
    assert request.proposed == ()
    assert [(local(start), local(end)) for start, end in request.windows] == [window]


def test_days_count_from_the_mail_and_what_is_over_is_not_offered() -> None:
    """A month later "tomorrow" is no day of this week."""
    mail = conversation("Could we meet tomorrow at 3pm?", subject="Meeting", date=MONDAY - timedelta(days=31))
    request = meeting_request(mail, now=MONDAY, timezone="Europe/Berlin")
    assert request is not None
    assert (request.proposed, request.day_hints, request.over) == ((), (), date(2026, 10, 17))
    assert not request.asks_when
