"""Tabs and Agent Inbox at one moment, and keys pressed at random, on the served graph: Sent is the judge."""

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.e2e.cli_support import Cli
from tests.e2e.conftest import Served, Thread
from tests.e2e.test_answers import reply
from tests.support.page_client import PageClient

pytestmark = pytest.mark.xdist_group("served")

GAP = "It is [confirm: the price] euro, and we deliver on [confirm: day]."
ANSWERS: dict[str, dict[str, Any]] = {
    "accept": {"type": "accept"},
    "edit": {"type": "edit", "args": {"body": "By the page."}},
    "ignore": {"type": "ignore"},
}


def elsewhere(thread: Thread, kind: str, echo: dict[str, Any]) -> None:
    """The answer as Agent Inbox gives it, to the card that it has seen."""
    args = {**echo, "args": echo["args"] | {"body": "By Agent Inbox."}} if kind == "edit" else echo
    thread.answer([{"type": kind, "args": args}])


def bodies(served: Served, thread: Thread) -> list[str]:
    """What was sent."""
    return [str(each.get_payload()) for each in served.sent(thread.header)]


def race(served: Served, here: str, there: str) -> tuple[str, list[str]]:
    """Both answers at one moment: what the page was told, and what was sent."""
    page, thread = PageClient(served.server.url), served.begin(reply("As drafted."))
    seen, echo = page.card(thread.thread_id), thread.echo()
    with ThreadPoolExecutor(2) as pool:
        other = pool.submit(elsewhere, thread, there, echo)
        (result,) = page.answer(seen | ANSWERS[here])
        other.result()
    assert thread.status == "idle", thread.title
    return result["state"], bodies(served, thread)


def check_race(served: Served, here: str, there: str) -> str:
    """One act, and the page is told the truth of it."""
    state, sent = race(served, here, there)
    by_page = {"accept": ["As drafted."], "edit": ["By the page."], "ignore": []}[here]
    by_other = {"accept": ["As drafted."], "edit": ["By Agent Inbox."], "ignore": []}[there]
    assert state in {"done", "elsewhere", "changed"}
    expected = by_page if state == "done" else by_other
    assert len(sent) == len(expected), (state, sent)
    assert all(text in body for text, body in zip(expected, sent, strict=True)), (state, sent)
    return state


@pytest.mark.parametrize("here", ANSWERS)
@pytest.mark.parametrize("there", ANSWERS)
def test_the_page_and_agent_inbox_at_one_moment_do_one_thing(served: Served, here: str, there: str) -> None:
    """Whoever is first; the page says done only of what it has done."""
    check_race(served, here, there)


@pytest.mark.parametrize("here", ANSWERS)
def test_the_page_and_the_terminal_at_one_moment_do_one_thing(served: Served, here: str) -> None:
    """The one that comes second is told that the card was answered elsewhere, and does nothing."""
    page, thread = PageClient(served.server.url), served.begin(reply("As drafted."))
    seen, subject = (
        page.card(thread.thread_id),
        f"Question {thread.header.rpartition('-')[2].partition('@')[0]}",
    )
    cli = Cli(served.folder, served.folder / "data")
    asked = ("review", "--url", served.server.url, "--filter", f"send_email {subject}")
    with cli.terminal(*asked) as screen, ThreadPoolExecutor(1) as pool:
        screen.until("Your answer")
        told = pool.submit(page.answer, seen | ANSWERS[here])
        screen.type("a\r")
        _, rest = screen.end()
        (result,) = told.result()
    by_page = result["state"] == "done"
    assert ("1 accepted" in rest, "It did not work: This card was answered elsewhere." in rest) == (
        not by_page,
        by_page,
    ), rest
    expected = (
        {"accept": ["As drafted."], "edit": ["By the page."], "ignore": []}[here]
        if by_page
        else ["As drafted."]
    )
    sent = bodies(served, thread)
    assert len(sent) == len(expected), (result, sent)
    assert all(text in body for text, body in zip(expected, sent, strict=True)), (result, sent)
    assert thread.status == "idle"


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_many_races_do_one_thing_each(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    """Each pair of answers eight times."""
    told = [check_race(served, here, there) for _ in range(8) for here in ANSWERS for there in ANSWERS]
    with capsys.disabled():
        print(f"\nraces: {len(told)}, one act each; the page was first in {told.count('done')}")


def test_two_tabs_at_one_moment_do_one_thing(served: Served) -> None:
    """The other one is told that it came second, whatever each of them wanted."""
    page = PageClient(served.server.url)
    for pair in (("accept", "accept"), ("accept", "edit"), ("accept", "ignore")):
        thread = served.begin(reply("As drafted."))
        answers = [page.card(thread.thread_id) | ANSWERS[kind] for kind in pair]
        with ThreadPoolExecutor(2) as pool:
            results = [told for (told,) in pool.map(page.answer, answers)]
        assert [each["state"] for each in results].count("done") == 1, results
        assert {each["state"] for each in results} <= {"done", "elsewhere", "changed"}
        (winner,) = (kind for kind, each in zip(pair, results, strict=True) if each["state"] == "done")
        assert len(bodies(served, thread)) == (0 if winner == "ignore" else 1)
        assert thread.status == "idle"


class Fingers:
    """Somebody who presses anything, on cards whose reply has gaps."""

    def __init__(self, served: Served, seed: int) -> None:
        self.served, self.chance = served, random.Random(seed)
        self.page = PageClient(served.server.url)
        self.thread = served.begin(reply(GAP))
        self.threads = [self.thread]
        self.card = self.page.card(self.thread.thread_id)
        self.pressed = 0

    def sequence(self) -> None:
        """One to twelve keys."""
        keys = [
            self.accept, self.accept, self.accept, self.accept_stale, self.edit_one_gap, self.edit_none, self.both, self.tell,
            self.ignore, self.look,
        ]  # fmt: skip
        for _ in range(self.chance.randint(1, 12)):
            self.chance.choice(keys)()
            self.pressed += 1

    def look(self) -> None:
        """The card as it is now, or a new one."""
        if self.thread.status != "interrupted":
            self.thread = self.served.begin(reply(GAP))
            self.threads.append(self.thread)
        self.card = self.page.card(self.thread.thread_id)

    def give(self, *answers: dict[str, Any]) -> None:
        """Whatever comes of it."""
        self.page.answer(*answers)

    def accept(self) -> None:
        """As shown, sure or not."""
        self.give(self.card | {"type": "accept", "sure": self.chance.random() < 0.5})

    def accept_stale(self) -> None:
        """With a digest of something else."""
        self.give(self.card | {"type": "accept", "digest": "0" * 64})

    def edit_one_gap(self) -> None:
        """The other gap stays."""
        self.give(self.card | {"type": "edit", "args": {"body": "It is 120 euro, on [confirm: day]."}})

    def edit_none(self) -> None:
        """The subject alone."""
        self.give(self.card | {"type": "edit", "args": {"subject": "Re: [CONFIRM which]"}})

    def both(self) -> None:
        """Accept twice in one request."""
        self.give(self.card | {"type": "accept"}, self.card | {"type": "accept"})

    def tell(self) -> None:
        """Another draft, with a gap again."""
        if self.chance.random() < 0.2:
            self.served.model.script(reply(GAP))
            self.give(self.card | {"type": "response", "text": "Shorter, please."})

    def ignore(self) -> None:
        """Rarely: it ends the card."""
        if self.chance.random() < 0.1:
            self.give(self.card | {"type": "ignore"})

    def end(self) -> list[str]:
        """What was sent; nothing waits any more."""
        sent = [body for thread in self.threads for body in bodies(self.served, thread)]
        if self.thread.status == "interrupted":
            self.thread.answer([{"type": "ignore", "args": None}])
        return sent


def test_no_key_sends_a_gap(served: Served) -> None:
    """The short form: twenty sequences of keys at random."""
    fingers = Fingers(served, seed=7)
    for _ in range(20):
        fingers.sequence()
    assert fingers.end() == []


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_no_key_of_five_hundred_sequences_sends_a_gap(
    served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing at all is in Sent: every draft has a gap, and nobody has filled one."""
    fingers = Fingers(served, seed=20261123)
    for _ in range(500):
        fingers.sequence()
    sent = fingers.end()
    with capsys.disabled():
        print(
            f"\nkeys: 500 sequences, {fingers.pressed} keys, {len(fingers.threads)} cards, {len(sent)} sent"
        )
    assert sent == []
