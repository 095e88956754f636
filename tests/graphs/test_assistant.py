"""The assistant in one process: what each answer does, and what goes wrong with models."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage

from email_assistant.calendars.event import Event
from email_assistant.errors import InputError, TransientError
from email_assistant.mail.message import Draft, Message
from tests.support.desk import Desk, desk, mail
from tests.support.scripted import Script, calls

ACCEPT, IGNORE = [{"type": "accept", "args": None}], [{"type": "ignore", "args": None}]
REPLY = ("send_email", {"body": "Hi Ana,\n\n120 euro.\n\nRobin"})
DONE: tuple[str, dict[str, Any]] = ("Done", {})
MEETING = (
    "schedule_meeting",
    {
        "title": "Shelf fitting",
        "attendees": ["ana@example.com"],
        "start": "2026-11-26T10:00",
        "end": "2026-11-26T10:30",
        "timezone": "Europe/Berlin",
        "location": "",
    },
)


def respond(text: str) -> list[dict[str, str]]:
    """A response as Agent Inbox sends it."""
    return [{"type": "response", "args": text}]


def edit(card: dict[str, Any], **changes: str) -> list[dict[str, Any]]:
    """An edit as Agent Inbox sends it."""
    request = card["action_request"]
    return [{"type": "edit", "args": {"action": request["action"], "args": request["args"] | changes}}]


async def begin(
    folder: Path, script: Script, raw: bytes | None = None
) -> tuple[Desk, Message, dict[str, Any]]:
    """Receive one message and run it to its first card."""
    assistant = desk(folder, script)
    message = await assistant.receive(raw or mail())
    card = await assistant.start(message)
    assert card is not None
    return assistant, message, card


def assert_every_call_answered(messages: list[Any]) -> None:
    """Each tool call has exactly one ToolMessage after it."""
    asked = [c["id"] for m in messages if isinstance(m, AIMessage) for c in m.tool_calls]
    answered = [m.tool_call_id for m in messages if isinstance(m, ToolMessage)]
    assert sorted(asked) == sorted(answered)


async def test_a_meeting_and_its_reply_are_two_cards_of_one_turn(tmp_path: Path) -> None:
    """The event is created with its guest, then the reply is asked about; no further model call is needed."""
    script = Script(
        turns=[calls(("check_calendar", {"days": ["2026-11-26"]})), calls(MEETING, REPLY, DONE, prefix="two")]
    )
    assistant, message, card = await begin(tmp_path, script)
    assert card["action_request"]["action"] == "Schedule meeting: Shelf fitting"
    assert "free" in card["description"]
    reply = await assistant.answer(message, ACCEPT)
    assert reply is not None
    assert reply["action_request"]["action"].startswith("Send reply to ")
    (event,) = await assistant.house.calendar.events(
        datetime(2026, 11, 26, tzinfo=UTC), datetime(2026, 11, 27, tzinfo=UTC)
    )
    assert [a.email for a in event.attendees] == ["ana@example.com"]
    await assistant.answer(message, ACCEPT)
    assert len(script.heard) == 2


async def test_a_reply_is_written_anew_for_a_meeting_that_was_edited_onto_a_taken_hour(
    tmp_path: Path,
) -> None:
    """The edit was asked about once more and then accepted: it is learned, and the reply, which still names the first time, is not sent."""
    again = calls(("send_email", {"body": "Eleven it is."}), DONE, prefix="anew")
    assistant, message, card = await begin(tmp_path, Script(turns=[calls(MEETING, REPLY, DONE), again]))
    eleven = datetime(2026, 11, 26, 10, tzinfo=UTC)
    await assistant.house.calendar.create(Event("other", "Dentist", eleven, eleven + timedelta(hours=1)))
    asked = await assistant.answer(
        message, edit(card, start="2026-11-26T11:00+01:00", end="2026-11-26T11:30+01:00")
    )
    assert asked is not None
    assert asked["description"].startswith("Your calendar has Dentist at this time.")
    assert (await assistant.profile("cal_preferences"))["revision"] == 1
    reply = await assistant.answer(message, [{"type": "accept", "args": dict(asked["action_request"])}])
    assert reply is not None
    assert reply["action_request"]["args"]["body"] == "Eleven it is."
    assert (await assistant.profile("cal_preferences"))["revision"] == 2


async def test_a_question_is_answered_or_asked_again(tmp_path: Path) -> None:
    """An accept is no answer to a question; a response goes to the model."""
    script = Script(turns=[calls(("Question", {"question": "Which shelf?"})), calls(REPLY, DONE, prefix="b")])
    assistant, message, card = await begin(tmp_path, script)
    assert card["config"] == {
        "allow_ignore": True,
        "allow_respond": True,
        "allow_edit": False,
        "allow_accept": False,
    }
    again = await assistant.answer(message, ACCEPT)
    assert again is not None
    assert again["action_request"] == card["action_request"]
    reply = await assistant.answer(message, respond("The tall one."))
    assert reply is not None
    assert any("The tall one." in str(m.content) for m in script.heard[1])


@pytest.mark.parametrize("answer", [ACCEPT, "yes", {"type": "maybe"}])
async def test_a_notification_takes_only_ignore_and_response(tmp_path: Path, answer: object) -> None:
    """Anything else is asked again."""
    assistant, message, card = await begin(tmp_path, Script(triage="notify"))
    again = await assistant.answer(message, answer)
    assert again is not None
    assert again["action_request"] == card["action_request"]
    assert await assistant.answer(message, IGNORE) is None
    assert "dismissed" in (await assistant.profile("triage_preferences"))["content"]


async def test_ignored_mail_ends_without_a_card(tmp_path: Path) -> None:
    """Triage says ignore: no card, no draft, no reply."""
    assistant = desk(tmp_path, Script(triage="ignore"))
    message = await assistant.receive(mail())
    assert await assistant.start(message) is None


@pytest.mark.parametrize(
    "wrong",
    [
        calls(("fire_everyone", {}), DONE),
        calls(("send_email", {"text": "no such argument"}), DONE),
        AIMessage(
            "",
            invalid_tool_calls=[
                {
                    "name": "send_email",
                    "args": "{broken",
                    "id": "x1",
                    "error": "json",
                    "type": "invalid_tool_call",
                }
            ],
        ),
    ],
)
async def test_a_wrong_call_is_corrected_once_then_put_before_the_human(
    tmp_path: Path, wrong: AIMessage
) -> None:
    """Unknown tools, wrong and unreadable arguments: explained, then asked; `Done` beside them is not taken."""
    again = AIMessage(
        "",
        tool_calls=[c | {"id": c["id"] + "b"} for c in wrong.tool_calls],
        invalid_tool_calls=[dict(c) | {"id": "x2"} for c in wrong.invalid_tool_calls],
    )  # type: ignore[misc]
    script = Script(turns=[wrong, again])
    assistant, message, card = await begin(tmp_path, script)
    assert card["action_request"]["action"].startswith("Question: ")
    script.turns.append(calls(REPLY, DONE, prefix="good"))
    assert await assistant.answer(message, respond("Just reply.")) is not None
    await assistant.answer(message, ACCEPT)
    assert len(await assistant.sent()) == 1
    assert_every_call_answered(await assistant.messages(message))


async def test_done_before_the_other_calls_waits_for_them(tmp_path: Path) -> None:
    """`Done` first in the turn does not end the work on the calls after it."""
    assistant, message, card = await begin(tmp_path, Script(turns=[calls(DONE, REPLY)]))
    assert card["action_request"]["action"].startswith("Send reply")
    await assistant.answer(message, ACCEPT)
    assert len(await assistant.sent()) == 1
    assert_every_call_answered(await assistant.messages(message))


async def test_a_failing_model_asks_the_human_instead_of_losing_the_mail(tmp_path: Path) -> None:
    """When the strong model stays away, a card says so, and an answer tries again."""
    script = Script(turns=[TransientError("the model did not answer.")])
    assistant, message, card = await begin(tmp_path, script)
    assert "the model did not answer." in card["action_request"]["args"]["question"]
    script.turns.append(calls(REPLY, DONE))
    assert await assistant.answer(message, respond("Try again.")) is not None


async def test_a_failing_triage_fails_the_run_and_can_be_resumed(tmp_path: Path) -> None:
    """The journal keeps the mail as needing review, and resuming goes on from triage."""
    script = Script(triage=TransientError("rate limit"), turns=[calls(REPLY, DONE)])
    assistant = desk(tmp_path, script)
    message = await assistant.receive(mail())
    with pytest.raises(TransientError):
        await assistant.start(message)
    counts = await assistant.house.mail_log.count_by_status()
    assert {str(k): v for k, v in counts.items()} == {"needs_review": 1}
    script.triage = "respond"
    assert await assistant.resume(message) is not None


@pytest.mark.parametrize(
    ("email_input", "field"),
    [
        (None, "email_input"),
        ({"author": "a@example.com", "to": "b@example.com", "subject": "s"}, "email_input.email_thread"),
        ({"from": 7, "to": "b@example.com", "subject": "s", "body": "b", "id": "1"}, "email_input.from"),
    ],
)
async def test_a_wrong_input_names_the_field_and_does_nothing(
    tmp_path: Path, email_input: Any, field: str
) -> None:
    """The run ends with one clear error."""
    assistant = desk(tmp_path, Script())
    with pytest.raises(InputError, match=field):
        await assistant.graph.ainvoke({"email_input": email_input}, {"configurable": {"thread_id": "t"}})


async def test_a_draft_that_was_changed_by_hand_is_shown_before_it_is_sent(tmp_path: Path) -> None:
    """The card comes back with the mailbox's text; nothing is sent unseen or overwritten."""
    assistant, message, card = await begin(tmp_path, Script(turns=[calls(REPLY, DONE)]))
    draft = await _draft(assistant, message)
    await assistant.house.mailbox.save_draft(replace(draft.message, body="My own words."), replaces=draft.id)
    again = await assistant.answer(message, [{"type": "accept", "args": card["action_request"]}])
    assert again is not None
    assert again["action_request"]["args"]["body"].strip() == "My own words."
    assert again["action_request"]["action"] != card["action_request"]["action"]
    await assistant.answer(message, [{"type": "accept", "args": again["action_request"]}])
    (sent,) = await assistant.sent()
    assert "My own words." in str(sent)


async def test_a_later_mail_supersedes_the_card_and_starts_clean(tmp_path: Path) -> None:
    """The old draft goes, the model knows the earlier mail, no call is left open."""
    script = Script(turns=[calls(REPLY, DONE), calls(REPLY, DONE, prefix="later")])
    assistant, _, card = await begin(tmp_path, script)
    later = await assistant.receive(
        mail("The wide one.", message_id="<m2@example.com>", reply_to_id="<m1@example.com>", minutes=9)
    )
    new_card = await assistant.start(later)
    assert new_card is not None
    assert new_card["action_request"]["action"] != card["action_request"]["action"]
    assert len(await assistant.drafts()) == 1
    heard = "\n".join(str(m.content) for m in script.heard[1])
    assert "price of the oak shelf" in heard
    assert "The wide one." in heard
    await assistant.answer(later, [{"type": "accept", "args": new_card["action_request"]}])
    assert_every_call_answered(await assistant.messages(later))
    counts = {str(k): v for k, v in (await assistant.house.mail_log.count_by_status()).items()}
    assert counts == {"superseded": 1, "done": 1}


async def test_a_mail_that_the_model_leaves_is_told_before_it_is_read(tmp_path: Path) -> None:
    """Triage says respond, the model only `Done`: a notification, which stays unread mail, and words bring a reply."""
    script = Script(turns=[calls(DONE, prefix="none"), calls(REPLY, DONE)])
    assistant, message, card = await begin(tmp_path, script)
    assert card["action_request"] == {
        "action": "Notify: Ana Petrova: asks you to send them the price of the oak shelf",
        "args": {},
    }
    assert card["description"].startswith("The assistant found nothing to do about the mail from Ana:")
    assert not await assistant.house.mailbox.is_read(message.id)
    draft = await assistant.answer(message, respond("Tell her 120 euro."))
    assert draft is not None
    assert draft["action_request"]["action"].startswith("Send reply to ")
    assert any("Tell her 120 euro." in str(m.content) for m in script.heard[1])
    assert await assistant.answer(message, ACCEPT) is None
    assert len(await assistant.sent()) == 1
    assert_every_call_answered(await assistant.messages(message))


async def test_a_draft_that_nobody_wanted_is_gone_at_the_end(tmp_path: Path) -> None:
    """The human sends the draft back and the model writes no other: no draft is left behind."""
    assistant, message, _ = await begin(
        tmp_path, Script(turns=[calls(REPLY, DONE), calls(DONE, prefix="end")])
    )
    told = await assistant.answer(message, respond("No reply needed after all."))
    assert told is not None
    assert "after what you said it did nothing more" in told["description"].splitlines()[0]
    assert await assistant.answer(message, IGNORE) is None
    assert (await assistant.sent(), await assistant.drafts()) == ([], [])
    assert_every_call_answered(await assistant.messages(message))


async def _draft(assistant: Desk, message: Message) -> Draft:
    state = await assistant.graph.aget_state(
        {"configurable": {"thread_id": _thread(message)}}, subgraphs=True
    )
    draft = await assistant.house.mailbox.draft(state.tasks[0].state.values["pending"]["details"]["draft_id"])
    assert draft is not None
    return draft


def _thread(message: Message) -> str:
    from email_assistant.ingest.starter import run_thread_id

    return run_thread_id(message.mail_thread_id)
