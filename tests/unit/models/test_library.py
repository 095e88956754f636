"""The tier as a chat model in the hands of a library."""

import pytest
from langchain_core.messages import HumanMessage
from langmem import create_memory_manager
from pydantic import BaseModel

from email_assistant.errors import ProviderError, TransientError
from tests.servers.model_server import failing, tool_call
from tests.unit.models.sorting import SURE, Bench, Verdict


class Profile(BaseModel):
    """What is known of a person."""

    content: str


PATCH = {
    "json_doc_id": "p1",
    "planned_edits": "Add a line.",
    "patches": [{"op": "replace", "path": "/content", "value": "Brief. Friendly."}],
}


async def test_a_library_gets_retries_and_records(bench: Bench) -> None:
    """A bound tool goes out as usual; a passing error is retried; usage has the name of the work."""
    bench.server.script(failing(503), tool_call("Verdict", SURE))
    models = bench.models()

    async def work() -> object:
        bound = models.chat_model("fast").bind_tools([Verdict], tool_choice="Verdict")
        return (await bound.ainvoke("Hi")).tool_calls[0]["args"]

    assert await models.guarded("learn", "fast", work) == SURE
    assert bench.server.bodies[1]["tool_choice"]["function"]["name"] == "Verdict"
    assert [(u.call, u.attempts) for u in bench.used] == [("learn", 2)]


async def test_a_memory_manager_works_with_it(bench: Bench) -> None:
    """A profile is patched through the tier, without blocking the event loop."""
    bench.server.script(tool_call("PatchDoc", PATCH))
    models = bench.models()
    manager = create_memory_manager(models.chat_model("fast"), schemas=[Profile], enable_inserts=False)
    given = {
        "messages": [HumanMessage("Be friendly.")],
        "existing": [("p1", "Profile", {"content": "Brief."})],
    }
    found = await models.guarded("learn", "fast", lambda: manager.ainvoke(given))
    assert [m.content.content for m in found] == ["Brief. Friendly."]
    assert bench.used[0].call == "learn"


async def test_the_models_errors_stay_what_they_are(bench: Bench) -> None:
    """Through a library the errors are the same as for typed calls."""
    models = bench.models()
    bench.server.script(failing(500) | {"repeat": True})
    with pytest.raises(TransientError):
        await models.guarded("learn", "fast", lambda: models.chat_model("fast").ainvoke("Hi"))
    bench.server.script(failing(401))
    with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
        await models.guarded("learn", "fast", lambda: models.chat_model("fast").ainvoke("Hi"))
