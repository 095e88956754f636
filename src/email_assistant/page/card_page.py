"""One card, as the templates draw it: what is asked, what to look at, the mail, what will be done, and the keys that do it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from email_assistant.calendars.day_text import day_of, instant_of, short_day
from email_assistant.kit.notifying import HIDE
from email_assistant.models.offline.wanted import MONEY
from email_assistant.page.list_view import card_place
from email_assistant.page.texts import LetterPart, TextPiece, letter, paragraphs, pieces
from email_assistant.page.words import at, clock_time, count, waits
from email_assistant.review.action import ACCEPT, EDIT, IGNORE, RESPONSE, SEEN
from email_assistant.review.card_facts import CardFact, card_facts
from email_assistant.review.card_view import CardView
from email_assistant.review.catch import pressing
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
_EVENT = ("title", "attendees", "start", "end", "timezone", "location")
"""Fields of a card that are an event's."""
TO_HIDE = HIDE.partition("?")[2]
"""How a notice ends that asks whether such mail is to be hidden."""
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
    """accept, edit, response, ignore, seen or later."""
    key: str
    label: str
    look: str = ""
    """"p" for the main one, "red" for a far one, "txt" for a quiet one."""
    is_far: bool = False


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
    done: str
    """What is said of it when it is approved, in a word."""
    graph: str
    kicker: tuple[str, ...]
    place: str
    title: str
    sub: str
    mail: MailBlock
    fields: tuple[Field, ...]
    """What can be edited, or else is only done."""
    is_editable: bool
    why: tuple[str, ...]
    acts: tuple[Act, ...]
    kind: str = ""
    tail: str = ""
    """What the title goes on to say, more quietly."""
    lead: str = ""
    """What accepting comes to."""
    notes: tuple[CardNote, ...] = ()
    quoted: tuple[CardFact, ...] = ()
    attachments: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """The names of the attachments."""
    is_doubted: bool = False
    said: tuple[CardFact, ...] = ()
    """What led to this card."""
    body: tuple[LetterPart, ...] = ()
    shown: tuple[Field, ...] = ()
    """The fields that nothing else shows."""
    choices: tuple[Choice, ...] = ()
    meeting: "Meeting | None" = None
    refund: Mapping[str, Any] | None = None
    question: str = ""
    told: tuple[CardFact, ...] = ()
    """All else that the card tells."""
    also: tuple[Also, ...] = ()
    sure: str = ""
    """What is asked before it is done; "" when one key does it."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """When, who and where."""

    heading: str
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
    is_new: bool
    """Whether its time would be taken by it; else the calendar has it, or gives it up."""
    times: Mapping[str, str]
    """{"start", "end"}."""
    asked_times: Mapping[str, str]
    """{"start", "end"} of what the mail asks for; {} when it is what is proposed, or nothing."""


class _Untold:
    """What no part of the page has drawn yet; what stays is drawn as it stands, so nothing is left out."""

    def __init__(self, facts: CardView) -> None:
        self.facts, self.args = card_facts(facts), dict(facts.args)

    def take(self, *names: str) -> tuple[CardFact, ...]:
        """The facts of these names, which are drawn now."""
        taken = tuple(each for each in self.facts if each.name in names)
        self.facts = tuple(each for each in self.facts if each.name not in names)
        return taken

    def lines(self, *names: str) -> tuple[str, ...]:
        """The same, line by line."""
        return tuple(line for each in self.take(*names) for line in each.lines)


def card_page(row: Row, card: WaitingCard, now: datetime, timezone: str, place: str = "") -> CardPage:
    """The page of `card`, one of the row's; `now` is in the user's zone."""
    named: dict[str, Any] = {
        "at": card_place(card.thread_id, card.interrupt_id), "thread": card.thread_id, "interrupt": card.interrupt_id,
        "digest": card.digest, "graph": card.graph, "place": place,
    }  # fmt: skip
    made = _without_facts(card) if card.facts is None else _page(row, card, card.facts, now, timezone)
    return CardPage(**named, **made)


def _page(row: Row, card: WaitingCard, facts: CardView, now: datetime, timezone: str) -> dict[str, Any]:
    left, is_doubted = _Untold(facts), bool(facts.doubts)
    received = instant_of(facts.received, timezone)
    name = "Look first" if is_doubted else NAMES.get(facts.kind) or card.title.partition(":")[0]
    # How many gaps there are stands beside them, where it changes as they are filled.
    kicker = (name, at(received, now), waits(received, now), *pressing(replace(facts, gaps=())))
    title, tail = _title(facts)
    left.take("ask", "sender")
    meeting = _meeting(facts, left)
    choices = tuple(_choices(facts, left))
    return {
        "kind": facts.kind,
        "done": done_word(facts.kind),
        "kicker": tuple(each for each in kicker if each),
        "title": title,
        "tail": tail,
        "lead": " ".join(filter(None, (facts.ask if is_doubted else "", facts.summary))),
        "sub": " · ".join(filter(None, (facts.address, *left.lines("subject")))),
        "notes": tuple(_notes(card, facts, left)),
        "mail": _mail(
            f"What {sender_name(facts)} wrote", left.lines("received"), left.lines("message"), is_doubted
        ),
        "quoted": left.take("quoted"),
        "attachments": left.lines("attachments"),
        "files": tuple(str(each["name"]) for each in facts.attachments),
        "is_doubted": is_doubted,
        "said": left.take("said", "before"),
        "fields": tuple(_fields(facts.args)),
        "is_editable": EDIT in facts.answers,
        "body": tuple(letter(facts.args.get("body", ""), _of_body(facts.gaps))),
        "choices": choices,
        "meeting": meeting,
        "refund": None if meeting else _refund(facts, left),
        "question": left.args.pop("question", "") if facts.kind == "Question" else "",
        "shown": () if facts.args.get("body") else tuple(_fields(left.args)),
        "why": tuple(_why(card, left)),
        "told": left.facts,
        "also": tuple(_also(other) for other in row.cards if other is not card),
        "acts": tuple(_acts(facts, card, meeting)),
        "sure": _sure(facts),
    }


def _without_facts(card: WaitingCard) -> dict[str, Any]:
    """A card that waits since before facts were kept: its description as it stands."""
    allowed = [kind for kind in (ACCEPT, EDIT, RESPONSE, IGNORE) if card.config.get(f"allow_{_CONFIG[kind]}")]
    body = card.args.get("body", "")
    return {
        "done": done_word(""),
        "kicker": (card.title.partition(":")[0],),
        "title": card.title,
        "sub": card.graph,
        "notes": (CardNote("gap", card.told),) if card.told else (),
        "mail": _mail("What the card says", (), (card.description,), False),
        "fields": tuple(_fields(card.args)),
        "is_editable": EDIT in allowed,
        "body": tuple(letter(body)),
        "shown": () if body else tuple(_fields(card.args)),
        "why": ("This card waits since before an update.",),
        "acts": tuple(_plain_acts(allowed, "Do it as shown")),
    }


_CONFIG = {ACCEPT: "accept", EDIT: "edit", RESPONSE: "respond", IGNORE: "ignore"}


def _title(facts: CardView) -> tuple[str, str]:
    """What the card asks, and what is offered about it; of mail whose sender is in doubt what comes first."""
    if facts.doubts:
        first = "Do not pay yet: this" if MONEY in facts.alarms else "This"
        return f"{first} may not be {facts.sender or facts.address}", ""
    if facts.ask.endswith(TO_HIDE):
        return facts.ask.removesuffix(TO_HIDE), TO_HIDE
    head, _, tail = facts.ask.rpartition("; ")
    title = (
        head if head and "”" not in tail else facts.ask.removesuffix(".")
    )  # Else the semicolon is the mail's.
    return title, facts.ask.removeprefix(title)


def sender_name(facts: CardView) -> str:
    """What to call the sender in a heading: the name as it is written, because whose it is is not known."""
    return facts.sender or facts.address or "they"


def _notes(card: WaitingCard, facts: CardView, left: _Untold) -> Iterator[CardNote]:
    if card.told:
        yield CardNote("gap", card.told)
    if problem := left.lines("problem"):
        yield CardNote("gap", "Asked again", problem)
    if facts.doubts:
        heading = f"{count(len(facts.doubts), 'sign')} that the sender is not who it says"
        yield CardNote("warn", heading, left.lines("doubts"))
    gaps = f"{count(len(facts.gaps), 'gap')} to fill" if facts.gaps else ""
    if len(_of_body(facts.gaps)) == len(facts.gaps):
        left.take("gaps")  # Each is a field of the letter, under its question.
    warnings = left.lines("warnings", "gaps")
    if warnings or gaps:
        heading = ", and look closely" if gaps and warnings else "Look closely" if warnings else ""
        yield CardNote("gap", heading, warnings, gaps)


def _mail(heading: str, when: Sequence[str], text: Sequence[str], is_doubted: bool) -> MailBlock:
    found = paragraphs("\n\n".join(text))
    return MailBlock(heading, tuple(tuple(pieces(each, mark=is_doubted)) for each in found), "".join(when))


def _of_body(gaps: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [gap for gap in gaps if gap["field"] == "body"]


def _fields(args: Mapping[str, str]) -> Iterator[Field]:
    for name, value in args.items():
        label = LABELS.get(name, name.replace("_", " ").capitalize())
        yield Field(name, label, value, name == "body" or "\n" in value)


def _refund(facts: CardView, left: _Untold) -> Mapping[str, Any] | None:
    if refund := facts.refund:
        left.take("refund")
        said = (refund["amount"], refund["currency"], *str(refund["policy"]).split(", "))
        left.args = {name: text for name, text in left.args.items() if text not in said}
    return facts.refund


def _choices(facts: CardView, left: _Untold) -> list[Choice]:
    if facts.kind == "label":
        left.take("options")
        chosen = left.args.pop("category", "")
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
    if found[0].label and len(found) <= MAX_CHOICES:
        left.take("free")
    return [each for each in found if each.label][:MAX_CHOICES]


def _time_choice(times: Mapping[str, str], timezone: str, *, is_chosen: bool) -> Choice:
    start, end = instant_of(times["start"], timezone), instant_of(times["end"], timezone)
    args = {"start": times["start"], "end": times["end"]}
    if start is None or end is None:
        return Choice("", "", "", is_chosen, args)
    told = "proposed" if is_chosen else "free, too"
    label = f"{clock_time(start)}–{clock_time(end)}"
    return Choice(label, label, f"{short_day(start.date())}, {told}", is_chosen, args)


def _meeting(facts: CardView, left: _Untold) -> Meeting | None:
    """When, who and where; None of a card about no event, or about one that nobody knows the times of."""
    told, is_ours = facts.event, facts.kind == "schedule_meeting"
    if not is_ours and not told.get("start"):
        return None
    zone = told.get("timezone") or facts.timezone
    start, end = instant_of(told.get("start", ""), zone), instant_of(told.get("end", ""), zone)
    first, last = (day_of(told.get(name, "")) for name in ("start", "end"))
    asked = (facts.meeting or {}).get("asked") or {}
    times = f"{clock_time(start)}–{clock_time(end)}" if start and end else ""
    until = "" if not (start and end) or start.date() == end.date() else f" to {short_day(end.date())}"
    for name in _EVENT:
        left.args.pop(name, "")
    left.take("meeting")
    return Meeting(
        heading="What will be made" if is_ours else "What it is about",
        day=f"{short_day(start.date())} {start.year}{until}" if start else told.get("start", ""),
        date=start.date().isoformat() if start else "",
        time="whole day" if first and last else times,
        asked="".join(left.lines("asked")),
        attendees=told.get("attendees", ""),
        where=told.get("location", ""),
        title=told.get("title", ""),
        timezone=zone,
        is_whole_day=first is not None,
        is_ours=is_ours,
        is_new=is_ours or "collisions" in (facts.meeting or {}),
        times={name: told.get(name, "") for name in ("start", "end")},
        asked_times={name: str(asked[name]) for name in ("start", "end")} if asked.get("end") else {},
    )


def _why(card: WaitingCard, left: _Untold) -> list[str]:
    verified = (f"Sender verified: {each}" for each in left.lines("verified"))
    told = left.lines("reasons", "confidence", "importance", "offline")
    return [*told, *verified, f"Asked by {card.graph}: {card.title}"]


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
        return _notice_acts(facts)
    if facts.kind == "Question":
        return [Act(RESPONSE, "r", "Answer the question", "p"), Act(IGNORE, "i", "Ignore"), *_QUIET]
    main = _main_label(facts, card, meeting)
    if facts.doubts and facts.kind in LETTERS:
        return [
            Act(IGNORE, "i", "Ignore it", "p"),
            Act("later", "s", "Keep for later"),
            Act(EDIT, "e", "Edit all"),
            Act(SEEN, "d", "Seen", "txt soft"),
            Act(ACCEPT, "a", f"{main} all the same …", "red", is_far=True),
        ]
    return _plain_acts(facts.answers, main)


_QUIET = (Act(SEEN, "d", "Seen", "txt soft", is_far=True), Act("later", "s", "Later", "txt soft"))
"""What ends or puts off any card, and teaches nothing."""


def _notice_acts(facts: CardView) -> list[Act]:
    in_doubt = bool(facts.doubts)
    later = "Keep for later" if in_doubt else "Later"
    answer = "Answer it all the same …" if in_doubt else "Have it answered …"
    return [
        Act(SEEN, "d", "Seen", "p"),
        Act(IGNORE, "i", "Hide from now on" if facts.ask.endswith(TO_HIDE) else "Not wanted"),
        Act("later", "s", later),
        Act(RESPONSE, "r", answer, "red" if in_doubt else "", is_far=in_doubt),
    ]


def _plain_acts(answers: Sequence[str], main: str) -> list[Act]:
    acts = [
        Act(ACCEPT, "a", main, "p"),
        Act(EDIT, "e", "Edit"),
        Act(RESPONSE, "r", "Tell the assistant"),
        Act(IGNORE, "i", "Ignore"),
    ]
    return [*(act for act in acts if act.does in answers), *_QUIET[IGNORE not in answers :]]


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
