"""The words of a mail to the guests of a meeting, in the language of the conversation where that is one of four."""

from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import Event
from email_assistant.language.words import WORDS
from email_assistant.mail.text import one_line
from email_assistant.tools.meeting import edges

Occasion = Literal["invited", "moved", "cancelled"]
INVITED: Occasion = "invited"
MOVED: Occasion = "moved"
CANCELLED: Occasion = "cancelled"
_MAX_SUBJECT = 200

with WORDS.section("guest_letter") as section:
    _SUBJECTS = {about: section.by_file(f"subjects.{about}") for about in (INVITED, MOVED, CANCELLED)}
    _SENTENCES = {about: section.by_file(f"sentences.{about}") for about in (INVITED, MOVED, CANCELLED)}
    _GREETING, _WHEN, _WHERE, _REGARDS = map(section.by_file, ("greeting", "when", "where", "regards"))


def letter(about: Occasion, event: Event, *, language: str, own: str, signed: str) -> tuple[str, str]:
    """Subject and text; days and hours are told in figures. `own` is the IANA zone of the calendar's owner."""
    language = language if language in _GREETING else "en"
    title = one_line(event.title)
    place = one_line(event.location)
    facts = [f"{_WHEN[language]}: {_when(event, own)}", *([f"{_WHERE[language]}: {place}"] if place else [])]
    paragraphs = [
        _GREETING[language],
        _SENTENCES[about][language].replace("{title}", title),
        "\n".join(facts),
        "\n".join(filter(None, [_REGARDS[language], one_line(signed)])),
    ]
    return f"{_SUBJECTS[about][language]}: {title}"[:_MAX_SUBJECT], "\n\n".join(paragraphs)


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
