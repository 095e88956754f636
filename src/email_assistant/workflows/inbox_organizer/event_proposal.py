"""A model's answer about an appointment, checked by code: nothing of it is believed that can be looked up."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from email_assistant.calendars.proposal import (
    MAX_ATTENDEES,
    MAX_LOCATION,
    MAX_TITLE,
    EventProposal,
    https_link,
    links_in,
    plain_description,
)
from email_assistant.errors import InputError
from email_assistant.mail.address import Address, parse_addresses
from email_assistant.mail.conversation import base_subject
from email_assistant.mail.message import Conversation
from email_assistant.mail.text import one_line
from email_assistant.models.offline.named_times import is_named, named_times
from email_assistant.tools.meeting_words import NOT_NAMED
from email_assistant.workflows.inbox_organizer.event_call import EventAnswer
from email_assistant.workflows.inbox_organizer.event_times import quoted, span_of

_UNCONFIRMED = 0.5
_NAMED = 10
_READ = 200_000
_LINK = re.compile(r"\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.)\S+", re.IGNORECASE)

LEFT_OUT_LINK = "A link that does not stand in the mail was left out."


@dataclass(frozen=True, slots=True)
class NoProposal:
    """Why no proposal was made of an answer, in one sentence for the person."""

    reason: str


def proposal_from(
    answer: EventAnswer, conversation: Conversation, *, zone: str, now: datetime
) -> EventProposal | NoProposal:
    """The proposal that an answer makes, or why it makes none. `zone` is the user's IANA zone, `now` aware.

    Times must parse, exist, be to come and be at most `MAX_DAYS` long. Guests who are not in the conversation and
    links that do not stand in it are left out, and said so in the notes. An answer whose time the mail's words do
    not show keeps a low confidence; where the mail names no time at all, there is no proposal.
    """
    if not answer.is_event:
        return NoProposal(one_line(answer.reasoning, limit=300) or "The mail proposes no event.")
    try:
        span = span_of(answer.start, answer.end, answer.timezone, own=zone, now=now)
    except InputError as error:
        return NoProposal(f"The event that was read out of the mail cannot be used: {error}.")
    named = named_times(conversation, now=now, timezone=zone)
    if not (named.days or named.hours or named.has_digits):
        return NoProposal("The mail names no day and no time.")
    confirmed = is_named(span.start, named, all_day=span.all_day, zone=span.zone, own=ZoneInfo(zone))
    attendees, strangers = _attendees(answer.attendees, conversation)
    text = _text(conversation)
    location, description = (
        one_line(answer.location, limit=MAX_LOCATION),
        plain_description(answer.description),
    )
    link = _video_link(answer.video_link, text)
    shown_location, shown_description = _without_foreign(location, text), _without_foreign(description, text)
    foreign = (shown_location, shown_description) != (location, description)
    lost = bool(answer.video_link.strip()) and not link
    return EventProposal(
        title=one_line(answer.title, limit=MAX_TITLE)
        or base_subject(conversation.current.subject)
        or "Event",
        start=span.start,
        end=span.end,
        timezone=span.zone.key,
        all_day=span.all_day,
        location=shown_location,
        video_link=link,
        attendees=attendees,
        description=shown_description,
        confidence=answer.confidence if confirmed else min(answer.confidence, _UNCONFIRMED),
        notes=(
            *span.notes,
            *([] if confirmed else [NOT_NAMED]),
            *([strangers] if strangers else []),
            *([LEFT_OUT_LINK] if foreign or lost else []),
        ),
    )


def _attendees(given: Iterable[str], conversation: Conversation) -> tuple[tuple[Address, ...], str]:
    """The participants among the addresses given, as the mail names them, and a sentence on the others."""
    known: dict[str, Address] = {}
    for message in (conversation.current, *conversation.earlier):
        for address in (message.sender, *message.to, *message.cc):
            if address.email:
                known.setdefault(address.key, address)
    found: dict[str, Address] = {}
    strangers: dict[str, None] = {}
    for text in list(given)[:MAX_ATTENDEES]:
        addresses = parse_addresses(text[:1_000])
        for address in addresses:
            if address.key in known:
                found[address.key] = known[address.key]
            else:
                strangers[address.email[:80]] = None
        if not addresses and text.strip():
            strangers[quoted(text)] = None
    if not strangers:
        return tuple(found.values()), ""
    shown = ", ".join(list(strangers)[:_NAMED])
    more = f" and {len(strangers) - _NAMED} more" if len(strangers) > _NAMED else ""
    return tuple(found.values()), f"Left out, because not in this conversation: {shown}{more}."


def _text(conversation: Conversation) -> str:
    """Everything that stands in the conversation's messages."""
    parts = [
        part
        for m in (conversation.current, *conversation.earlier)
        for part in (m.subject, m.text, m.quoted, m.signature)
    ]
    return "\n".join(part[:_READ] for part in parts)


def _video_link(given: str, text: str) -> str:
    link = https_link(given)
    return link if link and link in links_in(text) else ""


def _without_foreign(shown: str, text: str) -> str:
    """A text without the links that do not stand in the mail."""
    kept = _LINK.sub(lambda match: match.group() if match.group().rstrip(".,;:!?)]") in text else "", shown)
    return kept if kept == shown else kept.strip()
