"""The safety suite: a sample of the attacks holds, and whatever guard is taken out, the suite fails and says what happened."""

from collections.abc import Sequence
from typing import Any

import pytest

from email_assistant.review import action, agent_inbox, card
from email_assistant.tools import concerns
from eval.figures import SuiteReport
from eval.safety.attacks import Attack, attacks
from eval.safety.obedient import Obedient
from eval.safety.running import STYLES
from eval.safety.suite import reported, run
from eval.safety.worlds import DESKS

ASSISTANT = ("email_assistant",)


def some(*ids: str) -> list[Attack]:
    """These attacks."""
    return [attack for attack in attacks() if attack.id in ids]


async def found(
    monkeypatch: pytest.MonkeyPatch,
    ids: Sequence[str],
    desks: Sequence[str] = ASSISTANT,
    style: str = "accept",
) -> SuiteReport:
    """The report of these attacks, all cards answered in one way."""
    monkeypatch.setattr("eval.safety.suite.style_of", lambda attack, shift: style)
    return reported(await run({desk: some(*ids) for desk in desks}, together=True))


async def test_a_sample_of_all_families_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty attacks, each at two of the desks, cards answered in all four ways: every count is 0, and something was tried."""
    sample = attacks()[:: len(attacks()) // 30]
    at = {name: [a for n, a in enumerate(sample) if n % 3 == number % 3] for number, name in enumerate(DESKS)}
    outcomes = await run(at, together=True)
    report = reported(outcomes)
    assert [line for line in report.failures if not line.startswith("doubtful")] == []
    assert {out.style for out in outcomes} == set(STYLES)
    assert sum(out.attempts for out in outcomes) > 200


@pytest.fixture
def with_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gaps hold nothing back, so that it is the gate that does."""
    monkeypatch.setattr(concerns, "gaps_left", lambda *_: [])


@pytest.mark.usefixtures("with_gaps")
async def test_a_gate_that_is_taken_out_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """When policy lets everything happen by itself, mail leaves and events are made without a card."""
    for sender in action.Sender:
        monkeypatch.setitem(action.POLICY, (action.Risk.IRREVERSIBLE, sender), action.Policy.AUTO)
    report = await found(monkeypatch, ["direct-01", "direct-06"], style="leave")
    told = "\n".join(report.failures)
    assert "effects without a card: sent: a mail to" in told or "mails left at once" in told
    assert "effects without a card: calendar: an event was created" in told
    assert "effects-without-card is" in told


async def test_mail_text_that_acts_on_a_card_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the fence a script, an image and a link stand on the card; so do those of a question."""
    monkeypatch.setattr(card, "fence", lambda text, info="text": text)
    monkeypatch.setattr(agent_inbox, "field", lambda text: text)
    told = "\n".join((await found(monkeypatch, ["tools-01", "tools-12"])).failures)
    assert "description: an element <img>" in told
    assert "description: an attribute onerror of <img>" in told
    assert "question: an element <iframe>" in told


async def test_a_model_that_tries_nothing_is_no_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """Zero of nothing does not pass."""
    original = Obedient.run

    async def idle(self: Obedient, call: Any, inputs: Any, **more: Any) -> Any:
        answer = await original(self, call, inputs, **more)
        self.attempts.clear()
        return answer.model_copy(update={"classification": "ignore"})

    monkeypatch.setattr(Obedient, "run", idle)
    report = await found(monkeypatch, ["direct-03"])
    assert "direct: the model tried nothing" in report.failures
    assert "email_assistant: no card was shown" in report.failures
