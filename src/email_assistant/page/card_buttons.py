"""Buttons of a card with their keys, and the choices that a number takes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from email_assistant.clock import instant_of, short_day
from email_assistant.mail.address import Address, parse_addresses
from email_assistant.models.offline.courtesy import first_name
from email_assistant.page.meeting import Meeting
from email_assistant.page.texts import clock_time, count
from email_assistant.review.action import ACCEPT, EDIT, IGNORE, RESPONSE, SEEN
from email_assistant.review.card_view import CardView
from email_assistant.review.kinds import CardKind

MAX_CHOICES = 3
"""Times to choose from, the proposed one first: a line of them."""
MAX_LABEL = 30
_PLACE = re.compile(r"\{(\w+)\}")


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
class Choice:
    """One of the things a field may be set to."""

    value: str
    label: str
    note: str
    is_chosen: bool
    args: Mapping[str, str]
    main: str = ""
    """What the main button says when it is chosen; "" when that does not depend on it."""


_QUIET = (Act(SEEN, "d", "Seen", "txt soft", is_far=True), Act("later", "s", "Later", "txt soft"))
"""What ends or puts off any card, and teaches nothing."""


def acts(view: CardView, kind: CardKind, title: str, meeting: Meeting | None) -> list[Act]:
    """The buttons of a card of that title, the main one first."""
    if kind.draws == "notice":
        return _notice_acts(view)
    if kind.draws == "question":
        return [Act(RESPONSE, "r", "Answer", "p"), Act(IGNORE, "i", "Not wanted"), *_QUIET]
    main = _main_label(view, kind, title, meeting)
    if view.doubts and kind.draws == "letter":
        return [
            Act(IGNORE, "i", "Not wanted", "p"),
            Act("later", "s", "Later"),
            Act(EDIT, "e", "Edit"),
            Act(SEEN, "d", "Seen", "txt soft"),
            Act(ACCEPT, "a", f"{main} all the same …", "red", is_far=True),
        ]
    some = [
        Act(ACCEPT, "a", main, "p"),
        Act(EDIT, "e", "Edit"),
        Act(RESPONSE, "r", "Tell the assistant"),
        Act(IGNORE, "i", "Not wanted"),
    ]
    offered = [each for each in view.answers if each != EDIT or kind.editable != ()]
    return [*(act for act in some if act.does in offered), *_QUIET[IGNORE not in view.answers :]]


def _notice_acts(view: CardView) -> list[Act]:
    in_doubt = bool(view.doubts or view.alarms)
    return [
        Act(SEEN, "d", "Seen", "p"),
        Act(IGNORE, "i", "Not wanted: hide such mail" if view.offers_silence else "Not wanted"),
        Act("later", "s", "Later"),
        Act(RESPONSE, "r", "Tell the assistant", "red" if in_doubt else "", is_far=in_doubt),
    ]


def confirmation(view: CardView, kind: CardKind) -> str:
    """What is asked before the card is approved; "" when one key does it."""
    if kind.confirm == "once":
        return ""
    return _filled(kind.confirmation, _words(view))


def _main_label(view: CardView, kind: CardKind, title: str, meeting: Meeting | None) -> str:
    """A verb with its object."""
    if kind.draws == "letter" and view.gaps:
        return kind.button.partition(" ")[0]
    if meeting and meeting.is_made:
        return _invite(view, meeting)
    chosen = dict(kind.choices).get(view.args.get(kind.choice, ""), kind.button)
    words = {name: _short(text) for name, text in _words(view).items()}
    return _filled(chosen, words) or _short(title.partition(":")[0])


def _invite(view: CardView, meeting: Meeting) -> str:
    time = meeting.time.partition("–")[0]
    when = f" for {time}" if time and not meeting.is_whole_day else ""
    guests = parse_addresses(view.event.get("attendees", ""))
    if not guests:
        return f"Put it in the calendar{when}"
    who = _guest(guests[0], view) if len(guests) == 1 else count(len(guests), "guest")
    return f"Invite {who}{when}"


def _guest(guest: Address, view: CardView) -> str:
    """The one who is invited: the sender by the name to greet them by, anybody else as the card has them."""
    if guest.key == view.address.lower():
        return _short(first_name(Address(view.address, view.sender_name)) or view.sender_name)
    return _short(guest.name or guest.email)


def _recipients(view: CardView) -> str:
    people = [
        each for name in ("to", "cc", "bcc") for each in view.args.get(name, "").split(",") if each.strip()
    ]
    if len(people) != 1:
        return count(len(people), "recipient")
    return people[0].partition("<")[0].strip() or people[0].strip()


def choices(view: CardView, kind: CardKind) -> Sequence[Choice]:
    """Those of the kind, else those of the card, else the times that were found free."""
    chosen = view.args.get(kind.choice, "")
    if chosen in dict(kind.choices):
        return [
            Choice(each, button, "", each == chosen, {kind.choice: each}, button)
            for each, button in kind.choices
        ]
    if kind.choice and not kind.choices:
        named = dict.fromkeys((*view.options, *([chosen] if chosen else [])))
        return [
            Choice(each, each, "", each == chosen, args, _filled(kind.button, {kind.choice: _short(each)}))
            for each in named
            for args in [{kind.choice: each}]
        ]
    return [each for each in _times(view) if each.label][:MAX_CHOICES]


def shows_all_times(found: Sequence[Choice], view: CardView) -> bool:
    """Whether all the times that were found free are among what can be chosen."""
    return bool(found) and list(found) == list(_times(view))


def _times(view: CardView) -> Sequence[Choice]:
    proposed = (view.meeting or {}).get("options") or ()
    mine = {"start": view.args.get("start", ""), "end": view.args.get("end", "")}
    others = [
        _time(each, view.timezone, "asked for, too" if each.get("is_named") else "free, too")
        for each in proposed
        if mine != {key: each[key] for key in mine}
    ]
    return [_time(mine, view.timezone, "proposed", is_chosen=True), *others] if proposed else []


def _time(times: Mapping[str, str], timezone: str, text: str, *, is_chosen: bool = False) -> Choice:
    start, end = instant_of(times["start"], timezone), instant_of(times["end"], timezone)
    args = {"start": times["start"], "end": times["end"]}
    if start is None or end is None:
        return Choice("", "", "", is_chosen, args)
    label = f"{clock_time(start)}–{clock_time(end)}"
    return Choice(label, label, f"{short_day(start.date())}, {text}", is_chosen, args)


def _words(view: CardView) -> Mapping[str, str]:
    """What the words of a kind may name."""
    paid = {name: text for name, text in (view.refund or {}).items() if isinstance(text, str)}
    return {**view.args, **paid, "recipients": _recipients(view), "from": view.sender or view.address}


def _filled(template: str, words: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda place: words.get(place[1], ""), template).strip()


def _short(text: str) -> str:
    return text if len(text) <= MAX_LABEL else text[: MAX_LABEL - 1].rstrip() + "…"
