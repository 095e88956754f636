"""The words of a mail to the guests of a meeting, in the language of the conversation where that is one of four."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import Event
from email_assistant.mail.text import one_line
from email_assistant.tools.meeting import edges

Occasion = Literal["invited", "moved", "cancelled"]
INVITED: Occasion = "invited"
MOVED: Occasion = "moved"
CANCELLED: Occasion = "cancelled"
_MAX_SUBJECT = 200


@dataclass(frozen=True, slots=True)
class _Words:
    """What such a mail says in one language."""

    subjects: Mapping[Occasion, str]
    sentences: Mapping[Occasion, str]
    greeting: str
    when: str
    where: str
    regards: str


_WORDS = {
    "en": _Words(
        {INVITED: "Invitation", MOVED: "New time", CANCELLED: "Cancelled"},
        {
            INVITED: "this is the invitation to “{title}”.",
            MOVED: "“{title}” has a new time.",
            CANCELLED: "“{title}” is cancelled.",
        },
        "Hello,",
        "When",
        "Where",
        "Best regards",
    ),
    "de": _Words(
        {INVITED: "Einladung", MOVED: "Neuer Termin", CANCELLED: "Abgesagt"},
        {
            INVITED: "hier ist die Einladung zu „{title}“.",
            MOVED: "„{title}“ hat einen neuen Termin.",
            CANCELLED: "„{title}“ ist abgesagt.",
        },
        "Guten Tag,",
        "Wann",
        "Wo",
        "Freundliche Grüße",
    ),
    "fr": _Words(
        {INVITED: "Invitation", MOVED: "Nouvel horaire", CANCELLED: "Annulé"},
        {
            INVITED: "voici l'invitation à « {title} ».",
            MOVED: "« {title} » a un nouvel horaire.",
            CANCELLED: "« {title} » est annulé.",
        },
        "Bonjour,",
        "Quand",
        "Où",
        "Cordialement",
    ),
    "es": _Words(
        {INVITED: "Invitación", MOVED: "Nueva hora", CANCELLED: "Cancelado"},
        {
            INVITED: "esta es la invitación a «{title}».",
            MOVED: "«{title}» tiene una nueva hora.",
            CANCELLED: "«{title}» queda cancelado.",
        },
        "Hola:",
        "Cuándo",
        "Dónde",
        "Saludos",
    ),
}


def letter(about: Occasion, event: Event, *, language: str, own: str, signed: str) -> tuple[str, str]:
    """Subject and text; days and hours are told in figures. `own` is the IANA zone of the calendar's owner."""
    words = _WORDS.get(language, _WORDS["en"])
    title = one_line(event.title)
    place = one_line(event.location)
    facts = [f"{words.when}: {_when(event, own)}", *([f"{words.where}: {place}"] if place else [])]
    paragraphs = [
        words.greeting,
        words.sentences[about].replace("{title}", title),
        "\n".join(facts),
        "\n".join(filter(None, [words.regards, one_line(signed)])),
    ]
    return f"{words.subjects[about]}: {title}"[:_MAX_SUBJECT], "\n\n".join(paragraphs)


def _when(event: Event, own: str) -> str:
    if event.all_day:
        first, last = edges(event)
        return first if first == last else f"{first} – {last}"
    start, end = (_local(each, event.timezone) for each in (event.start, event.end))
    until = f"{end:%H:%M}" if start.date() == end.date() else f"{end:%Y-%m-%d %H:%M}"
    told = f"{start:%Y-%m-%d, %H:%M}–{until} ({event.timezone})"
    return told


def _local(moment: datetime, zone: str) -> datetime:
    return moment.astimezone(ZoneInfo(zone))
