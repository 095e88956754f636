"""Promises about doing a thing once, and only when it is complete: gaps are asked about, and so is what was done before."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from email_assistant.mail.email_input import to_email_input
from email_assistant.mail.message import Conversation, Message
from email_assistant.review.card import inline
from email_assistant.workflow_registry import workflow
from eval.accepting import accepting
from eval.mails import received
from eval.workbench import Graph, answering
from tests.support.sampling import sampled
from tests.support.workflows import ACCEPT, SENDS, WORKFLOWS, Bench, echoed, edited

GAP = "Hello,\n\nit costs [confirm: the price].\n\nRobin Vale"
OTHER_GAP = "Hello,\n\nit comes on [confirm: the day] and costs [confirm: the price].\n\nRobin Vale"
LEFT_OPEN = "Hello,\n\nit comes on {{date}} and is XX by XX.\n\nRobin Vale"
WANTED = WORKFLOWS["inbox_organizer"].case
"""A mail that every graph answers."""
ANSWERING = [name for name in WORKFLOWS if workflow(name).answers]
"""Of the graphs these propose something about a mail that another one works on."""
RACERS = 6


@dataclass
class Elsewhere:
    """A message on a run thread of its own, as Studio and the SDK start them."""

    bench: Bench
    message: Message
    thread_id: str = "elsewhere"

    @property
    def _config(self) -> dict[str, Any]:
        return {"configurable": {"thread_id": self.thread_id}}

    async def up_to_reply(self) -> dict[str, Any]:
        """Run it, and accept the cards before the reply's."""
        given = to_email_input(Conversation(self.message))
        await self.bench.graph.ainvoke({"email_input": given}, self._config)
        for _ in range(5):
            card = await self._card()
            assert card is not None, "the run ended without a reply's card"
            if card["action_request"]["action"].startswith(SENDS):
                return card
            await self.answer(echoed(card))
        raise AssertionError("five cards, and none of a reply")

    async def answer(self, answer: object) -> Any:
        """Answer the card; the next one, or None."""
        await self.bench.graph.ainvoke(await answering(self.bench.graph, self._config, answer), self._config)
        return await self._card()

    async def _card(self) -> Any:
        state = await self.bench.graph.aget_state(self._config)
        return state.interrupts[0].value[0] if state.interrupts else None


class OnceContract:
    """An approval of something unfinished, or of something done already, is asked about once more."""

    @pytest.mark.parametrize("text", [GAP, OTHER_GAP, LEFT_OPEN])
    async def test_a_gap_never_leaves(self, bench: Bench, text: str) -> None:
        """However often it is accepted, its number in the first line; an edit that fills it goes, a hole of the person's own in it."""
        bench.writer.write(text)
        message, card = await bench.to_reply()
        if not card["view"]["gaps"]:  # Where code writes the letter.
            card = await bench.answer(message, edited(card, body=GAP)) or {}
        number = len(card["view"]["gaps"])
        again: Any = card
        for answer in (lambda _: ACCEPT, echoed, lambda shown: edited(shown, cc="bo@example.org"), echoed):
            again = await bench.answer(message, answer(again))
            assert again is not None
            first = "1 gap is left: fill it" if number == 1 else f"{number} gaps are left: fill them"
            assert again["description"].startswith(first)
        assert await bench.sent() == []
        assert await bench.answer(message, edited(again, body="It costs 40 euro, [sic] TBD.")) is None
        assert len(await bench.sent()) == 1

    @pytest.mark.parametrize("way", ["accept", "edit"])
    async def test_a_model_that_stammers_sends_one_letter(self, bench: Bench, way: str) -> None:
        """It is told what went out, and no card hides that from the person."""
        bench.writer.stammers = True
        message, card = await bench.to_reply()
        answer = edited(card, body="It costs 40 euro.") if way == "edit" else [accepting(card)]
        assert await bench.answer(message, answer) is None
        assert len(await bench.letters()) == 1

    @pytest.mark.parametrize("other", sampled(ANSWERING, every=len(ANSWERING)))
    async def test_a_mail_that_another_graph_has_answered_is_answered_again_only_when_that_is_accepted_twice(
        self, bench: Bench, other: Graph, tmp_path: Path
    ) -> None:
        """The accept is asked again with what was sent, when and by whom in the first line; accepted again it is done."""
        message, _ = await bench.to_reply(WANTED)
        second = await WORKFLOWS[other].open(tmp_path)
        thread = Elsewhere(second, message)
        await thread.up_to_reply()
        assert await bench.answer(message, ACCEPT) is None
        again = await thread.answer(ACCEPT)
        assert len(await bench.sent()) == 1
        assert again["description"].startswith("A reply to this message was sent on ")
        assert f"by {inline(bench.workflow.graph)}: " in again["description"].splitlines()[0]
        assert await thread.answer(ACCEPT) is None
        assert len(await bench.sent()) == 2
        await second.close()

    async def test_a_card_for_a_mail_that_was_answered_on_another_thread_says_so(self, bench: Bench) -> None:
        """What was sent stands under "Look closely" from the first, and the accept is asked again all the same."""
        message, _ = await bench.to_reply(WANTED)
        assert await bench.answer(message, ACCEPT) is None
        thread = Elsewhere(bench, message)
        card = await thread.up_to_reply()
        assert "A reply to this message was sent on " in card["description"]
        assert await thread.answer(ACCEPT) is not None
        assert len(await bench.sent()) == 1

    async def test_of_many_threads_that_answer_one_mail_at_one_moment_one_does(self, bench: Bench) -> None:
        """Every other one is asked again."""
        message = (await received(bench.house, WANTED)).current
        threads = [Elsewhere(bench, message, f"thread-{number}") for number in range(RACERS)]
        for thread in threads:
            await thread.up_to_reply()
        cards = await asyncio.gather(*(thread.answer(ACCEPT) for thread in threads))
        assert len(await bench.sent()) == 1
        assert sum(card is None for card in cards) == 1
        assert len([card for card in cards if card]) == RACERS - 1

    @pytest.mark.parametrize("people", [20, 200])
    async def test_a_mail_to_many_people_under_a_long_subject_is_sent(
        self, bench: Bench, people: int
    ) -> None:
        """What was approved is sent, however many take part, and however long subject and ids are."""
        everybody = ", ".join(f"Person {n} <person.{n}@people.example>" for n in range(people))
        long = {"cc": everybody, "subject": "Minutes " * 250, "message_id": f"<{'m' * 1000}@board.example>"}
        message, card = await bench.to_reply({**WANTED, **long})
        assert await bench.answer(message, edited(card, to=everybody, subject="Agenda " * 280)) is None
        (sent,) = await bench.sent()
        assert sent["To"].count("@people.example") == people
