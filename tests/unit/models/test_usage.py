"""What calls use is on record: tokens, cost, failures; and reaches a run's callbacks."""

import json
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.runnables import RunnableLambda

from email_assistant.errors import ProviderError
from email_assistant.models.usage import usage_as_dict
from tests.servers.model_server import failing, tool_call
from tests.unit.models.sorting import FAST, SORT, SURE, Bench, Mail

MAIL = Mail("Please sign.")
USAGE = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}


class Events(AsyncCallbackHandler):
    """Keeps custom events."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Any]] = []

    async def on_custom_event(self, name: str, data: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Keep one."""
        self.seen.append((name, data))


async def test_tokens_and_cost_are_recorded(bench: Bench) -> None:
    """A call's usage has the provider's counts and their price."""
    bench.server.script(tool_call("Verdict", SURE, usage=USAGE))
    await bench.models().run(SORT, MAIL)
    (used,) = bench.used
    assert (used.call, used.tier, used.model, used.attempts) == ("sort", "fast", FAST, 1)
    assert (used.prompt_tokens, used.completion_tokens, used.cached_tokens) == (1000, 100, 0)
    assert used.cost_usd == Decimal("0.00045")
    assert (used.estimated, used.error) == (False, None)
    assert used.latency_ms > 0


async def test_a_run_hears_of_usage(bench: Bench) -> None:
    """Within a run the usage is a custom event of JSON values, for failed calls too."""
    bench.server.script(tool_call("Verdict", SURE, usage=USAGE), failing(401))
    events = Events()

    async def step(_: str) -> None:
        await bench.models().run(SORT, MAIL)
        with pytest.raises(ProviderError):
            await bench.models().run(SORT, MAIL)

    await RunnableLambda(step).ainvoke("", config={"callbacks": [events]})
    assert [name for name, _ in events.seen] == ["model_usage"] * 2
    first, second = (data for _, data in events.seen)
    assert json.loads(json.dumps(first)) == first
    assert first["cost_usd"] == "0.00045"
    assert "401" in second["error"]
    assert [usage_as_dict(u) for u in bench.used] == [first, second]
