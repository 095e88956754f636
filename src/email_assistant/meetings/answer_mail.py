"""The mail that answers an invitation: a line in the language of its own mail, and for the organizer's calendar a REPLY or a COUNTER."""

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import Event, Partstat
from email_assistant.calendars.itip_text import answer_text
from email_assistant.language.words import WORDS
from email_assistant.mail.address import Address
from email_assistant.mail.message import OutgoingMessage
from email_assistant.mail.text import one_line
from email_assistant.meetings.guest_letter import Person, writer_to
from email_assistant.meetings.incoming import CalendarDetails
from email_assistant.meetings.instructions import as_written
from email_assistant.models.offline.preferences import NONE
from email_assistant.review.action import Action

with WORDS.section("invitation_answer") as section:
    _WORDS = {
        f"{part}.{each}": section.by_file(f"{part}.{each}")
        for part in ("subjects", "sentences")
        for each in ("accepted", "tentative", "declined", "proposed")
    }
NOBODY = "Nobody gets mail."


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDetails(CalendarDetails):
    """What an invitation's card carries: besides the event who answers whom, and where the answer's mail belongs."""

    sequence: int
    me: Address
    """As whom the user comes."""
    is_guest: bool
    """Whether somebody waits for an answer: the user is invited, by name or through a list."""
    given: Partstat
    """The answer that the calendar has."""
    organizer: Address
    sender: Address
    """In whose name the mail goes out."""
    reader: Person
    stamp: datetime
    in_reply_to: str
    references: tuple[str, ...]
    mail_thread_id: str
    times: tuple[tuple[datetime, datetime], ...] = ()
    """See `Invitation.times`."""
    collisions: tuple[str, ...] = ()
    """What was told to be in the way, see `collision_key`."""
    asks: tuple[str, ...] = ()
    """What the mail asks besides whether the user comes."""


def answer_mail(action: Action) -> OutgoingMessage:
    """The answer as a mail; the same in every repeat. Reads time zone data from disk."""
    details, answer, zone = AnswerDetails.of(action), action.args["answer"], ZoneInfo(action.timezone)
    event, sender = details.entries[0], details.sender
    writer = writer_to(details.reader, Person(), own=zone.key, at=event.start, wanted=NONE, now=details.stamp)
    new = proposed_in(action) if action.args.get("proposed") else None
    subject, text = (
        str(_WORDS[f"{part}.{'proposed' if new else answer}"][writer.courtesy.language])
        for part in ("subjects", "sentences")
    )
    text = text.replace("{when}", writer.when(new or event)).replace("{was}", writer.when(event))
    text = text.replace("{who}", sender.name or sender.email).replace("{title}", one_line(event.title))
    return OutgoingMessage(
        sender=sender,
        to=(details.organizer,),
        subject=f"{subject}: {event.title}",
        body="\n\n".join(filter(None, (text, action.args["comment"]))),
        message_id=message_id_of(action),
        in_reply_to=details.in_reply_to,
        references=details.references,
        mail_thread_id=details.mail_thread_id,
        calendar=answer_text(
            answer.upper(),
            uid=event.uid,
            sequence=details.sequence,
            organizer=details.organizer,
            guest=details.me,
            stamp=details.stamp,
            title=event.title,
            start=as_written((new or event).start, event, zone),
            counter_end=new.end if new else None,
            comment=action.args["comment"],
            recurrence_id=event.recurrence_id and as_written(event.recurrence_id, event, zone),
            sent_by=sender,
        ),
    )


def proposed_in(action: Action) -> Event:
    """The event at the time that is proposed in place of its own."""
    start, end = map(datetime.fromisoformat, action.args["proposed"].split("/"))
    return replace(AnswerDetails.of(action).entries[0], start=start, end=end)


def is_silent(action: Action) -> bool:
    """Whether nobody waits for the answer: who was not invited, by name or through a list, does not come and says nothing."""
    is_no = action.args["answer"] == Partstat.DECLINED
    return is_no and not action.args["comment"] and not AnswerDetails.of(action).is_guest


def answer_line(action: Action, mail: OutgoingMessage | None = None, *, limit: int = 0) -> str:
    """What else an accept does; with what will be sent (`mail`, at most `limit` characters), where the person has said it."""
    details = AnswerDetails.of(action)
    to = details.organizer.email
    if is_silent(action):
        return NOBODY
    if mail:
        return f"{to} gets your answer by mail: “{one_line(mail.body, limit=limit)}”"
    return f"{to} gets your answer by mail{'' if details.is_guest else '; if you decline without words, nobody does'}."


def message_id_of(action: Action) -> str:
    """Of the answer's mail, the same in every repeat."""
    key = hashlib.sha256(action.id.encode()).hexdigest()[:32]
    return f"<{key}@{AnswerDetails.of(action).sender.domain or 'localhost'}>"
