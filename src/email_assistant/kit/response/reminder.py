"""Reminders of the user's own letters that nobody has answered: which mail asks for one, what the agent is told, the letter by rules."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.mail.address import Address
from email_assistant.mail.email_input import FOLLOWS_UP
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.text import one_line
from email_assistant.meetings.guest_letter import LetterWriter
from email_assistant.models.offline.courtesy import Courtesy, courtesy_of, first_name, person_named
from email_assistant.models.offline.preferences import Preferences
from email_assistant.models.offline.triage import TriageRule
from email_assistant.models.offline.wanted import points_of
from email_assistant.tools.outgoing import addressees, day_written, unanswered_since
from email_assistant.tools.tool import User

TASK = "The person wrote this email, and nobody has answered it. Write a short reminder with send_email; it goes to those who got it:"


def follows_up(email_input: Mapping[str, Any], conversation: Conversation, user: User) -> TriageRule | None:
    """That a letter of the user's own is to be followed up; None of all other mail."""
    letter = conversation.current
    if (
        not email_input.get(FOLLOWS_UP)
        or letter.sender.key not in user.own
        or not addressees(letter, user.own)
    ):
        return None
    return TriageRule("respond", f"{unanswered_since(letter, user.own, user.timezone)}.", asks=True)


def reminder(letter: Message, *, user: User, wanted: Preferences, now: datetime) -> str:
    """The reminder by rules: what was asked, in the letter's own words, and when."""
    courtesy = courtesy_of(letter, wanted) or Courtesy("en")
    people = addressees(letter, user.own)
    name = people[0] if len(people) == 1 else Address("")
    written = day_written(letter, user.timezone)
    day = LetterWriter(courtesy, ZoneInfo(user.timezone), None, now.year).day(written) if written else ""
    asked = [f"> {each.asked}" for each in points_of(letter)]
    parts = (
        courtesy.greeting(first_name(name), person_named(name.name)),
        courtesy.says("reminder", day),
        "\n".join(asked),
        courtesy.closing(one_line(wanted.sign_off or user.address.name)),
    )
    return "\n\n".join(filter(None, parts))
