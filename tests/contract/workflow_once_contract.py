"""Promises about doing a thing once, and only when it is complete: gaps are asked about, and so is what was done before."""

from tests.support.workflows import ACCEPT, Bench, edited

GAP = "Hello,\n\nit costs [confirm: the price].\n\nRobin Vale"
OTHER_GAP = "Hello,\n\nit comes on [confirm: the day] and costs [confirm: the price].\n\nRobin Vale"
ONE = "1 gap: fill it with edit, or accept once more to send it as it is."


class OnceContract:
    """An approval of something unfinished, or of something done already, is asked about once more."""

    async def test_a_text_with_a_gap_leaves_only_when_it_is_accepted_twice(self, bench: Bench) -> None:
        """The first accept asks again with the gap in the first line; the second sends what was shown."""
        bench.writer.write(GAP)
        message, card = await bench.to_reply()
        has_gap = "[confirm:" in card["action_request"]["args"]["body"]  # Not where code writes the letter.
        again = await bench.answer(message, ACCEPT if has_gap else edited(card, body=GAP))
        assert await bench.sent() == []
        assert again is not None
        assert again["action_request"]["args"]["body"].split() == GAP.split()
        assert again["description"].startswith(ONE)
        assert await bench.answer(message, ACCEPT) is None
        assert len(await bench.sent()) == 1

    async def test_an_edit_that_leaves_a_gap_is_asked_about(self, bench: Bench) -> None:
        """The person's own text comes back, and each text with gaps is asked about by itself."""
        message, card = await bench.to_reply()
        again = await bench.answer(message, edited(card, body=GAP))
        assert again is not None
        again = await bench.answer(message, edited(again, body=OTHER_GAP))
        assert await bench.sent() == []
        assert again is not None
        assert again["action_request"]["args"]["body"].split() == OTHER_GAP.split()
        assert again["description"].startswith("2 gaps: fill them with edit")
        assert await bench.answer(message, edited(again, body="It costs 40 euro.")) is None
        assert len(await bench.sent()) == 1
