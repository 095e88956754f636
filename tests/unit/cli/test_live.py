"""What is told while mail is taken up."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from email_assistant.app import Container
from email_assistant.cli.progress import Live
from email_assistant.journal.records import MailRecord
from tests.support.desk import desk

CARD = {"action_request": {"action": "Notify: Ana: Oak", "args": {}}, "config": {}, "description": "Look."}


@dataclass
class Threads:
    """Threads of a server, each with a card."""

    ids: list[str] = field(default_factory=list)

    @property
    def threads(self) -> "Threads":
        """As the client has them."""
        return self

    async def search(self, **_: object) -> list[dict[str, Any]]:
        """All of them."""
        return [
            {
                "thread_id": each,
                "metadata": {"graph_id": "email_assistant"},
                "interrupts": {"i": [{"value": [CARD]}]},
            }
            for each in self.ids
        ]


async def failing_house(folder: Path) -> Container:
    """A house with a mail whose run has failed."""
    house = desk(folder).house
    await house.mail_log.claim(MailRecord("box", "m", "email_assistant", "t", "r", email_input={}))
    await house.mail_log.fail("box", "m", "email_assistant", "openai:x refused the key (401)")
    return house


async def test_a_card_is_told_once_when_it_shows_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Under a heading that stands once."""
    house, server = desk(tmp_path).house, Threads()
    live = Live(house, server, house.clock.now(), lambda *_: None, with_cards=True)  # type: ignore[arg-type]
    await live.tell()
    server.ids += ["a"]
    await live.tell()
    server.ids += ["b"]
    await live.tell()
    assert capsys.readouterr().out == "\nFor your review:\n" + 2 * "  • Notify: Ana: Oak\n"
    assert live.cards == {"a", "b"}


@pytest.mark.parametrize("quiet", [False, True])
async def test_a_cause_is_told_once_while_the_work_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], quiet: bool
) -> None:
    """After a moment; never among JSON."""
    began = desk(tmp_path).house.clock.now()
    house = await failing_house(tmp_path)
    live = Live(house, Threads(), began, lambda *_: None, quiet)  # type: ignore[arg-type]
    capsys.readouterr()
    await live.tell()
    assert capsys.readouterr().out == ""
    live._started = float("-inf")
    await live.tell()
    await live.tell()
    assert capsys.readouterr().out == ("" if quiet else "Failing: openai:x refused the key (401)\n")
