"""The suite that kills: a sample of its kills does no harm, and it fails on a product that is broken."""

from pathlib import Path

import pytest

from eval.crash.killing import Bench
from eval.crash.suite import Ran, ran, scored
from tests.support import crash_bugs
from tests.support.sampling import sampled

pytestmark = pytest.mark.xdist_group("crash")
SAMPLE = 6


def killed(folder: Path, scenario: str, bug: str, losing: str, *names: str) -> Ran:
    """The kills after these writes, of a product with the bug."""
    bench = Bench(folder / scenario, scenario, f"{crash_bugs.__name__}:{bug}")
    bench.prepare()
    chosen = [each for each in bench.kills() if each.losing == losing and each.point.name in names]
    assert chosen, bench.stages
    unapproved = bench.expected.unapproved({}) if bench.expected else {}
    return Ran(scenario, 0, len(chosen), [bench.attempt(each) for each in chosen], unapproved)


@pytest.mark.parametrize(
    "scenario",
    ["assistant", "organizer", "pipeline", "orders-refused", "claims"],
)
def test_a_sample_of_kills_leaves_everything_as_it_would_have_been(tmp_path: Path, scenario: str) -> None:
    """Each kill really happens, and nothing is missing or too much after it."""
    found = ran(tmp_path, scenario, SAMPLE)
    assert found.kills == SAMPLE < found.planned < 2 * found.boundaries
    assert scored([found]).failures == []


@pytest.mark.parametrize(
    ("bug", "scenario", "losing", "name", "figure"),
    sampled(
        [
            pytest.param("effect_before_claim", "assistant", "gone", "IcsTexts.create", "effects-twice"),
            pytest.param("record_before_effect", "orders", "kept", "OutboxStore.finish", "effects-lost"),
            pytest.param("gate_forgets", "orders", "kept", "MaildirMailbox.send_draft", "effects-unapproved"),
            pytest.param(
                "nothing_recovers", "orders-refused", "forgotten", "MailLog.begin_all", "mails-lost"
            ),
        ],
        every=2,
    ),
)
def test_it_fails_on_a_broken_product(
    tmp_path: Path, bug: str, scenario: str, losing: str, name: str, figure: str
) -> None:
    """The figure that tells of this kind of harm misses its target, and the line says where."""
    report = scored([killed(tmp_path, scenario, bug, losing, name)])
    missed = {each.name for each in report.figures if each.missed}
    assert figure in missed, report.failures
    assert any(name in line for line in report.broken)
