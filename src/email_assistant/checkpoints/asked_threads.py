"""Which threads wait for an answer, by the checkpoints of whichever database."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.types import Interrupt

INTERRUPT, RESUME = "__interrupt__", "__resume__"
"""LangGraph's names for what a task asked, and for an answer that no later checkpoint has taken in."""

Waiting = Mapping[str, Mapping[str, Sequence[Interrupt]]]
"""Thread → task → what it asks."""


@dataclass(frozen=True, slots=True)
class AskedThreads:
    """The threads that have asked, by their latest checkpoints."""

    waiting: Waiting
    stopped: frozenset[str]
    """Those that have been answered since, and were cut off before anything came of it that ends or asks."""


class Saver(Protocol):
    """What is asked of one beyond LangGraph's own interface."""

    async def standing(self) -> AskedThreads:
        """Which threads wait for an answer, and which have got one."""

    async def aget_tuple(self, config: RunnableConfig) -> Any:
        """The latest checkpoint of a thread."""


LATEST = "(SELECT thread_id, checkpoint_ns, MAX(checkpoint_id) AS checkpoint_id FROM checkpoints GROUP BY thread_id, checkpoint_ns) AS l"
JOINED = "USING (thread_id, checkpoint_ns, checkpoint_id) WHERE TRUE"
NESTED = "SELECT DISTINCT thread_id, checkpoint_ns FROM checkpoints WHERE checkpoint_ns != ''"


def standing(
    rows: Iterable[tuple[Any, ...]], nested: Iterable[tuple[str, str]], serde: SerializerProtocol
) -> AskedThreads:
    """From what was asked and answered at the latest checkpoint of each graph, and the graphs within graphs there are.

    While a graph within a graph works, the outer one stands still: what that asked is out of date as soon as the
    inner one asks it no longer.
    """
    asked: defaultdict[str, dict[str, Sequence[Interrupt]]] = defaultdict(dict)
    inner = {key: set[str]() for key in nested}
    answered = set()
    for thread_id, namespace, task_id, channel, kind, value in rows:
        if channel == RESUME:
            answered.add(thread_id)
            continue
        interrupts: Sequence[Interrupt] = tuple(serde.loads_typed((kind, value)))
        if namespace:
            inner[thread_id, namespace] |= {i.id for i in interrupts}
        else:
            asked[thread_id][task_id] = interrupts
    for (thread_id, namespace), ids in inner.items():
        for task_id, interrupts in asked[thread_id].items() if thread_id in asked else ():
            if task_id in namespace and not ids.issuperset(i.id for i in interrupts):
                answered.add(thread_id)
    waiting = {thread_id: tasks for thread_id, tasks in asked.items() if thread_id not in answered}
    return AskedThreads(waiting, frozenset(answered))
