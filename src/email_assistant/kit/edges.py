"""Words on the edges of a graph, which Studio and the drawings show; a `Command` node has them in its `destinations`."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from langgraph.graph import StateGraph


def add_labelled(
    graph: StateGraph[Any, Any, Any, Any],
    source: str,
    router: Callable[[Any], str | list[str]],
    labels: Mapping[str, str],
) -> None:
    """Conditional edges from `source` to what the router names; `labels`: each goal → the word for it, no word twice."""

    @wraps(router)
    def word(state: Any) -> str | list[str]:
        goal = router(state)
        return labels[goal] if isinstance(goal, str) else [labels[each] for each in goal]

    graph.add_conditional_edges(source, word, {label: goal for goal, label in labels.items()})
