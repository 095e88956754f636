"""What a card tells, fact by fact and in words, and in a few words what of it to look at first ("2 gaps").

Agent Inbox's Markdown, the terminal and the page draw this list, and none leaves one out.

A surface may draw a fact in a way of its own (a strip for a meeting, fields for gaps); what it has no way for it draws as it stands
here. `WaitingCard.digest` is over this list, so an answer counts for what was drawn, and for nothing else.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from difflib import unified_diff
from typing import Any, Literal, Self
from zoneinfo import ZoneInfo

from email_assistant.clock import instant_of, short_day, span_in_words
from email_assistant.models.offline.wanted import MONEY, ORDERS
from email_assistant.review.card_view import CardView, gap_line

NOTHING_LEARNED = "Nothing is learned from your answer, because the sender is in doubt."
NO_TEXT = "(the message has no text)"
_LONG, _MANY_LINES = 800, 12
"""Quoted text beyond either is folded away."""
_CLOSELY, _WHY = "Look closely", "Why"

ALARMS = {
    ORDERS: "Nothing of it was done, and no letter repeats it. Answer only when you know who wrote it.",
    MONEY: "Check it in your own app, or by a number that you had before: no link, address or number of this mail.",
}
"""What to do about an alarm."""

Shape = Literal["line", "entry", "list", "quote"]


@dataclass(frozen=True, slots=True)
class CardFact:
    """One thing that a card tells."""

    name: str
    """The field of `CardView` that it is from."""
    heading: str
    """Facts that follow one another under the same heading belong together."""
    lines: tuple[str, ...]
    shape: Shape
    """"line" before all else, its heading in the line; "entry" each line with its heading; "list"; "quote" a text of several lines each."""
    is_far: bool = False
    """Whether it may be folded away."""


def card_facts(view: CardView) -> tuple[CardFact, ...]:
    """All that the card tells besides its title, its fields and what it may be answered with, in the order of a reader."""
    return tuple(fact for fact in _described(view) if fact.lines)


def _described(view: CardView) -> Iterator[CardFact]:
    # What the title or another fact says is not said again, unless it is doubtful who says it.
    is_shown = view.gist and view.ask.endswith(view.gist) and view.gist in view.title
    ask = "" if is_shown and not view.doubts else view.ask
    if _is_summed_up(view) and _is_as_asked(view):
        ask = ""
    # By a deadline alone what is summed up would seem to be due then.
    pressed = replace(view, deadline="") if view.summary and not ask else view
    presses = ", ".join(pressing(replace(pressed, meeting=None) if _is_shown_taken(view) else pressed))
    presses = f"{presses[:1].upper()}{presses[1:]}"
    yield _fact("problem", "", "line", [view.problem])
    yield _fact("done", "Done so far", "line", [f"{each}." for each in view.done])
    if ask or view.summary:
        ask += "." * (bool(view.summary) and ask[-1:].isalnum())
        yield _fact("ask", presses, "line", [ask, view.summary])
    else:
        # Agent Inbox lists a card by its title and this line: a sentence, never a mark of Markdown.
        wrote = f"{'You' if view.is_own else view.sender or view.address or 'Somebody'} wrote, {_time_text(view.received, view.timezone)}."
        yield _fact("ask", "", "line", [f"{presses}." if presses else wrote])
    yield from _about_the_mail(view)
    yield from _event(view)
    yield from _refund(view.refund or {})
    yield _fact("said", "You said", "quote", [view.said])
    if view.said:
        yield _fact(
            "before", "What changed since", "quote", ["\n".join(_changes(view.before or {}, view.args))]
        )
    gaps = tuple(dict.fromkeys(map(gap_line, view.gaps)))
    yield _fact("doubts", _CLOSELY, "list", [*view.doubts, *([NOTHING_LEARNED] if view.doubts else [])])
    yield _fact("alarms", _CLOSELY, "list", (ALARMS[each] for each in view.alarms if each in ALARMS))
    yield _fact("warnings", _CLOSELY, "list", (each for each in view.warnings if each not in gaps))
    yield _fact("gaps", _CLOSELY, "list", gaps)
    offers = (each for gap in view.gaps for each in gap.get("offers", ()) if "\n" not in each["text"])
    lines = (f"{each['text']} · {each['why']}" for each in offers)
    yield _fact("offers", "What may fill a gap", "list", dict.fromkeys(lines))
    yield _fact("effects", "What else happens", "list", view.effects)
    yield _fact("message", "The message", "quote", [view.message or NO_TEXT])
    yield _fact("quoted", "Forwarded or quoted in it", "quote", [view.quoted], is_far=_is_long(view.quoted))
    yield _fact("reasons", _WHY, "list", view.reasons)
    certain = f"{100 * (view.confidence or 0):.0f} % certain."
    yield _fact("confidence", _WHY, "list", [certain] if view.confidence is not None else [])
    yield _fact("importance", _WHY, "list", [f"Importance: {view.importance}."] if view.importance else [])
    yield _fact("offline", _WHY, "list", [view.offline])
    earlier = f"Earlier in this thread ({view.earlier_count})"
    yield _fact("earlier", earlier, "quote", (_message(each, view) for each in view.earlier), is_far=True)
    for each in view.sections:
        yield _fact("sections", each["heading"], "quote", [each["text"]])


def _about_the_mail(view: CardView) -> Iterator[CardFact]:
    yield _fact("sender", "To" if view.is_own else "From", "entry", [who(view.sender, view.address)])
    yield _fact("verified", "Verified", "entry", [view.verified])
    yield _fact("subject", "Subject", "entry", [view.subject or "(no subject)"])
    yield _fact(
        "received", "Sent" if view.is_own else "Received", "entry", [_time_text(view.received, view.timezone)]
    )
    yield _fact("facts", "", "entry", view.facts)
    yield _fact("options", "Categories", "entry", ["; ".join(view.options)])
    yield _fact("attachments", "Attachment", "entry", map(_attachment, view.attachments))


def _event(view: CardView) -> Iterator[CardFact]:
    """When the event is; what and where, unless fields say it; what the mail asks for, and what else is free."""
    meeting = view.meeting or {}
    event = view.event
    yield _fact("meeting", "When", "entry", [_when(view)] if not _is_summed_up(view) else [])
    if "start" not in view.args:
        yield _fact("meeting", "Event", "entry", [event.get("title", "")])
        yield _fact("meeting", "Who", "entry", [event.get("attendees", "")])
        yield _fact("meeting", "Where", "entry", [event.get("location", "")])
    asked = meeting.get("asked") or {}
    # A day alone is a day whose hour the mail leaves open.
    wanted = span_in_words(asked.get("start", ""), asked.get("end", ""), view.timezone).removesuffix(
        ", all day"
    )
    taken = f", which is taken by “{asked['taken_by']}”" if asked.get("taken_by") else ""
    is_shown = _is_as_asked(view) or _is_shown_taken(view)
    yield _fact("asked", "Asked for", "entry", [wanted and wanted + taken] if not is_shown else [])
    free = (span_in_words(each["start"], each["end"], view.timezone) for each in meeting.get("options") or ())
    yield _fact("free", "Also free", "entry", ["; ".join(free)])
    rival = f"{meeting.get('rival')} asks for part of this time, on another card"
    yield _fact("rival", "At the same time", "entry", [rival] if meeting.get("rival") else [])
    at = instant_of(str(meeting.get("looked_at") or ""), view.timezone)
    as_of = at and f"as of {short_day(at.date())} {at:%H:%M}"
    yield _fact("looked", "Your calendar", "entry", [as_of] if as_of and "collisions" in meeting else [])


def _when(view: CardView) -> str:
    """The event's time by its clock, and by the user's where that shows another; "" where it cannot be read."""
    event, zones = view.event, dict.fromkeys((view.event.get("timezone") or view.timezone, view.timezone))
    values = {zone: span_in_words(event.get("start", ""), event.get("end", ""), zone) for zone in zones}
    differ = {text: zone for zone, text in reversed(values.items()) if text}
    return "; ".join(f"{text} ({zone})" for text, zone in reversed(differ.items()))


def _is_summed_up(view: CardView) -> bool:
    """Whether the first sentence says when the meeting is that the card makes, as its fields have it."""
    when = _when(view)
    return "start" in view.args and bool(when) and when in view.summary.replace(",", "")


def says_when_alone(view: CardView) -> bool:
    """Whether the first sentence says that and nothing else, so that whoever draws the time need not repeat it."""
    return _is_summed_up(view) and view.summary.replace(",", "").strip(" .") == _when(view)


def _is_as_asked(view: CardView) -> bool:
    """Whether the event is when the mail asks for it, or on the day that it names without an hour."""
    asked = (view.meeting or {}).get("asked") or {}
    wanted = span_in_words(asked.get("start", ""), asked.get("end", ""), view.timezone)
    return (
        bool(wanted)
        and not asked.get("taken_by")
        and _when(view).startswith(wanted.removesuffix(", all day"))
    )


def _is_shown_taken(view: CardView) -> bool:
    """Whether the first sentence says what is in the way of the time that the mail asks for."""
    taken = ((view.meeting or {}).get("asked") or {}).get("taken_by")
    return bool(taken) and f"“{taken}”" in view.ask


def _refund(refund: Mapping[str, Any]) -> Iterator[CardFact]:
    if not refund:
        return
    yield _fact("refund", "", "entry", [f"What will be paid: {refund['amount']} {refund['currency']}"])
    yield _fact("refund", "", "entry", [f"Customer: {refund['customer']}", f"Contract: {refund['policy']}"])
    yield _fact("refund", "", "entry", [f"Earlier refunds: {'; '.join(refund['earlier']) or 'none'}"])
    for each in refund["working"]:
        source = f" ({each['source']})" if each["source"] else ""
        yield _fact("refund", "", "entry", [f"{each['label']}: {each['value']}{source}"])
    yield _fact("refund", "Checked by rules, not by a model", "list", refund["checks"])


def _fact(name: str, heading: str, shape: Shape, lines: Iterable[str], *, is_far: bool = False) -> CardFact:
    return CardFact(name, heading, tuple(filter(None, lines)), shape, is_far)


def _is_long(text: str) -> bool:
    return len(text) > _LONG or text.count("\n") > _MANY_LINES


def _changes(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """The lines that went, with "-" before them, and those that came, with "+"."""
    for name in now if before else ():
        old, new = (each.get(name, "").splitlines() for each in (before, now))
        # Without the two lines of file names, and without those that say where.
        lines = [
            each for each in [*unified_diff(old, new, n=0, lineterm="")][2:] if not each.startswith("@@")
        ]
        yield from [f"{name}:", *lines] if lines else []


def _message(values: Mapping[str, str], view: CardView) -> str:
    when = _time_text(values["received"], view.timezone)
    return f"{who(values['sender'], values['address'])}, {when}\n\n{values['text'] or NO_TEXT}"


def _attachment(values: Mapping[str, Any]) -> str:
    about = (values["type"], f"{max(1, values['size'] // 1024)} KB", values.get("read", ""))
    return f"{values['name'] or 'without a name'} ({', '.join(filter(None, about))})"


def who(name: str, address: str) -> str:
    """A person as name and address."""
    return f"{name} ({address})" if name else address


def local_time(instant: datetime | None, timezone: str) -> str:
    """An instant in the user's zone, or "unknown"."""
    return instant.astimezone(ZoneInfo(timezone)).strftime("%a %d %b %Y, %H:%M %Z") if instant else "unknown"


def _time_text(received: str, timezone: str) -> str:
    return local_time(datetime.fromisoformat(received) if received else None, timezone)


Tone = Literal["", "gap", "warn"]
FREE = "free"


class Catch(str):
    """A few words, and how loud they are: "warn" for danger, "gap" for what presses, "" for the rest."""

    __slots__ = ("is_counted", "tone")
    tone: Tone
    is_counted: bool
    """Whether it counts the gaps that are left, which becomes less while a person fills them."""

    def __new__(cls, words: str, tone: Tone = "", *, is_counted: bool = False) -> Self:
        made = super().__new__(cls, words)
        made.tone, made.is_counted = tone, is_counted
        return made


_ALARMS = {ORDERS: Catch("gives orders", "warn"), MONEY: Catch("money", "warn")}


def catch_of(view: CardView, today: date) -> tuple[Catch, ...]:
    """What to look at, the most pressing first."""
    asked_again = (Catch("asked again", "gap"),) if view.problem else ()
    return (*asked_again, *pressing(view, today), *_beside(view))


def pressing(view: CardView, today: date | None = None) -> tuple[Catch, ...]:
    """What may be a reason not to accept, the most pressing first; without `today` in words that stay true."""
    return tuple(_pressing(view, today))


def _pressing(view: CardView, today: date | None) -> Iterator[Catch]:
    if view.doubts:
        yield Catch("not who it says", "warn")
    yield from (_ALARMS[each] for each in view.alarms if each in _ALARMS)
    if view.refund:
        yield Catch("money")
    if view.deadline:
        yield _due(date.fromisoformat(view.deadline), today)
    if found := _in_the_way(view, today):
        yield found
    if gaps := len(view.gaps):
        yield Catch(f"{gaps} gap{'s' if gaps > 1 else ''}", is_counted=True)


def _beside(view: CardView) -> Iterator[Catch]:
    if "collisions" in (view.meeting or {}) and not _in_the_way(view, None):
        rival = (view.meeting or {}).get("rival")
        yield Catch(f"{rival} asks for it, too", "gap") if rival else Catch(FREE)
    if files := len(view.attachments):
        is_picture = all(str(each["type"]).startswith("image/") for each in view.attachments)
        yield Catch(f"{'picture' if is_picture else 'file'}{'s' if files > 1 else ''} attached")


def _due(day: date, today: date | None) -> Catch:
    if today is None or day > today + timedelta(days=1):
        return Catch(f"by {short_day(day)}")
    if day < today:
        return Catch(f"was due {short_day(day)}", "gap")
    return Catch("due today", "gap") if day == today else Catch("due tomorrow")


def _in_the_way(view: CardView, today: date | None) -> Catch | None:
    """Why a meeting cannot be as the mail would have it; None where the calendar has room for it."""
    meeting = view.meeting or {}
    ends = instant_of(str(meeting.get("end", "")), view.timezone)
    if today and ends and ends.date() < today:
        return Catch("is over")
    asked = meeting.get("asked") or {}
    if asked.get("taken_by"):
        return Catch(f"{instant_of(asked['start'], view.timezone):%H:%M} is taken", "gap")
    return Catch("collides") if meeting.get("collisions") else None
