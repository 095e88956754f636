"""Promises about answers: each counts for the card that was shown, nothing typed is lost, and what was decided is on record."""

from typing import Any

from email_assistant.ingest.starter import run_thread_id
from email_assistant.mail.message import Message
from tests.support.workflows import ACCEPT, BARE, IGNORE, Bench, echoed, edited, respond

GIVEN = "a" * 32
"""The id under which a client knows an answer."""
DEFERRED = "2026-11-19T12:00:00+00:00"


class AnswersContract:
    """An answer that names no card is not taken for a card that nobody may have seen."""

    async def test_the_card_is_one_that_agent_inbox_reads(self, bench: Bench) -> None:
        """By its rules: a card is what has a request and what may be answered, the list shows the first 65 characters as they stand,
        and what it does not know (`view`) it leaves alone; it would take `action_requests` for another format.
        """
        _, card = await bench.to_reply()
        assert card.keys() == {"action_request", "config", "description", "view"}
        assert card["action_request"].keys() == {"action", "args"}
        assert all(isinstance(text, str) for text in card["action_request"]["args"].values())
        assert card["config"].keys() == {"allow_ignore", "allow_respond", "allow_edit", "allow_accept"}
        row = card["description"][:65]
        assert row.strip()
        assert not [mark for mark in ("- **", "##", "```", "\n\n\n") if row.startswith(mark)]

    async def test_a_bare_accept_counts_for_the_first_card_of_a_new_run_alone(self, bench: Bench) -> None:
        """There nothing else can have been shown. Of every other card it is asked again, each time, with how to name it."""
        message, card = await bench.bring(bench.workflow.case)
        assert card is not None
        following = await bench.answer(message, BARE)
        assert following is None or following["action_request"] != card["action_request"]
        message, card = await bench.to_reply(_another(bench, "redrawn"))
        redrawn = await bench.answer(message, respond("Shorter, please."))
        redrawn = await bench.up_to_reply(message, redrawn)
        sent = len(await bench.sent())
        for _ in range(3):
            again = await bench.answer(message, BARE)
            assert again is not None
            assert again["action_request"] == redrawn["action_request"]
            assert again["description"].startswith("That answer does not say which card it is for")
        assert len(await bench.sent()) == sent
        await _finish(bench, message, await bench.answer(message, ACCEPT))
        assert len(await bench.sent()) == sent + 1

    async def test_an_answer_that_names_no_card_does_not_settle_what_newer_mail_brought(
        self, bench: Bench
    ) -> None:
        """Neither a bare accept nor an ignore of the old page; the person is told why. Of the ignores the next one counts."""
        for number, answer in enumerate((BARE, IGNORE)):
            first, _ = await bench.to_reply(_another(bench, f"first{number}"))
            later, card = await _later(bench, first, f"later{number}")
            sent = len(await bench.sent())
            again = await bench.answer(later, answer)
            assert again is not None
            assert again["action_request"] == card["action_request"]
            why = (
                "This card took the place of one that waited"
                if answer is IGNORE
                else "That answer does not say"
            )
            assert again["description"].startswith(why)
            assert len(await bench.sent()) == sent
            following = await bench.answer(later, answer)
            counts = following is None or following["action_request"] != card["action_request"]
            assert counts is (answer is IGNORE)

    async def test_a_refused_edit_keeps_what_was_typed(self, bench: Bench) -> None:
        """The fields hold the person's words, the first line the problem; accepting that sends neither those nor the draft."""
        message, card = await bench.to_reply()
        typed = edited(card, to="not an address", body="My own words.")
        again = await bench.answer(message, typed)
        assert again is not None
        assert again["action_request"] == typed[0]["args"]
        assert again["description"].startswith("The edit was not taken: ")
        assert await bench.answer(message, ACCEPT) == again
        assert await bench.answer(message, echoed(again)) == again
        assert await bench.sent() == []
        assert await bench.answer(message, edited(again, to="ana@petrova.example")) is None
        (sent,) = await bench.sent()
        assert sent.get_payload(decode=True).decode().strip() == "My own words."

    async def test_an_edit_of_another_card_is_kept_for_reading(self, bench: Bench) -> None:
        """It does not change the card that waits now, and what was typed stands below it."""
        message, first = await bench.to_reply()
        redrawn = await bench.answer(message, respond("Shorter, please."))
        redrawn = await bench.up_to_reply(message, redrawn)
        again = await bench.answer(message, edited(first, body="An hour of writing."))
        assert again is not None
        assert again["action_request"] == redrawn["action_request"]
        assert "An hour of writing." in again["description"]
        assert await bench.sent() == []

    async def test_every_answer_is_on_record(self, bench: Bench) -> None:
        """Each card has what was answered, once, and nothing waits for an answer that was given."""
        message, card = await bench.bring(bench.workflow.case)
        first = await bench.up_to_reply(message, card)
        await bench.answer(message, edited(first, to="not an address"))
        await bench.answer(message, [respond("Shorter, please.")[0] | {"id": GIVEN}])
        redrawn = await bench.card(message)
        assert redrawn is not None
        await bench.up_to_reply(message, redrawn)
        await bench.answer(message, IGNORE)
        while (card := await bench.card(message)) is not None:
            await bench.answer(message, IGNORE)
        reviews = {each.title: each for each in await _reviews(bench, message)}
        title = first["action_request"]["action"]
        assert [each["decision"] for each in reviews[title].answers] == ["not taken", "response"]
        assert all(review.decision for review in reviews.values())
        # Whoever gives it again by its id finds what became of it.
        given = await bench.house.trace.given_answer(reviews[title].run_thread_id, GIVEN)
        assert given is not None
        assert (given.title, given.decision, bool(given.named["kind"])) == (title, "response", True)


def _another(bench: Bench, name: str) -> dict[str, Any]:
    case = dict(bench.workflow.case)
    return case | {"id": name, "subject": f"{case['subject']} {name}"}


async def _finish(bench: Bench, message: Message, card: dict[str, Any] | None) -> None:
    """Accept once more where the text has a gap, which is asked about by itself."""
    if card is not None:
        assert "gap" in card["description"].splitlines()[0]
        assert await bench.answer(message, ACCEPT) is None


async def _later(bench: Bench, first: Message, name: str) -> tuple[Message, dict[str, Any]]:
    """A newer message of the conversation, and the card that takes the place of the one that waits."""
    headers = {"In-Reply-To": first.message_id, "References": first.message_id}
    case = {
        **bench.workflow.case,
        "id": name,
        "subject": first.subject,
        "headers": headers,
        "date": DEFERRED,
    }
    later, card = await bench.bring(case)
    assert later.mail_thread_id == first.mail_thread_id
    assert card is not None
    return later, card


async def _reviews(bench: Bench, message: Message) -> list[Any]:
    return list(await bench.house.trace.reviews(run_thread_id(message.mail_thread_id)))
