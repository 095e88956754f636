"""The organizer with a model over HTTP: which tier is asked, when a human is, what is labelled and learned."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from email_assistant.journal.records import DEFERRED
from email_assistant.journal.traces import GivenEntry
from email_assistant.mail.message import Message
from email_assistant.page.answer_routes import taken_back
from email_assistant.page.answering import AnswerState, Resuming
from email_assistant.review.waiting import WaitingCard, deferred_cards
from email_assistant.workflows.inbox_organizer.records.hints import CategoryHints
from eval.workbench import config_for
from tests.servers.model_server import Answer, ModelServer, running_model_server, tool_call, tool_calls
from tests.support.desk import Desk, mail, organizer

WORK, NEWS, OFFERS = "Professional/Work", "Newsletters/Subscriptions", "Marketing/Promotions"
TELLS = "Hi Robin,\n\nthe oak shelf came today.\n\nAna"
"""What asks nothing, so that no card shows it."""
HIGH = "Agent/Priority/High"
BULK = {"sender": "Shop <news@shop.example>", "List_Id": "<news.shop.example>"}


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """A scripted model server."""
    with running_model_server() as server:
        yield server


@pytest.fixture
def assistant(model: ModelServer, tmp_path: Path) -> Desk:
    """An organizer whose both tiers are on the server."""
    return organizer(
        tmp_path,
        EMAIL_ASSISTANT_MODEL_FAST="openai:fast",
        EMAIL_ASSISTANT_MODEL_STRONG="openai:strong",
        OPENAI_API_KEY="none",
        OPENAI_BASE_URL=model.base_url,
        EMAIL_ASSISTANT_VIPS="board.example",
    )


def says(category: str, confidence: float, **more: Any) -> Answer:
    """The model's answer."""
    fields = {
        "reasoning": "It is about a shelf.",
        "category": category,
        "confidence": confidence,
        "importance": 0.5,
    }
    return tool_call("CategoryAnswer", fields | {"key_phrases": ["oak shelf", "made up"]} | more)


def reply(body: str) -> Answer:
    """The model's reply."""
    return tool_calls(("send_email", {"body": body}), ("Done", {}))


ASKS: dict[str, Any] = {"importance": 0.8, "wants_reply": False}
"""Of an answer: important enough for a card of its own, and nothing to write."""


async def guess(assistant: Desk) -> WaitingCard:
    """The one guess that waits."""
    (card,) = await deferred_cards(assistant.house.trace)
    return card


async def settle(assistant: Desk, category: str) -> AnswerState:
    """The guess that waits is settled with this category."""
    card = await guess(assistant)
    nobody: Any = None  # No server is asked about what no run waits for.
    answer = {"type": "edit", "args": {"action": card.title, "args": {"category": category}}}
    return (await Resuming(assistant.house, nobody).resume(card, answer)).state


def edit(card: dict[str, Any], category: str) -> list[dict[str, Any]]:
    """The card sent back with another category."""
    action = card["action_request"]["action"]
    return [{"type": "edit", "args": {"action": action, "args": {"category": category}}}]


async def labels(assistant: Desk, message: Message) -> frozenset[str]:
    """The message's labels."""
    return await assistant.house.mailbox.labels(message.id)


async def values(assistant: Desk, message: Message) -> dict[str, Any]:
    """What the thread holds."""
    return dict((await assistant.graph.aget_state(config_for(message))).values)


@pytest.mark.parametrize(
    ("answers", "asked", "labelled"),
    [
        ([0.70], ["fast"], False),
        ([0.79], ["fast"], False),
        ([0.80], ["fast"], True),
        ([1], ["fast"], True),
        ([0.69, 0.69], ["fast", "strong"], False),
        ([0.69, 0.79], ["fast", "strong"], False),
        ([0.69, 0.80], ["fast", "strong"], True),
        ([0, 0.95], ["fast", "strong"], True),
    ],
)
async def test_confidence_decides(
    model: ModelServer, assistant: Desk, answers: list[float], asked: list[str], labelled: bool
) -> None:
    """Below 0.7 the strong tier is asked again; what is then below 0.8 is a guess, which labels nothing until a human says so."""
    model.script(*(says(WORK, confidence) for confidence in answers))
    message = await assistant.receive(mail(TELLS))
    card = await assistant.start(message)
    assert [body["model"] for body in model.bodies] == asked
    given = frozenset({f"Agent/{WORK}"} if labelled else ())
    assert (card, await labels(assistant, message)) == (None, given)
    record = await assistant.house.mail_log.get(assistant.house.mailbox.name, message.id, "inbox_organizer")
    assert record is not None
    assert (record.status, record.outcome) == ("done", "labeled" if labelled else "guessed")
    if not labelled:
        assert await settle(assistant, "Shelves") == AnswerState.failed  # There is no such category.
        assert await settle(assistant, WORK) == AnswerState.done
        assert await labels(assistant, message) == {f"Agent/{WORK}"}
        record = await assistant.house.mail_log.get(record.mailbox, message.id, record.graph)
        assert record is not None
        assert record.outcome == "labeled"
    assert await deferred_cards(assistant.house.trace) == []
    await assistant.house.models.close()


@pytest.mark.parametrize(
    ("sender", "importance", "labelled"),
    [
        ("The Boss <boss@board.example>", 0.95, "Critical"),
        ("The Boss <boss@board.example>", 0.8, "High"),
        ("The Boss <boss@else.test>", 1.0, "High"),
        ("Ana <ana@example.com>", 0.5, None),
    ],
)
@pytest.mark.parametrize("confidence", [0.9, 0.75])
async def test_important_mail_has_a_label_of_its_own(
    model: ModelServer,
    assistant: Desk,
    sender: str,
    importance: float,
    labelled: str | None,
    confidence: float,
) -> None:
    """By itself, also while the category's card waits; the card tells why. Normal mail has none, a stranger's is never critical."""
    body = "Could you pay the 4,000 euro? It is due today, please answer immediately."
    model.script(says(WORK, confidence, importance=importance), *([reply("I will.")] if labelled else []))
    message = await assistant.receive(mail(body, sender=sender, subject="Bill"))
    await assistant.house.mailbox.change_labels(message.id, add=frozenset({"Agent/Priority/High"}))
    card = await assistant.start(message)
    priority = {f"Agent/Priority/{labelled}"} if labelled else set()
    category = {f"Agent/{WORK}"} if confidence == 0.9 else set()
    assert await labels(assistant, message) == priority | category
    assert (card is None) is (not labelled)
    if card is not None:
        assert "Importance: " in card["description"]
    await assistant.house.models.close()


URGENT = {
    "body": "Could you pay the 4,000 euro? It is due today, please answer immediately.",
    "sender": "The Boss <boss@board.example>",
}


@pytest.mark.parametrize(
    "fields",
    [
        {"List_Id": "<board.example>", "List_Unsubscribe": "<mailto:u@board.example>"},
        {"Auto_Submitted": "auto-generated"},
        {"Authentication_Results": "mx.vale.example; dmarc=fail header.from=board.example"},
    ],
)
async def test_what_awaits_no_reply_gets_none(
    model: ModelServer, assistant: Desk, fields: dict[str, str]
) -> None:
    """However important it is: mail to many, a machine's, and mail of a sender in doubt."""
    model.script(says(WORK, 0.9, importance=0.95))
    await assistant.start(await assistant.receive(mail(**URGENT | fields)))
    assert (await assistant.drafts(), len(model.bodies)) == ([], 1)
    await assistant.house.models.close()


async def test_a_letter_by_a_customers_mail_program_is_no_mailing(
    model: ModelServer, assistant: Desk
) -> None:
    """It has a mailing's marks, and asks the user by name."""
    model.script(says(WORK, 0.9, importance=0.95), reply("I will."))
    fields = URGENT | {
        "body": "Hi Robin,\n\ncould you call the court today, please?",
        "List_Unsubscribe": "<mailto:u@board.example>",
    }
    message = await assistant.receive(mail(**fields))
    await assistant.start(message)
    assert await labels(assistant, message) == {f"Agent/{WORK}", "Agent/Priority/Critical"}
    await assistant.house.models.close()


async def test_a_category_that_there_is_not_is_asked_again(model: ModelServer, assistant: Desk) -> None:
    """The card comes back with the categories in its first line; letters of any case are taken."""
    model.script(says(WORK, 0.75, **ASKS))
    message = await assistant.receive(mail(TELLS))
    card = await assistant.start(message)
    assert card is not None
    card = await assistant.answer(message, edit(card, "Shelves"))
    assert card is not None
    assert card["description"].splitlines()[0].startswith("'category' must be one of: Important; ")
    assert await assistant.answer(message, edit(card, " newsletters/SUBSCRIPTIONS ")) is None
    assert await labels(assistant, message) == {f"Agent/{NEWS}", HIGH}
    await assistant.house.models.close()


async def test_what_the_human_says_leads_to_another_proposal(model: ModelServer, assistant: Desk) -> None:
    """Words are no approval: the new category is a card of its own, and accepting it is a correction."""
    model.script(says(OFFERS, 0.75, **ASKS), says(NEWS, 0.9, **ASKS))
    message = await assistant.receive(mail(Auto_Submitted="auto-generated"))
    await assistant.start(message)
    card = await assistant.answer(message, [{"type": "response", "args": "I read this every week."}])
    assert card is not None
    assert card["action_request"]["args"] == {"category": NEWS}
    assert await labels(assistant, message) == {HIGH}
    assert "I read this every week." in model.bodies[1]["messages"][-1]["content"]
    assert await assistant.answer(message, [{"type": "accept", "args": card["action_request"]}]) is None
    assert await labels(assistant, message) == {f"Agent/{NEWS}", HIGH}
    found = await CategoryHints(assistant.house.database, assistant.house.clock).all(
        assistant.house.mailbox.name
    )
    assert [(hint.category, hint.agreeing) for hint in found] == [(NEWS, 1)]
    await assistant.house.models.close()


async def test_a_label_that_was_moved_in_the_mailbox_teaches(model: ModelServer, assistant: Desk) -> None:
    """Three of them decide, whether a label was given or guessed; to accept the guess all the same leaves the label that is there."""
    model.script(says(OFFERS, 0.9), says(OFFERS, 0.9), says(OFFERS, 0.75))
    change, kept = assistant.house.mailbox.change_labels, list[Message]()
    for number in range(4):
        message = await assistant.receive(mail(message_id=f"<{number}@shop.example>", **BULK))
        assert await assistant.start(message) is None
        kept.append(message)
        if number < 3:
            given = await labels(assistant, message)
            await change(message.id, add=frozenset({f"Agent/{NEWS}"}), remove=given)
    assert (await values(assistant, message))["decided_by"] == "hint"
    assert await labels(assistant, message) == {f"Agent/{NEWS}"}
    assert await settle(assistant, OFFERS) == AnswerState.done
    assert await labels(assistant, kept[2]) == {f"Agent/{NEWS}"}
    assert len(model.bodies) == 3
    await assistant.house.models.close()


@pytest.mark.parametrize("bulk", [True, False])
async def test_three_corrections_teach_about_one_way_mail(
    model: ModelServer, assistant: Desk, bulk: bool
) -> None:
    """The fourth mail of the list is sorted without a model; people's own mail is never sorted by a hint."""
    fields = BULK if bulk else {}
    model.script(*(says(OFFERS, 0.75) for _ in range(4)))
    for number in range(4):
        message = await assistant.receive(mail(TELLS, message_id=f"<{number}@shop.example>", **fields))
        assert await assistant.start(message) is None
        if number < 3:
            assert await settle(assistant, NEWS) == AnswerState.done
    assert (len(model.bodies), len(await deferred_cards(assistant.house.trace))) == (
        (3, 0) if bulk else (4, 1)
    )
    assert (await values(assistant, message))["decided_by"] == ("hint" if bulk else "model")
    await assistant.house.models.close()


async def test_a_sender_in_doubt_is_never_sorted_unseen(model: ModelServer, assistant: Desk) -> None:
    """A card is shown however sure the model is, and no correction is learned."""
    failed = {"Authentication_Results": "mx.vale.example; dmarc=fail header.from=shop.example"}
    model.script(says(OFFERS, 0.99))
    message = await assistant.receive(mail(**BULK, **failed))
    card = await assistant.start(message)
    assert card is not None
    assert "its check failed" in card["description"]
    assert await assistant.answer(message, edit(card, NEWS)) is None
    assert await labels(assistant, message) == {f"Agent/{NEWS}"}
    assert (
        await CategoryHints(assistant.house.database, assistant.house.clock).all(assistant.house.mailbox.name)
        == []
    )
    await assistant.house.models.close()


async def test_another_category_takes_the_place_of_the_first(model: ModelServer, assistant: Desk) -> None:
    """When the mail is sorted once more; labels of the user's own stay."""
    model.script(says(WORK, 0.9), says(NEWS, 0.9))
    message = await assistant.receive(mail(TELLS))
    await assistant.house.mailbox.change_labels(message.id, add=frozenset({"Agent/Mine", "Own"}))
    await assistant.start(message)
    await assistant.start(message)
    assert await labels(assistant, message) == {f"Agent/{NEWS}", "Agent/Mine", "Own"}
    await assistant.house.models.close()


async def test_only_the_label_that_was_given_is_taken_back(model: ModelServer, assistant: Desk) -> None:
    """One of the user's own that ends in the same words stays."""
    model.script(says(WORK, 0.9))
    message = await assistant.receive(mail(TELLS))
    await assistant.house.mailbox.change_labels(message.id, add=frozenset({f"Clients/{WORK}"}))
    await assistant.start(message)
    assert await labels(assistant, message) == {f"Agent/{WORK}", f"Clients/{WORK}"}
    given = assistant.house.clock.now()
    thread = DEFERRED + config_for(message)["configurable"]["thread_id"]
    answer = GivenEntry("r", thread, "Label", {"kind": "label"}, "a", "accept", {}, {"category": WORK}, given)
    assert await taken_back(assistant.house, answer) == f"The label Agent/{WORK} was taken off."
    assert await labels(assistant, message) == {f"Clients/{WORK}"}
    assert await taken_back(assistant.house, answer) == ""
    await assistant.house.models.close()


async def test_a_guess_gives_way_to_that_of_a_newer_mail(model: ModelServer, assistant: Desk) -> None:
    """One a conversation waits; the same run that is repeated puts none there twice, and one that was settled is not asked again."""
    model.script(*(says(WORK, 0.75) for _ in range(2)))
    first = await assistant.receive(mail(TELLS))
    assert await assistant.start(first) is None
    before = await guess(assistant)
    put = assistant.house.trace.review_deferred
    again = {"thread_id": before.thread_id, "title": before.title, "card": {}}
    await put(before.interrupt_id, **again)
    assert (await guess(assistant)).digest == before.digest
    second = await assistant.receive(
        mail("Of oak, too.", message_id="<m2@example.com>", In_Reply_To="<m1@example.com>")
    )
    assert await assistant.start(second) is None
    assert (await guess(assistant)).interrupt_id != before.interrupt_id
    assert await settle(assistant, NEWS) == AnswerState.done
    assert await labels(assistant, second) == {f"Agent/{NEWS}"}
    await put(before.interrupt_id, **again)
    assert await deferred_cards(assistant.house.trace) == []
    model.script(says(WORK, 0.75), says(WORK, 0.95))
    for number, waiting in ((3, 1), (4, 0)):  # The last one has its label, so nothing is left to guess.
        newer = mail("And pine.", message_id=f"<m{number}@example.com>", In_Reply_To="<m1@example.com>")
        assert await assistant.start(await assistant.receive(newer)) is None
        assert len(await deferred_cards(assistant.house.trace)) == waiting
    await assistant.house.models.close()
