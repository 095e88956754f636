"""One calendar, two graphs, one hour: whoever accepts second is asked first."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from email_assistant.models.runner import Models
from email_assistant.models.settings import ModelSettings
from tests.support.meetings import meeting_mail, taken_at_ten, to_meeting
from tests.support.workflows import WORKFLOWS, Bench, echoed

GRAPHS = ("email_assistant", "inbox_organizer")


@pytest.fixture
async def both(tmp_path: Path) -> AsyncIterator[list[Bench]]:
    """The two graphs over one mailbox, calendar and database, each with a house of its own."""
    offline = Models(ModelSettings(fast="offline", strong="offline"))
    vips = {"EMAIL_ASSISTANT_VIPS": "petrova.example"}  # Of their mail a label is asked about.
    benches = [await WORKFLOWS[graph].open(tmp_path, offline, **vips) for graph in GRAPHS]  # type: ignore[index]
    yield benches
    for bench in benches:
        await bench.close()


async def test_at_the_same_moment(both: list[Bench]) -> None:
    """One event."""
    waiting = [await to_meeting(bench, name) for bench, name in zip(both, ("one", "two"), strict=True)]
    answers = [
        bench.answer(message, echoed(card)) for bench, (message, card) in zip(both, waiting, strict=True)
    ]
    cards = await asyncio.gather(*answers)
    assert len(await taken_at_ten(both[0])) == 1
    told = [card["description"] for card in cards if card]
    assert sum(each.startswith("Your calendar has Fitting ") for each in told) == 1


async def test_a_meeting_made_while_its_label_is_asked_is_not_proposed_again(both: list[Bench]) -> None:
    """The mail is answered: when its label is accepted, the organizer asks nothing more."""
    secretary, organizer = both
    message, label = await organizer.bring(meeting_mail("one"))
    assert label is not None
    assert label["action_request"]["action"].startswith("Label as ")
    card = await secretary.start(message)
    assert card is not None
    assert await secretary.answer(message, echoed(card)) is None
    assert await organizer.answer(message, echoed(label)) is None
    assert len(await taken_at_ten(secretary)) == 1
