"""Which card an answer is for: the one that the server lists when the answer comes in.

LangGraph keeps an answer that names no card with the thread, and gives it to whatever asks there next: to the card after
the one it was for, when the run that took it is cut off and the thread goes on, or when a second click is late. Named by
its id it is given to that card alone, and is kept nowhere.
"""

import re
from collections.abc import Mapping
from typing import Any

_ID = re.compile(r"[0-9a-f]{32}")
NO_CARD = "0" * 32
"""What an answer is for that comes when nothing is asked."""


def bound(answer: Any, thread: Mapping[str, Any] | None) -> Any:
    """The answer (`command.resume`) with the id of the thread's card; one that names its card already stays as it is."""
    if isinstance(answer, Mapping) and answer and all(_ID.fullmatch(str(key)) for key in answer):
        return answer
    shown = [i["id"] for asked in ((thread or {}).get("interrupts") or {}).values() for i in asked]
    return {(shown or [NO_CARD])[0]: answer}
