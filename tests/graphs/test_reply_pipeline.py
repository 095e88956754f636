"""The reply pipeline with a model over HTTP: every edge, every tool rule, at 0.79 and 0.80."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from email_assistant.app.graphs import graph_of
from email_assistant.errors import TransientError
from email_assistant.knowledge.embedding import DIMS
from email_assistant.mail.address import parse_addresses
from email_assistant.mail.message import Message
from email_assistant.workflows.reply_pipeline.calls import CLASSES
from email_assistant.workflows.reply_pipeline.past_mail.knowledge import Knowledge
from email_assistant.workflows.reply_pipeline.tools import RULES, select_tools
from eval.mails import HOST, vouching
from eval.workbench import config_for
from tests.servers.model_server import Answer, ModelServer, failing, running_model_server, tool_call
from tests.support.desk import Desk, mail, pipeline

BODY = "Dear Ana,\n\nthank you for your mail.\n\nRobin Vale"


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """A scripted model server."""
    with running_model_server() as server:
        yield server


def settings(model: ModelServer, **more: str) -> dict[str, str]:
    """Both tiers are on the server."""
    return {
        "EMAIL_ASSISTANT_MODEL_FAST": "openai:fast",
        "EMAIL_ASSISTANT_MODEL_STRONG": "openai:strong",
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": model.base_url,
    } | more


@pytest.fixture
def assistant(model: ModelServer, tmp_path: Path) -> Desk:
    """A pipeline."""
    return pipeline(tmp_path, **settings(model))


def classified(name: str, confidence: float) -> Answer:
    """What the mail wants."""
    fields = {"reasoning": "It says so.", "classification": name, "confidence": confidence}
    return tool_call("Classification", fields)


def tools(*names: str) -> Answer:
    """The model's choice."""
    return tool_call("ToolChoice", {"tools": list(names), "reasoning": ""})


def written(confidence: float = 0.9, body: str = BODY) -> Answer:
    """The model's reply."""
    return tool_call("Generated", {"body": body, "confidence": confidence, "tools_used": [], "facts": []})


async def values(assistant: Desk, message: Message) -> dict[str, Any]:
    """What the thread holds."""
    return dict((await assistant.graph.aget_state(config_for(message))).values)


async def path(assistant: Desk, message: Message) -> list[str]:
    """The steps of the run."""
    return [each["step_name"] for each in (await values(assistant, message))["steps"]]


FRONT = ["classify", "retrieve", "decide", "execute_tools", "generate", "review"]


@pytest.mark.parametrize(
    ("name", "sure", "reply_sure", "end", "outcome"),
    [
        ("inquiry", 0.80, 0.80, ["dispatch"], "drafted"),
        ("inquiry", 0.79, 0.80, [], ""),
        ("inquiry", 0.80, 0.79, [], ""),
        ("complaint", 1.0, 1.0, [], ""),
    ],
)
async def test_who_approves(
    model: ModelServer,
    assistant: Desk,
    name: str,
    sure: float,
    reply_sure: float,
    end: list[str],
    outcome: str,
) -> None:
    """Both confidences must be high, and a complaint always goes to a person; what confidence approves is a draft."""
    model.script(classified(name, sure), tools("create_draft"), written(reply_sure))
    message = await assistant.receive(mail())
    card = await assistant.start(message)
    assert (card is None) is bool(end)
    assert await path(assistant, message) == FRONT + end
    state = await values(assistant, message)
    assert (state["outcome"], state["requires_approval"]) == (outcome, not end)
    assert (len(await assistant.sent()), len(await assistant.drafts())) == (0, 1)
    await assistant.house.models.close()


@pytest.mark.parametrize(("sure", "ignored"), [(0.80, True), (0.79, False)])
async def test_spam(model: ModelServer, assistant: Desk, sure: float, ignored: bool) -> None:
    """Certain spam ends the run and is ignored; doubtful spam goes the whole way without tools, to a person."""
    model.script(classified("spam", sure), tools("create_draft", "get_contact"), written(1.0))
    message = await assistant.receive(mail())
    card = await assistant.start(message)
    record = await assistant.house.mail_log.get(assistant.house.mailbox.name, message.id, "reply_pipeline")
    assert record is not None
    if ignored:
        assert card is None
        assert (await path(assistant, message), record.status) == (["classify"], "ignored")
        assert len(model.bodies) == 1
    else:
        assert card is not None
        assert await path(assistant, message) == ["classify", "retrieve", "decide", "generate", "review"]
        assert (await values(assistant, message))["dropped_tools"] == ["create_draft", "get_contact"]
        assert record.status == "waiting_review"
    await assistant.house.models.close()


EVERYTHING = ("create_draft", "get_contact", "check_calendar", "send_email", "update_contact", "no_such_tool")


@pytest.mark.parametrize(
    ("name", "wanted", "selected", "dropped"),
    [
        (
            "meeting_request", EVERYTHING, ("check_calendar", "create_draft"),
            ("get_contact", "send_email", "update_contact", "no_such_tool"),
        ),
        (
            "complaint", EVERYTHING, ("get_contact", "create_draft"),
            ("check_calendar", "send_email", "update_contact", "no_such_tool"),
        ),
        ("inquiry", ("check_calendar",), ("create_draft",), ("check_calendar",)),
        ("follow_up", (), ("get_contact", "create_draft"), ()),
        ("spam", EVERYTHING, (), EVERYTHING),
        ("other", ("get_contact", "get_contact"), ("get_contact", "create_draft"), ()),
    ],
)  # fmt: skip
def test_tool_rules(
    name: str, wanted: tuple[str, ...], selected: tuple[str, ...], dropped: tuple[str, ...]
) -> None:
    """Code decides; what the model wants besides is dropped and told."""
    assert select_tools(name, wanted) == ([*selected], [*dropped])


def test_each_class_has_a_rule() -> None:
    """None is forgotten."""
    assert set(RULES) == set(CLASSES)


async def test_a_gap_forces_review(model: ModelServer, assistant: Desk) -> None:
    """However sure the model is."""
    model.script(classified("inquiry", 1.0), tools(), written(1.0, "Dear Ana,\n\n[confirm: when]\n\nRobin"))
    card = await assistant.start(await assistant.receive(mail()))
    assert card is not None
    assert "Nothing supports what stands in 1 place of the reply." in card["description"]
    await assistant.house.models.close()


async def test_nothing_leaves_without_a_person(model: ModelServer, tmp_path: Path) -> None:
    """However sure everything is, and whoever vouches for a known sender who asks for a mere yes: it stays a draft."""
    made = pipeline(tmp_path, **settings(model, EMAIL_ASSISTANT_AUTHSERV_ID=HOST))
    house = made.house
    await house.correspondents.note(house.mailbox.name, parse_addresses("Ana Petrova <ana@example.com>"))
    model.script(
        classified("inquiry", 1.0), tools(), written(1.0, "Dear Ana,\n\nyes, approved.\n\nRobin Vale")
    )
    asking = "Hi Robin,\n\nplease answer with “approved”, so that I can take the key.\n\nAna"
    message = await made.receive(mail(asking, Authentication_Results=vouching("ana@example.com")))
    assert await made.start(message) is None
    assert (await values(made, message))["outcome"] == "drafted"
    assert (len(await made.sent()), len(await made.drafts())) == (0, 1)
    await made.house.models.close()


EMAIL = {
    "id": "x1", "subject": "Oak shelf", "body": "What does it cost?", "sender": "ana@example.com",
    "received_at": "2026-11-19T09:00:00+00:00",
}  # fmt: skip
SHORT = {"configurable": {"thread_id": "short"}}


async def test_the_short_form_of_an_email(model: ModelServer, assistant: Desk) -> None:
    """Five fields; a missing one is named, and what was wrong does not keep the thread from the next mail."""
    model.script(*(turn for _ in range(2) for turn in (classified("inquiry", 0.9), tools(), written())))
    found = await assistant.graph.ainvoke({"email": EMAIL}, SHORT)
    assert (found["outcome"], found["email"]["sender"]) == ("drafted", "ana@example.com")
    for broken, said in (
        ({"subject": "x"}, "email.id is missing"),
        (EMAIL | {"body": 3}, "email.body must be text"),
        (EMAIL | {"bcc": "x"}, "email.bcc is unknown"),
    ):
        with pytest.raises(ValueError, match=said):
            await assistant.graph.ainvoke({"email": broken}, SHORT)
    found = await assistant.graph.ainvoke({"email": EMAIL | {"id": "x2"}}, SHORT)
    assert (found["outcome"], found["email"]["id"]) == ("drafted", "x2")
    await assistant.house.models.close()


async def test_the_short_form_fails_like_the_long_one(model: ModelServer, assistant: Desk) -> None:
    """It waits for another try, which goes on with it; what is no email has no status."""
    with pytest.raises(ValueError, match=r"email\.id is missing"):
        await assistant.graph.ainvoke({"email": {"subject": "x"}}, {"configurable": {"thread_id": "wrong"}})
    assert await assistant.house.mail_log.by_run_thread("wrong") == []
    model.script(*(failing(500) for _ in range(3)))
    with pytest.raises(TransientError):
        await assistant.graph.ainvoke({"email": EMAIL}, SHORT)
    (record,) = await assistant.house.mail_log.by_run_thread("short")
    assert (record.status, record.attempts) == ("needs_review", 1)
    model.script(classified("inquiry", 0.9), tools(), written())
    # As the recovery starts it when the server has lost the thread's last step.
    found = await assistant.graph.ainvoke({"email_input": record.email_input}, SHORT)
    assert (found["outcome"], found["email"]["id"]) == ("drafted", "x1")
    (record,) = await assistant.house.mail_log.by_run_thread("short")
    assert (record.status, record.outcome) == ("done", "drafted")
    await assistant.house.models.close()


async def test_a_stranger_words_no_promise_of_ours(model: ModelServer, assistant: Desk) -> None:
    """The subject comes back in the reply's envelope and is still the other party's words."""
    promise = written(1.0, "Dear Ana,\n\nwe will refund 80 Euro.\n\nRobin Vale")
    model.script(classified("inquiry", 1.0), tools("create_draft", "get_contact"), promise)
    card = await assistant.start(await assistant.receive(mail(subject="We will refund 80 Euro")))
    assert card is not None
    assert "[confirm:" in card["action_request"]["args"]["body"]
    assert await assistant.sent() == []
    await assistant.house.models.close()


async def test_what_was_answered_before_helps_with_the_next_mail(model: ModelServer, tmp_path: Path) -> None:
    """An edited answer is kept; the next similar mail finds it, the card names it, and its price may be used."""
    made = pipeline(tmp_path, **settings(model))
    embedder = Knowledge.of(made.house).embedder
    made.store = InMemoryStore(index={"embed": embedder.embed, "dims": DIMS, "fields": ["text"]})
    made.graph = graph_of(made.house, "reply_pipeline", checkpointer=InMemorySaver(), store=made.store)
    question = "Hi Robin,\n\ncould you send me the price of the oak shelf with three boards?\n\n"
    model.script(classified("inquiry", 0.5), tools(), written())
    first = await made.receive(mail(question + "Ana"))
    card = await made.start(first)
    assert card is not None
    request = card["action_request"]
    priced = "Dear Ana,\n\nthe oak shelf with three boards costs 349 Euro.\n\nRobin Vale"
    edit = {"action": request["action"], "args": request["args"] | {"body": priced}}
    assert await made.answer(first, [{"type": "edit", "args": edit}]) is None
    reply = "Dear Ben,\n\nthe oak shelf with three boards costs 349 Euro.\n\nRobin Vale"
    model.script(classified("inquiry", 0.5), tools(), written(0.9, reply))
    second = await made.receive(
        mail(
            question + "Ben", sender="Ben Okafor <ben@example.net>", message_id="<m2@example.net>", minutes=5
        )
    )
    card = await made.start(second)
    assert card is not None
    state = await values(made, second)
    assert [item["kind"] for item in state["retrieved"]] == ["mail"], state["retrieved"]
    assert "Used: mail of Ana Petrova" in card["description"]
    assert "349 Euro" in card["action_request"]["args"]["body"]
    assert "[confirm" not in card["action_request"]["args"]["body"]
    assert "349 Euro" in str(model.bodies[-1]["messages"])
    await made.house.models.close()
