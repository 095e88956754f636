"""Answering an invitation, and taking an event into the calendar or out of it: done once, after a person has approved it."""

import asyncio
import hashlib
import re
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
from email_assistant.effects.outbox import (
    ActionChangedError,
    DoneElsewhereError,
    Happened,
    NotHappened,
    Outbox,
    OutboxRow,
    Reconciled,
    UnresolvedEffectError,
)
from email_assistant.errors import InputError
from email_assistant.mail.address import Address
from email_assistant.mail.message import OutgoingMessage
from email_assistant.review.action import ACCEPT, IGNORE, Action, Problem
from email_assistant.review.kinds import EVERY_ANSWER, CardKind, QueueSection, declare
from email_assistant.tools.concerns import Concern, asked_about
from email_assistant.tools.crossing import Crossing
from email_assistant.tools.earlier import (
    LIVE,
    MAX_TOLD,
    Told,
    accepted_in,
    asked_again,
    doer_in,
    earlier_concerns,
    forgotten,
    others,
    sentence,
)
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
class CalendarEffects(WithoutFields):
    """What both have in common."""

    calendar: Calendar
    outbox: Outbox
    crossing: Crossing
    effect: ClassVar[str]
    told: ClassVar[Told]

    async def with_others(self, action: Action, turn: Turn) -> Action:
        """The action with what other work has done about the message by now."""
        rows = await self.outbox.find(self._subject(action), self.effect)
        before = tuple(sentence(row, self.told, turn.user.timezone) for row in others(rows, turn)[-MAX_TOLD:])
        return replace(action, warnings=(*before, *action.warnings))

    async def forgotten_rows(self, subject_key: str, turn: Turn) -> list[OutboxRow]:
        """What the turn's run thread has done or begun of it, approved, and does not remember; oldest first."""
        rows = await self.outbox.find(subject_key, self.effect)
        return [row for row in rows if row.status in LIVE and forgotten(row, turn)]

    def _subject(self, action: Action) -> str:
        """The message, as a reply's is: so a mail of ours is told from an answer that the person wrote elsewhere."""
        return str(action.facts["subject_key"])

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

    async def _is_not_begun(self, action: Action) -> bool:
        """Whether nothing of it was done, also where an earlier try of it is on record as failed."""
        row = await self.outbox.get(action.id)
        return row is None or row.status not in LIVE

    async def _again(
        self, action: Action, found: Sequence[Concern], acknowledged: frozenset[str]
    ) -> AskAgain | None:
        rows: Sequence[OutboxRow] = await self.outbox.find(self._subject(action), self.effect)
        found = [*_claim(action), *found]
        return asked_about(action, [*earlier_concerns(rows, action, self.told), *found], acknowledged)


@dataclass(frozen=True)
class AnswerInvitation(CalendarEffects):
    """Puts the event into the calendar with the user's answer, and mails that answer to the organizer."""

    sending: Sending
    name: ClassVar[str] = INVITATION.name
    effect: ClassVar[str] = ANSWER_KIND
    told: ClassVar[Told] = _ANSWERED

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
        return renewed(action).with_args({"answer": answer, "comment": words.strip()[:MAX_COMMENT]})

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """Both, once: what was approved, unless the calendar says something newer, or something else is at that time by now."""
        if await self._is_not_begun(action):
            found = [*await self.crossing.concerns(action), *await self._concerns(action)]
            again = await self._again(action, found, acknowledged)
            if again:
                return again
        message = await asyncio.to_thread(_mail, action)  # Zones are read from disk.

        async def do() -> dict[str, Any]:
            await self._note(action)
            return {"sent_id": await self.sending.send(message), "message_id": message.message_id}

        async def reconcile() -> Reconciled:
            if sent := await self.sending.mailbox.find_sent(message.message_id):
                await self._note(action)
                return Happened({"sent_id": sent, "message_id": message.message_id})
            # Sending takes the draft away in the same step: what is not among the sent ones was not sent.
            return NotHappened()

        try:
            await self.outbox.perform(
                action.id,
                kind=ANSWER_KIND,
                subject_key=self._subject(action),
                payload={"args": dict(action.args), "facts": {"message_id": message.message_id}},
                do=do,
                reconcile=reconcile,
                by=doer_in(action),
                accepted=accepted_in(acknowledged),
            )
        except DoneElsewhereError as error:
            return asked_again(action, error, _ANSWERED)
        except InputError as error:
            return AskAgain(action, f"It cannot be done: {error}.")
        except (ActionChangedError, UnresolvedEffectError) as error:
            return AskAgain(
                renewed(action),
                f"An earlier try did not come to its end ({error}). Look into Sent; accept to answer again.",
            )
        event = _event(action)
        return Done(
            f"Answered: {action.args['answer']}, {event.title}, {in_clock(event, action.facts['timezone'])}.",
            True,
        )

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
    effect: ClassVar[str] = CHANGE_KIND
    told: ClassVar[Told] = _CHANGED

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """Do it; each step may be repeated."""
        is_new = await self._is_not_begun(action)
        found = [*_claim(action), *await self.crossing.concerns(action)] if is_new else []
        if again := asked_about(action, found, acknowledged):
            return again
        cancels, guest = bool(action.facts["cancel"]), action.facts.get("guest")
        about = action.facts["uid"], _moment(action.facts["recurrence_id"])

        async def do() -> dict[str, Any]:
            if cancels:
                await self.calendar.cancel(*about)
            elif guest:  # Of the event as it is by now, in which others may have answered.
                if there := await self.calendar.find(*about):
                    await self.calendar.put(there.answered(guest, Partstat(action.facts["partstat"])))
            else:
                await self._put(_entries(action))
            return {"uid": action.facts["uid"]}

        async def reconcile() -> Reconciled:
            return NotHappened()

        try:
            await self.outbox.perform(
                action.id,
                kind=CHANGE_KIND,
                subject_key=self._subject(action),
                payload={"cancel": cancels, "uid": action.facts["uid"]},
                do=do,
                reconcile=reconcile,
                by=doer_in(action),
            )
        except InputError as error:
            return AskAgain(action, f"It cannot be done: {error}.")
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


def renewed(action: Action) -> Action:
    """The action under the id of its next revision."""
    number = action.revision + 1
    return replace(action, id=f"{action.id.rpartition(':')[0]}:{number}", revision=number)


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
    key = hashlib.sha256(action.id.encode()).hexdigest()[:32]
    name = sender.name or sender.email
    told = f"{name} {_IN_WORDS[answer]}: {event.title}, {in_clock(event, zone.key)} ({zone.key})."
    return OutgoingMessage(
        sender=sender,
        to=(organizer,),
        subject=f"{_SUBJECTS[answer]}: {event.title}",
        body="\n\n".join(filter(None, (told, action.args["comment"]))),
        message_id=f"<{key}@{sender.domain or 'localhost'}>",
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


def _as_written(moment: datetime, event: Event, zone: ZoneInfo) -> date:
    """A time, or of an event of whole days the day."""
    return moment.astimezone(zone).date() if event.all_day else moment
