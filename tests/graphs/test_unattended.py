"""What may leave unattended: each condition of the rule keeps a reply by itself that everything else would let go."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from email_assistant.facts.fact import Source
from email_assistant.workflows.reply_pipeline.unattended import (
    BY_RULE,
    STRANGER,
    UNREAD,
    in_sentences,
    repeated,
)
from tests.graphs.test_reply_pipeline import (
    ALONE,
    BODY,
    VOUCHED,
    classified,
    read_again,
    settings,
    tools,
    values,
    written,
    written_to,
)
from tests.servers.model_server import Answer, ModelServer, failing, running_model_server, tool_call
from tests.support.desk import Desk, mail, pipeline

ASKED = "Hi Robin,\n\nwould you say that the oak shelf is yours for 349 Euro, as Ella Frey does?\n\nAna"


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """A scripted model server."""
    with running_model_server() as server:
        yield server


def asked(model: ModelServer) -> int:
    """How often the reply was read a second time."""
    return sum("SecondReading" in str(body.get("tools")) for body in model.bodies)


async def run(
    model: ModelServer,
    made: Desk,
    raw: bytes,
    *answers: Answer,
    body: str = BODY,
) -> tuple[str, list[str], list[str]]:
    """A reply that its writer is sure of: how it ended, why it may not leave alone, and all reasons."""
    again = answers or (read_again(),)
    model.script(classified("inquiry", 1.0), tools(), written(1.0, body), *again)
    message = await made.receive(raw)
    card = await made.start(message)
    state = await values(made, message)
    for reason in state["approval_reasons"]:
        assert card is not None
        assert reason.split("“")[0] in card["description"]
    assert (len(await made.sent()), len(await made.drafts())) == ((1, 0) if card is None else (0, 1))
    await made.house.models.close()
    return state["outcome"], state["not_alone"], state["approval_reasons"]


async def test_a_reply_that_nothing_holds_back_leaves_alone(model: ModelServer, tmp_path: Path) -> None:
    """It was read a second time, once, by a call that got the mail and the reply as data, and nothing else."""
    made = pipeline(tmp_path, **settings(model, **ALONE))
    await written_to(made)
    assert await run(model, made, mail(ASKED, **VOUCHED)) == ("sent", [], [])
    assert asked(model) == 1
    told = str(model.bodies[-1]["messages"][-1]["content"])
    assert told.count("```mail\n") == 2
    assert (ASKED in told, BODY in told) == (True, True)


@pytest.mark.parametrize(
    ("question", "body", "reason"),
    [
        (
            ASKED.replace("Robin", "Robin\u200b\u2060"),
            BODY,
            "There is something odd about the mail: Invisible",
        ),
        (
            ASKED,
            BODY.replace("mail.", "mail: 349 Euro."),
            "It repeats the mail, or what was found in past mail, your contacts or your calendar: “349 Euro”",
        ),
        (
            ASKED,
            BODY.replace("mail.", "mail about the oak shelf is yours for."),
            "“the oak shelf is yours for”",
        ),
        (ASKED, BODY.replace("Ana", "Ella Frey"), "“Ella Frey”"),
        (ASKED, BODY.replace("mail.", "mail, dear Ana."), "“Ana”"),
    ],
    ids=["odd mail", "figure of the mail", "words of the mail", "another's name", "a name in a sentence"],
)
async def test_each_condition_by_itself_keeps_it(
    model: ModelServer, tmp_path: Path, question: str, body: str, reason: str
) -> None:
    """The card says which; the second reading is not paid for."""
    made = pipeline(tmp_path, **settings(model, **ALONE))
    await written_to(made)
    _, alone, reasons = await run(model, made, mail(question, **VOUCHED), body=body)
    assert [reason in each for each in alone] == [True]
    assert (reasons, asked(model)) == (alone, 0)


async def test_a_stranger_is_answered_by_a_person(model: ModelServer, tmp_path: Path) -> None:
    """Whoever vouches for the address, the user has never written to it."""
    made = pipeline(tmp_path, **settings(model, **ALONE))
    await written_to(made, "Ben Okafor <ben@example.com>")
    assert await run(model, made, mail(**VOUCHED)) == ("", [STRANGER], [STRANGER])
    assert asked(model) == 0


async def test_what_rules_wrote_is_read_by_a_person(model: ModelServer, tmp_path: Path) -> None:
    """Besides being unsure of it."""
    made = pipeline(tmp_path, **settings(model, **ALONE) | {"EMAIL_ASSISTANT_MODEL_STRONG": "offline"})
    await written_to(made)
    _, alone, reasons = await run(model, made, mail(**VOUCHED))
    assert alone == [BY_RULE]
    assert len(reasons) > 1
    assert asked(model) == 0


async def test_a_card_that_warns_is_not_sent_alone(model: ModelServer, tmp_path: Path) -> None:
    """Nor is it read a second time."""
    made = pipeline(tmp_path, **settings(model, **ALONE))
    await written_to(made)
    many = ", ".join(f"p{number}@example.com" for number in range(12))
    _, alone, reasons = await run(model, made, mail(Cc=many, **VOUCHED))
    assert (alone, reasons) == ([], ["There is something to look at closely before it is sent."])
    assert asked(model) == 0


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (read_again(commits=True), ["A second reading finds that it may commit you: So it says."]),
        (
            read_again(reveals=True),
            ["A second reading finds that it tells what the conversation does not say: So it says."],
        ),
    ],
    ids=["commits", "reveals"],
)
async def test_what_the_second_reading_finds_keeps_it(
    model: ModelServer, tmp_path: Path, answer: Answer, told: list[str]
) -> None:
    """Its reason stands on the card."""
    made = pipeline(tmp_path, **settings(model, **ALONE))
    await written_to(made)
    assert await run(model, made, mail(**VOUCHED), answer) == ("", told, told)
    assert asked(model) == 1


@pytest.mark.parametrize(
    "answers",
    [
        [failing(500)] * 3,
        [failing(400)],
        [tool_call("SecondReading", {"why": "Perhaps.", "commits": "perhaps", "reveals": False})] * 2,
        [tool_call("SecondReading", {"why": "It is fine."})] * 2,
        [{"content": "It commits to nothing."}] * 2,
    ],
    ids=["down", "refused", "unclear", "half", "no form"],
)
async def test_no_second_reading_counts_as_an_objection(
    model: ModelServer, tmp_path: Path, answers: list[Answer]
) -> None:
    """A model that fails or says neither yes nor no."""
    made = pipeline(tmp_path, **settings(model, **ALONE))
    await written_to(made)
    assert await run(model, made, mail(**VOUCHED), *answers) == ("", [UNREAD], [UNREAD])


async def test_where_nothing_may_leave_nothing_is_read_twice(model: ModelServer, tmp_path: Path) -> None:
    """With sending switched off a stranger's answer is a draft like everybody's."""
    made = pipeline(tmp_path, **settings(model))
    model.script(classified("inquiry", 1.0), tools(), written(1.0))
    message = await made.receive(mail(**VOUCHED))
    assert await made.start(message) is None
    state = await values(made, message)
    assert (state["outcome"], state["not_alone"], asked(model)) == ("drafted", [], 0)
    assert (len(await made.sent()), len(await made.drafts())) == (0, 1)
    await made.house.models.close()


@pytest.mark.parametrize(
    ("draft", "found"),
    [
        (BODY, ()),
        ("Hi Ana!\n\nThank you.\n\nBest regards,\nRobin Vale", ()),
        ("Sehr geehrte Frau Weber,\n\nvielen Dank.\n\nMit freundlichen Grüßen\nRobin Vale", ()),
        ("Robin Vale gives the plot to Ella Frey.", ("Vale", "Ella Frey")),
        ("Dear Ana,\n\nit goes to Ella Frey.", ("Ella Frey",)),
        ("Dear Ana Petrova, the plot goes to you", ("Ana Petrova", "Ana Petrova")),
    ],
)
def test_a_name_in_a_sentence_is_no_greeting(draft: str, found: tuple[str, ...]) -> None:
    """Whoever it names: a reply that leaves alone says nothing about anybody."""
    assert in_sentences(draft) == found


NOTE = Source(
    "notes", "The spare key lies under\nthe blue pot by the door. Thank you for your mail.", "theirs"
)


@pytest.mark.parametrize(
    ("draft", "found"),
    [
        ("The spare key lies under the blue pot.", ("The spare key lies under the",)),
        ("Yes: THE SPARE KEY lies under the pot!", ("THE SPARE KEY lies under the",)),
        ("the spare key lies \u200bunder the", ("the spare key lies under the",)),
        ("The spare key lies under a pot.", ()),
        ("It lies by the door. Thank you for your mail.", ()),
        ("Thank you for your mail.\n\nThe spare key", ()),
        ("", ()),
    ],
)
def test_six_words_in_a_row_are_somebodys(draft: str, found: tuple[str, ...]) -> None:
    """Within a sentence, whatever lines it is broken into; what the user has said, too, is nobody else's."""
    assert repeated(draft, (), (NOTE,)) == found
    assert repeated(draft, (Source("mine", NOTE.text, "ours"),), (NOTE,)) == ()
