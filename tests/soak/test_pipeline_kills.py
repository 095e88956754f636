"""The served reply pipeline, killed before and after each of its steps and effects: each reply leaves once, or not at all."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from email_assistant.app import Container
from email_assistant.mail.address import parse_addresses
from email_assistant.settings import load_settings
from eval.mails import HOST, vouching
from tests.e2e.cli_support import PERSON
from tests.servers.model_server import ModelServer, running_model_server, tool_call
from tests.soak.post import (
    ACCEPT,
    CARD_WAITS,
    CLAIMED,
    DELETED,
    DISPATCH,
    DISPATCHED,
    DONE,
    IGNORE,
    REJECT,
    REJECTED,
    SAVED_DRAFT,
    SENDING,
    SENT,
    Post,
    Way,
    around,
    killed_everywhere,
    serving,
)
from tests.support.arming import FORGOTTEN, SAVED, THEN
from tests.support.desk import mail
from tests.support.dev_server import free_port

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800), pytest.mark.xdist_group("pipeline")]

STEPS = around(
    "UnderstandingNodes.classify", "UnderstandingNodes.retrieve", "UnderstandingNodes.decide",
    "WorkingNodes.execute_tools", "WorkingNodes.generate", "ApprovalNodes.review",
)  # fmt: skip
UP_TO_REVIEW = ("after:MailLog.claim_all", *STEPS, CLAIMED, SAVED_DRAFT, DONE)
ALLOWED = "after:DailyAllowance.take"
THANKS = "Dear Ana,\n\nthank you for your mail.\n\nRobin Vale"
APPROVED = "Dear Ana,\n\nwe are sorry that the shelf arrived scratched.\n\nRobin Vale"

ASKED = (
    Way("complaint", ACCEPT, "sent", (*UP_TO_REVIEW, CARD_WAITS)),
    Way("complaint", ACCEPT, "sent", SENDING),
    Way("complaint", IGNORE, "rejected", (CARD_WAITS, REJECT, DELETED, REJECTED)),
)
OFF = (
    *ASKED,
    Way("inquiry", "", "drafted", ("after:ApprovalNodes.review", SAVED_DRAFT, DISPATCH, DISPATCHED)),
)
ON = (
    Way("complaint", ACCEPT, "sent", SENDING),
    Way(
        "inquiry", "", "sent",
        (
            *UP_TO_REVIEW, DISPATCH, f"{DISPATCH}{THEN}{CLAIMED}", f"{DISPATCH}{THEN}{DONE}", ALLOWED,
            f"{ALLOWED}{THEN}{CLAIMED}", SENT, f"{SENT}{THEN}{DONE}", DISPATCHED,
        ),
        allowances=1,
    ),
)  # fmt: skip
MODES = {"off": OFF, "on": ON}


@dataclass
class Pipeline(Post):
    """A served pipeline and its model."""

    model: ModelServer
    graph: ClassVar[str] = "reply_pipeline"
    up_to_review: ClassVar[tuple[str, ...]] = UP_TO_REVIEW

    def mail(self, number: int, way: Way) -> tuple[str, bytes]:
        """A question or a complaint about a shelf, which the model takes for one."""
        said = {"reasoning": "So.", "classification": way.kind, "confidence": 0.9}
        answers = {
            "Classification": said,
            "ToolChoice": {"tools": [], "reasoning": ""},
            # What may leave by itself repeats nothing that was found.
            "Generated": {"body": APPROVED if way.answer else THANKS, "confidence": 0.9, "tools_used": []},
            "SecondReading": {"why": "It says thanks.", "commits": False, "reveals": False},
        }
        self.model.script(*(tool_call(name, f, when=name, repeat=True) for name, f in answers.items()))
        header = f"<shelf-{number}@example.com>"
        sender = f"Ana Petrova <ana{number}@example.com>"
        asyncio.run(self.write_to(sender))
        return header, mail(
            sender=sender,
            subject=f"Shelf {number}",
            message_id=header,
            Authentication_Results=vouching(sender),
        )

    async def write_to(self, person: str) -> None:
        """Let the user have written to somebody before."""
        house = Container(load_settings({"EMAIL_ASSISTANT_DATA_DIR": str(self.data)}, self.data))
        await house.correspondents.note(house.mailbox.name, parse_addresses(person))
        await house.database.close()


@pytest.mark.parametrize("state", [SAVED, FORGOTTEN])
@pytest.mark.parametrize("auto", MODES)
def test_killed_anywhere_each_reply_leaves_once(
    tmp_path: Path, auto: str, state: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """At each point of its work, with automatic sending and without."""
    port = free_port()
    with running_model_server() as model:
        settings = PERSON | {
            "EMAIL_ASSISTANT_MODEL_FAST": "openai:fast",
            "EMAIL_ASSISTANT_MODEL_STRONG": "openai:strong",
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": model.base_url,
            "EMAIL_ASSISTANT_TIMEZONE": "Europe/Berlin",
            "EMAIL_ASSISTANT_AUTO_SEND": "true" if auto == "on" else "false",
            "EMAIL_ASSISTANT_AUTO_SEND_DAILY": "100",
            "EMAIL_ASSISTANT_AUTHSERV_ID": HOST,
        }
        kills, again = killed_everywhere(
            MODES[auto],
            ON[0],
            state,
            lambda: serving(tmp_path, settings, port, lambda server, data: Pipeline(server, data, model)),
        )
    with capsys.disabled():
        print(
            f"\nreply_pipeline: automatic sending {auto}, {state}: {kills} kills, each reply in its one place; "
            f"asked again: {again}"
        )
