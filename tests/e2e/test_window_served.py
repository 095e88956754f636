"""Many mails at once on the real server: a window of runs that is kept full."""

import asyncio
from collections.abc import Collection

import pytest
from langgraph_sdk import get_client

from email_assistant.app import Container
from email_assistant.ingest.ingestion import Tally
from email_assistant.ingest.look import Look
from email_assistant.ingest.starter import Starter
from email_assistant.settings import load_settings
from tests.e2e.conftest import SETTINGS, Served
from tests.e2e.test_ingest import deliver, rows
from tests.support.desk import mail

SIZE, MAILS = 4, 14
SALE = "Big summer sale! Unsubscribe here."


def test_so_many_runs_are_under_way_as_the_setting_says(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never more, and never fewer while mail is left; every mail is settled in the end."""
    for number in range(MAILS):
        about = {"subject": f"Windowed {number}", "sender": f"Shop {number} <shop{number}@example.com>"}
        to_leave = {"List_Unsubscribe": "<mailto:u@example.com>"}
        deliver(served.folder, mail(SALE, message_id=f"<window-{number}@example.com>", **about, **to_leave))
    values = {
        "EMAIL_ASSISTANT_DATA_DIR": str(served.folder / "data"),
        "EMAIL_ASSISTANT_RUNS_IN_FLIGHT": str(SIZE),
    }
    house = Container(load_settings(SETTINGS | values, served.folder))
    begun: list[int] = []
    busy: list[int] = []
    at_rest = Starter.at_rest

    async def counted(starter: Starter, run_threads: Collection[str]) -> list[str]:
        begun.append(len(run_threads))
        busy.append(len(await starter.client.threads.search(status="busy", limit=100)))
        return await at_rest(starter, run_threads)

    monkeypatch.setattr(Starter, "at_rest", counted)

    async def look() -> Tally:
        tally = await house.ingestion(get_client(url=served.server.url), None).run(Look(query="Windowed"))
        await house.database.close()
        return tally

    assert asyncio.run(look()).counts == {"started": MAILS}
    assert max(busy) <= SIZE
    full = begun.count(SIZE)
    assert begun[:full] == [SIZE] * full
    assert sorted(begun[full:], reverse=True) == begun[full:]
    query = "SELECT status, count(*) FROM mail WHERE email_input LIKE '%\"Windowed %' GROUP BY status"
    assert rows(served, query) == [("ignored", MAILS)]
