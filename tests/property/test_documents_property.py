"""Whatever is imported, moved, removed or broken off, nobody finds a chunk that is not theirs to see."""

import asyncio

from hypothesis import given
from langgraph.store.memory import InMemoryStore

from tests.support.document_world import STEPS, World, index_of


@given(STEPS)
def test_retrieval_gives_what_the_asker_may_see_and_nothing_else(steps: list[object]) -> None:
    """On the store in memory; on PostgreSQL and a real server fewer of them are played elsewhere."""

    async def play() -> None:
        world = World(InMemoryStore())
        world.store = InMemoryStore(index=index_of(world.embedder))
        await world.play(steps)  # type: ignore[arg-type]

    asyncio.run(play())
