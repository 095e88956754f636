"""Every effect there is, each with one that is approved and waits to be done: real mailbox, calendar and database."""

from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path
from typing import Any, ClassVar

from pytest_httpserver import HTTPServer

from email_assistant.app.assistant import AppDeps
from email_assistant.effects.once import Effect, perform_once
from email_assistant.mail.message import Conversation, Message, OutgoingMessage
from email_assistant.meetings.cancelling import CancelMeetingArguments
from email_assistant.meetings.guest_letter import INVITED
from email_assistant.meetings.guests import GuestLetter
from email_assistant.meetings.own_meetings import MeetingDetails
from email_assistant.meetings.scheduling import ScheduleMeetingArguments
from email_assistant.meetings.times import event_of
from email_assistant.review.action import Action
from email_assistant.tools.drafts import Proposal
from email_assistant.tools.mail_tools import SendEmail, SendEmailArguments
from email_assistant.tools.tool import Done, Turn
from email_assistant.workflows.claims_desk.records.customers import Customers
from email_assistant.workflows.claims_desk.records.incidents import TicketTable
from email_assistant.workflows.claims_desk.records.refunds import RefundLedger
from email_assistant.workflows.claims_desk.refunding import Payment, Refunding
from email_assistant.workflows.claims_desk.ticketing import Ticketing, WantedTicket
from email_assistant.workflows.inbox_organizer.unsubscribing.one_click import OneClick
from email_assistant.workflows.inbox_organizer.unsubscribing.unsubscribing import Leaving, Unsubscribing
from tests.support.calendar_mail import invitation, known
from tests.support.claims_desk import ANA, BO, BOS, DRAFT, HOME, KEY, REFUND
from tests.support.desk import Desk, mail

MEETING = ScheduleMeetingArguments(
    title="Fitting", attendees=["ana@example.com"], start="2026-11-26T10:00", end="2026-11-26T10:30"
)
REPLY = SendEmailArguments(body="It is 40 euro.")
CANCELS = "Hi Robin,\n\nI'm afraid I have to cancel our meeting on Thursday.\n\nAna"
MOVES = "Hi Robin,\n\ncan we move Thursday to Friday at 11:00?\n\nAna"
NOTHING: frozenset[str] = frozenset()
UTC = "UTC"


class EffectCase:
    """One kind of effect, and one of them that waits; whoever writes another kind adds a class."""

    cases: ClassVar[dict[str, type["EffectCase"]]] = {}

    def __init_subclass__(cls) -> None:
        EffectCase.cases[cls.__name__] = cls

    def __init__(self, server: HTTPServer) -> None:
        self.server = server
        server.expect_request("/leave").respond_with_data("ok")
        """Whatever is asked outside the mailbox and the calendar."""

    async def approved(self, assistant: Desk) -> Any:
        """What is to be done, resolved."""
        raise NotImplementedError

    def effect(self, house: AppDeps) -> Effect[Any, Any]:
        """What does it."""
        raise NotImplementedError

    async def perform(self, house: AppDeps, what: Any) -> Any:
        """Do it as its callers do."""
        return await perform_once(house.outbox, self.effect(house), what)

    async def world(self, assistant: Desk) -> object:
        """What there is outside: the same however often it was tried."""
        raise NotImplementedError


async def conversation(assistant: Desk, message: Message) -> Conversation:
    """The message with those before it."""
    thread = await assistant.house.mailbox.thread(message.mail_thread_id)
    return Conversation(message, tuple(each for each in thread if each.id != message.id and not each.sent))


async def turn(assistant: Desk, raw: bytes = b"", call: str = "call_1") -> Turn:
    """Work on a message that has just come."""
    message = await assistant.receive(raw or mail())
    return Turn("thread", await conversation(assistant, message), assistant.house.user, call)


def shown(sent: EmailMessage) -> tuple[str, str]:
    """Of a mail what tells it from others."""
    return str(sent["to"]), str(sent["subject"])


async def events(assistant: Desk) -> list[tuple[str, int, str, bool, list[str]]]:
    """The calendar's."""
    path = assistant.house.settings.calendar_path or Path()
    lines = path.read_text().splitlines() if path.exists() else []
    uids = sorted(line.removeprefix("UID:") for line in lines if line.startswith("UID:"))
    found = [await assistant.house.calendar.find(uid) for uid in uids]
    return [
        (
            each.title,
            each.sequence,
            each.start.isoformat(),
            each.cancelled,
            [str(guest.partstat) for guest in each.guests],
        )
        for each in found
        if each
    ]


class ApprovedCase(EffectCase):
    """An effect of the tools, whose caller is told what to ask."""

    async def perform(self, house: AppDeps, what: Any) -> Any:
        """As the review loop does."""
        return await self.effect(house).perform(what, acknowledged=NOTHING)  # type: ignore[attr-defined]

    async def world(self, assistant: Desk) -> object:
        """Sent, and the calendar."""
        return sorted(map(shown, await assistant.sent())), await events(assistant)


class Reply(ApprovedCase):
    """A reply that waits as a draft."""

    async def approved(self, assistant: Desk) -> Action:
        """Proposed by the tool."""
        tool = SendEmail(assistant.house.sending)
        action = await tool.prepare(REPLY, await turn(assistant))
        assert isinstance(action, Action)
        return action

    def effect(self, house: AppDeps) -> Effect[Any, Any]:
        """What both sending tools share."""
        return house.sending


class Meeting(ApprovedCase):
    """A meeting with a guest."""

    async def approved(self, assistant: Desk) -> Action:
        """Proposed by the tool."""
        action = await assistant.house.schedule_meeting.prepare(MEETING, await turn(assistant))
        assert isinstance(action, Action)
        return action

    def effect(self, house: AppDeps) -> Effect[Any, Any]:
        """The tool."""
        return house.schedule_meeting

    async def answered(self, assistant: Desk, body: str) -> Turn:
        """A meeting that was made here, and what its guest writes then."""
        assert isinstance(
            await assistant.house.schedule_meeting.perform(
                await Meeting.approved(self, assistant), acknowledged=NOTHING
            ),
            Done,
        )
        about = {
            "subject": "Re: Oak shelf",
            "message_id": "<m2@example.com>",
            "reply_to_id": "<m1@example.com>",
        }
        return await turn(assistant, mail(body, **about, minutes=2), "call_2")


class MeetingOfTwo(Meeting):
    """A meeting with two guests, between whose mails the process may end."""

    async def approved(self, assistant: Desk) -> Action:
        """Proposed by the tool."""
        both = MEETING.model_copy(update={"attendees": ["ana@example.com", "bo@example.com"]})
        action = await assistant.house.schedule_meeting.prepare(both, await turn(assistant))
        assert isinstance(action, Action)
        return action


class Move(Meeting):
    """A meeting that was made here, at another time."""

    async def approved(self, assistant: Desk) -> Action:
        """Proposed by the tool."""
        later = MEETING.model_copy(update={"start": "2026-11-27T11:00", "end": "2026-11-27T11:30"})
        action = await assistant.house.schedule_meeting.prepare(later, await self.answered(assistant, MOVES))
        assert isinstance(action, Action)
        assert action.details["moves"]
        return action


class Cancellation(Meeting):
    """A meeting that was made here, called off."""

    async def approved(self, assistant: Desk) -> Action:
        """Proposed by the tool."""
        later = await self.answered(assistant, CANCELS)
        action = await assistant.house.cancel_meeting.prepare(CancelMeetingArguments(), later)
        assert isinstance(action, Action)
        return action

    def effect(self, house: AppDeps) -> Effect[Any, Any]:
        """The tool."""
        return house.cancel_meeting


class InvitationCase(ApprovedCase):
    """A mail with a calendar part."""

    async def response(self, assistant: Desk, raw: bytes) -> Action:
        """The card of it."""
        now = await turn(assistant, raw)
        invitations = assistant.house.invitations
        incoming = await invitations.incoming(now.conversation.current, assistant.house.user)
        assert incoming
        found = await invitations.response(incoming, now, in_doubt=False)
        action: Action = found.action  # type: ignore[union-attr,assignment]
        return action


class InvitationAnswer(InvitationCase):
    """An invitation that is answered."""

    async def approved(self, assistant: Desk) -> Action:
        """Accepted."""
        return await self.response(assistant, invitation())

    def effect(self, house: AppDeps) -> Effect[Any, Any]:
        """What answers."""
        return house.invitations.answering


class InvitationCounter(InvitationAnswer):
    """An invitation for which another time is proposed (COUNTER)."""

    async def approved(self, assistant: Desk) -> Action:
        """On the next day."""
        action = await super().approved(assistant)
        words = "propose Friday 27 November 2026 10:00 instead"
        said = await assistant.house.invitations.answering.reworded(action, words)
        assert said.args["proposed"]
        return said


class CalendarChange(InvitationCase):
    """An event of somebody else's, called off."""

    async def approved(self, assistant: Desk) -> Action:
        """By its organizer."""
        await known(assistant)
        return await self.response(assistant, invitation(method="CANCEL", sequence=2))

    def effect(self, house: AppDeps) -> Effect[Any, Any]:
        """What changes the calendar."""
        return house.invitations.changing


class GuestMail(Meeting):
    """The invitation of a meeting's guest, where the calendar writes to nobody."""

    async def approved(self, assistant: Desk) -> GuestLetter:
        """Of a meeting that waits to be made."""
        action = await Meeting.approved(self, assistant)
        event = replace(event_of("", action.args, owner="Europe/Berlin"), uid="fitting@example.com")
        envelope = MeetingDetails.of(action).envelope
        assert envelope
        return GuestLetter(action, envelope, "REQUEST", event, INVITED, event.attendees[0], "")

    def effect(self, house: AppDeps) -> Effect[Any, Any]:
        """What writes to guests."""
        return house.guests

    async def perform(self, house: AppDeps, what: Any) -> Any:
        """As the calendar's effects do when theirs has happened."""
        return await EffectCase.perform(self, house, what)


class WaitingDraft(EffectCase):
    """A draft while its card waits."""

    async def approved(self, assistant: Desk) -> Proposal:
        """Of a reply."""
        now = await turn(assistant)
        message = OutgoingMessage(
            sender=assistant.house.user.address, to=(now.conversation.current.sender,), subject="Re: Oak shelf",
            body="It is 40 euro.", message_id="<draft-1@vale.example>", mail_thread_id=now.conversation.current.mail_thread_id,
        )  # fmt: skip
        return Proposal(message, now, None)

    def effect(self, house: AppDeps) -> Effect[Any, Any]:
        """The drafts that wait."""
        return house.sending.drafts

    async def perform(self, house: AppDeps, what: Any) -> Any:
        """As the sending tools do: what lies there is looked for first."""
        drafts = house.sending.drafts
        return await drafts.save(what.message, what.turn, await drafts.of(what.turn.run_thread_id))

    async def world(self, assistant: Desk) -> object:
        """The drafts."""
        return sorted(map(shown, await assistant.drafts()))


class OneClickLeaving(EffectCase):
    """The request that asks a list to stop, which may come twice (RFC 8058)."""

    async def approved(self, assistant: Desk) -> Leaving:
        """Of one list."""
        await assistant.receive(mail())
        return Leaving("thread:call_1:1", "news.shop.example", self.server.url_for("/leave"))

    def effect(self, house: AppDeps) -> Effect[Any, Any]:
        """What speaks to the list's server."""
        allow = frozenset({f"{self.server.host}:{self.server.port}"})
        return replace(Unsubscribing.of(house), unsubscriber=OneClick(allow=allow), allow=allow)

    async def world(self, assistant: Desk) -> object:
        """Whether the server was asked."""
        return bool(self.server.log)


class ClaimCase(EffectCase):
    """An effect about a claim of Ana's."""

    async def approved(self, assistant: Desk) -> Any:
        """With two customers on record."""
        await Customers(assistant.house.database).import_all([ANA, BO], [HOME, BOS])

    async def world(self, assistant: Desk) -> object:
        """The tickets, and what is to be paid back."""
        database, clock = assistant.house.database, assistant.house.clock
        tickets = [each.title for each in await TicketTable(database, clock).of_user("acme", "U1")]
        record = await RefundLedger(database, clock).get("acme", KEY)
        return tickets, record.receipt if record else ""


class RefundPayment(ClaimCase):
    """A refund that a person has approved."""

    async def approved(self, assistant: Desk) -> Payment:
        """Of what Ana has paid."""
        await super().approved(assistant)
        return Payment(REFUND, KEY)

    def effect(self, house: AppDeps) -> Effect[Any, Any]:
        """What pays it."""
        return Refunding.of(house)

    async def perform(self, house: AppDeps, what: Any) -> Any:
        """As the claims desk does: the money is set aside first."""
        return await Refunding.of(house).perform_refund(what.refund, what.key, approved=True)


class ClaimTicket(ClaimCase):
    """A ticket for a claim."""

    async def approved(self, assistant: Desk) -> WantedTicket:
        """In our own table."""
        await super().approved(assistant)
        return WantedTicket(DRAFT, KEY)

    def effect(self, house: AppDeps) -> Effect[Any, Any]:
        """What makes it."""
        return Ticketing.of(house)


SHARED = {EffectCase, ApprovedCase, InvitationCase, ClaimCase}
CASES = {name: case for name, case in EffectCase.cases.items() if case not in SHARED}
"""Those with an effect of their own."""
