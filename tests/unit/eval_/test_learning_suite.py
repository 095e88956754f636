"""The learning suite: its data, and that it fails for an assistant that learns wrongly."""

import dataclasses
import re
from collections import Counter
from typing import Any

import pytest

from email_assistant.journal.records import Revision
from email_assistant.journal.revisions import Revisions
from email_assistant.journal.sql import insert_or_ignore
from email_assistant.journal.tables import MEMORY_REVISIONS
from email_assistant.kit import review_loop
from email_assistant.mail.message import Message
from email_assistant.memory import learner
from email_assistant.models.failures import ModelOutputError
from email_assistant.models.offline import triage
from email_assistant.models.offline.learned import HEADING, SenderHistory, history_of
from email_assistant.review.risk import Sender
from email_assistant.workflows.email_assistant import dependencies
from eval.figures import SuiteReport
from eval.learning import at_once
from eval.learning.running import benches, run
from eval.learning.stream import COUNT, mails, senders
from eval.learning.suite import Plan, over_stream
from eval.learning.tastes import TASTES
from eval.learning.user import User, judge_meeting, judge_reply
from eval.setup import Setup
from eval.workbench import Workbench

_ORDER = {"mara": 2, "market-letter": 4, "doubt-market-letter": 1, "jonas-oriel": 1, "holz-sales": 1}
"""How many mails of whom, in this order."""


async def small() -> SuiteReport:
    """The suite over eight mails."""
    everything = mails()
    stream = [
        mail for who, count in _ORDER.items() for mail in [m for m in everything if m.sender == who][:count]
    ]
    return await over_stream(Setup(), Plan(stream, ("mara", "market-letter"), each=1, unrelated=1))


def guarded(report: SuiteReport) -> dict[str, float]:
    """What must be zero and is not."""
    return {f.name: f.value for f in report.figures if f.target == 0 and f.value}


def test_the_stream_is_what_it_says() -> None:
    """Two hundred mails, the same each time, each with a word that stands in no other; the innocent are many."""
    stream = mails()
    assert stream == mails()
    assert len({mail.canary for mail in stream}) == len(stream) == COUNT
    for mail in stream:
        assert mail.canary in mail.case["subject"]
        assert mail.canary in mail.case["text"]
        assert not re.search(r"[{}]", mail.case["text"] + mail.case["subject"])
    assert sum(who["role"] == "innocent" for who in senders()) >= 25
    assert {taste.sender for taste in TASTES.values()} - {""} <= {mail.sender for mail in stream}
    assert max(Counter(mail.case["text"] for mail in stream).values()) == 1


async def test_what_is_learned_right_passes() -> None:
    """Nothing forgotten, nobody else touched, nothing of a mail kept, nothing from a sender in doubt."""
    report = await small()
    assert guarded(report) == {}
    found = {figure.name: figure for figure in report.figures}
    assert (found["corrections.ignore-market-letter"].value, found["corrections.answer-mara"].value) == (4, 1)
    assert found["forgotten.tastes"].of == 2
    assert found["spill-over.mails"].of == 2


async def test_a_learner_that_keeps_only_the_newest_lesson_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was taught before is gone."""
    rule = learner.learn_by_rule

    def newest_only(profile: str, **lesson: Any) -> str:
        before, _, _ = profile.partition(HEADING)
        counted = [line for line in profile.splitlines() if lesson["sender"] and lesson["sender"] in line]
        return rule("\n".join([before.rstrip(), "", HEADING, *counted]), **lesson)

    monkeypatch.setattr(learner, "learn_by_rule", newest_only)
    wrong = guarded(await small())
    assert wrong["forgotten.statements"] >= 2
    assert wrong["forgotten.tastes"] >= 1


async def test_a_rule_that_goes_by_the_domain_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others at the same company are treated like the one who was corrected."""

    def by_domain(sender: str, preferences: str) -> SenderHistory:
        domain = sender.rpartition("@")[2]
        known = set(re.findall(rf"\S+@{re.escape(domain)}", preferences)) | {sender}
        found = [history_of(each, preferences) for each in sorted(known)]
        asked, hidden = any(f.asked_reply for f in found), any(f.hidden for f in found)
        return SenderHistory(max(f.dismissed for f in found), asked, hidden)

    monkeypatch.setattr(triage, "history_of", by_domain)
    assert guarded(await small())["spill-over.mails"] == 2


async def test_a_learner_that_keeps_a_mails_words_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lesson of an edit quotes the draft, and the draft the subject."""
    rule = learner.learn_by_rule

    def quoting(profile: str, **lesson: Any) -> str:
        quoted = f"\n- {' '.join(lesson['text'].split())}" if lesson["kind"] == "edited" else ""
        return rule(profile, **lesson) + quoted

    monkeypatch.setattr(review_loop, "describe_edit", lambda before, after: f"changed {before}")
    monkeypatch.setattr(learner, "learn_by_rule", quoting)
    report = await small()
    assert guarded(report)["leaked.words"] >= 1
    assert any("a word of a mail is in a profile" in line for line in report.failures)


async def test_learning_from_a_sender_in_doubt_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A forged newsletter would end the real one."""
    monkeypatch.setattr(dependencies, "sender_of", lambda state, user: Sender.PLAIN)
    monkeypatch.setattr(triage, "DISMISSALS_TO_ASK", 99)  # Else the forged mail is ignored and asks nothing.
    assert guarded(await small())["in-doubt.lessons"] >= 1


async def test_mail_without_a_usable_answer_is_wrong_and_the_rest_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A model that fails at one mail does not end the suite."""
    start, failed = Workbench.start, []

    async def first_fails(self: Workbench, message: Message) -> dict[str, Any] | None:
        if not failed:
            failed.append(message.id)
            raise ModelOutputError("triage: no answer fits")
        return await start(self, message)

    monkeypatch.setattr(Workbench, "start", first_fails)
    mail = next(mail for mail in mails() if mail.sender == "mara")
    async with benches(Setup().models, ["email_assistant"]) as found:
        first, second = await run(
            found, User(), [mail, dataclasses.replace(mail, case=mail.case | {"id": "again"})]
        )
    assert (first.decision, first.checks) == ("unanswered", {"answer-mara": False})
    assert second.decision == "notify"


async def test_cards_answered_at_once_are_all_learned() -> None:
    """Each dismissal is counted, once."""
    assert await at_once.in_tasks(8) == at_once.Learned(lost=0, extra=0)


async def test_a_writer_that_does_not_look_at_the_revision_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """It overwrites what others have learned since it read."""

    async def blind(self: Revisions, profile: str, *, expected: int, **values: Any) -> Revision | None:
        newest = await self.latest(profile)
        row = values | {"profile": profile, "revision": (newest.revision if newest else 0) + 1}
        row |= {"created_at": self.clock.now(), "decision_id": None}
        async with self.database.begin() as connection:
            await insert_or_ignore(connection, MEMORY_REVISIONS, row)
        return await self.latest(profile)

    monkeypatch.setattr(Revisions, "append", blind)
    monkeypatch.setattr("email_assistant.memory.profiles.Profiles.turn", lambda self, name: _NoTurn())
    found = await at_once.in_tasks(8)
    assert found.lost > 0


class _NoTurn:
    async def __aenter__(self) -> None:
        """As another process would not wait."""

    async def __aexit__(self, *args: object) -> None:
        """Nothing to give back."""


def test_the_user_judges_by_the_tastes() -> None:
    """What meets a taste passes, what does not is corrected, and words come before edits."""
    mail = next(mail for mail in mails() if mail.sender == "authority")
    right = "Dear Sir,\n\nYes.\n\nBest, Robin"
    assert all(judge_reply(mail, right).values())
    wrong = "Hi!\n\n" + "word " * 30 + "\n\nBest regards,\nRobin Vale"
    assert not any(judge_reply(mail, wrong).values())
    card = {"action_request": {"action": "Send reply to X", "args": {"body": wrong}}}
    user = User()
    assert user.reply_to(mail, card) == ({"type": "response", "args": "Shorter, please."}, ["short-replies"])
    meeting = next(mail for mail in mails() if mail.group == "meeting")
    early = {"start": "2026-11-24T08:30:00+01:00", "end": "2026-11-24T09:00:00+01:00"}
    assert judge_meeting(meeting, early) == {"not-before-ten": False, "meetings-45": False}
    good = {"start": "2026-11-24T10:00:00+01:00", "end": "2026-11-24T10:45:00+01:00"}
    assert all(judge_meeting(meeting, good).values())
