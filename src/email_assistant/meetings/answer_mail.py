"""The mail that answers an invitation: a line in the language of its own mail, and for the organizer's calendar a REPLY or a COUNTER."""

import hashlib
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import Event, Partstat, event_of_json
from email_assistant.calendars.itip_text import answer_text
from email_assistant.language.words import WORDS
from email_assistant.mail.address import Address
from email_assistant.mail.message import OutgoingMessage
from email_assistant.mail.text import one_line
from email_assistant.meetings.guest_letter import writer_to
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


def answer_mail(action: Action) -> OutgoingMessage:
    """The answer as a mail; the same in every repeat. Reads time zone data from disk."""
    facts, event, answer = action.facts, event_in(action), action.args["answer"]
    me, organizer, sender = (Address(**facts[name]) for name in ("me", "organizer", "sender"))
    zone, stamp = ZoneInfo(facts["timezone"]), datetime.fromisoformat(facts["stamp"])
    # A card of an earlier version does not say in which language.
    reader = facts.get("reader") or {}
    writer = writer_to(reader, {}, own=zone.key, at=event.start, wanted=NONE, now=stamp)
    new = proposed_in(action) if action.args.get("proposed") else None
    subject, text = (
        str(_WORDS[f"{part}.{'proposed' if new else answer}"][writer.courtesy.language])
        for part in ("subjects", "sentences")
    )
    text = text.replace("{when}", writer.when(new or event)).replace("{was}", writer.when(event))
    text = text.replace("{who}", sender.name or sender.email).replace("{title}", one_line(event.title))
    return OutgoingMessage(
        sender=sender,
        to=(organizer,),
        subject=f"{subject}: {event.title}",
        body="\n\n".join(filter(None, (text, action.args["comment"]))),
        message_id=message_id_of(action),
        in_reply_to=facts["in_reply_to"],
        references=tuple(facts["references"]),
        mail_thread_id=facts["mail_thread_id"],
        calendar=answer_text(
            answer.upper(),
            uid=event.uid,
            sequence=facts["sequence"],
            organizer=organizer,
            guest=me,
            stamp=stamp,
            title=event.title,
            start=as_written((new or event).start, event, zone),
            counter_end=new.end if new else None,
            comment=action.args["comment"],
            recurrence_id=event.recurrence_id and as_written(event.recurrence_id, event, zone),
            sent_by=sender,
        ),
    )


def entries_of(action: Action) -> list[Event]:
    """The event as it goes into the calendar, then its occurrences that are otherwise than its rule."""
    return [event_of_json(each) for each in action.facts["entries"]]


def event_in(action: Action) -> Event:
    """The event that the action is about."""
    return event_of_json(action.facts["entries"][0])


def proposed_in(action: Action) -> Event:
    """The event at the time that is proposed in place of its own."""
    start, _, end = action.args["proposed"].partition("/")
    return replace(event_in(action), start=datetime.fromisoformat(start), end=datetime.fromisoformat(end))


def is_silent(action: Action) -> bool:
    """Whether nobody waits for the answer: who was not invited, by name or through a list, does not come and says nothing."""
    is_no = action.args["answer"] == Partstat.DECLINED
    # A card that is older than lists are told of was for somebody invited.
    return is_no and not action.args["comment"] and not action.facts.get("is_guest", True)


def answer_line(action: Action, mail: OutgoingMessage | None = None, *, limit: int = 0) -> str:
    """What else an accept does; with what will be sent (`mail`, at most `limit` characters), where the person has said it."""
    to = action.facts["organizer"]["email"]
    if is_silent(action):
        return NOBODY
    if mail:
        return f"{to} gets your answer by mail: “{one_line(mail.body, limit=limit)}”"
    is_guest = action.facts.get("is_guest", True)
    return (
        f"{to} gets your answer by mail{'' if is_guest else '; if you decline without words, nobody does'}."
    )


def message_id_of(action: Action) -> str:
    """Of the answer's mail, the same in every repeat."""
    key = hashlib.sha256(action.id.encode()).hexdigest()[:32]
    return f"<{key}@{Address(**action.facts['sender']).domain or 'localhost'}>"
