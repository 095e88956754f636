"""Times, paragraphs and days, as the page says them."""

from datetime import date

import pytest

from email_assistant.clock import instant_of, when_listed
from email_assistant.page.data_routes import failed
from email_assistant.page.meeting import strip
from email_assistant.page.texts import at, letter, paragraphs, waits
from email_assistant.working_hours import WorkingHours

ZONE = "Europe/Berlin"


def _now():  # type: ignore[no-untyped-def]
    return instant_of("2026-11-20T17:45:00+01:00", ZONE)


@pytest.mark.parametrize(
    ("received", "listed", "on_card", "waiting"),
    [
        ("2026-11-20T07:18:00+01:00", "07:18", "today, 07:18", ""),
        ("2026-11-19T23:59:00+01:00", "Thu", "Thu 19 Nov, 23:59", "waits 1 day"),
        ("2026-11-16T06:12:00+00:00", "Mon", "Mon 16 Nov, 07:12", "waits 4 days"),
        ("2026-11-13T08:12:00+01:00", "13 Nov", "Fri 13 Nov, 08:12", "waits 7 days"),
        ("2025-11-13T08:12:00+01:00", "13 Nov 2025", "Thu 13 Nov, 08:12", "waits 372 days"),
        ("", "", "", ""),
    ],
)
def test_when_a_mail_came(received: str, listed: str, on_card: str, waiting: str) -> None:
    """The nearer, the finer; in the user's zone."""
    moment = instant_of(received, ZONE)
    assert (when_listed(moment, _now().date()), at(moment, _now()), waits(moment, _now())) == (
        listed,
        on_card,
        waiting,
    )


def test_lines_that_a_program_broke_are_joined() -> None:
    """Those that a person broke stay: lists, short lines, and what is drawn with spaces."""
    text = (
        "We would love to have the room ready before our daughter comes home in\nFebruary.\n\n1. First of all the shelves, which are old "
        "and very heavy indeed\n2. Second\n\nBest\nMara\n\nA table with a long first line so that it seems wrapped\t1\nB\t2"
    )
    assert paragraphs(text) == [
        "We would love to have the room ready before our daughter comes home in February.",
        "1. First of all the shelves, which are old and very heavy indeed\n2. Second",
        "Best\nMara",
        "A table with a long first line so that it seems wrapped\t1\nB\t2",
    ]


def test_gaps_are_found_as_scripts_count() -> None:
    """In UTF-16 units, in which a smiley is two."""
    parts = letter("😀 Hi\n\n[confirm: the price]\n\nBye", [{"span": (6, 26)}])
    assert [(part.text, part.question, part.start, part.end) for part in parts] == [
        ("😀 Hi", "", 0, 0),
        ("[confirm: the price]", "The price", 7, 27),
        ("Bye", "", 0, 0),
    ]


def test_a_day_has_its_hours_and_what_is_in_them() -> None:
    """What reaches over midnight is cut, what lasts all day is told in words, and early or late hours make the strip longer."""
    day = strip(
        date(2026, 11, 26),
        ZONE,
        _now(),
        [
            ("busy", {"start": "2026-11-26T06:00:00+01:00", "end": "2026-11-26T07:00:00+01:00", "title": "Run"}),
            ("new", {"start": "2026-11-26T12:00:00+01:00", "end": "2026-11-26T15:00:00+01:00", "title": "Lobby"}),
            ("busy", {"start": "2026-11-25T22:00:00+01:00", "end": "2026-11-27T00:00:00+01:00", "title": "Ida's birthday"}),
            ("wait", {"start": "2026-11-27T09:00:00+01:00", "end": "2026-11-27T10:00:00+01:00", "title": "Other day"}),
            ("wait", {"start": "unknown", "end": "", "title": "No time"}),
        ],
        WorkingHours.parse("Mon-Thu 08:30-12:00"),
    )  # fmt: skip
    assert day.off == ((0.0, 20.833), (50.0, 50.0))
    assert (day.first, day.last, day.aside) == (
        6,
        18,
        "looked up now, 17:45 · Berlin time · all day: Ida's birthday",
    )
    assert [(bar.look, bar.x, bar.width, bar.time) for bar in day.bars] == [
        ("busy", 0.0, 8.333, "06:00–07:00"),
        ("new", 50.0, 25.0, "12:00–15:00"),
    ]


@pytest.mark.parametrize(
    ("reasons", "cause"),
    [
        (["no connection"], "no connection. Nothing is lost."),
        (["no key.", "no quota"], "no key. And 1 other cause. Nothing is lost."),
        ([], "Nothing is lost."),
    ],
)
def test_the_banner_tells_the_commonest_cause(reasons: list[str], cause: str) -> None:
    """And how many more there are."""
    causes = [{"number": 2, "reason": each} for each in reasons]
    told = failed({"number": 3, "causes": causes})
    assert told is not None
    assert (told["title"], told["cause"], told["retry"]) == (
        "3 mails could not be dealt with",
        cause,
        "Try all 3 again",
    )
    assert failed({"number": 0, "causes": []}) is None
