"""Ways to break the product, for tests of the suite that kills it; each changes the process that calls it."""

from collections.abc import Awaitable, Callable
from typing import Any

from email_assistant.effects.outbox import Outbox, Outcome
from email_assistant.effects.store import OutboxStore
from email_assistant.ingest.recovery import Recovery
from email_assistant.review import gate
from eval.accepting import accepting


def effect_before_claim() -> None:
    """An effect is put on record only after it."""
    perform = Outbox.perform

    async def too_late(
        self: Outbox, effect: Any, do: Callable[[], Awaitable[Any]], reconcile: Any
    ) -> Outcome:
        result = await do()

        async def done() -> Any:
            return result

        return await perform(self, effect, done, reconcile)

    Outbox.perform = too_late  # type: ignore[method-assign,assignment]


def record_before_effect() -> None:
    """An effect is on record as done before it is."""
    finish = OutboxStore.finish
    perform = Outbox._do

    async def too_early(self: Outbox, effect: Any, do: Callable[[], Awaitable[Any]]) -> Outcome:
        await finish(self._store, effect.action_id, {})
        return await perform(self, effect, do)

    Outbox._do = too_early  # type: ignore[method-assign]


def gate_forgets() -> None:
    """Nobody is asked."""
    gate.interrupt = lambda shown: [accepting(shown[0])]
    gate._run_id = lambda: ""  # Else one run's second answer, for a gap, would count for no card.


def nothing_recovers() -> None:
    """Nobody comes back to what a crash cut off."""

    async def idle(self: Recovery, untouched_since: Any) -> dict[Any, int]:
        return {}

    Recovery.recover = idle  # type: ignore[method-assign]
