"""What threads ask a person, and whether they would ask about something else after that."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from langgraph_sdk.client import LangGraphClient

PLANNED = ("proposals", "planned_unsubscribe", "planned_event", "planned_reply")
"""What else a graph would ask about after the card."""
Values = Mapping[str, Any]


async def shown_kinds(client: LangGraphClient, run_thread_ids: Sequence[str]) -> dict[str, str]:
    """The kinds of the cards that the threads show; those without one are left out."""
    if not run_thread_ids:
        return {}
    found: Any = await client.threads.search(ids=list(run_thread_ids), limit=len(run_thread_ids))
    return {
        str(thread["thread_id"]): str(value[0]["view"]["kind"])
        for thread in found
        if thread["status"] == "interrupted"
        for asked in (thread.get("interrupts") or {}).values()
        for value in (each["value"] for each in asked)
        if isinstance(value, list) and value and value[0].get("view")
    }


async def asks_alone(client: LangGraphClient, run_thread_id: str, is_meant: Callable[[Values], bool]) -> bool:
    """Whether the thread's state has a card of which that is true, and nothing that would be asked after it."""
    state: Any = await client.threads.get_state(run_thread_id, subgraphs=True)
    return any(
        is_meant(values) and not _more_waits(values) for values in _levels(state) if values.get("pending")
    )


def _levels(state: Values) -> Iterator[Values]:
    """The values of a thread's state and of the graphs within it, the innermost first."""
    for task in state.get("tasks") or ():
        if isinstance(task.get("state"), Mapping):
            yield from _levels(task["state"])
    values = state.get("values")
    if isinstance(values, Mapping):
        yield values


def _more_waits(values: Values) -> bool:
    """Whether the run would ask about something else after this card."""
    if any(values.get(name) for name in PLANNED):
        return True
    messages = values.get("messages") or []
    answered = {message.get("tool_call_id") for message in messages}
    last = next((each for each in reversed(messages) if each.get("tool_calls")), None)
    calls = (last or {}).get("tool_calls") or []
    open_calls = [call for call in calls if call["name"] != "Done" and call["id"] not in answered]
    return any(call["id"] != values["pending"].get("tool_call_id") for call in open_calls)
