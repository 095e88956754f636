"""The server killed soon after accepts, and soon after its start: every approval counts once, or is asked for again."""

import random
from pathlib import Path

import pytest

from eval.workbench import CATALOGUE
from tests.e2e.cli_support import OFFLINE, PERSON, Cli
from tests.soak.accepting import Person, Tally, order, pause, question, small_disk
from tests.support.dev_server import free_port

BEFORE_THE_FIRST_MAIL = 15.0
"""Seconds; what the development server holds in memory is looked at every ten."""
FULL = 12.0
WRITERS = {"email_assistant": question, "order_desk": order}


def accepted_then_killed(person: Person, kills: int, *, waits: float, can_fill: bool) -> Tally:
    """So many servers, each killed 0.05 to 4 s after an accept; then one that ends in peace."""
    tally = person.tally
    for number in range(kills):
        with person.serving() as server:
            if number == 0:
                pause(waits)
                person.deliver(server, 6)
            if number % 2 == 0:
                person.settle(server)
                if len(person.cards(server)) < 4:
                    person.deliver(server, 4)
                    person.settle(server)
            person.read_a_state(server)
            if can_fill and number == kills // 2:
                with person.full_disk():
                    person.accept_some(server, 2)
                    pause(FULL)
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


def tried(folder: Path, graph: str, kills: int, seed: int, *, waits: float, disk: bool) -> Tally:
    """A fresh installation."""
    with small_disk(folder, wanted=disk) as can_fill:
        settings = PERSON | OFFLINE
        if graph == "order_desk":
            imported = Cli(folder, folder / "data", settings).run("catalog", "import", str(CATALOGUE))
            assert imported.returncode == 0, imported.stderr
        person = Person(folder, graph, settings, free_port(), WRITERS[graph], random.Random(seed))
        return accepted_then_killed(person, kills, waits=waits, can_fill=can_fill)


def check(tally: Tally) -> None:
    """Nothing happened twice or unapproved, and nothing that was approved is gone."""
    assert (tally.twice, tally.unapproved, tally.dropped, tally.unanswerable) == (0, 0, 0, 0), str(tally)


@pytest.mark.parametrize("graph", WRITERS)
def test_a_few_kills_after_accepts_lose_and_repeat_nothing(tmp_path: Path, graph: str) -> None:
    """The short form: three servers are started, killed and gone on with, which takes its seconds."""
    tally = tried(tmp_path / "here", graph, 3, 11, waits=0, disk=False)
    check(tally)
    assert tally.kills == 3


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("graph", WRITERS)
def test_forty_kills_after_accepts_lose_and_repeat_nothing(
    tmp_path: Path, graph: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The long form: the first mail comes after 15 s, each server's state is read, and once the disk is full."""
    tally = tried(tmp_path / "here", graph, 40, 20261122, waits=BEFORE_THE_FIRST_MAIL, disk=True)
    with capsys.disabled():
        print(f"\n{graph}: {tally}")
    check(tally)
