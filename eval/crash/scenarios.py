"""What is killed: for each graph a mail that goes a long way, and how a person answers the cards that come."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from email_assistant.app.assistant import AppDeps
from email_assistant.models.runner import Models
from eval.claims.running import Script, claims, customers, documents
from eval.workbench import Graph, stocked

ACCEPT, IGNORE, RESPONSE = "accept", "ignore", "response"
ANA = "Ana Petrova <ana@petrova.example>"
MEETING = "Could we meet on Thursday 26 November 2026 at 10:00 for 45 minutes to go through the offer?"
UID = "review@petrova.example"
TENANT = "harrow-mutual"
CLAIM = next(each for each in claims() if each["claim_id"] == "C01")
"""A customer who gets 105.00 back, and a ticket."""


async def _nothing(what: Any) -> None:
    """No more is needed."""


@dataclass(frozen=True)
class Scenario:
    """A mail, and what becomes of it when nothing is in the way."""

    graph: Graph
    told: str
    """What happens, for the report."""
    case: Mapping[str, Any]
    """The mail, as `eval.mails` reads it."""
    answers: Mapping[str, str] = field(default_factory=dict)
    """How cards are answered, by the beginning of their titles; all others are accepted."""
    says: Mapping[str, str] = field(default_factory=dict)
    """What is said to cards, by their whole titles; the card that comes of it has another."""
    settings: Mapping[str, str] = field(default_factory=dict)
    models: Callable[[], Models] | None = None
    """What answers in place of the offline rules."""
    before: Sequence[Mapping[str, Any]] = ()
    """Mails that are dealt with first."""
    stock: Callable[[AppDeps], Awaitable[None]] = _nothing
    """Brings what the house has before the first mail."""
    shelve: Callable[[Any], Awaitable[None]] = _nothing
    """Brings what the store has, in every process: the store is kept in memory."""
    has_vault: bool = False
    """Whether notes are written."""
    unasked: Mapping[str, int] = field(default_factory=dict)
    """Kind → effects that there may be without a card."""

    def answer(self, title: str) -> str:
        """To a card."""
        return next((kind for start, kind in self.answers.items() if title.startswith(start)), ACCEPT)


class Claimed(Script):
    """A model that says what the claim's line says, the verifier's calls by what was answered so far."""

    def __init__(self) -> None:
        super().__init__()
        self.follow(CLAIM)

    async def turn(self, call: Any, inputs: Any, messages: Sequence[Any], tools: Any) -> Any:
        """The next calls. A process that goes on after another's death begins where that one was."""
        object.__setattr__(self, "passes", sum(bool(getattr(m, "tool_calls", None)) for m in messages))
        return await super().turn(call, inputs, messages, tools)


async def shelve(shelf: tuple[AppDeps, Any]) -> None:
    """The documents of the claim's company."""
    await documents(*shelf, TENANT)


def _mail(sender: str, subject: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "id": more.pop("id", "crash"),
        "from": sender,
        "subject": subject,
        "text": text,
        "auth": "pass",
        **more,
    }


_PRICED = _mail(ANA, "Oak shelf", "Hi Robin,\n\nwhat does the oak shelf cost?\n\nAna")
_INVITED = _mail(ANA, "The offer", f"Hi Robin,\n\n{MEETING}\n\nAna")
_INVITED_BOTH = _mail(
    ANA, "The offer", f"Hi Robin,\n\n{MEETING}\nTom comes, too.\n\nAna", cc="Tom Berg <tom@berg.example>"
)
_FIRST = {**_INVITED, "id": "first"}
_ROOT = "<first.0@petrova.example>"
_LATER: Mapping[str, Any] = {
    "headers": {"In-Reply-To": _ROOT, "References": _ROOT},
    "date": "2099-01-01T09:00:00+00:00",
}
"""Written in that conversation, after what is sent there whenever this runs."""
_MOVED = _mail(ANA, "Re: The offer", "Hi Robin,\n\ncan we move Thursday to Friday at 11:00?\n\nAna", **_LATER)
_CALLED_OFF = _mail(
    ANA, "Re: The offer", "Hi Robin,\n\nI'm afraid I have to cancel our meeting.\n\nAna", **_LATER
)
_ASKING = (
    "ORGANIZER;CN=Ana Petrova:mailto:ana@petrova.example",
    "ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:robin@vale.example",
)


def _calendar_mail(
    name: str, method: str, *, minute: int = 0, sequence: int = 1, title: str = "Review", room: str = "Room 5",
    hour: int = 9, people: Sequence[str] = _ASKING,
) -> dict[str, Any]:  # fmt: skip
    """What Ana's calendar program writes about a meeting on 26 November 2026 at the full `hour` (UTC)."""
    lines = (
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//petrova.example//EN", f"METHOD:{method}", "BEGIN:VEVENT", f"UID:{UID}",
        f"DTSTAMP:20261119T08{minute:02}00Z", f"SEQUENCE:{sequence}", f"DTSTART:20261126T{hour:02}0000Z", "DURATION:PT1H",
        f"SUMMARY:{title}", f"LOCATION:{room}", *people, "END:VEVENT", "END:VCALENDAR", "",
    )  # fmt: skip
    return _mail(ANA, title, "Please see the calendar.", id=name, calendar="\r\n".join(lines))


_ASKED = _calendar_mail("asked", "REQUEST")
_ELSEWHERE = _calendar_mail("elsewhere", "REQUEST", minute=10, room="Room 6")
_ASKED_ANEW = _calendar_mail("anew", "REQUEST", minute=10, sequence=2, title="Long review")
_OFF = _calendar_mail("off", "CANCEL", minute=10, sequence=2)
_ORDERED = _mail(
    ANA,
    "Mugs",
    "Hello,\n\nplease send me 2 Enamel mug (KTC-4098).\n\nHow much is the Enamel plate (KTC-4110)?\n\nAna",
)
_BOSS = _mail(
    "The Boss <boss@board.example>",
    "Payment and meeting",
    f"Could you pay the 4,000 euro? It is due today, please answer immediately.\n\n{MEETING}",
)

SCENARIOS: Mapping[str, Scenario] = {
    "assistant": Scenario("email_assistant", "a meeting and a reply, both approved", _INVITED),
    "assistant-filling": Scenario("email_assistant", "a reply whose gap is filled, approved", _PRICED),
    "assistant-moving": Scenario("email_assistant", "a meeting that was made is moved, approved", _MOVED, before=(_FIRST,)),
    "assistant-cancelling": Scenario(
        "email_assistant", "a meeting that was made is called off, approved", _CALLED_OFF, before=(_FIRST,)
    ),
    "assistant-answering": Scenario("email_assistant", "an invitation is accepted", _ASKED),
    "assistant-proposing": Scenario(
        "email_assistant",
        "another time is proposed for an invitation, approved",
        _ASKED,
        says={"Invitation: Review": "propose Friday 27 November 2026 10:00 instead"},
    ),
    "assistant-two-guests": Scenario(
        "email_assistant", "a meeting with two guests, each written to, approved", _INVITED_BOTH, unasked={"told": 1}
    ),
    "assistant-answering-anew": Scenario(
        "email_assistant", "an accepted invitation comes in a new revision, accepted again", _ASKED_ANEW, before=(_ASKED,)
    ),
    "assistant-updating": Scenario(
        "email_assistant", "a small change of an accepted invitation is taken over, approved", _ELSEWHERE, before=(_ASKED,)
    ),
    "assistant-called-off": Scenario(
        "email_assistant", "an accepted invitation is cancelled, approved", _OFF, before=(_ASKED,)
    ),
    "organizer": Scenario(
        "inbox_organizer",
        "labels, a note, a meeting and a reply, all approved",
        _BOSS,
        settings={"EMAIL_ASSISTANT_VIPS": "board.example"},
        has_vault=True,
    ),
    "organizer-answering": Scenario("inbox_organizer", "a label and an invitation, both approved", _ASKED),
    "pipeline": Scenario("reply_pipeline", "a reply, approved", _INVITED),
    "orders": Scenario("order_desk", "an order is sold, the reply approved", _ORDERED, stock=stocked),
    "orders-refused": Scenario(
        "order_desk", "the reply is refused, the stock given back", _ORDERED, {"Send": IGNORE}, stock=stocked
    ),
    "claims": Scenario(
        "claims_desk",
        "a refund, a ticket and a reply, all approved",
        _mail(CLAIM["email"]["from"], CLAIM["email"]["subject"], CLAIM["email"]["body"]),
        settings={"EMAIL_ASSISTANT_TENANT": TENANT},
        models=Claimed,
        stock=customers,
        shelve=shelve,
    ),
}  # fmt: skip
