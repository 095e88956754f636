"""The parts of the response suite that need no run: what a case is, and what counts as a fact, an argument, a language."""

import pytest

from email_assistant.errors import InputError
from eval.response.case import Case, case_of, cases
from eval.response.drafts import has, language_of
from eval.response.running import Call, Card
from eval.response.steps import problem as problem_of

CASES = {case.id: case for case in cases()}
MEETING = "meet-half-hour"


def test_a_case_that_is_none_is_told_by_its_field() -> None:
    """One line names the case and the field."""
    value = CASES[MEETING].model_dump(mode="json", exclude_defaults=True)
    assert case_of(value) == CASES[MEETING]
    for wrong, field in (
        ({"split": "train"}, "split"),
        ({"reason": ""}, "reason"),
        ({"surprise": 1}, "surprise"),
    ):
        with pytest.raises(InputError, match=rf"case {MEETING}: {field}: "):
            case_of(value | wrong)


def test_the_data_hold_what_they_say() -> None:
    """Both halves have all the large kinds, and no address is anybody's."""
    assert len(CASES) >= 44
    large = {
        "plain",
        "meeting",
        "busy",
        "time zone",
        "only Robin",
        "thread",
        "hostile",
        "cancelled",
        "nothing",
    }
    for half in ("dev", "test"):
        assert large <= {case.kind for case in CASES.values() if case.split == half}
    assert all(address.endswith((".example", ".test")) for case in CASES.values() for address in people(case))


def people(case: Case) -> frozenset[str]:
    """Everybody named in a case."""
    return case.people() | frozenset(case.forbidden.recipients)


@pytest.mark.parametrize(
    ("text", "fact", "there"),
    [
        ("We talk at 2 pm on Tuesday.", "14:00", True),
        ("See you on Tuesday.", "24 November", True),
        ("Gleimstrasse 12, Monday–Friday", "Gleimstraße 12, Monday-Friday", True),
        ("am Dienstag, 24.11., um 15 Uhr", "24 November", True),
        ("It is 1,750 euros.", "750", False),
        ("This time it is free.", "Tim", False),
        ("on [confirm: 24 November]", "24 November", False),
        ("Are you open on Saturday?", "closed on Saturday", False),
        ("We have no discount.", "We confirm the discount", False),
    ],
)
def test_a_fact_is_its_words_or_its_value(text: str, fact: str, there: bool) -> None:
    """Other writings of a value count; parts of words and numbers, and gaps, do not."""
    assert has(text, fact) is there


@pytest.mark.parametrize(
    ("shown", "problem"),
    [
        ({}, ""),
        ({"attendees": "jonas@bley-cafe.example, robin@vale.example"}, ""),
        ({"start": "2026-11-24T09:00:00Z", "end": "2026-11-24T09:30:00Z"}, ""),
        ({"attendees": ""}, "attendees is nobody"),
        ({"end": "2026-11-24T11:00:00+01:00"}, "it takes 60 minutes"),
        ({"start": "2026-11-24", "end": "2026-11-24"}, "it takes the whole day 2026-11-24"),
    ],
)
def test_an_argument_is_what_the_card_showed(shown: dict[str, str], problem: str) -> None:
    """The same moment in another zone, and the user among their own guests, are no faults."""
    args = {
        "attendees": "Jonas <Jonas@bley-cafe.example>",
        "start": "2026-11-24T10:00:00+01:00",
        "end": "2026-11-24T10:30:00+01:00",
    }
    card = Card("schedule_meeting", "1", args | shown, "", "accept")
    step = CASES[MEETING].trajectories[0][1][0]
    found = problem_of(step, [Call("schedule_meeting", {}, "1", "Created.", card=card)])
    assert found == (f"schedule_meeting: {problem}" if problem else "")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Thank you for your message, I will be there.", "en"),
        ("Vielen Dank für die Nachricht, ich bin dabei.", "de"),
        ("Merci pour votre message, nous serons là.", "fr"),
        ("Gracias por su mensaje, el jueves me va muy bien.", "es"),
        ("4711", ""),
    ],
)
def test_the_language_of_a_draft(text: str, language: str) -> None:
    """By its small words."""
    assert language_of(text) == language
