"""What is done once for a message, whichever graph or run thread deals with it: meetings, refunds, mails to many people."""

import asyncio
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from email_assistant.mail.message import Conversation
from email_assistant.meetings.scheduling import ScheduleMeetingArguments
from email_assistant.review.action import Action
from email_assistant.tools.mail_tools import ComposeEmailArguments
from email_assistant.tools.tool import AskAgain, Done, Turn
from email_assistant.workflows.claims_desk.records.incidents import Incidents, TicketTable
from email_assistant.workflows.claims_desk.records.refunds import RefundLedger
from eval.claims.running import ACCEPT, input_of
from eval.workbench import answering
from tests.graphs.test_claims_desk import CLAIMS, REFUND, TENANT, claims_desk, config
from tests.support.desk import Desk, desk, mail

RACERS = 36
MEETING = ScheduleMeetingArguments(title="Fitting", start="2026-11-26T10:00", end="2026-11-26T10:30")


async def turns(assistant: Desk, number: int) -> list[Turn]:
    """As many graphs and run threads at work on one message."""
    message = await assistant.receive(mail())
    first = Turn("t", Conversation(message), assistant.house.user, "call", graph="email_assistant")
    return [replace(first, run_thread_id=f"t{n}") for n in range(number)]


async def test_a_meeting_for_a_message_is_created_once_by_whoever_is_first(tmp_path: Path) -> None:
    """Every other accept is asked again with what was created in the first line, and done when it is accepted again."""
    assistant = desk(tmp_path)
    tool = assistant.parts.toolbox.actor("schedule_meeting")
    actions = [await tool.prepare(MEETING, turn) for turn in await turns(assistant, RACERS)]
    ends = await asyncio.gather(*(tool.perform(action, acknowledged=frozenset()) for action in actions))
    assert sum(isinstance(end, Done) for end in ends) == 1
    again = next(end for end in ends if isinstance(end, AskAgain))
    assert "A meeting for this message was created on " in again.problem
    assert "by email_assistant: Fitting" in again.problem
    calendar = assistant.house.settings.calendar_path or Path()
    assert calendar.read_text().count("BEGIN:VEVENT") == 1
    assert isinstance(await tool.perform(again.action, acknowledged=frozenset(again.concerns)), Done)
    assert calendar.read_text().count("BEGIN:VEVENT") == 2


async def test_a_meeting_with_a_gap_is_never_created(tmp_path: Path) -> None:
    """Its guests would read it: in its title and its place, however often it is accepted."""
    assistant = desk(tmp_path)
    tool = assistant.parts.toolbox.actor("schedule_meeting")
    (turn,) = await turns(assistant, 1)
    action = await tool.prepare(
        MEETING.model_copy(update={"location": "TBD", "title": "Visit of {{name}}"}), turn
    )
    for _ in range(3):
        again = await tool.perform(action, acknowledged=frozenset())
        assert isinstance(again, AskAgain)
        assert again.problem.startswith("2 gaps are left: fill them")
        action = again.action
    filled = await tool.revise(action, {**action.args, "location": "Room 2", "title": "Visit"})
    assert isinstance(filled, Action)
    assert isinstance(await tool.perform(filled, acknowledged=frozenset()), Done)


async def test_a_refund_for_a_mail_is_paid_once_on_two_threads(tmp_path: Path) -> None:
    """The second card's accept is asked again with what was paid; accepted again the run goes on with that receipt."""
    made, claim = await claims_desk(tmp_path), CLAIMS[REFUND]
    await made.bring(claim, approve=False)
    second = {"configurable": {"thread_id": "another"}}
    made.house.models.follow(claim)  # type: ignore[attr-defined]
    await made.graph.ainvoke(input_of(claim), second)
    await made.graph.ainvoke(await answering(made.graph, config(REFUND), ACCEPT), config(REFUND))
    receipt = (await made.graph.aget_state(config(REFUND))).values["refund"]["receipt"]
    await made.graph.ainvoke(await answering(made.graph, second, ACCEPT), second)
    card = (await made.graph.aget_state(second)).interrupts[0].value[0]
    assert card["action_request"]["action"].startswith("Refund ")
    assert card["description"].startswith("A refund for this message was made on ")
    await made.graph.ainvoke(await answering(made.graph, second, ACCEPT), second)
    assert (await made.graph.aget_state(second)).values["refund"]["receipt"] == receipt
    paid = await RefundLedger(made.house.database, made.house.clock).of_user(TENANT, "U001")
    assert [record.refund.amount for record in paid] == [Decimal("105.00")]
    assert len(await TicketTable(made.house.database, made.house.clock).of_user(TENANT, "U001")) == 1
    assert len(await Incidents(made.house.database).of_user(TENANT, "U001")) == 1


async def test_a_refund_that_needs_nobody_is_not_paid_again_either(tmp_path: Path) -> None:
    """The second run takes the receipt over."""
    made, claim = await claims_desk(tmp_path, EMAIL_ASSISTANT_REFUND_AUTOMATIC="200"), CLAIMS[REFUND]
    await made.bring(claim)
    second = {"configurable": {"thread_id": "another"}}
    made.house.models.follow(claim)  # type: ignore[attr-defined]
    await made.graph.ainvoke(input_of(claim), second)
    assert len(await RefundLedger(made.house.database, made.house.clock).of_user(TENANT, "U001")) == 1


@pytest.mark.parametrize("people", [20, 200])
async def test_a_new_mail_to_many_people_is_sent(tmp_path: Path, people: int) -> None:
    """However long its recipients and subject are; another run's is asked about."""
    assistant = desk(tmp_path)
    tool = assistant.parts.toolbox.actor("compose_email")
    everybody = ", ".join(f"Person {number} <person.{number}@people.example>" for number in range(people))
    asked = ComposeEmailArguments(to=everybody, subject="Minutes " * 250, body="Here they are.")
    first, second = [await tool.prepare(asked, turn) for turn in await turns(assistant, 2)]
    assert isinstance(first, Action)
    assert isinstance(await tool.perform(first, acknowledged=frozenset()), Done)
    again = await tool.perform(second, acknowledged=frozenset())
    assert isinstance(again, AskAgain)
    assert again.problem.startswith("A message to the same people under the same subject was sent on ")
    assert len(await assistant.sent()) == 1


async def test_an_id_that_is_too_long_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    """In one line that names the field."""
    assistant = desk(tmp_path)
    given = {"from": "a@b.example", "to": "c@d.example", "subject": "s", "body": "b", "id": "i" * 801}
    with pytest.raises(ValueError, match=r"email_input\.id is longer than 800 bytes"):
        await assistant.graph.ainvoke({"email_input": given}, config("t"))
