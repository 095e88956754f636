"""Mail to the guests of a meeting in all languages of its letters, read by Python's email package and icalendar."""

import email.policy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import icalendar
import pytest

from email_assistant.calendars.event import Event
from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation
from email_assistant.meetings.guest_letter import CANCELLED, INVITED, MOVED, Occasion
from email_assistant.review.action import Action
from email_assistant.tools.tool import Turn
from tests.support.calendar_mail import ANA, invitation, until_invitation
from tests.support.desk import Desk, desk, mail

INES, TOM = Address("ines@berg.example", "Ines Berg"), Address("tom@berg.example", "Tom Berg")
LINK = "https://meet.example.com/fitting"
TEN = datetime(2026, 11, 26, 9, tzinfo=UTC)
FITTING = Event(
    "fitting@vale.example", "Anprobe", TEN, TEN + timedelta(minutes=30), uid="fitting@vale.example",
    location="Kastanienallee 7", attendees=(INES, TOM), conference_link=LINK,
)  # fmt: skip
DEFERRED = timedelta(days=4, hours=1)
ASKED = {
    "en": "Dear Mr Vale,\n\ncould we meet for the fitting? Tom will come, too. I am in London.\n\nInes Berg",
    "de": "Sehr geehrter Herr Vale,\n\nkönnen wir uns zur Anprobe treffen? Tom kommt mit. Ich bin in London.\n\nInes Berg",
    "fr": "Bonjour Monsieur,\n\npourriez-vous nous recevoir pour l'essayage ? Tom viendra avec moi. Je suis à Londres.\n\nInes Berg",
    "es": "Estimado señor Vale:\n\n¿podemos reunirnos para la prueba? Tom viene conmigo. Estoy en Londres.\n\nInes Berg",
}
"""A formal mail in each language."""
THURSDAY = {
    "en": "Thursday 26 November", "de": "Donnerstag, 26. November", "fr": "jeudi 26 novembre", "es": "jueves, 26 de noviembre",
}  # fmt: skip
MONDAY = {
    "en": "Monday 30 November", "de": "Montag, 30. November", "fr": "lundi 30 novembre", "es": "lunes, 30 de noviembre",
}  # fmt: skip
SUBJECTS = {
    "en": ("Invitation", "New time", "Cancelled"),
    "de": ("Einladung", "Neuer Termin", "Abgesagt"),
    "fr": ("Invitation", "Nouvel horaire", "Annulé"),
    "es": ("Invitación", "Nueva hora", "Cancelado"),
}
ENDS = {
    "en": "Kind regards,", "de": "Mit freundlichen Grüßen", "fr": "Cordialement,", "es": "Un cordial saludo,",
}  # fmt: skip
ANSWERED = {
    "en": ("Accepted: ", "Robin Vale accepts: Budget, "),
    "de": ("Zugesagt: ", "Robin Vale sagt zu: Budget, "),
    "fr": ("Accepté: ", "Robin Vale accepte : Budget, "),
    "es": ("Aceptado: ", "Robin Vale acepta: Budget, "),
}
LETTERS: list[tuple[Occasion, Any]] = [(INVITED, "REQUEST"), (MOVED, "REQUEST"), (CANCELLED, "CANCEL")]


def read(raw: bytes) -> tuple[EmailMessage, str, icalendar.Event]:
    """A mail, its text and its one event."""
    whole = message_from_bytes(raw, policy=email.policy.default)
    body = whole.get_body(("plain",))
    (part,) = [each for each in whole.walk() if each.get_content_type() == "text/calendar"]
    (event,) = icalendar.Calendar.from_ical(part.get_content()).walk("VEVENT")
    assert body is not None
    return whole, body.get_content(), event  # type: ignore[return-value]


async def told(assistant: Desk, language: str, about: Occasion, method: Any) -> dict[str, bytes]:
    """What both guests are written, by their addresses."""
    raw = mail(
        ASKED[language],
        sender="Ines Berg <ines@berg.example>",
        subject="Anprobe",
        Cc="Tom Berg <tom@berg.example>",
    )
    turn = Turn("t", Conversation(await assistant.receive(raw)), assistant.house.user, f"call-{about}")
    guests, event = assistant.house.guests, FITTING
    if about == MOVED:
        event = replace(FITTING, start=TEN + DEFERRED, end=FITTING.end + DEFERRED, sequence=1)
    envelope = guests.envelope(turn, was=FITTING if about == MOVED else None)
    await guests.notify(
        Action(turn.action_id, "call", "schedule_meeting", "", {}), envelope, method, event, about
    )
    return {str(each["To"]): bytes(each) for each in await assistant.sent()}


@pytest.mark.parametrize(("about", "method"), LETTERS)
@pytest.mark.parametrize("language", ASKED)
async def test_each_mail_to_a_guest_is_right(
    tmp_path: Path, language: str, about: Occasion, method: Any
) -> None:
    """Weekday, both clocks, title, place, link and who else comes; a new time names the old one; the calendar part says the same."""
    both = await told(desk(tmp_path), language, about, method)
    whole, text, event = read(both["Ines Berg <ines@berg.example>"])
    day = MONDAY if about == MOVED else THURSDAY
    subject = SUBJECTS[language][LETTERS.index((about, method))]
    assert str(whole["Subject"]).startswith(f"{subject}: Anprobe, ")
    hours = ("11:00–11:30", "10:00–10:30") if about == MOVED else ("10:00–10:30", "09:00–09:30")
    for each in (
        day[language],
        *hours,
        "Anprobe",
        "Kastanienallee 7",
        LINK,
        "Ines Berg",
        ENDS[language],
        "Robin Vale",
    ):
        assert each in text
    assert text.index(hours[0]) < text.index(hours[1])
    assert ("Tom Berg" in text) == (about != CANCELLED)
    assert THURSDAY[language] in text
    assert "{" not in text
    assert event["DTSTART"].dt == TEN + (DEFERRED if about == MOVED else timedelta())
    assert (str(event["SUMMARY"]), str(event["LOCATION"])) == ("Anprobe", "Kastanienallee 7")
    assert {str(each) for each in event["ATTENDEE"]} == {f"mailto:{INES.email}", f"mailto:{TOM.email}"}
    _, text, _ = read(both["Tom Berg <tom@berg.example>"])
    assert day[language] in text
    assert ("Ines Berg" in text) == (about != CANCELLED)


FRIDAY = {
    "en": "Friday 27 November", "de": "Freitag, 27. November", "fr": "vendredi 27 novembre", "es": "viernes, 27 de noviembre",
}  # fmt: skip


@pytest.mark.parametrize("language", ASKED)
async def test_a_time_that_is_proposed_stands_beside_the_old_one(tmp_path: Path, language: str) -> None:
    """Both with weekday and by both clocks, in the language of the mail; the calendar part proposes the new one."""
    assistant = desk(tmp_path)
    message, _ = await until_invitation(assistant, invitation(text=ASKED[language]))
    card = await assistant.answer(
        message, [{"type": "response", "args": "propose Friday 10:00 instead and say sorry"}]
    )
    while card:
        card = await assistant.answer(message, [{"type": "accept", "args": card["action_request"]}])
    (sent,) = await assistant.sent()
    whole, text, event = read(bytes(sent))
    line, _, said = text.strip().partition("\n\n")
    assert line.index(FRIDAY[language]) < line.index(THURSDAY[language])
    assert line.count("10:00–11:00") == line.count("09:00–10:00") == 2
    assert "{" not in text + str(whole["Subject"])
    assert (said, event["DTSTART"].dt) == ("Sorry", TEN + timedelta(days=1))


@pytest.mark.parametrize("language", ASKED)
async def test_the_answer_to_an_invitation_is_in_its_language(tmp_path: Path, language: str) -> None:
    """One line: who, what, and when by both clocks."""
    assistant = desk(tmp_path)
    raw = invitation(text=ASKED[language], sender=f"{ANA.name} <{ANA.email}>")
    message, card = await until_invitation(assistant, raw)
    accept = {"type": "accept", "args": card["action_request"]}
    while card := await assistant.answer(message, [accept]):  # type: ignore[assignment]
        accept = {"type": "accept", "args": card["action_request"]}
    (sent,) = await assistant.sent()
    whole, text, event = read(bytes(sent))
    subject, line = ANSWERED[language]
    assert str(whole["Subject"]) == f"{subject}Budget"
    assert text.startswith(f"{line}{THURSDAY[language]}, ")
    assert "10:00–11:00" in text
    assert "09:00–10:00" in text
    assert event["ATTENDEE"].params["PARTSTAT"] == "ACCEPTED"
