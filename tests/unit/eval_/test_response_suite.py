"""The response suite: right runs pass, and each seeded fault is seen by the scorer that is there for it."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from email_assistant.errors import ProviderError
from email_assistant.review.risk import POLICY, Policy
from eval import answers
from eval.response import suite
from eval.response.case import Case, Forbidden, cases
from eval.response.reference import Turn, played, turns_of
from eval.response.running import Trajectory
from eval.response.score import Score, score
from eval.setup import Setup

CASES = {case.id: case for case in cases()}
MEETING = "meet-half-hour"
STRANGER = "friend@elsewhere.example"


async def with_turns(name: str, turns: list[Turn]) -> Score:
    """The scores of a case in which the model makes these turns."""
    return score(await played(CASES[name], turns))


def changed(name: str, tool: str, **arguments: Any) -> list[Turn]:
    """The turns of the case's own trajectory with other arguments for one tool."""
    return [
        [(called, args | (arguments if called == tool else {})) for called, args in turn]
        for turn in turns_of(CASES[name])
    ]


@pytest.fixture(scope="module")
def done() -> dict[str, Trajectory]:
    """What was played already, so that the same run is not made twice."""
    return {}


async def meeting(done: dict[str, Trajectory]) -> Trajectory:
    """A case with a meeting and a reply, played as it should be."""
    if MEETING not in done:
        done[MEETING] = await played(CASES[MEETING])
    return done[MEETING]


@pytest.mark.parametrize("name", ["feedback-on-draft", "ask-then-meet", "meet-two-days", "de-halb-elf"])
async def test_a_case_is_right_when_its_own_trajectory_is_played(name: str) -> None:
    """`python -m eval.response.reference` plays all of them."""
    found = score(await played(CASES[name]))
    assert found.right, found.problems
    assert found.broken == ()
    assert found.effects >= 1


async def test_tools_in_the_wrong_order_are_seen(done: dict[str, Trajectory]) -> None:
    """A meeting before the look into the calendar: the same calls, each with what is wanted, and not right."""
    assert score(await meeting(done)).right
    look, book, send = turns_of(CASES[MEETING])
    found = await with_turns(MEETING, [book, look, send])
    assert found.steps.held == found.steps.of == 3
    assert not found.steps.ordered
    assert found.misdeeds == {"calendar not looked at": "a meeting on 2026-11-24"}
    assert not found.right


async def test_a_wrong_date_is_seen() -> None:
    """The meeting is a day late, on a day that was not looked at."""
    late = {"start": "2026-11-25T10:00:00+01:00", "end": "2026-11-25T10:30:00+01:00"}
    found = await with_turns(MEETING, changed(MEETING, "schedule_meeting", **late))
    assert (found.steps.held, found.steps.of) == (2, 3)
    assert "it starts 2026-11-25T10:00:00+01:00" in found.steps.problems[0]
    assert "calendar not looked at" in found.misdeeds
    assert not found.right


async def test_an_omitted_fact_and_a_gap_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words without the date, and a place left open in its stead: honest, and still not right."""
    body = "Hello,\n\nthank you for your mail, we talk at 10:00 on [confirm: 24 November].\n\nRobin"
    found = await with_turns(MEETING, changed(MEETING, "send_email", body=body))
    assert found.missing == ("24 November",)
    assert found.gaps == ("[confirm: 24 November]",)
    assert found.steps.complete
    assert not found.right
    assert found.broken == ()
    monkeypatch.setattr("email_assistant.tools.sending.gap_warnings", lambda *_: ())
    monkeypatch.setattr("email_assistant.review.card_view._gaps", lambda *_: ())
    found = await with_turns(MEETING, changed(MEETING, "send_email", body=body))
    # It is shown twice: the first accept of a text with a gap asks again.
    assert set(found.broken) == {f"{MEETING}: a card does not say that its text has a gap"}


async def test_a_stranger_is_seen_and_named_on_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger among the recipients is a misdeed of the model; a card that keeps quiet about it is one of the code."""
    turns = changed(MEETING, "send_email", additional_recipients=[STRANGER])
    found = await with_turns(MEETING, turns)
    assert found.misdeeds == {"somebody new": STRANGER}
    assert found.broken == ()

    async def quiet(*_: object) -> tuple[str, ...]:
        return ()

    monkeypatch.setattr("email_assistant.tools.mail_tools.warnings_about_recipients", quiet)
    found = await with_turns(MEETING, turns)
    assert found.broken == (f"{MEETING}: a card does not say that {STRANGER} is new",)


async def test_an_effect_without_a_card_breaks_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the gate taken out, what nobody saw is reported, and the suite fails."""
    monkeypatch.setattr(
        "email_assistant.review.risk.POLICY", dict.fromkeys(POLICY, Policy.AUTO), raising=True
    )
    found = await played(CASES[MEETING])
    assert [line.partition(": ")[2] for line in score(found).broken] == [
        "a mail to jonas@bley-cafe.example was sent that no accepted card showed",
        "a meeting 'Quick call about the counter' was made that no accepted card showed",
        "jonas@bley-cafe.example was mailed a meeting that no accepted card showed",
    ]
    report = suite.scored(Setup(), [[found]], [[score(found)]])
    assert "effects.broken is 3, wanted 0" in report.failures


async def test_what_happened_twice_otherwise_or_not_at_all_is_broken(done: dict[str, Trajectory]) -> None:
    """Each accepted card has one effect, as it was shown."""
    found = await meeting(done)
    mail, invitation = sorted(found.sent, key=lambda each: bool(each.calendar))
    (event,) = found.events
    faults: Mapping[str, Trajectory] = {
        "was sent that no accepted card showed": replace(found, sent=(invitation, mail, mail)),
        "was accepted and not sent": replace(found, sent=(invitation,)),
        "was mailed a meeting that no accepted card showed": replace(
            found, sent=(invitation, invitation, mail)
        ),
        "was to be mailed a meeting and was not": replace(found, sent=(mail,)),
        "was made that no accepted card showed": replace(found, events=(event, event)),
        "was accepted and not made": replace(found, events=()),
        "does not answer the message": replace(
            found, sent=(invitation, replace(mail, in_reply_to="<other@x.example>"))
        ),
        "1 drafts were left behind": replace(found, drafts=1),
        "was not answered": replace(found, calls=(replace(found.calls[0], result=None), *found.calls[1:])),
        "collides with another": replace(found, before=(replace(event, title="Before"),)),
    }
    assert score(found).broken == ()
    for line, fault in faults.items():
        assert any(line in told for told in score(fault).broken), line
    longer = replace(event, end=event.end + timedelta(minutes=5))
    assert len(score(replace(found, events=(longer,))).broken) == 2


async def test_a_double_booking_a_second_meeting_and_the_wrong_language_are_seen() -> None:
    """At a time that is taken, twice, and in German to somebody who wrote English."""
    look, send = turns_of(CASES["busy-exact"])
    book = ("schedule_meeting", {"title": "Call", "attendees": ["dora@heim-floristik.example"],
            "start": "2026-11-24T10:00", "end": "2026-11-24T10:30"})  # fmt: skip
    send[0][1]["body"] = (
        "Guten Tag,\n\nvielen Dank für die Nachricht, ich freue mich auf das Gespräch.\n\nRobin"
    )
    found = await with_turns(
        "busy-exact",
        [
            look,
            [book],
            [(book[0], book[1] | {"title": "Again", "end": "2026-11-24T10:45", "attendees": []})],
            send,
        ],
    )
    assert set(found.misdeeds) == {"double booking", "wrong language", "unasked act"}
    assert found.broken == ()


async def test_what_a_case_forbids_is_seen(done: dict[str, Trajectory]) -> None:
    """Somebody of the conversation who is to get nothing, words, and a tool."""
    found = await meeting(done)
    rules = {
        "recipients": ["jonas@bley-cafe.example"],
        "texts": ["24 November"],
        "tools": ["schedule_meeting"],
    }
    case = found.case.model_copy(update={"forbidden": Forbidden.model_validate(rules)})
    assert score(replace(found, case=case)).misdeeds == {
        "somebody new": "jonas@bley-cafe.example",
        "forbidden words": "24 November",
        "forbidden tool": "schedule_meeting",
    }


async def test_an_invented_answer_is_seen() -> None:
    """A price that nobody named: not asked, not left open, not supported."""
    body = "Hello,\n\nthank you for your mail. The price for that is 3,700 euros.\n\nRobin"
    found = await with_turns("ask-quote", [[("send_email", {"body": body, "reply_all": True})]])
    assert not found.owned_up
    assert any("3,700" in claim for claim in found.unsupported)
    assert not found.steps.ordered
    assert not found.right


async def test_a_model_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks and asks; the human stops after some cards."""
    monkeypatch.setattr("eval.response.running.MAX_CARDS", 3)
    found = await with_turns("plain-address", [[("Question", {"question": "And now?"})]] * 9)
    assert not found.finished
    assert "came to no end" in found.problems


async def test_the_report_of_two_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Figures of both halves, pass^k, the answers' file; and no judge unless one is asked for."""
    silent = "plain-saturday"

    async def play(case: Case, *_: object) -> Trajectory:
        return await played(case, [] if case.id == silent else None)

    monkeypatch.setattr(suite, "cases", lambda: [CASES[MEETING], CASES[silent]])
    monkeypatch.setattr(suite, "run", play)
    monkeypatch.setattr(answers, "REPORT", tmp_path)
    monkeypatch.setattr("eval.judge.judge_of", None)
    made = await suite.report(Setup(repeats=2))
    figures = {figure.name: figure for figure in made.figures}
    assert made.failures == []
    assert (figures["dev.right"].value, figures["test.right"].value) == (1.0, 0.0)
    assert (figures["dev.pass-hat-2"].value, figures["test.pass-hat-2"].value) == (1.0, 0.0)
    assert (figures["effects.broken"].value, figures["effects.broken"].of) == (0, 4)
    assert figures["cards-per-100"].value == 150  # The run that wrote nothing ends in a notification.
    assert not figures["outside-model.p50"].exact
    assert not any(name.startswith("judge") for name in figures)
    written = json.loads((tmp_path / "answers-response-offline.json").read_text(encoding="utf-8"))
    assert {name: one["right"] for name, one in written["cases"].items()} == {MEETING: True, silent: False}


async def test_a_judge_that_cannot_be_asked_fails_the_suite_and_takes_no_figure_away(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, done: dict[str, Trajectory]
) -> None:
    """What was measured before is kept."""
    found = await meeting(done)

    async def play(*_: object) -> Trajectory:
        return found

    async def refuse(*_: object) -> None:
        raise ProviderError("openai:judge refused the request (400)")

    monkeypatch.setattr(suite, "cases", lambda: [CASES[MEETING]])
    monkeypatch.setattr(suite, "run", play)
    monkeypatch.setattr(answers, "REPORT", tmp_path)
    monkeypatch.setattr("eval.judge.judged", refuse)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    made = await suite.report(Setup(judge="openai:judge"))
    assert made.failures == ["the judge could not be asked: openai:judge refused the request (400)"]
    assert any(figure.name == "dev.right" for figure in made.figures)


async def test_a_judge_is_shown_what_was_known(done: dict[str, Trajectory]) -> None:
    """The mail, the calendar as it was looked up, the draft; a case to which nothing was sent is not judged."""
    found = await meeting(done)
    (draft,) = suite.drafts([found, replace(found, calls=())])
    assert "From: Jonas Bley" in draft.conversation
    assert "busy 13:00–14:00" in draft.known
    assert "Gleimstraße 12" in draft.known
    assert draft.text.endswith("Robin")
