"""A mail of the user's that was not delivered: which one, to whom, why, and the same mail to send elsewhere."""

import asyncio
from dataclasses import dataclass, replace
from typing import ClassVar

from email_assistant.journal.records import OutboxRow, OutboxStatus
from email_assistant.mail.address import Address, format_addresses, parse_addresses, parse_recipients
from email_assistant.mail.conversation import DeliveryReport, base_subject, new_mail
from email_assistant.review.action import Action
from email_assistant.review.kinds import EVERY_ANSWER, CardKind, QueueSection, declare
from email_assistant.tools.drafts import SENT_KIND
from email_assistant.tools.mail_tools import MailTool, message_id
from email_assistant.tools.outgoing import LetterDetails
from email_assistant.tools.tool import Done, Turn

UNDELIVERED = declare(
    CardKind(
        "undelivered", EVERY_ANSWER, "Not delivered; send again to ", "A mail of yours was not delivered.", noun="Not delivered",
        section=QueueSection.LOOK_FIRST, confirm="once", held=True, draws="letter", button="Send to {recipients}", gist="not delivered",
        outcome="sent again", done="sent", underway="goes out",
    )
)  # fmt: skip
_NO_ADDRESS = "No address stands in these words, and nothing was sent. Say to whom it is to go, or edit “to”."


@dataclass(frozen=True)
class SendElsewhere(MailTool):
    """Sends a mail that was not delivered once more, to whom the user says; its recipients, subject and text are the failed one's."""

    name: ClassVar[str] = UNDELIVERED.name
    card: ClassVar[CardKind] = UNDELIVERED

    async def failed(self, report: DeliveryReport) -> OutboxRow | None:
        """The mail of ours that the report is about, by its Message-ID; where a host has changed that, by recipient and subject."""
        rows = [r for r in await self.sending.outbox.of_kinds(SENT_KIND) if r.status is OutboxStatus.done]
        by_id = [row for row in rows if LetterDetails.of_row(row).message.message_id in report.message_ids]
        return next(reversed(by_id or [row for row in rows if _is_about(report, row)]), None)

    async def proposed(self, report: DeliveryReport, row: OutboxRow, turn: Turn) -> Action | Done:
        """The card of the mail; a draft of it lies among the drafts."""
        args = row.payload["args"]
        mail = new_mail(
            sender=LetterDetails.of_row(row).message.sender,
            to=_missed(report, row),
            subject=args["subject"],
            body=args["body"],
            message_id=message_id(turn),
        )
        found = await self.sending.propose(turn, mail, kind=UNDELIVERED, warnings=())
        return replace(found, headline=describe_report(report, row)) if isinstance(found, Action) else found

    async def reworded(self, action: Action, words: str) -> Action:
        """The mail to the addresses that stand in the words."""
        to = [
            each for each in await asyncio.to_thread(parse_addresses, words.replace(" ", ", ")) if each.email
        ]
        if not to:
            return replace(action.renewed(), warnings=(_NO_ADDRESS,))
        edited = await self.revise(action.renewed(), {**action.args, "to": format_addresses(to)})
        return edited if isinstance(edited, Action) else replace(action.renewed(), warnings=(edited.text,))


def describe_report(report: DeliveryReport, row: OutboxRow | None) -> str:
    """In a sentence: "Your reply to Ana, “Re: Chair”, was not delivered: “550 5.1.1 User unknown”."; `row` is the mail, if it is ours."""
    subject = row.payload["args"]["subject"] if row else report.subject
    what = (
        "A mail in your name"
        if row is None
        else f"Your {'reply' if base_subject(subject) != subject else 'mail'}"
    )
    people = format_addresses(_missed(report, row)) or ", ".join(report.recipients)
    about = [f" to {people}" if people else "", f", “{subject}”," if subject else ""]
    happened = "was not delivered" if report.is_final else "is not delivered yet, and still tried"
    return f"{what}{''.join(about)} {happened}{f': “{report.reason}”' if report.reason else ''}."


def _missed(report: DeliveryReport, row: OutboxRow | None) -> tuple[Address, ...]:
    """Those of the mail's recipients whom the report names; without any all in To."""
    args = row.payload["args"] if row else {"to": "", "cc": ""}
    people = [each for name in ("to", "cc") for each in parse_recipients(args[name])]
    return tuple(e for e in people if e.key in report.recipients) or parse_recipients(args["to"])


def _is_about(report: DeliveryReport, row: OutboxRow) -> bool:
    args = row.payload["args"]
    written = {each.key for name in ("to", "cc") for each in parse_recipients(args[name])}
    same = base_subject(args["subject"]) == base_subject(report.subject)
    return same and not written.isdisjoint(report.recipients)
