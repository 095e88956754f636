"""An effect that a person has approved: asked about once more where something has happened since, done once, told."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from email_assistant.effects.once import Effect, recorded_once, result_of
from email_assistant.effects.outbox import Happened, NotHappened, Outbox
from email_assistant.effects.store import (
    ActionChangedError,
    DoneElsewhereError,
    Intent,
)
from email_assistant.errors import InputError, UncertainError
from email_assistant.journal.records import OutboxRow, OutboxStatus
from email_assistant.review.action import Action
from email_assistant.tools.concerns import (
    LIVE,
    MAX_TOLD,
    Concern,
    Wording,
    accepted_in,
    asked_about,
    earlier_concerns,
    forgotten,
    sentence,
)
from email_assistant.tools.tool import AskAgain, Done, Turn, called


class ApprovedEffect(Effect[Action, Done], ABC):
    """An effect of a tool or of a calendar's card, with an `Action` that names its subject (`subject_key`)."""

    outbox: Outbox
    wording: ClassVar[Wording]
    """The sentences about earlier ones."""
    claims_subject: ClassVar[bool]
    """Whether of all work on one subject one is done and the others are asked about; not so of what may be repeated."""

    @property
    def effect(self) -> "ApprovedEffect":
        """Itself: what of a tool is done."""
        return self

    def is_again(self, action: Action, row: OutboxRow) -> bool:
        """Whether the action would repeat what its run has done, so that nobody is asked about it."""
        return (row.kind, row.subject_key) == (self.kind, action.subject_key)

    @abstractmethod
    def payload(self, action: Action) -> Mapping[str, Any]:
        """The effect as the outbox compares it, without what else its card said of it."""

    @abstractmethod
    async def ask_first(
        self, action: Action, rows: Sequence[OutboxRow], acknowledged: frozenset[str]
    ) -> Done | AskAgain | None:
        """The question to the person before it is begun, or that there is nothing to do; `rows` are of its subject."""

    async def ask_begun(self, action: Action) -> AskAgain | None:
        """The question to the person before one that was begun goes on."""
        return None

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """Do exactly what was reviewed, once; what stands in its way is asked about."""
        action, row, rows = await self.outbox.in_one_read(lambda: self._on_record(action))
        again: Done | AskAgain | None = None
        if row is None:
            again = await self.ask_first(action, rows, acknowledged)
        elif row.status is not OutboxStatus.done:
            again = await self.ask_begun(action)
        if again:
            return again
        accepted = accepted_in(acknowledged) if self.claims_subject else None
        try:
            result = await recorded_once(self.outbox, self, action, accepted)
        except DoneElsewhereError as error:
            return asked_about(action, self.earlier(action, error.rows), ()) or asked_anew(action, error)
        except InputError as error:
            return AskAgain(action, f"It cannot be done: {error}.")
        except ActionChangedError as error:
            return await self._done_otherwise(action) or asked_anew(action, error)
        except UncertainError as error:
            return self.in_doubt(action, error)
        return await self._then(action, result, acknowledged)

    async def _then(
        self, action: Action, result: Mapping[str, Any], acknowledged: frozenset[str]
    ) -> Done | AskAgain:
        """What follows; what nobody knows the end of is told, once."""
        try:
            return await self.after(action, result)
        except UncertainError as error:
            what = f"It is done. {_capital(str(error))}."
            concern = Concern(f"maybe:{error}", f"{what} Accept to leave it at that.")
            return asked_about(action, [concern], acknowledged) or Done(what, True)

    def in_doubt(self, action: Action, error: UncertainError) -> AskAgain:
        """The question to the person where nobody else can tell whether it happened."""
        return asked_anew(action, error)

    async def discard(self, action: Action) -> None:
        """Nothing was left behind by proposing it."""

    def intent(self, action: Action) -> Intent:
        """The action's id, about its subject."""
        return Intent(action.id, self.kind, action.subject_key, self.payload(action), action.doer)

    def earlier(self, action: Action, rows: Sequence[OutboxRow]) -> list[Concern]:
        """Concerns about other work on the action's subject."""
        return earlier_concerns(rows, action, self.wording_for(action.subject_key))

    def sentences(self, rows: Sequence[OutboxRow], turn: Turn) -> tuple[str, ...]:
        """The same for the card, the latest of it."""
        return tuple(
            sentence(row, self.wording_for(row.subject_key), turn.user.timezone)
            for row in _others(rows, turn)[-MAX_TOLD:]
        )

    def wording_for(self, subject_key: str) -> Wording:
        """The sentences about earlier ones on this subject."""
        return self.wording

    def recorded(self, row: OutboxRow) -> Action:
        """The approved action, as far as the outbox keeps it."""
        args, details = row.payload.get("args", {}), row.payload.get("details", {})
        return Action(
            row.action_id,
            called(row.action_id),
            row.kind,
            "",
            args,
            details,
            subject_key=row.subject_key,
            doer=row.doer,
        )

    def approved_then(self, action: Action, row: OutboxRow) -> Action:
        """The action that was approved before under the id that this one has now."""
        return self.recorded(row)

    async def look_up(
        self, subject_key: str, turn: Turn, rows: Sequence[OutboxRow] | None = None
    ) -> Sequence[OutboxRow]:
        """The rows of the subject, after a look at what was begun and came to no end that anybody saw."""
        found = await self.outbox.find(subject_key, self.kind) if rows is None else rows
        begun = [
            r for r in found if r.status is OutboxStatus.started and r.action_id not in turn.known_actions
        ]
        for row in begun:
            match await self.found(self.recorded(row)):
                case Happened(result):
                    await self.outbox.happened(row.action_id, result)
                case NotHappened() if forgotten(row, turn):  # Another run thread may be at it at this moment.
                    await self.outbox.did_not_happen(row.action_id)
        return await self.outbox.find(subject_key, self.kind) if begun else found

    async def done_before(self, rows: Sequence[OutboxRow], turn: Turn) -> list[OutboxRow]:
        """Rows of what this run thread has done, approved, and does not remember; what follows it is made up for."""
        done = [row for row in rows if row.status is OutboxStatus.done and forgotten(row, turn)]
        for row in done:
            await self.after(self.recorded(row), result_of(row.result))
        return done

    async def _on_record(self, action: Action) -> tuple[Action, OutboxRow | None, Sequence[OutboxRow]]:
        """The action with its row, and what was done on its subject; after a try that failed it is another action."""
        row = await self.outbox.get(action.id)
        while row is not None and row.status is OutboxStatus.failed:
            action = action.renewed()
            row = await self.outbox.get(action.id)
        return action, row, await self.outbox.find(action.subject_key, self.kind)

    async def _done_otherwise(self, action: Action) -> Done | None:
        """The result of what was done under the action's id with other details, by a run that was lost; None when it was not."""
        row = await self.outbox.get(action.id)
        earlier = self.approved_then(action, row) if row else None
        found = await self.found(earlier) if earlier else NotHappened()
        if earlier is None or not isinstance(found, Happened):
            return None
        await self.outbox.happened(earlier.id, found.result)
        done = await self.after(earlier, result_of(found.result))
        return Done(f"Done already by an earlier try, as it was shown then. {done.text}", True)


def _others(rows: Sequence[OutboxRow], turn: Turn) -> list[OutboxRow]:
    """Rows of effects done, or begun, in other work than the turn's."""
    return [row for row in rows if row.status in LIVE and not row.doer.is_work_of(turn.doer)]


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def asked_anew(action: Action, error: Exception) -> AskAgain:
    """The card of what an earlier try may have done, or has done otherwise: accepted again it is another effect."""
    return AskAgain(
        action.renewed(),
        f"An earlier try did not come to its end ({error}). Look what was done; accept to do this one.",
    )
