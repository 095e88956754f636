"""The tier as a chat model in the hands of a library."""

from tests.servers.model_server import failing, tool_call
from tests.unit.models.sorting import SURE, Bench, Verdict


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
