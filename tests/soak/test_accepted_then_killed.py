"""The server killed soon after accepts, and soon after its start: every approval counts once, or is asked for again."""

import random
from pathlib import Path

import pytest

from eval.workbench import CATALOGUE
from tests.e2e.cli_support import OFFLINE, PERSON, Cli
from tests.soak.accepting import Person, Tally, order, pause, question
from tests.support.dev_server import free_port

WRITERS = {"email_assistant": question, "order_desk": order}


def accepted_then_killed(person: Person, kills: int) -> Tally:
    """So many servers, each killed 0.05 to 4 s after an accept; then one that ends in peace."""
    tally = person.tally
    for number in range(kills):
        with person.serving() as server:
            if number % 2 == 0:
                person.settle(server)
                if len(person.cards(server)) < 4:
                    person.deliver(server, 4)
                    person.settle(server)
            person.accept_some(server, person.chance.randint(1, 3))
            pause(person.chance.uniform(0.05, 4.0))
            server.kill()
            tally.kills += 1
    with person.serving() as server:
        for _ in range(tally.mails * 4):
            person.settle(server)
            if not person.cards(server):
                break
            person.accept_some(server, 8)
    counted = person.count()
    assert not person.strange, "\n".join([str(counted), *person.strange])
    return counted


@pytest.mark.parametrize("kills", [3, pytest.param(40, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])])
@pytest.mark.parametrize("graph", ["email_assistant", pytest.param("order_desk", marks=pytest.mark.soak)])
def test_kills_after_accepts_lose_and_repeat_nothing(tmp_path: Path, graph: str, kills: int) -> None:
    """Nothing happened twice or unapproved, and nothing that was approved is gone."""
    folder, settings = tmp_path / "here", PERSON | OFFLINE
    folder.mkdir()
    if graph == "order_desk":
        imported = Cli(folder, folder / "data", settings).run("catalog", "import", str(CATALOGUE))
        assert imported.returncode == 0, imported.stderr
    person = Person(folder, graph, settings, free_port(), WRITERS[graph], random.Random(kills))
    tally = accepted_then_killed(person, kills)
    assert (tally.twice, tally.unapproved, tally.dropped, tally.unanswerable) == (0, 0, 0, 0), str(tally)
    assert tally.kills == kills
