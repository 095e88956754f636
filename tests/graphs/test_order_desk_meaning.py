"""A product that shares no word with what the mail calls it: found by an embedding where one is set, and then asked about, never sold."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from email_assistant.app.assistant import deps_of
from email_assistant.app.graphs import graph_of
from email_assistant.errors import ProviderError
from email_assistant.knowledge.embedding import DIMS, Embedder
from email_assistant.settings import load_settings
from eval.orders.running import ScriptedReading
from eval.setup import desk_settings
from eval.workbench import stocked

MUGS = {"KTC-4098"}
MAIL = {
    "email_id": "E1",
    "subject": "",
    "message": "Ich bestelle zwei Humpen.\n\nBo",
    "sender": "bo@post.example",
}
MENTION = {"product_name": "Humpen", "quantity": 2, "confidence": 0.9, "mention_text": "zwei Humpen"}
READING = {
    "language": "de", "primary_intent": "order request", "customer_name": "Bo",
    "segments": [{"segment_type": "order", "main_sentence": "Ich bestelle zwei Humpen.", "product_mentions": [MENTION]}],
}  # fmt: skip


class Vessels:
    """A made-up embedding: drinking vessels in one direction, everything else in another."""

    name, kind = "made-up-1", "provider"

    def __init__(self) -> None:
        self.asked = 0
        self.fails = False

    async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """One of two directions."""
        if self.fails:
            raise ProviderError("the embedding's service is gone")
        self.asked += len(texts)
        return [[1.0, 0.0] if "mug" in t.lower() or "humpen" in t.lower() else [0.0, 1.0] for t in texts]


@pytest.fixture
async def shop(tmp_path: Path) -> Any:
    """The sample shop with that embedding; gives what becomes of the mail, and the embedding."""
    embedding, models = Vessels(), ScriptedReading({"E1": READING})
    settings = load_settings(desk_settings(tmp_path), tmp_path)
    house = deps_of(settings, models=models, embedder=Embedder(embedding))
    await stocked(house)
    store = InMemoryStore(index={"dims": DIMS, "embed": house.embedder.embed, "fields": ["text"]})
    graph = graph_of(house, "order_desk", asks=False, store=store)

    async def process(number: int) -> dict[str, Any]:
        return dict(await graph.ainvoke({"email": MAIL}, {"configurable": {"thread_id": f"t{number}"}}))

    return process, embedding


def mention(state: dict[str, Any]) -> dict[str, Any]:
    """The only one."""
    (found,) = state["stockkeeper"]["mentions"]
    return dict(found)


async def test_what_is_meant_is_asked_about_and_nothing_is_taken(shop: Any) -> None:
    """The catalogue is embedded once, however many mails come."""
    process, embedding = shop
    for number in range(3):
        state = await process(number)
        found = mention(state)
        assert found["status"] == "ambiguous"
        assert {candidate["product_id"] for candidate in found["candidates"]} >= MUGS
        assert {candidate["method"] for candidate in found["candidates"]} == {"meaning"}
        assert not [line for line in state["fulfiller"]["lines"] if line["fulfilled"]]
        if number == 0:
            asked = embedding.asked
            assert asked > 100
    assert embedding.asked == asked


async def test_without_its_service_words_decide(shop: Any) -> None:
    """The order desk does not fail with it; when it is back, it is asked again."""
    process, embedding = shop
    embedding.fails = True
    state = await process(1)
    assert mention(state)["status"] == "unresolved"
    assert not any(state["errors"].values())
    embedding.fails = False
    assert mention(await process(2))["status"] == "ambiguous"
