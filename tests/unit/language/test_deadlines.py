"""Deadlines in the texts of ordinary mail."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from email_assistant.language.deadlines import WrittenWhen, deadlines_in
from email_assistant.language.text import language_of
from email_assistant.models.offline.reading import sentences
from tests.unit.offline.building import WEDNESDAY

BERLIN = ZoneInfo("Europe/Berlin")


def days(text: str, at: datetime = WEDNESDAY) -> set[date]:
    """The deadlines in a text written at ten on Wednesday, 18 November 2026."""
    written = WrittenWhen(at.astimezone(BERLIN), BERLIN, language_of(text) in {"de", "fr", "es"})
    return {found.day for found in deadlines_in(sentences(text), written)}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Please answer by Friday.", "11-20"),
        ("Please send it by the end of the week.", "11-20"),
        ("The report is due 25 Nov.", "11-25"),
        ("Could you reply within 24 hours?", "11-19"),
        ("Please reply within two weeks.", "12-02"),
        ("Please reply within five working days.", "11-23"),
        ("Please answer in half an hour.", "11-18"),
        ("Deadline: 30 November 2026, 12:00", "11-30"),
        ("Registration closes on Monday.", "11-23"),
        ("RSVP by December 4", "12-04"),
        ("I need it by 5 pm.", "11-18"),
        ("I need it by 9 am.", "11-19"),
        ("Please sign before noon.", "11-18"),
        ("Please pay no later than the 27th.", "11-27"),
        ("Payment is due tomorrow.", "11-19"),
        ("Terms as usual, 14 days net.", "12-02"),
        ("The invoice was due on 12 November.", "11-12"),
        ("Please call me back today.", "11-18"),
        ("Friday is the deadline.", "11-20"),
        ("Please confirm by EOD.", "11-18"),
        ("Your passport expires on 1 December 2026.", "12-01"),
        ("Can you get back to me by end of month?", "11-30"),
        ("Please reply by next Tuesday.", "11-24"),
        ("Please submit it by 2026-11-25", "11-25"),
        ("I need your answer tonight.", "11-18"),
        ("I would like an answer this week.", "11-20"),
        ("Please call me at once.", "11-18"),
    ],
)
def test_english(text: str, day: str) -> None:
    """Days, times, lengths of time and terms of payment."""
    assert {f"{found:%m-%d}" for found in days(text)} == {day}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Bitte bis Freitag melden.", "11-20"),
        ("Bitte antworten Sie bis zum 25.11.", "11-25"),
        ("Die Rechnung ist am 27. November fällig.", "11-27"),
        ("Könnten Sie mir bis morgen Bescheid geben?", "11-19"),
        ("Abgabefrist: 30.11.2026", "11-30"),
        ("Spätestens am Montag brauche ich die Zahlen.", "11-23"),
        ("Zahlbar innerhalb von 14 Tagen.", "12-02"),
        ("Bitte überweisen Sie den Betrag bis Ende des Monats.", "11-30"),
        ("Bitte bis 17 Uhr zurückrufen", "11-18"),
        ("Das Angebot läuft am Freitag ab.", "11-20"),
        ("Ich brauche das heute Abend.", "11-18"),
        ("Merci de répondre avant vendredi.", "11-20"),
        ("La date limite est le 30 novembre.", "11-30"),
        ("Pourriez-vous me l'envoyer d'ici demain ?", "11-19"),
        ("Veuillez payer sous 48 heures.", "11-20"),
        ("À payer au plus tard le 25/11", "11-25"),
        ("Il faut signer aujourd'hui.", "11-18"),
        ("Por favor, responda antes del viernes.", "11-20"),
        ("El plazo termina el 30 de noviembre.", "11-30"),
        ("La factura vence mañana.", "11-19"),
        ("Necesito el informe para el lunes.", "11-23"),
        ("Debe pagar en un plazo de 5 días.", "11-23"),
        ("¿Puedes enviarlo hoy?", "11-18"),
        ("A más tardar el 25 de noviembre", "11-25"),
        ("明日までにご返信ください。", "11-19"),
    ],
)
def test_other_languages(text: str, day: str) -> None:
    """The same in German, French, Spanish, and the commonest form in Japanese."""
    assert {f"{found:%m-%d}" for found in days(text)} == {day}


@pytest.mark.parametrize(
    "text",
    [
        "Could you move our meeting from tomorrow to Friday?",
        "Können wir das Treffen auf morgen verschieben?",
        "Peut-on déplacer la réunion à demain ?",
        "I will be back by Friday.",
        "I'll send it by tomorrow.",
        "I am on holiday until 30 November.",
        "Ich bin bis Freitag im Urlaub.",
        "Je suis en congé jusqu'au 30 novembre.",
        "Estoy de vacaciones hasta el lunes.",
        "The shop closes at noon today.",
        "We deliver within 3 days.",
        "We met on Monday.",
        "Today was lovely.",
        "Did you watch the game today?",
        "Could you send me the photos from today?",
        "I was in town today, could you tell me where the museum is?",
        "Would you like to come to dinner on 12 December?",
        "Can we meet on Thursday, 26 November at 10:00? If not, please suggest a time on Thursday or Friday.",
        "Due to the weather on Friday the trip is off",
        "The payment will be on your card within five working days.",
        "",
    ],
)
def test_days_that_are_no_deadlines(text: str) -> None:
    """What the writer will do, what was, and when somebody is away binds nobody."""
    assert days(text) == set()


def test_the_writers_clock_counts() -> None:
    """By nine is today when written at seven, and tomorrow when written at ten."""
    assert days("I need it by 9:00.", WEDNESDAY - timedelta(hours=3)) == {date(2026, 11, 18)}
    assert days("I need it by 9:00.") == {date(2026, 11, 19)}


def test_the_users_zone_counts() -> None:
    """Late on Wednesday in UTC is Thursday in Berlin already."""
    assert days("Please answer today.", datetime(2026, 11, 18, 23, 30, tzinfo=UTC)) == {date(2026, 11, 19)}
