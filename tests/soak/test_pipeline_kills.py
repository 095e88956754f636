"""The served reply pipeline, killed before and after each of its steps and effects: each reply leaves once, or not at all."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

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
    Post,
    Way,
    around,
    killed_everywhere,
    serving,
)
from tests.support.arming import FORGOTTEN, SAVED
from tests.support.desk import mail
from tests.support.dev_server import free_port

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800), pytest.mark.xdist_group("pipeline")]

STEPS = around(
    "PipelineNodes.classify", "PipelineNodes.retrieve", "PipelineNodes.decide",
    "PipelineNodes.execute_tools", "PipelineNodes.generate", "ApprovalNodes.review",
)  # fmt: skip
UP_TO_REVIEW = ("after:MailLog.claim_all", *STEPS, CLAIMED, SAVED_DRAFT, DONE)
THANKS = "Dear Ana,\n\nthank you for your mail.\n\nRobin Vale"
APPROVED = "Dear Ana,\n\nwe are sorry that the shelf arrived scratched.\n\nRobin Vale"

ASKED = (
    Way("complaint", ACCEPT, "sent", (*UP_TO_REVIEW, CARD_WAITS)),
    Way("complaint", ACCEPT, "sent", SENDING),
    Way("complaint", IGNORE, "rejected", (CARD_WAITS, REJECT, DELETED, REJECTED)),
)
WAYS = (
    *ASKED,
    Way("inquiry", "", "drafted", ("after:ApprovalNodes.review", SAVED_DRAFT, DISPATCH, DISPATCHED)),
)


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
            "Generated": {"body": APPROVED if way.answer else THANKS, "confidence": 0.9, "tools_used": []},
        }
        self.model.script(*(tool_call(name, f, when=name, repeat=True) for name, f in answers.items()))
        header = f"<shelf-{number}@example.com>"
        sender = f"Ana Petrova <ana{number}@example.com>"
        return header, mail(
            sender=sender,
            subject=f"Shelf {number}",
            message_id=header,
            Authentication_Results=vouching(sender),
        )


@pytest.mark.parametrize("state", [SAVED, FORGOTTEN])
def test_killed_anywhere_each_reply_leaves_once(
    tmp_path: Path, state: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """At each point of its work."""
    port = free_port()
    with running_model_server() as model:
        settings = PERSON | {
            "EMAIL_ASSISTANT_MODEL_FAST": "openai:fast",
            "EMAIL_ASSISTANT_MODEL_STRONG": "openai:strong",
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": model.base_url,
            "EMAIL_ASSISTANT_TIMEZONE": "Europe/Berlin",
            "EMAIL_ASSISTANT_AUTHSERV_ID": HOST,
        }
        kills, again = killed_everywhere(
            WAYS,
            ASKED[1],
            state,
            lambda: serving(tmp_path, settings, port, lambda server, data: Pipeline(server, data, model)),
        )
    with capsys.disabled():
        print(f"\nreply_pipeline: {state}: {kills} kills, each reply in its one place; asked again: {again}")
