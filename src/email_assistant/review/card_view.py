"""The facts of a card as data, gathered in one place: Agent Inbox's Markdown and the terminal are drawn from it, a page can be.

Everything in it is text without invisible characters, and never markup: whoever draws it makes it inert in its own medium.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from functools import partial
from typing import Any, Self
from zoneinfo import ZoneInfo

from email_assistant.clock import days_in_short
from email_assistant.facts.fact import gaps_left
from email_assistant.mail.address import Address
from email_assistant.mail.message import Attachment, Conversation, Message, message_key
from email_assistant.mail.text import clean, one_line
from email_assistant.models.offline.courtesy import first_name, names_of
from email_assistant.models.offline.wanted import asked_first, asked_in, wanted_by
from email_assistant.review.action import Action, GapOffer
from email_assistant.review.kinds import kind_of

MAX_MAIL_CHARACTERS = 12_000
MAX_EARLIER = 5
MAX_EARLIER_CHARACTERS = 2_000
MAX_ATTACHMENTS = 10
MAX_PROBLEM = 800
"""Characters of the first line: it may name several findings."""
MAX_ASK = 600
MAX_LINE = 300
MAX_SINCE = 200
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class CardContext:
    """What a card tells besides the action itself."""

    conversation: Conversation
    timezone: str
    mailbox: str = ""
    """The name of the mailbox that the message is in."""
    triage_reason: str = ""
    sender_warnings: tuple[str, ...] = ()
    offline: str = ""
    problem: str = ""
    verified: str = ""
    """What is known of who the sender is; see `card.verified`."""
    facts: Sequence[str] = ()
    """Further lines beside those of the message, like "Customer: Ana"."""
    found: Sequence[str] = ()
    """What was looked up, a sentence each."""
    importance: str = ""
    sections: Sequence[tuple[str, str]] = ()
    """Further texts with their headings."""
    refund: Mapping[str, Any] | None = None
    """Of a refund, as `CardView.refund` has it."""
    said: str = ""
    """What the person said of the card before this one."""
    before: Mapping[str, str] | None = None
    """That card's fields."""
    own: frozenset[str] = frozenset()
    """The user's addresses, lower case."""


@dataclass(frozen=True, slots=True)
class CardView:
    """One card. Lists are bounded in number and lines in length; times are ISO 8601 in `timezone`."""

    kind: str
    title: str
    ask: str
    """What is asked of the person, in one sentence."""
    summary: str = ""
    """What accepting comes to, in one sentence; "" when the fields say it."""
    problem: str = ""
    """Why the card is asked again; "" when it is new."""
    done: Sequence[str] = ()
    """What the run has done so far, a sentence each."""
    doubts: Sequence[str] = ()
    """Signs that the message is not from whom it seems to be."""
    warnings: Sequence[str] = ()
    """What else to look at closely."""
    gaps: Sequence[Mapping[str, Any]] = ()
    """{"field", "text", "span", "question", "offers"} of each place of a field that the writer left for the person to fill.

    The question is the mail's own, where the writer was a rule that knows it; else "". Offers are {"text", "label", "why", "times"}, see
    `GapOffer`.
    """
    args: Mapping[str, str] = field(default_factory=dict)
    answers: Sequence[str] = ()
    options: Sequence[str] = ()
    """What a field may be set to, where that is a choice: the categories of a label."""
    sender: str = ""
    """Who wrote the message, or whom the user's own went to."""
    address: str = ""
    is_own: bool = False
    """Whether the user wrote it."""
    verified: str = ""
    subject: str = ""
    received: str = ""
    """Its Date."""
    arrived: str = ""
    """When it came into the mailbox, where that tells."""
    timezone: str = "UTC"
    facts: Sequence[str] = ()
    attachments: Sequence[Mapping[str, Any]] = ()
    """{"name", "type", "size", "read"}, the size in bytes; the last says whether its text was read, "" of what never is."""
    message: str = ""
    quoted: str = ""
    """What is forwarded or quoted in a message that has no earlier ones."""
    earlier: Sequence[Mapping[str, str]] = ()
    """{"sender", "address", "received", "text"} of the latest earlier messages, the oldest first."""
    earlier_count: int = 0
    reasons: Sequence[str] = ()
    offline: str = ""
    """That fixed rules wrote this and no model, and why; "" when one did."""
    importance: str = ""
    """Of the message, in a word; "" when nobody has weighed it."""
    message_key: str = ""
    """The same for every card of one message, whichever graph asks."""
    sections: Sequence[Mapping[str, str]] = ()
    """{"heading", "text"}."""
    offers_silence: bool = False
    """Whether to ignore the card is to agree that such mail is hidden."""
    effects: Sequence[str] = ()
    """What else accepting does besides what the fields say."""
    said: str = ""
    """What the person said of the card before this one, which led to it; "" when nothing did."""
    before: Mapping[str, str] | None = None
    """The fields of that card, where they are the same ones."""
    gist: str = ""
    """What is wanted, in the fewest words, without saying by whom."""
    alarms: Sequence[str] = ()
    """"orders": the mail gives orders to an assistant; "money": it warns of a payment, or speaks of new bank details."""
    deadline: str = ""
    """The day by which the mail wants something of its reader, ISO 8601; "" when it names none."""
    confidence: float | None = None
    """How sure whoever proposed it was, from 0 to 1; None where nobody said."""
    meeting: Mapping[str, Any] | None = None
    """Of a meeting or an invitation: {"start", "end", "timezone", "attendees", "location", "asked", "collisions", "options"}.

    Times are as in the fields; without "collisions" nobody has looked for any.
    "asked" is {"start", "end", "taken_by"} of what the mail asks for, or None; "collisions" are
    {"title", "start", "end"}, "options" further {"start", "end"} that were free, with "is_named" where the mail asks for them.
    "looked_at" is when somebody looked, ISO 8601; "rival" whoever asks for part of the time on another card. Of a letter it is {"named"}
    alone: each {"start", "end"} that its text names and that was free.
    """
    refund: Mapping[str, Any] | None = None
    """Of a refund: {"amount", "currency", "customer", "policy", "earlier", "working", "checks"}.

    "earlier" are refunds to the same customer and "checks" what rules find true of this one, a line each; "working" is
    {"label", "value", "source"} a line, the source being what the decision cites.
    """

    def with_args(self, args: Mapping[str, str]) -> Self:
        """The same card with other fields."""
        known = {each["text"]: each for each in self.gaps}
        gaps = list(_gaps(args, known, lambda gap, _: str(known.get(gap, {}).get("question", ""))))
        gaps = [{**each, "offers": known.get(each["text"], {}).get("offers", ())} for each in gaps]
        meeting = {**self.meeting, **_of_meeting(args)} if self.meeting else None
        return replace(self, args=dict(args), gaps=gaps, meeting=meeting)

    def as_json(self) -> dict[str, Any]:
        """The view as a JSON object."""
        return dict(json.loads(json.dumps(asdict(self))))

    @property
    def sender_name(self) -> str:
        """What to call them: the name as it is written, because whose it is is not known."""
        return self.sender or self.address or "they"

    @property
    def event(self) -> Mapping[str, str]:
        """{"title", "start", "end", …} of the event that the card would make, or else of the one it is about; {} for none."""
        found = self.args if "start" in self.args else self.meeting or {}
        return {name: text for name, text in found.items() if isinstance(text, str)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of `as_json`, also for the view of a card that waits since before an update.

        Fields that this version does not know are left out; raises `TypeError` when one is missing that every version has.
        """
        return cls(**{name: value[name] for name in _NAMES & value.keys()})


_NAMES = frozenset(each.name for each in fields(CardView))


def card_view(action: Action, context: CardContext) -> CardView:
    """The card for `action`. May read time zone data from disk."""
    conversation, kind = context.conversation, kind_of(action.kind)
    message = conversation.current
    wanted = wanted_by(message, context.timezone, context.own)
    person = _other_side(message, context.own)
    is_own = person != message.sender
    words = {
        "who": f"somebody who may not be {_name(message)}" if context.sender_warnings else called(message),
        "wants": wanted.headline,
        "gist": asked_first(message) if is_own else wanted.gist,
        "subject": message.subject or "(no subject)",
        "card": action.title,
    } | dict(action.args)
    short = partial(days_in_short, year=message.date.year if message.date else None)
    reasons = list(dict.fromkeys((*action.reasons, *context.found)))
    ask = _line(_filled(short(action.headline or kind.headline), words), MAX_ASK)
    since = [f"{_name(e)} wrote since: “{one_line(e.text, limit=MAX_SINCE)}”" for e in conversation.since]
    return CardView(
        kind=action.kind,
        title=action.title,
        ask=ask,
        summary=_line(short(action.summary)),
        problem=_line(short(context.problem), MAX_PROBLEM),
        done=_lines(action.done),
        doubts=_lines(context.sender_warnings),
        warnings=_lines(map(short, (*since, *action.warnings, *message.notes))),
        gaps=list(
            _gaps(
                action.args,
                action.gaps,
                lambda gap, before: asked_in(gap, message, before),
                action.offers,
            )
        ),
        args=dict(action.args),
        answers=list(kind.answers),
        options=_lines(action.options),
        sender=_line(person.name),
        address=_line(person.email),
        is_own=is_own,
        verified=_line(context.verified),
        subject=_line(message.subject),
        received=_local(message.date, context.timezone),
        arrived=_local(message.arrived, context.timezone),
        timezone=context.timezone,
        facts=_lines((*_form(message), *context.facts)),
        attachments=[
            {
                "name": _line(each.name),
                "type": _line(each.content_type),
                "size": each.size,
                "read": _line(_read(each)),
            }
            for each in message.attachments[:MAX_ATTACHMENTS]
        ],
        message=_shortened(clean(message.text.strip())[0]),
        # Where there are earlier messages, they are shown; else nothing shows what the message forwards.
        quoted="" if conversation.earlier else _shortened(clean(message.quoted)[0]),
        earlier=[_earlier(each, context.timezone) for each in conversation.earlier[-MAX_EARLIER:]],
        earlier_count=len(conversation.earlier),
        reasons=_lines(
            map(short, (*([f"Triage: {context.triage_reason}"] if context.triage_reason else []), *reasons))
        ),
        offline=context.offline,
        importance=context.importance,
        message_key=message_key(context.mailbox, message),
        offers_silence=action.offers_silence,
        sections=[{"heading": _line(heading), "text": clean(text)[0]} for heading, text in context.sections],
        effects=_lines(map(short, action.effects)),
        said=_shortened(clean(context.said)[0]),
        before=dict(context.before) if context.before else None,
        gist=_line(ask.removeprefix(person.name).strip() if is_own else _filled(kind.gist, words)),
        # What the user wants of others alarms nobody, and is no deadline of the user's.
        alarms=[] if is_own else list(wanted.alarms),
        deadline=wanted.deadline.isoformat() if wanted.deadline and not is_own else "",
        confidence=action.confidence,
        meeting=_meeting(action),
        refund=dict(context.refund) if context.refund else None,
    )


def _other_side(message: Message, own: frozenset[str]) -> Address:
    """Who wrote it; of the user's own letter the first whom it went to."""
    others = (each for each in (*message.to, *message.cc) if each.key not in own)
    is_own = message.sent and message.sender.key in own
    return next(others, message.sender) if is_own else message.sender


def _form(message: Message) -> tuple[str, ...]:
    if message.form is None:
        return ()
    named = f"{message.form.name} ({message.form.email})" if message.form.name else message.form.email
    return (f"By a form: {named}; nobody vouches for what was filled in.",)


def _meeting(action: Action) -> dict[str, Any] | None:
    """A meeting's times as its tool found them, and its fields; None of other actions."""
    found = action.meeting
    return {"asked": None, "options": [], **found, **_of_meeting(action.args)} if found else None


def _of_meeting(args: Mapping[str, str]) -> dict[str, str]:
    return {
        name: args[name] for name in ("start", "end", "timezone", "attendees", "location") if name in args
    }


def gap_line(gap: Mapping[str, Any]) -> str:
    """What is said of a gap, {"text", "question"}, where it is no field of its own."""
    asked = f" for “{gap['question']}”" if gap.get("question") else ""
    return _line(f"The text has a gap to fill: {gap['text']}{asked}")


def _filled(template: str, words: Mapping[str, str]) -> str:
    """The template with its "{names}" replaced, once: what a mail says is no template."""
    text = _PLACE.sub(lambda place: words.get(place[1], place[0]), template)
    return f"S{text[1:]}" if text.startswith("somebody ") else text


def _gaps(
    args: Mapping[str, str],
    gaps: Collection[str],
    question_of: Callable[[str, str], str],
    offers: Sequence[GapOffer] = (),
) -> Iterable[dict[str, Any]]:
    for name, text in args.items():
        for start, end in gaps_left(text, gaps):
            gap = text[start:end]
            yield {
                "field": name,
                "text": gap,
                "span": [start, end],
                "question": question_of(gap, text[:start]),
                "offers": [_offer(each) for each in offers if each.gap == gap],
            }


def _offer(offer: GapOffer) -> dict[str, Any]:
    times = [{"start": start, "end": end} for start, end in offer.times]
    return {
        "text": clean(offer.text)[0], "label": _line(offer.label), "why": _line(offer.why), "times": times
    }  # fmt: skip


def called(message: Message) -> str:
    """What to call the sender: a person as they sign. Who signs for a company is called by its name, unless the address is theirs."""
    signed, local = names_of(message)[1], message.sender.email.partition("@")[0].casefold()
    is_theirs = first_name(message.sender) or signed.casefold().partition(" ")[0] in local
    return (is_theirs and signed) or _name(message)


def _name(message: Message) -> str:
    return _line(message.sender.name or message.sender.email, 90)


def _earlier(message: Message, timezone: str) -> dict[str, str]:
    return {
        "sender": _line(message.sender.name),
        "address": _line(message.sender.email),
        "received": _local(message.date, timezone),
        "text": _shortened(clean(message.text.strip())[0])[:MAX_EARLIER_CHARACTERS],
    }


def _local(instant: datetime | None, timezone: str) -> str:
    return instant.astimezone(ZoneInfo(timezone)).isoformat() if instant else ""


def _lines(texts: Iterable[str]) -> list[str]:
    return [_line(text) for text in texts]


def _read(file: Attachment) -> str:
    """Whether its text was read, or why not."""
    return "read" if file.text else file.unread and f"not read: it {file.unread}"


def _line(text: str, limit: int = MAX_LINE) -> str:
    line = one_line(text)
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _shortened(text: str) -> str:
    if len(text) <= MAX_MAIL_CHARACTERS:
        return text
    return (
        text[:MAX_MAIL_CHARACTERS] + f"\n[… {len(text) - MAX_MAIL_CHARACTERS} more characters in the mailbox]"
    )
