"""One card, as the templates draw it: what is asked, what to look at, the mail, what will be done, and the keys that do it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from email_assistant.calendars.day_text import day_of, instant_of, short_day
from email_assistant.models.offline.wanted import MONEY
from email_assistant.page.list_view import card_place
from email_assistant.page.texts import LetterPart, TextPiece, letter, paragraphs, pieces
from email_assistant.page.words import at, clock_time, count, waits
from email_assistant.review.action import ACCEPT, EDIT, IGNORE, RESPONSE
from email_assistant.review.card_view import CardView
from email_assistant.review.kinds import done_word
from email_assistant.review.queue import Row
from email_assistant.review.waiting import WaitingCard

LETTERS = frozenset({"send_email", "compose_email"})
NAMES = {
    "send_email": "Reply",
    "compose_email": "New mail",
    "schedule_meeting": "Meeting",
    "cancel_meeting": "Cancellation",
    "invitation": "Invitation",
    "calendar_change": "Calendar",
    "counter_proposal": "Meeting",
    "calendar_notice": "Notice",
    "notify": "Notice",
    "Question": "Question",
    "label": "Label",
    "refund": "Refund",
}
"""What a kind of card is called; another one's name is its title's beginning."""
LABELS = {"to": "To", "cc": "Cc", "subject": "Subject", "body": "Text"}
_SAID_BY_FIELDS = "The text has a gap to fill"
"""Begins a warning that the letter's own fields show."""
MAX_CHOICES = 3
"""Times to choose from, the proposed one first: a line of them."""
MAX_LABEL = 30
ANSWERS = {"accepted": "Accept it", "tentative": "Answer “maybe”", "declined": "Decline it"}
"""What the main button of an invitation says, by what is answered."""


@dataclass(frozen=True, slots=True)
class CardNote:
    """Something to look at before anything else."""

    tone: str
    """"warn" for danger and failure, "gap" for what needs the person."""
    heading: str
    lines: tuple[str, ...] = ()
    gaps: str = ""
    """How many gaps there are to fill, before the heading."""


@dataclass(frozen=True, slots=True)
class MailBlock:
    """What somebody wrote."""

    heading: str
    paragraphs: tuple[tuple[TextPiece, ...], ...]
    when: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of what will be done."""

    name: str
    label: str
    value: str
    is_long: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the things a field may be set to."""

    value: str
    label: str
    told: str
    is_chosen: bool
    args: Mapping[str, str]
    main: str = ""
    """What the main button says when it is chosen; "" when that does not depend on it."""


@dataclass(frozen=True, slots=True)
class Act:
    """A button, and the key that presses it."""

    does: str
    """accept, edit, response, ignore or later."""
    key: str
    label: str
    look: str = ""
    """"p" for the main one, "red" for a far one, "txt" for a quiet one."""
    is_far: bool = False
    is_wide_only: bool = False


@dataclass(frozen=True, slots=True)
class Also:
    """What another graph asks about the same mail."""

    at: str
    interrupt: str
    digest: str
    thread: str
    graph: str
    ask: str
    label: str
    does: str


@dataclass(frozen=True, slots=True)
class CardPage:
    """Everything that the pane shows of a card."""

    at: str
    thread: str
    interrupt: str
    digest: str
    kind: str
    done: str
    """What is said of it when it is approved, in a word."""
    graph: str
    kicker: tuple[str, ...]
    place: str
    title: str
    sub: str
    notes: tuple[CardNote, ...]
    mail: MailBlock
    quoted: MailBlock | None
    earlier: tuple[MailBlock, ...]
    left_out: str
    attachments: tuple[str, ...]
    is_doubted: bool
    fields: tuple[Field, ...]
    body: tuple[LetterPart, ...]
    choices: tuple[Choice, ...]
    meeting: "Meeting | None"
    refund: Mapping[str, Any] | None
    question: str
    facts: tuple[str, ...]
    sections: tuple[Mapping[str, str], ...]
    why: tuple[str, ...]
    effects: tuple[str, ...]
    also: tuple[Also, ...]
    acts: tuple[Act, ...]
    sure: str
    """What is asked before it is done; "" when one key does it."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """When, who and where."""

    heading: str
    told: str
    """What the mail says of somebody's event, and what it changes; "" of one that this card makes."""
    day: str
    date: str
    time: str
    asked: str
    attendees: str
    where: str
    title: str
    timezone: str
    is_whole_day: bool
    is_ours: bool
    """Whether this card makes it; else it is about somebody's event."""
    times: Mapping[str, str]
    """{"start", "end"}."""
    asked_times: Mapping[str, str]
    """{"start", "end"} of what the mail asks for; {} when it is what is proposed, or nothing."""


def card_page(row: Row, card: WaitingCard, now: datetime, timezone: str, place: str = "") -> CardPage:
    """The page of `card`, one of the row's; `now` is in the user's zone."""
    facts = card.facts
    return _without_facts(card, place) if facts is None else _page(row, card, facts, now, timezone, place)


def _page(row: Row, card: WaitingCard, facts: CardView, now: datetime, timezone: str, place: str) -> CardPage:
    received = instant_of(facts.received, timezone)
    is_doubted = bool(facts.doubts)
    name = NAMES.get(facts.kind) or card.title.partition(":")[0]
    kicker = ("Look first" if is_doubted else name, at(received, now), waits(received, now))
    meeting = _meeting(facts)
    return CardPage(
        at=card_place(card.thread_id, card.interrupt_id),
        thread=card.thread_id,
        interrupt=card.interrupt_id,
        digest=card.digest,
        kind=facts.kind,
        done=done_word(facts.kind),
        graph=card.graph,
        kicker=tuple(each for each in kicker if each),
        place=place,
        title=_title(facts),
        sub=" · ".join(each for each in (facts.address, facts.subject) if each),
        notes=tuple(_notes(facts)),
        mail=_mail(f"What {sender_name(facts)} wrote", facts.message, is_doubted),
        quoted=_mail("What it forwards or quotes", facts.quoted, is_doubted) if facts.quoted else None,
        earlier=tuple(_earlier(each, now, timezone) for each in facts.earlier),
        left_out=_left_out(facts),
        attachments=tuple(_attachment(each) for each in facts.attachments),
        is_doubted=is_doubted,
        fields=tuple(_fields(facts)),
        body=tuple(letter(facts.args.get("body", ""), _of_field(facts.gaps, "body"))),
        choices=tuple(_choices(facts)),
        meeting=meeting,
        refund=facts.refund,
        question=facts.args.get("question", "") if facts.kind == "Question" else "",
        facts=tuple(facts.facts),
        sections=tuple(facts.sections),
        why=tuple(_why(facts, card)),
        effects=tuple(facts.effects),
        also=tuple(_also(other) for other in row.cards if other is not card),
        acts=tuple(_acts(facts, card, meeting)),
        sure=_sure(facts),
    )


def _without_facts(card: WaitingCard, place: str) -> CardPage:
    """A card that waits since before facts were kept: its description as it stands."""
    allowed = [kind for kind in (ACCEPT, EDIT, RESPONSE, IGNORE) if card.config.get(f"allow_{_CONFIG[kind]}")]
    return CardPage(
        at=card_place(card.thread_id, card.interrupt_id),
        thread=card.thread_id,
        interrupt=card.interrupt_id,
        digest=card.digest,
        kind="",
        done=done_word(""),
        graph=card.graph,
        kicker=(card.title.partition(":")[0],),
        place=place,
        title=card.title,
        sub=card.graph,
        notes=(),
        mail=_mail("What the card says", card.description, False),
        quoted=None,
        earlier=(),
        left_out="",
        attachments=(),
        is_doubted=False,
        fields=tuple(
            Field(name, LABELS.get(name, name), value, name == "body") for name, value in card.args.items()
        ),
        body=tuple(letter(card.args.get("body", ""))),
        choices=(),
        meeting=None,
        refund=None,
        question="",
        facts=(),
        sections=(),
        why=("This card waits since before an update.",),
        effects=(),
        also=(),
        acts=tuple(_plain_acts(allowed, "Do it as shown")),
        sure="",
    )


_CONFIG = {ACCEPT: "accept", EDIT: "edit", RESPONSE: "respond", IGNORE: "ignore"}


def _title(facts: CardView) -> str:
    """What the card asks; of mail whose sender is in doubt what comes first. What will be done stands below, in full."""
    if facts.doubts:
        who = facts.sender or facts.address
        return f"Do not pay yet: this may not be {who}" if MONEY in facts.alarms else f"This may not be {who}"
    ask = facts.ask.removesuffix(".")
    head, _, tail = ask.rpartition("; ")
    return head if head and "”" not in tail else ask  # Else the semicolon is the mail's.


def sender_name(facts: CardView) -> str:
    """What to call the sender in a heading: the name as it is written, because whose it is is not known."""
    return facts.sender or facts.address or "they"


def _notes(facts: CardView) -> list[CardNote]:
    found = []
    if facts.problem:
        found.append(CardNote("gap", "Asked again", (facts.problem,)))
    if facts.doubts:
        number = len(facts.doubts)
        heading = f"{count(number, 'sign')} that the sender is not who it says"
        found.append(CardNote("warn", heading, tuple(facts.doubts)))
    warnings = tuple(each for each in facts.warnings if not each.startswith(_SAID_BY_FIELDS))
    gaps = f"{count(len(facts.gaps), 'gap')} to fill" if facts.gaps else ""
    if warnings or gaps:
        heading = ", and look closely" if gaps and warnings else "Look closely" if warnings else ""
        found.append(CardNote("gap", heading, warnings, gaps))
    return found


def _mail(heading: str, text: str, is_doubted: bool) -> MailBlock:
    return MailBlock(heading, tuple(tuple(pieces(each, mark=is_doubted)) for each in paragraphs(text)))


def _earlier(told: Mapping[str, str], now: datetime, timezone: str) -> MailBlock:
    who = told["sender"] or told["address"]
    when = at(instant_of(told["received"], timezone), now)
    return MailBlock(who, tuple((TextPiece(each),) for each in paragraphs(told["text"])), when)


def _left_out(facts: CardView) -> str:
    missing = facts.earlier_count - len(facts.earlier)
    return f"{count(missing, 'earlier message')} more in the mailbox" if missing > 0 else ""


def _attachment(told: Mapping[str, Any]) -> str:
    kilobytes = max(1, round(int(told["size"]) / 1000))
    return f"{told['name'] or 'without a name'} ({told['type']}, {kilobytes} kB)"


def _of_field(gaps: Sequence[Mapping[str, Any]], name: str) -> list[Mapping[str, Any]]:
    return [gap for gap in gaps if gap["field"] == name]


def _fields(facts: CardView) -> list[Field]:
    return [
        Field(
            name,
            LABELS.get(name, name.replace("_", " ").capitalize()),
            value,
            name == "body" or "\n" in value,
        )
        for name, value in facts.args.items()
    ]


def _choices(facts: CardView) -> list[Choice]:
    if facts.kind == "label":
        chosen = facts.args.get("category", "")
        named = dict.fromkeys((*facts.options, *([chosen] if chosen else [])))
        return [
            Choice(each, each, "", each == chosen, {"category": each}, f"Label it {_short(each)}")
            for each in named
        ]
    if facts.args.get("answer") in ANSWERS:
        chosen = facts.args["answer"]
        return [
            Choice(each, main, "", each == chosen, {"answer": each}, main) for each, main in ANSWERS.items()
        ]
    proposed = (facts.meeting or {}).get("options") or ()
    if not proposed:
        return []
    mine = {"start": facts.args.get("start", ""), "end": facts.args.get("end", "")}
    found = [_time_choice(mine, facts.timezone, is_chosen=True)]
    found += [_time_choice(each, facts.timezone, is_chosen=False) for each in proposed if dict(each) != mine]
    return [each for each in found if each.label][:MAX_CHOICES]


def _time_choice(times: Mapping[str, str], timezone: str, *, is_chosen: bool) -> Choice:
    start, end = instant_of(times["start"], timezone), instant_of(times["end"], timezone)
    args = {"start": times["start"], "end": times["end"]}
    if start is None or end is None:
        return Choice("", "", "", is_chosen, args)
    told = "proposed" if is_chosen else "free, too"
    label = f"{clock_time(start)}–{clock_time(end)}"
    return Choice(label, label, f"{short_day(start.date())}, {told}", is_chosen, args)


def _meeting(facts: CardView) -> Meeting | None:
    """When, who and where; None of a card about no event, or about one that nobody knows the times of."""
    told, is_ours = facts.event, facts.kind == "schedule_meeting"
    if not is_ours and not told.get("start"):
        return None
    zone = facts.args.get("timezone") or facts.timezone
    start, end = instant_of(told.get("start", ""), zone), instant_of(told.get("end", ""), zone)
    is_whole_day = day_of(told.get("start", "")) is not None
    asked = (facts.meeting or {}).get("asked") or {}
    times = f"{clock_time(start)}–{clock_time(end)}" if start and end else ""
    return Meeting(
        heading="What will be made" if is_ours else "What it is about",
        told="" if is_ours else facts.summary,
        day=short_day(start.date()) + f" {start.year}" if start else told.get("start", ""),
        date=start.date().isoformat() if start else "",
        time="whole day" if is_whole_day else times,
        asked=_asked(asked, zone),
        attendees=told.get("attendees", ""),
        where=told.get("location", ""),
        title=told.get("title", ""),
        timezone=zone,
        is_whole_day=is_whole_day,
        is_ours=is_ours,
        times={name: told.get(name, "") for name in ("start", "end")},
        asked_times={name: str(asked[name]) for name in ("start", "end")} if asked.get("end") else {},
    )


def _asked(asked: Mapping[str, Any], zone: str) -> str:
    """When the mail asks for; "" where it names no hour, which is not to be made up."""
    named = str(asked.get("start", ""))
    start = instant_of(named, zone)
    if start is None or day_of(named):
        return ""
    taken = f", which is taken by “{asked['taken_by']}”" if asked.get("taken_by") else ""
    return f"{short_day(start.date())}, {clock_time(start)}{taken}"


def _why(facts: CardView, card: WaitingCard) -> list[str]:
    told = [*facts.reasons]
    if facts.verified:
        told.append(f"Sender verified: {facts.verified}")
    if facts.offline:
        told.append("Written by the built-in offline rules, not by a language model.")
    return [*told, f"Asked by {card.graph}."]


def _also(card: WaitingCard) -> Also:
    facts = card.facts
    does = ACCEPT if facts and facts.kind == "label" else "open"
    ask = card.title if does == ACCEPT else (facts.ask if facts else card.title)
    label = "Label it" if does == ACCEPT else "Open it"
    place = card_place(card.thread_id, card.interrupt_id)
    return Also(place, card.interrupt_id, card.digest, card.thread_id, card.graph, ask, label, does)


def _sure(facts: CardView) -> str:
    if facts.kind != "refund":
        return ""
    return f"Pay {_amount(facts)} to {facts.sender or facts.address}, for good?"


def _amount(facts: CardView) -> str:
    told = facts.refund or facts.args
    return " ".join(str(told.get(name) or "") for name in ("amount", "currency")).strip()


def _acts(facts: CardView, card: WaitingCard, meeting: Meeting | None) -> list[Act]:
    if facts.kind == "notify":
        return _notice_acts(in_doubt=bool(facts.doubts))
    if facts.kind == "Question":
        return [
            Act(RESPONSE, "r", "Answer the question", "p"),
            Act(IGNORE, "i", "Ignore"),
            Act("later", "s", "Later", "txt soft", is_far=True, is_wide_only=True),
        ]
    main = _main_label(facts, card, meeting)
    if facts.doubts and facts.kind in LETTERS:
        return [
            Act(IGNORE, "i", "Ignore it", "p"),
            Act("later", "s", "Keep for later"),
            Act(EDIT, "e", "Edit all"),
            Act(ACCEPT, "a", f"{main} all the same …", "red", is_far=True),
        ]
    return _plain_acts(facts.answers, main)


def _notice_acts(*, in_doubt: bool) -> list[Act]:
    later = "Keep for later" if in_doubt else "Later"
    answer = "Answer it all the same …" if in_doubt else "Have it answered …"
    return [
        Act(IGNORE, "i", "Ignore it" if in_doubt else "Put it aside", "p"),
        Act("later", "s", later),
        Act(RESPONSE, "r", answer, "red" if in_doubt else "", is_far=in_doubt),
    ]


def _plain_acts(answers: Sequence[str], main: str) -> list[Act]:
    acts = [
        Act(ACCEPT, "a", main, "p"),
        Act(EDIT, "e", "Edit"),
        Act(RESPONSE, "r", "Tell the assistant", is_wide_only=True),
        Act(IGNORE, "i", "Ignore"),
    ]
    later = Act("later", "s", "Later", "txt soft", is_far=True, is_wide_only=True)
    return [*(act for act in acts if act.does in answers), later]


def _main_label(facts: CardView, card: WaitingCard, meeting: Meeting | None) -> str:
    """The main button: a verb with its object."""
    if facts.kind in LETTERS:
        return "Send" if facts.gaps else f"Send to {_short(_recipients(facts))}"
    if meeting and meeting.is_ours:
        time = meeting.time.partition("–")[0]
        when = f" for {time}" if time and not meeting.is_whole_day else ""
        guests = [each for each in meeting.attendees.split(",") if each.strip()]
        if not guests:
            return f"Put it in the calendar{when}"
        return (
            f"Invite {_short(sender_name(facts)) if len(guests) == 1 else count(len(guests), 'guest')}{when}"
        )
    if facts.kind == "label":
        return f"Label it {_short(facts.args.get('category', ''))}"
    if facts.kind == "refund":
        return f"Pay {_amount(facts)}"
    # An invitation's button says what is answered.
    return ANSWERS.get(facts.args.get("answer", "")) or _short(card.title.partition(":")[0])


def _recipients(facts: CardView) -> str:
    people = [each for name in ("to", "cc") for each in facts.args.get(name, "").split(",") if each.strip()]
    if len(people) != 1:
        return count(len(people), "recipient")
    return people[0].partition("<")[0].strip() or people[0].strip()


def _short(text: str) -> str:
    return text if len(text) <= MAX_LABEL else text[: MAX_LABEL - 1].rstrip() + "…"
