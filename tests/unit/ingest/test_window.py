"""A window of runs over a real mailbox and database; the deployment is a stand-in whose runs end when the test lets them."""

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from email_assistant.adapters.importer import deliver
from email_assistant.app import ingesting
from email_assistant.app.accounts import local_mailbox
from email_assistant.app.assistant import AppDeps
from email_assistant.ingest import ingestion, settling
from email_assistant.ingest.ingestion import Tally
from email_assistant.ingest.look import Look
from email_assistant.settings import load_settings
from tests.contract.mailbox_contract import mail
from tests.support.deployment import Deployment
from tests.support.desk import NOW, at_its_now

SIZE = 5


@dataclass
class Working(Deployment):
    """Runs are under way until somebody has asked for them; then one of them ends, whichever."""

    under_way: list[str] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)
    """How many were under way each time that somebody asked."""
    chance: random.Random = field(default_factory=lambda: random.Random(7))
    ends: bool = True

    def _answer(self, method: str, path: str, body: Any) -> Any:
        if path == "/threads/search" and self.under_way:
            self.seen.append(len(self.under_way))
            if self.ends:
                over = self.under_way.pop(self.chance.randrange(len(self.under_way)))
                self.threads[over]["status"] = "interrupted"
        return super()._answer(method, path, body)

    def _run(self, thread: dict[str, Any], body: Any) -> dict[str, Any]:
        run = super()._run(thread, body)
        thread["status"] = "busy"
        self.under_way.append(thread["thread_id"])
        return run


@dataclass
class Account:
    """A mailbox, a journal and a deployment."""

    house: AppDeps
    deployment: Working = field(default_factory=Working)

    async def receive(self, *raws: bytes) -> list[str]:
        return [(await deliver(local_mailbox(self.house), raw))[0] for raw in raws]

    async def look(self, **conditions: Any) -> Tally:
        made = ingesting.ingestion(self.house, self.deployment.client, None)
        return await made.run(Look(include_read=True, **conditions))


@pytest.fixture
def account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Account:
    """Nothing is waited for by the clock; five runs are under way at a time."""
    monkeypatch.setattr(settling, "LOOK_SECONDS", 0)
    values = {
        "EMAIL_ASSISTANT_DATA_DIR": str(tmp_path),
        "EMAIL_ASSISTANT_EMAIL": "robin@example.com",
        "EMAIL_ASSISTANT_RUNS_IN_FLIGHT": str(SIZE),
        "EMAIL_ASSISTANT_NOW": NOW.isoformat(),
    }
    return Account(at_its_now(load_settings(values, tmp_path)))


async def test_each_run_that_is_over_gives_its_place_to_the_next(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five are under way for as long as mail is left, over the ends of what is read and listed together; then ever fewer."""
    monkeypatch.setattr(ingestion, "CHUNK", 9)
    monkeypatch.setattr(ingestion, "READ_TOGETHER", 4)
    ids = await account.receive(*(mail(n, subject=f"Mail {n}") for n in range(1, 31)))
    assert (await account.look()).counts == {"started": 30}
    assert sorted(account.deployment.started()) == sorted(ids)
    assert account.deployment.seen == [SIZE] * 26 + [4, 3, 2, 1]


async def test_two_runs_of_a_conversation_are_never_under_way_together(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The later one begins when the one before it is over, though there is room; other mail goes ahead of it."""
    monkeypatch.setattr(ingestion, "CHUNK", 1)
    replies = [mail(n, reply_to=1, references=(1,), subject="Re: Ring fitting") for n in (2, 3)]
    await account.receive(mail(1), *replies, mail(4, subject="Another"))
    assert (await account.look()).counts["started"] == 2
    account.deployment.runs.clear()
    together: list[list[str]] = []

    def on_request(_: str) -> None:
        together.append(list(account.deployment.under_way))

    account.deployment.on_request = on_request
    await account.look(rerun=True)
    conversation = account.deployment.runs[0]["thread_id"]
    assert [run["thread_id"] == conversation for run in account.deployment.runs] == [True, False, True, True]
    assert all(threads.count(conversation) <= 1 for threads in together)
