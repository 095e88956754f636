"""Whatever crashes, whenever: an effect happens exactly once, and what is on record is true.

A crash is an exception, raised at the point where a process would have died.
"""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from email_assistant.clock import FixedClock
from email_assistant.effects.outbox import Happened, NotHappened, Outbox, Reconciled, Unknown
from email_assistant.effects.store import ActionChangedError, Intent, OutboxStore, UnresolvedEffectError
from email_assistant.errors import NotFoundError, ProviderError, TransientError
from email_assistant.journal.database import Database
from email_assistant.journal.records import OutboxStatus
from email_assistant.journal.sql import JsonValue

ACTIONS = st.sampled_from(["a", "b", "c"])


class Crash(BaseException):
    """The process dies here."""


@dataclass
class Provider:
    """Keeps what was done by id; a repeat of an id is recognised and counted."""

    effects: dict[str, int] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    tells: bool = True

    def do(self, action_id: str) -> int:
        """The effect."""
        self.calls.append(action_id)
        return self.effects.setdefault(action_id, len(self.effects) + 1)

    async def reconcile(self, action_id: str) -> Reconciled:
        """What became of it."""
        if not self.tells:
            return Unknown("the provider cannot tell")
        return Happened(self.effects[action_id]) if action_id in self.effects else NotHappened()


class CrashingStore(OutboxStore):
    """Dies when the effect has happened and is about to be marked done."""

    async def finish(self, action_id: str, result: JsonValue) -> None:
        """Die."""
        raise Crash


class DyingOutbox(Outbox):
    """An outbox whose process dies between the effect and its mark."""

    @property
    def _store(self) -> OutboxStore:
        return CrashingStore(self.database, self.clock)


class OutboxMachine(RuleBasedStateMachine):
    """Performs three actions in any order, with crashes, refusals and silence of the provider in between."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.provider = Provider()
        self.results: dict[str, JsonValue] = {}
        self.begun: set[str] = set()

    @initialize()
    def open(self) -> None:
        """An empty outbox."""
        clock = FixedClock(datetime(2026, 11, 20, tzinfo=UTC))
        database = Database(f"sqlite:///{Path(self.folder.name) / 'a.db'}")
        self.outbox, self.dying = Outbox(database, clock), DyingOutbox(database, clock)

    def teardown(self) -> None:
        """Take the files away."""
        self.folder.cleanup()

    def _perform(
        self,
        action_id: str,
        do: Callable[[], Awaitable[JsonValue]] | None = None,
        *,
        dying: bool = False,
        body: str = "x",
    ) -> JsonValue:
        async def succeed() -> JsonValue:
            return self.provider.do(action_id)

        outbox = self.dying if dying else self.outbox
        outcome = asyncio.run(
            outbox.perform(
                Intent(action_id, "send", "m1", {"id": action_id, "body": body}),
                do or succeed,
                lambda: self.provider.reconcile(action_id),
            )
        )
        return outcome.result

    def _unresolved(self, action_id: str) -> bool:
        return not self.provider.tells and action_id in self.begun and action_id not in self.results

    @rule(action_id=ACTIONS)
    def perform(self, action_id: str) -> None:
        """Without a fault it is done, unless nobody knows whether it was done before."""
        if self._unresolved(action_id):
            with pytest.raises(UnresolvedEffectError):
                self._perform(action_id)
            return
        result = self._perform(action_id)
        assert self.results.setdefault(action_id, result) == result
        self.begun.add(action_id)

    @rule(action_id=ACTIONS)
    def die_before(self, action_id: str) -> None:
        """The process dies before the provider hears of it."""

        async def die() -> JsonValue:
            raise Crash

        self._fails(action_id, die, Crash)

    @rule(action_id=ACTIONS)
    def die_after(self, action_id: str) -> None:
        """The process dies when the provider has done it."""

        async def die() -> JsonValue:
            self.provider.do(action_id)
            raise Crash

        self._fails(action_id, die, Crash)

    @rule(action_id=ACTIONS)
    def die_marking(self, action_id: str) -> None:
        """The process dies while marking the row."""
        if action_id in self.results or self._unresolved(action_id):
            return
        with pytest.raises(Crash):
            self._perform(action_id, dying=True)
        self.begun.add(action_id)

    @rule(action_id=ACTIONS)
    def time_out(self, action_id: str) -> None:
        """The provider does it, and its answer is lost."""

        async def lose_the_answer() -> JsonValue:
            self.provider.do(action_id)
            raise TransientError("time-out")

        self._fails(action_id, lose_the_answer, TransientError)

    @rule(action_id=ACTIONS, error=st.sampled_from([ProviderError, NotFoundError]))
    def refuse(self, action_id: str, error: type[Exception]) -> None:
        """The provider refuses it for good."""

        async def refused() -> JsonValue:
            raise error("no")

        self._fails(action_id, refused, error)

    @rule(action_id=ACTIONS)
    def change_the_content(self, action_id: str) -> None:
        """Another content under the same id is never done."""
        if action_id in self.begun:
            with pytest.raises(ActionChangedError):
                self._perform(action_id, body="something else")

    @rule()
    def fall_silent(self) -> None:
        """From now on the provider cannot tell."""
        self.provider.tells = False

    @precondition(lambda self: not self.provider.tells)
    @rule()
    def speak_again(self) -> None:
        """The provider can tell again."""
        self.provider.tells = True

    def _fails(
        self, action_id: str, do: Callable[[], Awaitable[JsonValue]], error: type[BaseException]
    ) -> None:
        """Perform with a fault; it shows only when the effect is really begun."""
        if action_id in self.results:
            assert self._perform(action_id, do) == self.results[action_id]
        elif self._unresolved(action_id):
            with pytest.raises(UnresolvedEffectError):
                self._perform(action_id, do)
        elif action_id in self.provider.effects:
            self.results[action_id] = self._perform(action_id, do)
        else:
            with pytest.raises(error):
                self._perform(action_id, do)
        self.begun.add(action_id)

    @invariant()
    def never_twice(self) -> None:
        """The provider heard of no action a second time: it never had to de-duplicate."""
        assert len(self.provider.calls) == len(set(self.provider.calls))

    @invariant()
    def the_record_is_true(self) -> None:
        """A row that is done was done, with the provider's own result; what was given a result is done."""
        if not hasattr(self, "outbox"):
            return
        rows = {r.action_id: r for r in asyncio.run(self.outbox.find("m1", "send"))}
        assert set(rows) == self.begun
        for action_id, row in rows.items():
            if row.status is OutboxStatus.done:
                assert row.result == self.provider.effects[action_id] == self.results[action_id]
            else:
                assert action_id not in self.results


TestOutbox = OutboxMachine.TestCase
TestOutbox.settings = settings(
    max_examples=settings.default.max_examples // 4, stateful_step_count=20, deadline=None
)
