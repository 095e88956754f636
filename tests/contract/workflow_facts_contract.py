"""Promises about facts: what a model invents is told on the card, and what it was given is not."""

import pytest

from tests.support.workflows import Bench, respond

INVENTED = (
    "Hello,\n\nthank you. It comes to 235.17 EUR, and the van is with you on 14 March 2031.\n\nRobin Vale"
)
TOLD = "Hello,\n\nthank you for your message. We will look at it and answer soon.\n\nRobin Vale"


class FactsContract:
    """What a card says of its text."""

    @pytest.fixture
    async def invents(self, bench: Bench) -> Bench:
        """An assistant whose model makes facts up."""
        await bench.invents(INVENTED)
        return bench

    async def test_an_invented_price_and_date_are_told_on_the_card(self, invents: Bench) -> None:
        """Under "Look closely", whether as a gap in the text or beside it."""
        _, card = await invents.to_reply()
        closely = card["description"].partition("#### Look closely")[2].partition("#### The message")[0]
        assert "235.17" in closely
        assert "14 Mar 2031" in closely
        assert "235.17" in " ".join(card["view"]["warnings"])

    async def test_what_was_given_is_not_told(self, bench: Bench) -> None:
        """A letter that holds nothing but what it answers has nothing to look at closely for its facts."""
        bench.writer.write(TOLD)
        _, card = await bench.to_reply()
        assert "stands nowhere" not in card["description"]
        assert not card["view"]["gaps"]

    async def test_what_the_person_said_is_not_told(self, invents: Bench) -> None:
        """What they say to a model is a source of the next draft."""
        message, invented = await invents.to_reply()
        invents.writer.heeds = True
        card = await invents.answer(message, respond("It is 235.17 EUR, on 14 March 2031."))
        assert card is not None
        assert not card["view"]["gaps"]
        assert not {*card["view"]["warnings"]} & {*invented["view"]["warnings"]}
