"""Cards in the shape of LangChain's human-in-the-loop middleware: asked, and answered, as in Agent Inbox's."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from langchain.agents.middleware.human_in_the_loop import HITLRequest
from pydantic import TypeAdapter

from email_assistant.server.run_door import bound
from eval.workbench import config_for
from tests.contract.workflow_two_tabs_contract import row_of
from tests.support.workflows import Bench, Workflow

OTHER = "The shelf is 90 cm wide."


def decision(**given: Any) -> dict[str, Any]:
    """What such a client sends back."""
    return {"decisions": [given]}


class ShapesContract:
    """Of every graph."""

    @pytest.fixture
    async def chat(self, workflow: Workflow, tmp_path: Path) -> AsyncIterator[Bench]:
        """An assistant whose cards such a client reads."""
        made = await workflow.open(tmp_path, EMAIL_ASSISTANT_CARD_SHAPE="langchain")
        yield made
        await made.close()

    async def test_a_card_of_that_shape_is_read_by_its_clients(self, chat: Bench) -> None:
        """It is a request of the library's own form, and names every answer that the card takes."""
        message, card = await chat.to_reply()
        state = await chat.graph.aget_state(config_for(message))
        (asked,) = state.interrupts
        request = TypeAdapter(HITLRequest).validate_python(asked.value)
        assert request["action_requests"][0]["args"] == card["action_request"]["args"]
        (allowed,) = request["review_configs"]
        assert (
            allowed["action_name"]
            == request["action_requests"][0]["name"]
            == card["action_request"]["action"]
        )
        assert set(allowed["allowed_decisions"]) == {"approve", "edit", "respond", "reject"}

    @pytest.mark.parametrize("shape", ["agent_inbox", "langchain"])
    async def test_an_answer_of_that_shape_counts_for_what_was_shown(
        self, workflow: Workflow, tmp_path: Path, shape: str
    ) -> None:
        """Under the card's id an approval sends what the card shows, an edit what it says, each once; a rejection sends nothing."""
        for number, kind in enumerate(("approve", "edit", "reject")):
            bench = await workflow.open(tmp_path / str(number), EMAIL_ASSISTANT_CARD_SHAPE=shape)
            message, card = await bench.to_reply()
            asked = card["action_request"]
            edited = {"name": asked["action"], "args": asked["args"] | {"body": OTHER}}
            given = decision(type=kind, **({"edited_action": edited} if kind == "edit" else {}))
            row = await row_of(bench, message)
            (card_id,) = (each["id"] for each in row["interrupts"]["task"])
            await bench.answer(message, bound({card_id: given}, row))
            wanted = {"approve": [asked["args"]["body"]], "edit": [OTHER], "reject": []}[kind]
            sent = [mail.get_payload(decode=True).decode().split() for mail in await bench.letters()]
            assert sent == [each.split() for each in wanted]
            await bench.close()

    async def test_of_another_card_or_of_several_nothing_is_done(self, chat: Bench) -> None:
        """A decision that names another card, one of no known kind, and two for one card are asked about again."""
        message, card = await chat.to_reply()
        fields = card["action_request"]["args"]
        stale = {"name": "Send reply to somebody: else", "args": fields | {"body": OTHER}}
        wrong: list[Any] = [
            decision(type="edit", edited_action=stale),
            decision(type="edit"),
            decision(type="yes"),
            {"decisions": []},
            {"decisions": [{"type": "approve"}, {"type": "approve"}]},
        ]
        for answer in wrong:
            again = await chat.answer(message, answer)
            assert again is not None
        assert await chat.letters() == []
