"""The observer: the journal tells what happened, without a line about it in the nodes."""

from pathlib import Path

from email_assistant.journal.records import MailStatus
from tests.support.desk import desk, mail
from tests.support.scripted import Script, calls

REPLY = calls(("send_email", {"body": "It is 120 euro."}), ("Done", {}))


async def test_a_run_is_on_record_step_by_step(tmp_path: Path) -> None:
    """Steps in order, the card as shown, the decision, the tools with their parameters, the model calls."""
    assistant = desk(tmp_path)  # The offline rules, so that model usage is recorded by the real runner.
    message = await assistant.receive(mail())
    card = await assistant.start(message)
    assert card is not None
    await assistant.answer(message, "nonsense")
    body = card["action_request"]["args"] | {"body": "It is 120 euro."}
    edit = {"type": "edit", "args": {"action": card["action_request"]["action"], "args": body}}
    await assistant.answer(message, [edit])
    trace = assistant.house.trace
    runs = [await trace.run(r.run_id) for r in reversed(await trace.runs())]
    first, asked_again, last = [r for r in runs if r is not None]
    assert [s.name for s in first.steps] == ["triage_router", "llm_call", "prepare"]
    assert [s.position for s in first.steps] == [1, 2, 3]
    assert [s.name for s in asked_again.steps] == ["interrupt_handler"]
    names = ["interrupt_handler", "perform", "learn", "mark_as_read_node", "response_agent"]
    assert [s.name for s in last.steps] == names
    assert [c.call for c in first.model_calls] == ["triage", "respond"]
    assert all(c.model == "offline" and c.estimated and c.prompt_tokens > 100 for c in first.model_calls)
    assert [(t.name, t.success) for t in last.tools] == [("send_email", True), ("Done", True)]
    assert "body" in last.tools[0].params
    assert [r.run.status for r in (first, asked_again, last)] == ["waiting", "waiting", "ended"]
    (review,) = await trace.reviews(first.run.run_thread_id)
    assert review.card["action_request"] == card["action_request"]
    assert [a["decision"] for a in review.answers] == ["not understood", "edit"]
    assert all(s.latency_ms >= 0 for s in first.steps)


async def test_the_mails_status_follows_its_runs(tmp_path: Path) -> None:
    """Waiting while a card is up, done with its outcome at the end, ignored when triage says so."""
    script = Script(turns=[REPLY])
    assistant = desk(tmp_path, script)
    message = await assistant.receive(mail())
    await assistant.start(message)
    log, key = assistant.house.mail_log, (assistant.house.mailbox.name, message.id, "email_assistant")
    waiting = await log.get(*key)
    assert waiting is not None
    assert waiting.status is MailStatus.waiting_review
    assert waiting.email_input is not None
    await assistant.answer(message, [{"type": "accept", "args": None}])
    done = await log.get(*key)
    assert done is not None
    assert (done.status, done.outcome) == (MailStatus.done, "replied")
    script.triage = "ignore"
    other = await assistant.receive(mail(message_id="<other@example.com>"))
    await assistant.start(other)
    ignored = await log.get(key[0], other.id, key[2])
    assert ignored is not None
    assert ignored.status is MailStatus.ignored
