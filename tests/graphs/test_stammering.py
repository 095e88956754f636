"""A model that does again what is done, as models do: it is told so, and no card hides what went out from the person."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import ToolMessage

from eval.accepting import accepting
from tests.graphs.test_assistant import DONE, MEETING, REPLY, assert_every_call_answered, begin, edit, respond
from tests.support.desk import Desk
from tests.support.scripted import Script, calls

Called = tuple[str, dict[str, Any]]
NEW = ("compose_email", {"to": "bo@example.org", "subject": "Oak", "body": "Could you send oak?"})
REPEATED: Mapping[str, tuple[Called, Called, dict[str, str]]] = {
    "its reply": (REPLY, REPLY, {"body": "Hi Ana, 110 euro. Robin"}),
    "its letter under another subject": (NEW, (NEW[0], {**NEW[1], "subject": "Wood"}), {"cc": "eve@example.org"}),
    "its meeting a little later": (
        MEETING, (MEETING[0], {**MEETING[1], "start": "2026-11-26T10:15", "end": "2026-11-26T10:45"}), {"location": "Studio"},
    ),
}  # fmt: skip
OTHER: Mapping[str, tuple[Called, Called]] = {
    "a letter to a third person": (REPLY, NEW),
    "a second meeting": (MEETING, (MEETING[0], {**MEETING[1], "start": "2026-11-27T10:00", "end": "2026-11-27T10:30"})),
}  # fmt: skip


async def effects(assistant: Desk) -> tuple[int, int]:
    """Letters and events."""
    made = await assistant.house.calendar.events(
        datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)
    )
    letters = [each for each in await assistant.sent() if not each.is_multipart()]
    return len(letters), len([each for each in made if "itting" in each.title])


@pytest.mark.parametrize("way", ["accept", "edit"])
@pytest.mark.parametrize("what", REPEATED)
async def test_a_model_that_repeats_itself_is_told(tmp_path: Path, what: str, way: str) -> None:
    """By what was done, and when; the second time its work ends, with one effect, one card and no draft left."""
    first, again, changes = REPEATED[what]
    script = Script(turns=[calls(each, prefix=f"turn{n}") for n, each in enumerate([first, again, again])])
    assistant, message, card = await begin(tmp_path, script)
    answer = edit(card, **changes) if way == "edit" else [accepting(card)]
    assert await assistant.answer(message, answer) is None
    assert sum(await effects(assistant)) == 1
    assert await assistant.drafts() == []
    assert script.turns == []
    (told,) = [
        m.text for m in script.heard[2] if isinstance(m, ToolMessage) and "Do not do it again" in m.text
    ]
    assert way == "accept" or what != "its reply" or changes["body"] in told
    assert (await assistant.values(message))["outcome"] in {"replied", "written", "scheduled"}
    assert_every_call_answered(await assistant.messages(message))


@pytest.mark.parametrize("what", OTHER)
async def test_what_is_no_repetition_is_a_card_that_begins_with_what_is_done(
    tmp_path: Path, what: str
) -> None:
    """And words of the person's about it let the model do the first thing once more, as a card of its own."""
    first, other = OTHER[what]
    turns = [
        calls(first, prefix="a"),
        calls(other, prefix="b"),
        calls(first, prefix="c"),
        calls(first, prefix="d"),
        calls(DONE, prefix="e"),
    ]
    assistant, message, card = await begin(tmp_path, Script(turns=turns))
    second = await assistant.answer(message, [accepting(card)])
    assert second is not None
    assert "Done so far" in second["description"]
    once_more = await assistant.answer(message, respond("No: do the first thing once more."))
    assert once_more is not None
    assert (
        once_more["action_request"]["action"].partition(":")[0]
        == card["action_request"]["action"].partition(":")[0]
    )
    assert len(once_more["view"]["done"]) == 1
    for _ in range(3):
        once_more = await assistant.answer(message, [accepting(once_more)]) if once_more else None
    assert once_more is None
    assert sum(await effects(assistant)) == 2
