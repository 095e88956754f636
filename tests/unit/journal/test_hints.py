"""Category hints."""

from datetime import timedelta

import pytest

from email_assistant.clock import FixedClock
from email_assistant.journal.database import Database
from email_assistant.workflows.inbox_organizer.records.hints import CategoryHints

LIST, SENDER = "list:<news.shop.example>", "sender:news@shop.example"
NEWS, OFFERS = "Newsletters/Subscriptions", "Marketing/Promotions"


@pytest.fixture
def hints(database: Database, clock: FixedClock) -> CategoryHints:
    """The hints of a fresh database."""
    return CategoryHints(database, clock)


async def taught(hints: CategoryHints, *categories: str, keys: tuple[str, ...] = (LIST, SENDER)) -> None:
    """Corrections of one message each, a minute apart."""
    for number, category in enumerate(categories):
        at = FixedClock(hints.clock.now() + timedelta(minutes=number))
        await CategoryHints(hints.database, at).teach("m", keys, category, f"{category}-{number}")


async def test_three_corrections_that_agree_make_a_hint(hints: CategoryHints) -> None:
    """Two do not."""
    await taught(hints, OFFERS, OFFERS)
    assert await hints.find("m", [LIST]) is None
    assert [(hint.key, hint.agreeing, hint.holds) for hint in await hints.all("m")] == [
        (LIST, 2, False),
        (SENDER, 2, False),
    ]
    await taught(hints, OFFERS, OFFERS, OFFERS)
    found = await hints.find("m", [LIST])
    assert found is not None
    assert (found.category, found.holds, found.since) == (OFFERS, True, hints.clock.now())


@pytest.mark.parametrize("categories", [(OFFERS, OFFERS, OFFERS, NEWS), (NEWS, OFFERS, OFFERS)])
async def test_a_correction_that_disagrees_starts_anew(
    hints: CategoryHints, categories: tuple[str, ...]
) -> None:
    """Only the latest three count, and all of them have to agree."""
    await taught(hints, *categories)
    assert await hints.find("m", [LIST]) is None


async def test_a_repeat_counts_once(hints: CategoryHints) -> None:
    """The same decision, replayed after a crash, is one correction; a later one about the message replaces it."""
    for _ in range(5):
        await hints.teach("m", [LIST], OFFERS, "one")
    (hint,) = await hints.all("m")
    assert hint.agreeing == 1
    await hints.teach("m", [LIST], NEWS, "one")
    assert [(hint.category, hint.agreeing) for hint in await hints.all("m")] == [(NEWS, 1)]


async def test_the_first_key_with_a_hint_decides(hints: CategoryHints) -> None:
    """A list's hint goes before its sender's; another mailbox has hints of its own."""
    await taught(hints, OFFERS, OFFERS, OFFERS, keys=(SENDER,))
    await taught(hints, NEWS, NEWS, NEWS, keys=(LIST,))
    for keys, category in (((LIST, SENDER), NEWS), ((SENDER, LIST), OFFERS), (("x", SENDER), OFFERS)):
        found = await hints.find("m", keys)
        assert found is not None
        assert found.category == category
    assert await hints.find("other", [LIST, SENDER]) is None
    assert await hints.find("m", []) is None


async def test_a_hint_can_be_undone(hints: CategoryHints) -> None:
    """What was taught before does not come back with the next correction."""
    await taught(hints, OFFERS, OFFERS, OFFERS)
    assert await hints.forget("m", LIST)
    assert not await hints.forget("m", LIST)
    assert await hints.find("m", [LIST]) is None
    await hints.teach("m", [LIST], OFFERS, "later")
    assert await hints.find("m", [LIST]) is None
    found = await hints.find("m", [SENDER])
    assert found is not None
