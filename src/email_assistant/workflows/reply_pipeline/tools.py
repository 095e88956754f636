"""The pipeline's tools, which work on the message and the settings alone, and the rules by which a class of mail gets them."""

import json
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar, Protocol
from zoneinfo import ZoneInfo

from pydantic import Field

from email_assistant.clock import Clock, now_for
from email_assistant.mail import conversation
from email_assistant.mail.address import format_addresses
from email_assistant.meetings.check_calendar import CheckCalendar, CheckCalendarArguments
from email_assistant.meetings.times import MAX_DAYS
from email_assistant.models.offline.offers import meeting_request
from email_assistant.review.action import Risk
from email_assistant.tools.mail_tools import message_id
from email_assistant.tools.tool import Arguments, Reading, Turn
from email_assistant.workflows.reply_pipeline.records.contacts import Contacts, contact_address

CHECK_CALENDAR, GET_CONTACT, CREATE_DRAFT = "check_calendar", "get_contact", "create_draft"
ORDER = (CHECK_CALENDAR, GET_CONTACT, CREATE_DRAFT)
DAYS_AHEAD = 7


@dataclass(frozen=True, slots=True)
class ToolRule:
    """The tools of a class."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    """Used when the model selects them."""


RULES: Mapping[str, ToolRule] = {
    "inquiry": ToolRule((CREATE_DRAFT,), (GET_CONTACT,)),
    "meeting_request": ToolRule((CHECK_CALENDAR, CREATE_DRAFT)),
    "complaint": ToolRule((GET_CONTACT, CREATE_DRAFT)),
    "follow_up": ToolRule((GET_CONTACT, CREATE_DRAFT)),
    "spam": ToolRule(()),
    # Of which nothing is known: as an inquiry.
    "other": ToolRule((CREATE_DRAFT,), (GET_CONTACT,)),
}


def select_tools(classification: str, wanted: Iterable[str]) -> tuple[list[str], list[str]]:
    """The class's required tools with the optional ones among those wanted, and what of those is not allowed or unknown.

    Raises `KeyError` for no class.
    """
    rule, asked = RULES[classification], tuple(dict.fromkeys(wanted))
    used = {*rule.required, *(name for name in asked if name in rule.optional)}
    return [name for name in ORDER if name in used], [name for name in asked if name not in used]


class PipelineTool(Protocol):
    """A tool of the pipeline: its arguments come from the state, never from the model."""

    @property
    def seconds(self) -> float:
        """Its time limit."""

    def run(self, turn: Turn) -> Awaitable[Reading]:
        """Look up; raises `InputError` or `ProviderError`."""


@dataclass(frozen=True)
class CheckDays:
    """The calendar of the days that the message names, and of the coming ones."""

    calendar: CheckCalendar
    clock: Clock
    seconds: float = 20

    async def run(self, turn: Turn) -> Reading:
        """One line a day; see `CheckCalendar.read`."""
        now, zone = now_for(self.clock, turn.conversation.arrived), ZoneInfo(turn.user.timezone)
        asked = meeting_request(turn.conversation, now=now, timezone=turn.user.timezone)
        starts = (*asked.proposed, *(start for start, _ in asked.windows)) if asked else ()
        named = [*(start.astimezone(zone).date() for start in starts), *(asked.day_hints if asked else ())]
        coming = [now.astimezone(zone).date() + timedelta(days=n) for n in range(DAYS_AHEAD)]
        days = sorted(dict.fromkeys([*named, *coming][:MAX_DAYS]))
        return await self.calendar.read(CheckCalendarArguments(days=[d.isoformat() for d in days]), turn)


@dataclass(frozen=True)
class CreateDraft:
    """The envelope of the reply: to whom it goes and under which subject; the text is written after it."""

    seconds: float = 10

    async def run(self, turn: Turn) -> Reading:
        """Raises `InputError` when there is nobody to reply to."""
        message = conversation.reply(
            turn.conversation.current,
            sender=turn.sender,
            own=turn.user.own,
            body="",
            message_id=message_id(turn),
        )
        cc = f", copy to {format_addresses(message.cc)}" if message.cc else ""
        return Reading(f"The reply goes to {format_addresses(message.to)}{cc}, subject: {message.subject}")


class GetContactArguments(Arguments):
    """Whose details."""

    address: str = Field(min_length=3, max_length=254, description="The person's email address.")


@dataclass(frozen=True)
class GetContact:
    """Tells what is known about a person."""

    contacts: Contacts
    name: ClassVar[str] = "get_contact"
    description: ClassVar[str] = (
        "What the user's contacts hold about the person with this email address: name, organisation, role, phone, "
        "notes, tags, and where that came from."
    )
    arguments: ClassVar[type[Arguments]] = GetContactArguments
    risk: ClassVar[Risk] = Risk.READ

    async def read(self, args: GetContactArguments, turn: Turn) -> Reading:
        """The contact as a JSON object on one line, which no text in it can end; details that are empty are left out."""
        found = await self.contacts.get(args.address)
        if found is None:
            nothing = f"The contacts hold nothing about {contact_address(args.address)}."
            return Reading(nothing, ours=nothing)
        known = {"address": found.address} | {k: v for k, v in found.fields().items() if v}
        known["source"] = found.source
        text = ", ".join(filter(None, (found.name, found.role, found.organisation, found.phone)))
        line = json.dumps(known, ensure_ascii=False)
        return Reading(
            line, (f"Contact: {found.address}: {text or 'no details'} (from {found.source}).",), ours=line
        )


@dataclass(frozen=True)
class LookUpSender:
    """The sender's entry in the contacts."""

    contact: GetContact
    seconds: float = 10

    async def run(self, turn: Turn) -> Reading:
        """See `GetContact.read`; raises `InputError` when the message has no usable sender address."""
        return await self.contact.read(
            GetContactArguments(address=turn.conversation.current.sender.email), turn
        )
