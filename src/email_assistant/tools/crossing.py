"""Newer mail about an event than the card that waits: looked for once more before the card's answer counts."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from email_assistant.journal.calendar_mail import CalendarMail, CalendarMailLog
from email_assistant.mail.mailbox import Mailbox, MailQuery
from email_assistant.mail.message import Message
from email_assistant.review.action import Action
from email_assistant.tools.concerns import Concern

MARGIN = timedelta(days=1)
"""So much earlier than the card's own mail what it crossed is looked for: clocks differ."""
LOOKED_AT = 50
"""Messages of one sender, the latest ones."""


@dataclass(frozen=True)
class Crossing:
    """What is on record of an event, and what lies in the mailbox and was not taken up yet."""

    mailbox: Mailbox
    log: CalendarMailLog
    read: Callable[[Message], Awaitable[CalendarMail | None]]
    """What a message says of an event; None of all other mail, and where its sender is not believed."""

    async def concerns(self, action: Action) -> list[Concern]:
        """That whoever sent the card's event has said something newer of it."""
        if "calendar_mail" not in action.facts:
            return []  # The card is older than the record.
        mine, since_then = CalendarMail(**action.facts["calendar_mail"]), action.facts["since"]
        after = datetime.fromisoformat(since_then) - MARGIN if since_then else None
        known = {mine.message_id, *(each.message_id for each in await self.log.about(mine))}
        for address in {mine.speaker, action.facts["from"]}:
            for message_id in (await self.mailbox.inbox(MailQuery(after=after, text=address)))[-LOOKED_AT:]:
                if message_id not in known and (
                    mail := await self.read(await self.mailbox.fetch(message_id))
                ):
                    await self.log.noted(mail)
        newer = next((each for each in reversed(await self.log.about(mine)) if each.touches(mine)), None)
        text = f"{since(newer, mine)} Accept again to do this all the same." if newer else ""
        return [Concern(f"crossed:{newer.message_id}", text)] if newer else []

    async def called_off(self, action: Action) -> list[str]:
        """The occurrences (RECURRENCE-ID) of the card's series that were cancelled since it was sent."""
        mine = CalendarMail(**said) if (said := action.facts.get("calendar_mail")) else None
        others = await self.log.about(mine) if mine else []
        return [each.recurrence_id for each in others if mine and each.cancels and each.touches(mine)]


def newest(mine: CalendarMail, others: Sequence[CalendarMail]) -> CalendarMail | None:
    """The newest of the others that says something newer; None when there is none."""
    return next((each for each in reversed(others) if each.follows(mine)), None)


def since(newer: CalendarMail, mine: CalendarMail) -> str:
    """What has happened to the event, in a sentence."""
    it = "it" if newer.follows(mine) else "one occurrence of it"
    if newer.cancels:
        return f"{newer.name} has cancelled {it} since: “{mine.title}”, {newer.happens or mine.happens}."
    is_moved = newer.happens != mine.happens
    return f"{newer.name} has {f'moved {it} to {newer.happens}' if is_moved else 'written of it anew'} since."
