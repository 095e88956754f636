"""The served order desk, killed before and after each of its nodes and effects: what is answered is sold or given back, once."""

import csv
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from eval.workbench import CATALOGUE
from tests.e2e.cli_support import OFFLINE, PERSON, Cli
from tests.soak.post import (
    ACCEPT,
    CARD_WAITS,
    CLAIMED,
    DELETED,
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

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800), pytest.mark.xdist_group("orders")]

TAKEN, RECORDED, SOLD, RELEASED = (
    f"after:Orders.{step}" for step in ("take", "record", "confirm", "release")
)
NODES = around(
    "ReadingNodes.analyze_email", "ReadingNodes.resolve_product_mentions", "AgentNodes.process_order",
    "AgentNodes.respond_to_inquiry", "ComposingNodes.compose_response", "ApprovalNodes.review",
)  # fmt: skip
UP_TO_REVIEW = ("after:MailLog.claim_all", *NODES, TAKEN, RECORDED, CLAIMED, SAVED_DRAFT, DONE)
BOTH = "an order and a question"
WAYS = (
    Way(BOTH, ACCEPT, "sent", (*UP_TO_REVIEW, CARD_WAITS, *SENDING, SOLD)),
    Way(BOTH, IGNORE, "rejected", (TAKEN, CARD_WAITS, REJECT, RELEASED, DELETED, REJECTED)),
)
UNITS, MUG = 2, "KTC-4098"


@dataclass
class Shop(Post):
    """A served order desk whose mails each order two mugs and ask about a plate."""

    graph: ClassVar[str] = "order_desk"
    up_to_review: ClassVar[tuple[str, ...]] = UP_TO_REVIEW

    def mail(self, number: int, way: Way) -> tuple[str, bytes]:
        """Of another customer each time."""
        header = f"<mugs-{number}@example.com>"
        body = f"Hello,\n\nplease send me {UNITS} Enamel mug ({MUG}).\n\nHow much is the Enamel plate (KTC-4110)?\n\nAna"
        sender = f"Ana Petrova <ana{number}@example.com>"
        return header, mail(body, sender=sender, subject=f"Mugs {number}", message_id=header)

    def in_place(self, header: str, way: Way, point: str) -> None:
        """Besides: sold once or given back, nothing held, and the stock is less by what is sold and held."""
        super().in_place(header, way, point)
        query = (
            "SELECT o.state, SUM(l.taken) FROM orders o JOIN order_lines l USING (order_id) WHERE o.order_id LIKE ? "
            "AND o.state != 'released' GROUP BY o.order_id"
        )
        ((message_id,),) = self.rows("SELECT message_id FROM mail WHERE email_input LIKE ?", f"%{header}%")
        sold = [("confirmed", UNITS)] if way.outcome == "sent" else []
        assert self.rows(query, f"{message_id}:%") == sold, point
        query = (
            "SELECT p.stock + (SELECT SUM(l.taken) FROM orders o JOIN order_lines l USING (order_id) "
            "WHERE o.state != 'released' AND l.product_id = p.id) FROM products p WHERE p.id = ?"
        )
        assert self.rows(query, MUG) == [(stock(),)], point


def stock() -> int:
    """Mugs that the catalogue has."""
    with CATALOGUE.open(encoding="utf-8", newline="") as file:
        return int({row["id"]: row["stock"] for row in csv.DictReader(file)}[MUG])


@pytest.mark.parametrize("state", [SAVED, FORGOTTEN])
def test_killed_anywhere_each_order_is_settled_as_it_was_answered(
    tmp_path: Path, state: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The offline rules read and write; the stock is counted after every kill."""
    settings, port = PERSON | OFFLINE, free_port()
    imported = Cli(tmp_path, tmp_path / "data", settings).run("catalog", "import", str(CATALOGUE))
    assert imported.returncode == 0, imported.stderr
    kills, again = killed_everywhere(WAYS, WAYS[0], state, lambda: serving(tmp_path, settings, port, Shop))
    with sqlite3.connect(tmp_path / "data" / "email_assistant.db") as database:
        states = dict(database.execute("SELECT state, COUNT(*) FROM orders GROUP BY state").fetchall())
    with capsys.disabled():
        print(f"\norder_desk, {state}: {kills} kills; orders: {states}; asked again: {again}")
