"""Answering an invitation, and taking an event into the calendar or out of it: done once, after a person has approved it."""

import asyncio
import hashlib
import re
from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.event import Event, Partstat
from email_assistant.calendars.event_json import event_of_json
from email_assistant.calendars.incoming import in_clock
from email_assistant.calendars.itip_text import answer_text
from email_assistant.effects.outbox import Happened, NotHappened, Outbox, OutboxRow, Reconciled
from email_assistant.errors import InputError
from email_assistant.mail.address import Address
from email_assistant.mail.message import OutgoingMessage
from email_assistant.review.action import ACCEPT, IGNORE, Action, Problem
from email_assistant.review.kinds import EVERY_ANSWER, CardKind, QueueSection, declare
from email_assistant.tools.approved import ApprovedEffect, subject_of
from email_assistant.tools.concerns import Concern, asked_about
from email_assistant.tools.crossing import Crossing
from email_assistant.tools.earlier import LIVE, Told, forgotten
from email_assistant.tools.held_times import besides_held
from email_assistant.tools.in_the_way import collision_key, found_out, in_the_way
from email_assistant.tools.sending import Sending
from email_assistant.tools.tool import AskAgain, Done, Turn

INVITATION = declare(
    CardKind(
        "invitation",
        EVERY_ANSWER,
        "Invitation: ",
        "{who} invites you.",
        noun="Invitation",
        section=QueueSection.MEETINGS,
        confirm="once",
        held=True,
        choice="answer",
        choices=(("accepted", "Accept it"), ("tentative", "Answer “maybe”"), ("declined", "Decline it")),
        gist="invitation",
        outcome="answered",
        done="answered",
    )
)
CHANGE = declare(
    CardKind(
        "calendar_change", (IGNORE, ACCEPT), "Change in calendar: ", "{who} writes about an event.", noun="Calendar",
        section=QueueSection.MEETINGS, confirm="once", held=True, gist="{card}", outcome="calendar changed",
    )
)  # fmt: skip
NOTICE = declare(
    CardKind(
        "calendar_notice", (IGNORE,), "Notify: ", "{who} writes about an event.", noun="Notice",
        section=QueueSection.REPLIES, confirm="once", held=True, goes_when=("seen",),
    )
)  # fmt: skip
ANSWER_KIND, CHANGE_KIND = "invitation_answer", "calendar_change"
MAX_COMMENT = 1_000
_ANSWERED = Told(
    "This invitation was answered",
    "An answer to this invitation was begun, and nobody knows yet whether it went out,",
    "answer it once more",
    lambda row: str(row.payload["args"]["answer"]),
)
_CHANGED = Told(
    "This was taken over into the calendar",
    "This was begun to be taken over into the calendar",
    "do it once more",
    lambda row: "",
)
_IN_WORDS = {"accepted": "accepts", "tentative": "may come to", "declined": "declines"}
_SUBJECTS = {"accepted": "Accepted", "tentative": "Tentative", "declined": "Declined"}
# What people type for an answer; the first that is found counts, a refusal before all.
_WORDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "declined",
        re.compile(r"\b(?:declin\w*|refus\w*|no|not|can't|cannot|won't|reject\w*)\b", re.IGNORECASE),
    ),
    ("tentative", re.compile(r"\b(?:tentative\w*|maybe|perhaps|might|provisional\w*)\b", re.IGNORECASE)),
    ("accepted", re.compile(r"\b(?:accept\w*|yes|join|attend|confirm\w*|ok|okay|agree\w*)\b", re.IGNORECASE)),
)


class WithoutFields:
    """What cards have in common that can be approved or put aside, and no more."""

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """There is nothing to edit."""
        return Problem("This card has no fields to edit.")

    def reworded(self, action: Action, words: str) -> Action:
        """There is nothing to say otherwise."""
        return action

    async def discard(self, action: Action) -> None:
        """Nothing was left behind."""


@dataclass(frozen=True)
class CalendarEffects(WithoutFields, ApprovedEffect, ABC):
    """What is done about a mail's calendar part. Its subject is the message, as a reply's is: no mail of ours is from elsewhere."""

    calendar: Calendar
    outbox: Outbox
    crossing: Crossing

    async def with_others(self, action: Action, turn: Turn) -> Action:
        """The action with what other work has done about the message by now."""
        rows = await self.outbox.find(subject_of(action), self.kind)
        return replace(action, warnings=(*self.sentences(rows, turn), *action.warnings))

    async def forgotten_rows(self, subject_key: str, turn: Turn) -> list[OutboxRow]:
        """What the turn's run thread has done or begun of it, approved, and does not remember; oldest first."""
        rows = await self.outbox.find(subject_key, self.kind)
        return [row for row in rows if row.status in LIVE and forgotten(row, turn)]

    def approved_then(self, action: Action, row: OutboxRow) -> Action:
        """The outbox keeps the answer; all else the message says."""
        return action.with_args(row.payload.get("args", {}))

    async def found(self, action: Action) -> Reconciled:
        """Each step may be done again."""
        return NotHappened()

    async def _put(self, entries: Sequence[Event]) -> None:
        """Into the calendar; raises `InputError` where that has it from another organizer, which no mail changes."""
        for entry in entries:
            there = await self.calendar.find(entry.uid, entry.recurrence_id)
            if (
                there
                and entry.organizer
                and (not there.organizer or there.organizer.key != entry.organizer.key)
            ):
                raise InputError("your calendar has this event from another organizer")
            await self.calendar.put(entry)


@dataclass(frozen=True)
class AnswerInvitation(CalendarEffects):
    """Puts the event into the calendar with the user's answer, and mails that answer to the organizer."""

    sending: Sending
    name: ClassVar[str] = INVITATION.name
    kind: ClassVar[str] = ANSWER_KIND
    told: ClassVar[Told] = _ANSWERED
    claims_subject: ClassVar[bool] = True

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """Check an edit: the answer is one of three, the words are not too many."""
        answer = _answer_in(edited.get("answer", ""))
        if answer is None:
            return Problem("The edit was not taken: 'answer' is accepted, tentative or declined.")
        comment = edited.get("comment", "").strip()
        if len(comment) > MAX_COMMENT:
            return Problem(f"The edit was not taken: 'comment' is longer than {MAX_COMMENT} characters.")
        return action.with_args({"answer": answer, "comment": comment})

    def reworded(self, action: Action, words: str) -> Action:
        """The card anew, with what the person said as the words that go along, and as the answer where it says one."""
        answer = next((name for name, found in _WORDS if found.search(words)), action.args["answer"])
        return action.renewed().with_args({"answer": answer, "comment": words.strip()[:MAX_COMMENT]})

    def payload(self, action: Action) -> Mapping[str, Any]:
        """The answer and its mail."""
        return {"args": dict(action.args), "facts": {"message_id": _message_id(action)}}

    async def ask_first(
        self, action: Action, rows: Sequence[OutboxRow], acknowledged: frozenset[str]
    ) -> AskAgain | None:
        """What others have answered, whether the calendar says something newer, and what else is at that time by now."""
        found = [*self.earlier(action, rows), *_claim(action)]
        found += [*await self.crossing.concerns(action), *await self._concerns(action)]
        return asked_about(action, found, acknowledged)

    async def do(self, action: Action) -> dict[str, Any]:
        """Into the calendar, then by mail."""
        await self._note(action)
        message = await asyncio.to_thread(_mail, action)  # Zones are read from disk.
        return {"sent_id": await self.sending.send(message), "message_id": message.message_id}

    async def found(self, action: Action) -> Reconciled:
        """Sending takes the draft away in the same step: what is not among the sent ones was not sent."""
        message_id = _message_id(action)
        sent = await self.sending.mailbox.find_sent(message_id)
        if not sent:
            return NotHappened()
        await self._note(action)
        return Happened({"sent_id": sent, "message_id": message_id})

    async def after(self, action: Action, result: Mapping[str, Any]) -> Done:
        """Nothing follows."""
        event = _event(action)
        when = in_clock(event, action.facts["timezone"])
        return Done(f"Answered: {action.args['answer']}, {event.title}, {when}.", True)

    async def collisions(self, event: Event, mail_thread_id: str) -> list[Event]:
        """What else takes part of its time, or may do so; times that are held for its conversation do not."""
        there = besides_held(await self.calendar.events(event.start, event.end), mail_thread_id)
        return in_the_way(event, [each for each in there if each.uid != event.uid])

    async def _concerns(self, action: Action) -> list[Concern]:
        event = _event(action)
        found = []
        there = await self.calendar.find(event.uid, event.recurrence_id)
        if there and there.sequence == event.sequence:
            given = there.partstat_of(Address(**action.facts["me"]).key)
            if given is not Partstat(action.facts["given"]):
                text = f"You have answered this by now: {given}. Accept again to answer once more."
                found.append(Concern(f"answered:{given}", text))
        if there and there.sequence > event.sequence:
            text = "Your calendar has a newer version of this event by now. Accept again to answer this one."
            found.append(Concern(f"newer:{there.sequence}", text))
        if action.args["answer"] != Partstat.DECLINED:
            taken = await self.collisions(event, action.facts["mail_thread_id"])
            new = {collision_key(event, each): each for each in taken}
            new = {key: each for key, each in new.items() if key not in action.facts["collisions"]}
            if new:
                digest = hashlib.sha256(" ".join(new).encode()).hexdigest()[:16]
                text = f"{found_out([*new.values()])} Accept again to answer all the same."
                found.append(Concern(f"taken:{digest}", text))
        return found

    async def _note(self, action: Action) -> None:
        """The event with the answer in the calendar; a repeat changes nothing."""
        await self._put(_entries(action))
        event = _event(action)
        answer = Partstat(action.args["answer"])
        await self.calendar.answer(event.uid, answer, event.recurrence_id)
        for occurrence in filter(None, await self.crossing.called_off(action)):
            await self.calendar.cancel(event.uid, _moment(occurrence))
        if self.sending.held and answer is not Partstat.DECLINED:
            await self.sending.held.release(action.facts["mail_thread_id"])


@dataclass(frozen=True)
class ChangeCalendar(CalendarEffects):
    """Takes an event that somebody sent into the calendar, or marks one as cancelled; nobody is written to."""

    name: ClassVar[str] = CHANGE.name
    kind: ClassVar[str] = CHANGE_KIND
    told: ClassVar[Told] = _CHANGED
    claims_subject: ClassVar[bool] = False

    def payload(self, action: Action) -> Mapping[str, Any]:
        """Of which event, and whether it is called off."""
        return {"cancel": bool(action.facts["cancel"]), "uid": action.facts["uid"]}

    async def ask_first(
        self, action: Action, rows: Sequence[OutboxRow], acknowledged: frozenset[str]
    ) -> AskAgain | None:
        """Whether the calendar says something newer."""
        found = [*_claim(action), *await self.crossing.concerns(action)]
        return asked_about(action, found, acknowledged)

    async def do(self, action: Action) -> dict[str, Any]:
        """Each step may be repeated."""
        guest = action.facts.get("guest")
        about = action.facts["uid"], _moment(action.facts["recurrence_id"])
        if action.facts["cancel"]:
            await self.calendar.cancel(*about)
        elif guest:  # Of the event as it is by now, in which others may have answered.
            if there := await self.calendar.find(*about):
                await self.calendar.put(there.answered(guest, Partstat(action.facts["partstat"])))
        else:
            await self._put(_entries(action))
        return {"uid": action.facts["uid"]}

    async def after(self, action: Action, result: Mapping[str, Any]) -> Done:
        """Nothing follows."""
        cancels = action.facts["cancel"]
        return Done("Marked as cancelled in the calendar." if cancels else "Taken into the calendar.", True)


@dataclass(frozen=True)
class CalendarNotice(WithoutFields):
    """A card that only tells what a calendar part came to, for a graph without a card that shows mail."""

    name: ClassVar[str] = NOTICE.name

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """There is nothing to do."""
        return Done("It was only told.")


def _claim(action: Action) -> list[Concern]:
    """That it only claims to be somebody's, which nobody accepts in passing."""
    claim = action.facts.get("claim")
    text = f"It {claim}, and nothing proves that. Accept again to do it all the same."
    return [Concern(claim, text)] if claim else []


def _answer_in(text: str) -> str | None:
    word = text.strip().lower()
    known = {
        "accept": "accepted",
        "yes": "accepted",
        "maybe": "tentative",
        "decline": "declined",
        "no": "declined",
    }
    word = known.get(word, word)
    return word if word in _SUBJECTS else None


def _entries(action: Action) -> list[Event]:
    return [event_of_json(each) for each in action.facts["entries"]]


def _event(action: Action) -> Event:
    return _entries(action)[0]


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _mail(action: Action) -> OutgoingMessage:
    """The answer as a mail; the same in every repeat."""
    facts, event, answer = action.facts, _event(action), action.args["answer"]
    me, organizer, sender = (Address(**facts[name]) for name in ("me", "organizer", "sender"))
    zone = ZoneInfo(facts["timezone"])
    name = sender.name or sender.email
    told = f"{name} {_IN_WORDS[answer]}: {event.title}, {in_clock(event, zone.key)} ({zone.key})."
    return OutgoingMessage(
        sender=sender,
        to=(organizer,),
        subject=f"{_SUBJECTS[answer]}: {event.title}",
        body="\n\n".join(filter(None, (told, action.args["comment"]))),
        message_id=_message_id(action),
        in_reply_to=facts["in_reply_to"],
        references=tuple(facts["references"]),
        mail_thread_id=facts["mail_thread_id"],
        calendar=answer_text(
            answer.upper(),
            uid=event.uid,
            sequence=facts["sequence"],
            organizer=organizer,
            guest=me,
            stamp=datetime.fromisoformat(facts["stamp"]),
            title=event.title,
            start=_as_written(event.start, event, zone),
            recurrence_id=event.recurrence_id and _as_written(event.recurrence_id, event, zone),
            sent_by=sender,
        ),
    )


def _message_id(action: Action) -> str:
    key = hashlib.sha256(action.id.encode()).hexdigest()[:32]
    return f"<{key}@{Address(**action.facts['sender']).domain or 'localhost'}>"


def _as_written(moment: datetime, event: Event, zone: ZoneInfo) -> date:
    """A time, or of an event of whole days the day."""
    return moment.astimezone(zone).date() if event.all_day else moment
