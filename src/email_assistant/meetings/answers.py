"""Answering an invitation, and taking an event into the calendar or out of it: done once, after a person has approved it."""

import asyncio
import hashlib
from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.conflicts import collision_key, found_out, warnings_of
from email_assistant.calendars.event import Event, Partstat
from email_assistant.calendars.incoming import in_clock
from email_assistant.clock import Clock, now_for
from email_assistant.effects.outbox import Happened, NotHappened, Outbox, Reconciled
from email_assistant.errors import InputError
from email_assistant.journal.records import OutboxRow
from email_assistant.mail.text import one_line
from email_assistant.meetings.answer_mail import (
    NOBODY,
    AnswerDetails,
    answer_line,
    answer_mail,
    is_silent,
    message_id_of,
    proposed_in,
)
from email_assistant.meetings.incoming import CalendarDetails, Crossing
from email_assistant.meetings.instructions import AnswerReader, instruction_in, proposed_time
from email_assistant.meetings.series import Clash, clashes_of, occurrences_of
from email_assistant.review.action import ACCEPT, EDIT, IGNORE, Action, Problem
from email_assistant.review.kinds import EVERY_ANSWER, CardKind, QueueSection, declare
from email_assistant.tools.approved import ApprovedEffect
from email_assistant.tools.concerns import LIVE, Concern, Wording, asked_about, forgotten
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
        choices=(("accepted", "Accept"), ("tentative", "Maybe"), ("declined", "Decline")),
        gist="invitation",
        outcome="answered",
        done="answered",
        underway="your answer goes out",
    )
)
CHANGE = declare(
    CardKind(
        "calendar_change", (IGNORE, EDIT, ACCEPT), "Change in calendar: ", "{who} writes about an event.", noun="Calendar",
        section=QueueSection.MEETINGS, editable=(), confirm="once", held=True, gist="{card}", outcome="calendar changed",
    )
)  # fmt: skip
NOTICE = declare(
    CardKind(
        "calendar_notice", (IGNORE,), "Notify: ", "{who} writes about an event.", noun="Notice",
        section=QueueSection.REPLIES, confirm="once", held=True,
    )
)  # fmt: skip
EVENT_FIELDS = ("title", "start", "end", "location")
ANSWER_KIND, CHANGE_KIND = "invitation_answer", "calendar_change"
MAX_COMMENT = 1_000
_ANSWERED = Wording(
    "This invitation was answered",
    "An answer to this invitation was begun, and nobody knows yet whether it went out,",
    "answer it once more",
    lambda row: str(row.payload["args"]["answer"]),
)
_CHANGED = Wording(
    "This was taken over into the calendar",
    "This was begun to be taken over into the calendar",
    "do it once more",
    lambda row: "",
)
_ANSWERS = frozenset({Partstat.ACCEPTED.value, Partstat.TENTATIVE.value, Partstat.DECLINED.value})
_NOT_UNDERSTOOD = "These words were not understood, and nothing was sent"
_NO_SERIES = (
    "Another time can be proposed for one meeting, not for a series: decline, and say what would suit you."
)
_SAY_SO = "Say accept, maybe or decline, and what to say with it, or propose another time."


class WithoutFields:
    """What cards have in common that can be approved or put aside, and no more."""

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """There is nothing to edit."""
        return Problem("This card has no fields to edit.")

    async def reworded(self, action: Action, words: str) -> Action:
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
        rows = await self.outbox.find(action.subject_key, self.kind)
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
    reader: AnswerReader
    clock: Clock
    """By which the times are that a person names."""
    name: ClassVar[str] = INVITATION.name
    kind: ClassVar[str] = ANSWER_KIND
    wording: ClassVar[Wording] = _ANSWERED
    claims_subject: ClassVar[bool] = True

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """Check an edit: the answer is one of three, the words are not too many."""
        answer = _answer_in(edited.get("answer", ""))
        if answer is None:
            return Problem("The edit was not taken: 'answer' is accepted, tentative or declined.")
        comment = edited.get("comment", "").strip()
        if len(comment) > MAX_COMMENT:
            return Problem(f"The edit was not taken: 'comment' is longer than {MAX_COMMENT} characters.")
        args = {"answer": answer, "comment": comment}
        # Whoever chooses another answer proposes no other time any more.
        kept = action.args.get("proposed", "") if answer == action.args["answer"] else ""
        if edited.get("proposed", kept) not in {kept, action.args.get("proposed", "")}:
            return Problem("The edit was not taken: say in words which other time to propose.")
        args |= {"proposed": kept} if kept and edited.get("proposed", kept) else {}
        again = action.with_args(args)
        return replace(again, effects=(answer_line(again),))

    async def reworded(self, action: Action, words: str) -> Action:
        """The card anew, with what the person said to do: it shows what will be sent. Words are never sent that are an instruction."""
        found, details = instruction_in(words) or await self.reader.read(words), AnswerDetails.of(action)
        event, zone, times = details.entries[0], action.timezone, None
        others = tuple(each for each in action.warnings if not each.startswith(_NOT_UNDERSTOOD))
        if found and found.when and not event.recurrence:
            now = now_for(self.clock, action.arrived)
            times = await asyncio.to_thread(proposed_time, found.when, event, now=now, timezone=zone)
        if found is None or (found.when and times is None):
            how = _NO_SERIES if found and event.recurrence else _SAY_SO
            text = f"{_NOT_UNDERSTOOD}: “{one_line(words, limit=200)}”. {how}"
            return replace(action.renewed(), warnings=(text, *others))
        args = {"answer": found.answer or action.args["answer"], "comment": found.comment[:MAX_COMMENT]}
        if times:
            args["proposed"] = "/".join(each.astimezone(ZoneInfo(zone)).isoformat() for each in times)
        again = action.renewed().with_args(args)
        mail = await asyncio.to_thread(answer_mail, again)
        text = answer_line(again, mail, limit=MAX_COMMENT)
        new = await self.clashes([proposed_in(again)]) if times else ()
        collisions = (*details.collisions, *(collision_key(one, each) for one, each in new))
        return replace(
            again,
            effects=(text,),
            warnings=(*warnings_of([each for _, each in new]), *others),
            details=replace(details, collisions=collisions).as_json(),
        )

    def payload(self, action: Action) -> Mapping[str, Any]:
        """The answer and its mail."""
        return {"args": dict(action.args), "message_id": message_id_of(action)}

    async def ask_first(
        self, action: Action, rows: Sequence[OutboxRow], acknowledged: frozenset[str]
    ) -> AskAgain | None:
        """What others have answered, whether the calendar says something newer, and what else is at that time by now."""
        found = [*self.earlier(action, rows), *_claim(action)]
        found += [*await self.crossing.concerns(action), *await self._concerns(action), *_unanswered(action)]
        return asked_about(action, found, acknowledged)

    async def do(self, action: Action) -> dict[str, Any]:
        """Into the calendar, then by mail."""
        if is_silent(action):
            return {"sent_id": "", "message_id": ""}
        await self._note(action)
        message = await asyncio.to_thread(answer_mail, action)  # Zones are read from disk.
        return {"sent_id": await self.sending.send(message), "message_id": message.message_id}

    async def found(self, action: Action) -> Reconciled:
        """By what the mailbox knows of its mail."""
        found = await self.sending.whether_sent(message_id_of(action))
        if isinstance(found, Happened):
            await self._note(action)
        return found

    async def after(self, action: Action, result: Mapping[str, Any]) -> Done:
        """Nothing follows."""
        event = AnswerDetails.of(action).entries[0]
        when = in_clock(event, action.timezone)
        to = f" {NOBODY}" if is_silent(action) else ""
        return Done(f"Answered: {action.args['answer']}, {event.title}, {when}.{to}", True)

    async def clashes(self, occurrences: Sequence[Event]) -> list[Clash]:
        """What else takes part of their times, or may do so."""
        last = max(each.end for each in occurrences)
        there = await self.calendar.events(occurrences[0].start, last)
        return await asyncio.to_thread(clashes_of, occurrences, there)

    async def _concerns(self, action: Action) -> list[Concern]:
        details, found = AnswerDetails.of(action), []
        event = details.entries[0]
        there = await self.calendar.find(event.uid, event.recurrence_id)
        if there and there.sequence == event.sequence:
            given = there.partstat_of(details.me.key)
            if given is not details.given:
                text = f"You have answered this by now: {given}. Accept again to answer once more."
                found.append(Concern(f"answered:{given}", text))
        if there and there.sequence > event.sequence:
            text = "Your calendar has a newer version of this event by now. Accept again to answer this one."
            found.append(Concern(f"newer:{there.sequence}", text))
        if action.args["answer"] != Partstat.DECLINED:
            occurrences = occurrences_of(event, details.times)
            occurrences = [proposed_in(action)] if action.args.get("proposed") else occurrences
            taken = await self.clashes(occurrences)
            new = {collision_key(one, each): each for one, each in taken}
            new = {key: each for key, each in new.items() if key not in details.collisions}
            if new:
                digest = hashlib.sha256(" ".join(new).encode()).hexdigest()[:16]
                text = f"{found_out([*new.values()])} Accept again to answer all the same."
                found.append(Concern(f"taken:{digest}", text))
        return found

    async def _note(self, action: Action) -> None:
        """The event with the answer in the calendar; a repeat changes nothing."""
        entries = AnswerDetails.of(action).entries
        await self._put(entries)
        event = entries[0]
        answer = Partstat(action.args["answer"])
        await self.calendar.answer(event.uid, answer, event.recurrence_id)
        for occurrence in filter(None, await self.crossing.called_off(action)):
            await self.calendar.cancel(event.uid, datetime.fromisoformat(occurrence))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeDetails(CalendarDetails):
    """What the card carries that takes an event into the calendar or out of it."""

    cancel: bool
    guest: str
    """The `Address.key` of a guest whose answer is noted; "" for none."""
    partstat: Partstat
    """That answer."""


@dataclass(frozen=True)
class ChangeCalendar(CalendarEffects):
    """Takes an event that somebody sent into the calendar, or marks one as cancelled; nobody is written to."""

    name: ClassVar[str] = CHANGE.name
    kind: ClassVar[str] = CHANGE_KIND
    wording: ClassVar[Wording] = _CHANGED
    claims_subject: ClassVar[bool] = False

    def payload(self, action: Action) -> Mapping[str, Any]:
        """Of which event, and whether it is called off."""
        details = ChangeDetails.of(action)
        return {"cancel": details.cancel, "uid": details.uid}

    async def ask_first(
        self, action: Action, rows: Sequence[OutboxRow], acknowledged: frozenset[str]
    ) -> AskAgain | None:
        """Whether the calendar says something newer."""
        found = [*_claim(action), *await self.crossing.concerns(action)]
        return asked_about(action, found, acknowledged)

    async def do(self, action: Action) -> dict[str, Any]:
        """Each step may be repeated."""
        details = ChangeDetails.of(action)
        about = details.uid, details.recurrence_id
        if details.cancel:
            await self.calendar.cancel(*about)
        elif details.guest:  # Of the event as it is by now, in which others may have answered.
            if there := await self.calendar.find(*about):
                await self.calendar.put(there.answered(details.guest, details.partstat))
        else:
            await self._put(details.entries)
        return {"uid": details.uid}

    async def after(self, action: Action, result: Mapping[str, Any]) -> Done:
        """Nothing follows."""
        cancels = ChangeDetails.of(action).cancel
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
    claim = CalendarDetails.of(action).claim
    text = f"It {claim}, and nothing proves that. Accept again to do it all the same."
    return [Concern(claim, text)] if claim else []


def _unanswered(action: Action) -> list[Concern]:
    """What the mail asks besides whether the user comes, where the answer goes without words."""
    asks = "; ".join(f"“{each}”" for each in AnswerDetails.of(action).asks)
    text = f"They ask: {asks}. Put what you want to say into the comment, or accept again to answer without words."
    return [Concern("asks", text)] if asks and not action.args["comment"] else []


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
    return word if word in _ANSWERS else None
