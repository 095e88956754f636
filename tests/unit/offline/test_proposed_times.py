"""Times that a mail offers are understood, or told to be not understood: in seven languages, written on Monday, 16 November 2026."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from email_assistant.models.offline import words
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
        ("Two weeks from Thursday at 10?", ["03 Dec 10:00"]),
        ("Could we talk the week after next, Tuesday at 10?", ["01 Dec 10:00"]),
        ("Shall we say tonight at 8?", ["16 Nov 20:00"]),
        ("Thursday evening at 8?", ["19 Nov 20:00"]),
        ("Tuesday at 10 or 11?", ["17 Nov 10:00", "17 Nov 11:00"]),
        ("Tuesday, Wednesday or Thursday at 10?", ["17 Nov 10:00", "18 Nov 10:00", "19 Nov 10:00"]),
        ("Could we meet at noon on New Year's Eve?", ["31 Dec 12:00"]),
        ("Let's meet on Friday at ten thirty.", ["20 Nov 10:30"]),
        ("Heiliger Abend um 10 Uhr?", ["24 Dec 10:00"]),
        ("Passt Ihnen Donnerstag um Viertel vor zehn?", ["19 Nov 09:45"]),
        ("In zwei Wochen am Montag um 10 Uhr?", ["30 Nov 10:00"]),
        ("Kommenden Donnerstag um 10 Uhr?", ["19 Nov 10:00"]),
        ("Wie wäre Freitagnachmittag um drei?", ["20 Nov 15:00"]),
        ("Jeudi à 14 h 30 ?", ["19 Nov 14:30"]),
        ("Jeudi en huit à 10 h ?", ["26 Nov 10:00"]),
        ("Mardi à dix heures moins le quart ?", ["17 Nov 09:45"]),
        ("Jeudi après-midi à 3 heures ?", ["19 Nov 15:00"]),
        ("El martes a las diez menos cuarto, ¿te va bien?", ["17 Nov 09:45"]),
        ("¿Mañana por la tarde a las 5?", ["17 Nov 17:00"]),
        ("¿Dentro de dos semanas, el lunes a las 10?", ["30 Nov 10:00"]),
        ("Giovedì della prossima settimana alle 10?", ["26 Nov 10:00"]),
        ("Giovedì alle 10 e 30?", ["19 Nov 10:30"]),
        ("A Capodanno alle 11?", ["01 Jan 11:00"]),
        ("Donderdagmiddag om 3 uur?", ["19 Nov 15:00"]),
        ("Woensdag om tien over half drie?", ["18 Nov 14:40"]),
        ("Donderdag over een week om 10 uur?", ["26 Nov 10:00"]),
        ("Terça às dez para as três?", ["17 Nov 14:50"]),
        ("Quinta da próxima semana às 10h?", ["26 Nov 10:00"]),
        ("Could you do 8-9 on Friday?", ["20 Nov 08:00"]),
        ("Können wir uns in KW 49 am Dienstag um 14 Uhr treffen?", ["01 Dec 14:00"]),
        ("Mittwoch in einer Woche um 10 Uhr?", ["25 Nov 10:00"]),
        ("Freitag, den 27., um 14:30?", ["27 Nov 14:30"]),
        ("Le andrebbe bene lunedì 23 alle 9:30?", ["23 Nov 09:30"]),
        ("Können wir am Donnerstag um 9 telefonieren?", ["19 Nov 09:00"]),
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
        ("Could we meet on Easter Monday at 10?", "Easter Monday at 10"),
        ("Could we meet on the third Thursday of December at 10?", "third Thursday of December at 10"),
        ("Could we meet on 3-5 December at 10?", "3-5 December at 10"),
        ("Some day next week at 10?", "next week at 10"),
        ("Is 12/03/2026 at 10 ok?", "12/03/2026 at 10"),
        ("Are you free at 3pm?", "at 3pm"),
        ("Could we meet on Wednesday at seven?", "Wednesday at seven"),
        ("Could we meet the day after Christmas Day at 10?", "after Christmas Day at 10"),
        ("Thursday or Friday next week at 10?", "Thursday or Friday next week at 10"),
        ("Every Tuesday at 10 would be good.", "Every Tuesday at 10"),
        ("After lunch on Thursday?", "After lunch on Thursday"),
        ("Could we meet at the end of next week?", "end of next week"),
        ("Let's have a call every Tuesday, is that possible?", "every Tuesday"),
        ("Können wir jeden Dienstag telefonieren?", "jeden Dienstag"),
        ("Pouvons-nous nous voir chaque mardi ?", "chaque mardi"),
        ("¿Podemos vernos cada martes?", "cada martes"),
        ("Possiamo vederci ogni martedì?", "ogni martedì"),
        ("Kunnen we elke dinsdag afspreken?", "elke dinsdag"),
        ("Podemos encontrar-nos cada terça-feira?", "cada terça-feira"),
        ("Any day but Friday works for me.", "Any day but Friday"),
        ("Thursday, either before 9 or after 5?", "Thursday, either before 9 or after 5"),
        ("Thursday or Friday next week?", "Thursday or Friday next week"),
        ("Friday around 10ish?", "Friday around 10ish"),
        (
            "Five minutes before the hearing on Thursday at 10?",
            "Five minutes before the hearing on Thursday at 10",
        ),
        ("Friday, same time?", "Friday, same time"),
        ("Heute in acht Tagen um 16 Uhr?", "Heute in acht Tagen um 16 Uhr"),
        ("Um 3 Uhr am Donnerstag?", "Um 3 Uhr am Donnerstag"),
        ("Jeudi prochain à 10 h ?", "Jeudi prochain à 10 h"),
        ("Verso fine mese, a pranzo?", "mese"),
        ("Volgende donderdag om 10 uur?", "donderdag om 10 uur"),
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
        ("Could we talk Tuesday at 3pm Springfield time?", []),
        ("Could we talk Tuesday at 9am (New York)?", ["17 Nov 15:00"]),
        ("Mittwoch 9 Uhr New Yorker Zeit?", ["18 Nov 15:00"]),
        ("Tuesday at noon Pacific?", ["17 Nov 21:00"]),
        ("Wednesday at 14:00Z?", ["18 Nov 15:00"]),
        ("Thursday at 10am Paris / 9am UK?", ["19 Nov 10:00"]),
        ("¿El martes a las 9, hora de Nueva York?", ["17 Nov 15:00"]),
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
        ("Am Montag bin ich nicht da, Dienstag um 10 Uhr ginge.", ["17 Nov 10:00"]),
        ("Außer Montag passt mir alles, z. B. Dienstag um 11 Uhr.", ["17 Nov 11:00"]),
        ("Lundi je ne suis pas disponible, mais mardi à 10 h me convient.", ["17 Nov 10:00"]),
        ("El lunes no puedo, el martes a las 10 sí.", ["17 Nov 10:00"]),
        ("Giovedì alle 15 purtroppo non posso.", []),
        ("Donderdag om 15 uur kan ik helaas niet.", []),
        ("Segunda é impossível, terça às 10h pode ser.", ["17 Nov 10:00"]),
        ("Could we do Friday at 11 instead of Thursday at 3?", ["20 Nov 11:00"]),
        ("Thursday 3pm has to move to Friday 11am. Ok?", ["20 Nov 11:00"]),
        ("Could we push our Thursday meeting to 4pm?", ["19 Nov 16:00"]),
        ("Can we move our Thursday 3pm call to Friday, same time?", ["20 Nov 15:00"]),
        ("Können wir statt Donnerstag 15 Uhr lieber Freitag 11 Uhr nehmen?", ["20 Nov 11:00"]),
        ("Le rendez-vous de jeudi 15 h doit être reporté.", []),
        ("Possiamo spostare la riunione da giovedì alle 15 a venerdì alle 11?", ["20 Nov 11:00"]),
        ("Kunnen we de afspraak van donderdag 15 uur naar vrijdag 11 uur verplaatsen?", ["20 Nov 11:00"]),
        ("We met on Tuesday at 10 and should meet again. When?", []),
        ("Grazie per la riunione di martedì scorso alle 10.", []),
        ("Our office is open Monday to Friday from 9 to 5. When can we meet?", []),
        ("Abrimos de lunes a viernes de 9 a 18.", []),
        ("My train arrives on Thursday at 9:30, could we meet then?", []),
        ("I have the dentist on Wednesday at 9, so could we meet at 11?", ["18 Nov 11:00"]),
        ("The plumber comes on Thursday at 8. Could we talk on Friday at 9?", ["20 Nov 09:00"]),
        ("The webinar is on Thursday at 18:00. Could we have a call beforehand?", []),
        ("Please send it by Thursday, 5pm. Could we meet after that?", []),
        (
            "La reunión del jueves a las 14:00 se cancela. ¿Le va bien el viernes a las 15:00?",
            ["20 Nov 15:00"],
        ),
        ("The fair is on Thursday. Can we talk at 10?", []),
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
        ("Donnerstag ab 14 Uhr?", ("19 Nov 14:00", "19 Nov 22:00")),
        ("Could we meet on Thursday before noon?", ("19 Nov 06:00", "19 Nov 12:00")),
        ("Thursday morning?", ("19 Nov 06:00", "19 Nov 12:00")),
        ("Jeudi après-midi ?", ("19 Nov 12:00", "19 Nov 22:00")),
    ],
)
def test_the_edge_of_a_time_is_no_time(text: str, window: tuple[str, str]) -> None:
    """After three is not at three."""
    request = read(text)
    assert request is not None
    assert request.proposed == ()
    assert [(local(start), local(end)) for start, end in request.windows] == [window]


@pytest.mark.parametrize(
    "text",
    [
        "Reminder: your appointment with Dr. Osei is tomorrow at 10:00. To cancel, call 555 0100. Questions? Call us.",
        "Ihr Termin bei uns: Dienstag, 24. November, 9:30 Uhr. Um abzusagen, rufen Sie bitte an: 030 555.",
        "Rappel : votre rendez-vous est jeudi à 15 h. Pour annuler, appelez le 01 55. Des questions ?",
        "Recordatorio de su cita: martes a las 10:00. Para cancelar, llame al 555. ¿Preguntas?",
        "Promemoria del Suo appuntamento: martedì alle 10. Per disdire chiami il 555. Domande?",
        "Herinnering: uw afspraak is dinsdag om 10 uur. Om af te zeggen, bel 555. Vragen?",
    ],
)
def test_a_reminder_of_ones_own_appointment_asks_for_nothing(text: str) -> None:
    """Nor does it say that anything is called off."""
    assert read(text) is None
    assert not words.cancels(text)


def test_another_time_for_an_appointment_is_a_request() -> None:
    """Whoever asks for it."""
    request = read("Your appointment with us on Thursday at 10 has to move. Could we do Friday at 11?")
    assert request is not None
    assert [local(start) for start in request.proposed] == ["20 Nov 11:00"]


@pytest.mark.parametrize(
    "text",
    [
        "I have to cancel our meeting.",
        "I am writing to cancel it.",
        "Der Termin entfällt.",
        "Ich schreibe, um abzusagen.",
        "La cita está cancelada.",
    ],
)
def test_what_is_called_off_still_is(text: str) -> None:
    """Only how it could be done is something else."""
    assert words.cancels(text)


def test_a_week_is_counted_from_the_weekday_that_is_named() -> None:
    """On a Friday, "Monday in a week" is not the next Monday, and of which week "in two weeks" counts nobody knows."""
    friday = datetime(2026, 11, 20, 10, tzinfo=BERLIN)

    def on_friday(text: str) -> list[str]:
        mail = conversation(text, subject="Meeting", date=friday)
        request = meeting_request(mail, now=friday, timezone="Europe/Berlin")
        return [local(start) for start in request.proposed] if request else []

    assert on_friday("Montag in einer Woche um 10 Uhr?") == ["30 Nov 10:00"]
    assert on_friday("Montag in zwei Wochen um 10 Uhr?") == []


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
        ("Vendredi à 9 h, une heure et demie ?", 90),
        ("Kunnen we vrijdag om 10 uur drie kwartier overleggen?", 45),
        ("¿El miércoles de 9:00 a 10:30?", 90),
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
        "Pourrions-nous nous voir jeudi de 10h à 10h45 ?",
        "¿Podemos vernos el jueves de 10:00 a 10:45?",
        "Possiamo vederci giovedì dalle 10 alle 10:45?",
        "Kunnen we donderdag van 10:00 tot 10:45 uur afspreken?",
        "Podemos nos reunir na quinta das 10h às 10h45?",
    ],
)
def test_from_ten_to_a_quarter_to_eleven_is_the_meeting_itself(text: str) -> None:
    """Both of its edges are named; "from ten" alone names but the first."""
    request = read(text)
    assert request is not None
    assert [local(start) for start in request.proposed] == ["19 Nov 10:00"]
    assert (request.duration_minutes, request.names_length, request.windows) == (45, True, ())


@pytest.mark.parametrize(("subject", "starts"), [("Talk in January?", ["19 Jan 16:00"]), ("Thursday?", [])])
def test_a_heading_says_less_than_what_follows(subject: str, starts: list[str]) -> None:
    """A month in it may be that of the day below; a day in it asks for that day, and what is told of another hour is told."""
    told = "The date would be Tuesday, 19 January 2027, 4 pm to 5:30 pm."
    mail = conversation(f"Would you meet our students?\n\n{told}", subject=subject, date=MONDAY)
    request = meeting_request(mail, now=MONDAY, timezone="Europe/Berlin")
    assert request is not None
    assert [local(start) for start in request.proposed] == starts
