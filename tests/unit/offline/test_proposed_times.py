"""Times that a mail offers are understood, or told to be not understood: in seven languages, written on Monday, 16 November 2026."""

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
        ("How about the day after tomorrow at quarter to four?", ["18 Nov 15:45"]),
        ("How about a week on Tuesday at 10?", ["24 Nov 10:00"]),
        ("Tuesday at 10 or 11?", ["17 Nov 10:00", "17 Nov 11:00"]),
        ("Could we meet at noon on New Year's Eve?", ["31 Dec 12:00"]),
        ("Passt Ihnen Donnerstag um Viertel vor zehn?", ["19 Nov 09:45"]),
        ("In zwei Wochen am Montag um 10 Uhr?", ["30 Nov 10:00"]),
        ("Jeudi à 14 h 30 ?", ["19 Nov 14:30"]),
        ("Jeudi en huit à 10 h ?", ["26 Nov 10:00"]),
        ("Jeudi après-midi à 3 heures ?", ["19 Nov 15:00"]),
        ("Could you do 8-9 on Friday?", ["20 Nov 08:00"]),
        ("Können wir uns in KW 49 am Dienstag um 14 Uhr treffen?", ["01 Dec 14:00"]),
        ("Freitag, den 27., um 14:30?", ["27 Nov 14:30"]),
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
        ("Could we meet on 3-5 December at 10?", "3-5 December at 10"),
        ("Is 12/03/2026 at 10 ok?", "12/03/2026 at 10"),
        ("Are you free at 3pm?", "at 3pm"),
        ("Could we meet on Wednesday at seven?", "Wednesday at seven"),
        ("Thursday or Friday next week at 10?", "Thursday or Friday next week at 10"),
        ("Every Tuesday at 10 would be good.", "Every Tuesday at 10"),
        ("After lunch on Thursday?", "After lunch on Thursday"),
        ("Let's have a call every Tuesday, is that possible?", "every Tuesday"),
        ("Any day but Friday works for me.", "Any day but Friday"),
        ("Friday around 10ish?", "Friday around 10ish"),
        ("Friday, same time?", "Friday, same time"),
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
        ("I'm based in Tokyo. Could we talk on Tuesday at 5pm my time?", ["17 Nov 09:00"]),
        ("I am in New York this week. Could we talk on Tuesday at 9am?", []),
        ("Could we talk Tuesday at 3pm London time?", ["17 Nov 16:00"]),
        ("Could we talk Tuesday at 3pm IST?", []),
        ("Could we talk Tuesday at 9am (New York)?", ["17 Nov 15:00"]),
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
        ("I'm out on Friday, but Monday at 9 works.", ["23 Nov 09:00"]),
        ("Not Thursday please, Friday at 10 is fine.", ["20 Nov 10:00"]),
        ("Could we do Friday at 11 instead of Thursday at 3?", ["20 Nov 11:00"]),
        ("Thursday 3pm has to move to Friday 11am. Ok?", ["20 Nov 11:00"]),
        ("Could we push our Thursday meeting to 4pm?", ["19 Nov 16:00"]),
        ("Can we move our Thursday 3pm call to Friday, same time?", ["20 Nov 15:00"]),
        ("We met on Tuesday at 10 and should meet again. When?", []),
        ("Our office is open Monday to Friday from 9 to 5. When can we meet?", []),
        ("My train arrives on Thursday at 9:30, could we meet then?", []),
        ("I have the dentist on Wednesday at 9, so could we meet at 11?", ["18 Nov 11:00"]),
        ("The webinar is on Thursday at 18:00. Could we have a call beforehand?", []),
        ("Please send it by Thursday, 5pm. Could we meet after that?", []),
    ],
)
def test_times_that_are_not_offered(text: str, starts: list[str]) -> None:
    """What the writer cannot do, what is moved away, what was, when a place is open."""
    request = read(text)
    assert ([local(start) for start in request.proposed] if request else []) == starts


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("Thursday after 3pm would suit me.", ("19 Nov 15:00", "19 Nov 22:00")),
        ("Could we meet on Thursday before noon?", ("19 Nov 06:00", "19 Nov 12:00")),
        ("Thursday morning?", ("19 Nov 06:00", "19 Nov 12:00")),
    ],
)
def test_the_edge_of_a_time_is_no_time(text: str, window: tuple[str, str]) -> None:
    """After three is not at three."""
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


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("Could we meet on Wednesday at 2pm for 1h30?", 90),
        ("Réunion jeudi à 8 h, durée 1h30 ?", 90),
        ("Jeudi à 8 h ?", 0),
    ],
)
def test_a_length_is_no_hour_and_an_hour_no_length(text: str, minutes: int) -> None:
    """Where both are written alike, what stands before tells them apart."""
    request = read(text)
    assert request is not None
    assert len(request.proposed) == 1
    assert (request.duration_minutes if request.names_length else 0) == minutes


@pytest.mark.parametrize(
    "text",
    [
        "Could we speak on Thursday, November 19, 2026, from 10:00 to 10:45?",
        "Können wir uns am Donnerstag von 10:00 bis 10:45 Uhr treffen?",
    ],
)
def test_from_ten_to_a_quarter_to_eleven_is_the_meeting_itself(text: str) -> None:
    """Both of its edges are named; "from ten" alone names but the first."""
    request = read(text)
    assert request is not None
    assert [local(start) for start in request.proposed] == ["19 Nov 10:00"]
    assert (request.duration_minutes, request.names_length, request.windows) == (45, True, ())
