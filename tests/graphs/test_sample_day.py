"""The sample day's clock stands for the sample mails, and for no mail that comes in later."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from langgraph.store.memory import InMemoryStore

from email_assistant.clock import FixedClock
from eval.workbench import Graph, Workbench, compiled
from tests.support.desk import house_in

TEXT = """\
From: Ana Petrova <ana@example.com>
To: Robin Vale <robin@vale.example>
Subject: Oak shelf
Date: {}
Message-ID: <m1@example.com>

Hi Robin,

can we meet on Tuesday at 10:00 for half an hour, to talk about the shelf?

Ana
"""
LATER = datetime(2027, 3, 3, 9, tzinfo=UTC)


@pytest.mark.parametrize("graph", ["email_assistant", "inbox_organizer", "reply_pipeline"])
@pytest.mark.parametrize(
    ("date", "tuesday"),
    [("Thu, 19 Nov 2026 09:00:00 +0000", "2026-11-24"), ("Wed, 03 Mar 2027 09:00:00 +0000", "2027-03-09")],
)
async def test_a_mail_is_read_by_the_clock_of_its_day(
    tmp_path: Path, graph: Graph, date: str, tuesday: str
) -> None:
    """By when it came into the mailbox, whatever the machine says."""
    house = replace(house_in(tmp_path), clock=FixedClock(LATER))
    store = InMemoryStore()
    bench = Workbench(house, compiled(house, graph, store), store)
    message = await bench.receive(TEXT.format(date).encode())
    card = await bench.start(message)
    told = json.dumps([card, {**await bench.values(message), "email_input": None}], default=str)
    assert tuesday in told, told
