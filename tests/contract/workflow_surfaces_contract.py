"""Promises about what a person sees: every surface tells the same of a card."""

from tests.support.surfaces import as_waiting, unlike
from tests.support.workflows import SENDS, Bench, echoed


class SurfacesContract:
    """What stands on Agent Inbox's card stands on the page and on the terminal."""

    async def test_every_surface_tells_the_same_of_a_card(self, rules: Bench) -> None:
        """Of every card up to the reply, and of the reply when it is asked again."""
        message, card = await rules.bring(rules.workflow.case)
        for _ in range(5):
            assert card is not None
            assert unlike(as_waiting(card, rules.workflow.graph)) == {}
            if card["action_request"]["action"].startswith(SENDS):
                break
            card = await rules.answer(message, echoed(card))
        again = await rules.answer(message, [{"type": "edit", "args": {}}])
        assert again is not None
        assert unlike(as_waiting(again, rules.workflow.graph)) == {}
