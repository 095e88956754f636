"""The served claims desk, killed before and after each decision and effect: money, ticket, entry and answer come once."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest

from email_assistant.app import Container
from email_assistant.settings import load_settings
from email_assistant.workflows.claims_desk.services import ClaimsDeskServices
from eval.claims.running import SAMPLES, claims
from eval.mails import HOST, vouching
from tests.e2e.cli_support import PERSON, Cli
from tests.e2e.test_served_claims import import_documents, script
from tests.servers.model_server import ModelServer, running_model_server
from tests.soak.post import ACCEPT, CARD_WAITS, CLAIMED, DONE, IGNORE, SENT, Post, answers_in, serving
from tests.soak.test_organizer_kills import until
from tests.support.arming import FORGOTTEN, SAVED, THEN, arm, armed_project
from tests.support.desk import mail
from tests.support.dev_server import dev_server, free_port
from tests.support.jira_stand_in import served
from tests.support.refund_stand_in import Payer, Till

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800), pytest.mark.xdist_group("claims")]

TENANT, AMOUNT, POLICY = "harrow-mutual", "105.00", "HC-20417"
C01 = next(claim for claim in claims() if claim["claim_id"] == "C01")
REFUND, REPLY = "Refund", "Send reply"
RESERVED, PAID = "after:RefundLedger.reserve", "after:HttpRefunds.refund"
SETTLING, SETTLED = "before:RefundLedger.settle", "after:RefundLedger.settle"
MADE, KEPT = "after:TicketTable.create", "after:Incidents.record"
ANSWERED = ("before:ActingNodes.refund_review", "after:ActingNodes.refund_review")
RECORDED = (MADE, f"{MADE}{THEN}{DONE}", KEPT, "after:ActingNodes.record")
DECIDE = ("before:VerifyingNodes.decide", "after:VerifyingNodes.decide")
WRITTEN = (
    "before:AnsweringNodes.final_answer", "after:AnsweringNodes.final_answer", "after:MaildirMailbox.save_draft",
    "after:ApprovalNodes.review",
)  # fmt: skip
SENDING = ("before:ReplyNodes.dispatch", SENT, "after:ReplyNodes.dispatch")
PERFORMED = ("before:ActingNodes.perform_refund", "after:ActingNodes.perform_refund")


@dataclass(frozen=True)
class Kill:
    """Where the server dies, after which card was answered ("" for none), and what a person says about the refund."""

    point: str
    card: str
    answer: str = ACCEPT


def kills(card: str, *points: str, answer: str = ACCEPT) -> list[Kill]:
    """At each of the points."""
    return [Kill(point, card, answer) for point in points]


PAYERS = {
    "endpoint": [
        *kills(REFUND, RESERVED, f"{RESERVED}{THEN}{CLAIMED}", PAID, SETTLING, SETTLED, *PERFORMED, *ANSWERED),
        *kills(REFUND, CARD_WAITS, *RECORDED, *WRITTEN),
        *kills(REFUND, CARD_WAITS, ANSWERED[1], *RECORDED[:3], answer=IGNORE),
        *kills("", *DECIDE),
        *kills(REPLY, CARD_WAITS, *SENDING),
    ],
    "ledger": kills(
        REFUND, f"{RESERVED}{THEN}{CLAIMED}", f"{RESERVED}{THEN}{RESERVED}", SETTLING, SETTLED,
        f"{SETTLED}{THEN}{DONE}",
    ),
}  # fmt: skip


@dataclass
class Claims(Post):
    """A served claims desk and its model; each kill has a customer, a contract and a mail of its own."""

    model: ModelServer
    graph: ClassVar[str] = "claims_desk"

    def deliver(self, number: int) -> str:
        """A customer's mail; the server looks for it."""
        speak(self.model, number)
        header, email = f"<claim-{number}@post.example>", C01["email"]
        body = email["body"].replace(POLICY, policy_of(number))
        sender = f"Maud Ashdown <maud{number}@post.example>"
        self.box.add(
            mail(
                body,
                sender=sender,
                subject=email["subject"],
                message_id=header,
                Authentication_Results=vouching(sender),
            )
        )
        self.look()
        return header

    def card(self, header: str) -> str:
        """What the card that waits would do."""
        thread = self.thread(header)
        assert thread is not None
        # Not by the thread's state: who asks for that keeps the development server from saving its checkpoints.
        ((found,),) = thread["interrupts"].values()
        return str(found["value"][0]["action_request"]["action"])

    def decided(self, header: str, until_card: str, answer: str) -> None:
        """Answer cards until this one, or the end when it is "", has come; answers may have been lost with a server."""
        for _ in range(5):
            until(
                "a card or the end", self.server,
                lambda: self.waits(header) or self.status(header) == "done",
            )  # fmt: skip
            if self.status(header) == "done":
                break
            card = self.card(header)
            if until_card and card.startswith(until_card):
                return
            self.answer(header, answer if card.startswith(REFUND) else ACCEPT)
        assert not until_card
        assert self.status(header) == "done"

    def die_at(self, kill: Kill, state: str, number: int) -> str:
        """Let the server die at this point of a new claim; the mail's Message-ID."""
        if not kill.card:
            arm(self.data, kill.point, state)
        header = self.deliver(number)
        if kill.card:
            self.decided(header, kill.card, kill.answer)
        if kill.point == CARD_WAITS:
            self.server.kill()
        elif kill.card:
            arm(self.data, kill.point, state)
            self.answer(header, kill.answer if kill.card == REFUND else ACCEPT)
        until(
            f"death {kill.point}",
            self.server,
            lambda: self.is_dead(header, lambda: self.reply_to(header, kill)),
        )
        return header

    def reply_to(self, header: str, kill: Kill) -> str:
        """What a person answers the card that waits while the server is to die; "" when it dies before any."""
        if not kill.card:
            return ""
        return kill.answer if self.card(header).startswith(REFUND) else ACCEPT

    def has_happened_once(self, header: str, kill: Kill, number: int, till: Till) -> None:
        """One status, one answer, one ticket, one entry, and the refund once or, unless it was approved, never."""
        assert [row[1:] for row in self.records(header)] == [("done", "sent", 0)], kill
        found = {name: answers_in(self.box, name)[header] for name in ("Sent", "Drafts")}
        assert found == {"Sent": 1, "Drafts": 0}, (kill, found)
        user, is_paid = user_of(number), kill.answer == ACCEPT
        query = "SELECT state, CAST(amount AS TEXT), policy_id FROM refunds WHERE user_id = ?"
        refunds = [
            (state, f"{float(amount):.2f}", policy) for state, amount, policy in self.rows(query, user)
        ]
        assert refunds == [("paid" if till.paid else "due", AMOUNT, policy_of(number))] * is_paid, kill
        (ticket,) = self.rows("SELECT type FROM tickets WHERE user_id = ?", user)
        assert ticket == ("tracking" if is_paid else "human_review",), kill
        assert len(self.rows("SELECT incident_id FROM incidents WHERE user_id = ?", user)) == 1, kill
        paid = [each for each in till.paid.values() if each["policy_id"] == policy_of(number)]
        assert [each["amount"] for each in paid] == [AMOUNT] * (is_paid and bool(till.requests)), kill
        assert till.payments == len(till.paid), kill
        ((thread, *_),) = self.records(header)
        query = (
            "SELECT kind, status FROM outbox WHERE kind = 'send' AND (action_id LIKE ? OR subject_key LIKE ?)"
        )
        assert Counter(self.rows(query, f"{thread}%", f"%:{thread}:%")) == {("send", "done"): 1}, kill
        assert self.rows("SELECT kind FROM outbox WHERE status = 'started' AND kind != 'draft'") == [], kill


def speak(model: ModelServer, number: int) -> None:
    """Let the model say what it says about this customer's claim, from the beginning."""
    script(model, json.loads(json.dumps(C01).replace(POLICY, policy_of(number))))


def user_of(number: int) -> str:
    """The customer of a kill."""
    return f"K{number:03}"


def policy_of(number: int) -> str:
    """The contract of a kill's customer."""
    return f"HC-9{number:04}"


async def fill(settings: dict[str, str], folder: Path, count: int) -> None:
    """Customers who all have what the sample claim's has."""
    house = Container(load_settings(settings | {"EMAIL_ASSISTANT_DATA_DIR": str(folder / "data")}, folder))
    customer = await ClaimsDeskServices.of(house).customers.customer(TENANT, C01["user_id"])
    assert customer is not None
    policies = await ClaimsDeskServices.of(house).customers.policies(TENANT, C01["user_id"])
    policy = next(each for each in policies if each.policy_id == POLICY)
    numbers = range(count)
    await ClaimsDeskServices.of(house).customers.import_all(
        [replace(customer, user_id=user_of(n), email=f"maud{n}@post.example") for n in numbers],
        [replace(policy, user_id=user_of(n), policy_id=policy_of(n)) for n in numbers],
    )


def prepare(folder: Path, settings: dict[str, str], count: int) -> None:
    """Customers and documents; a server that ends in peace has the documents on the disk."""
    user = Cli(folder, folder / "data", settings)
    imported = user.run(
        "customers", "import", *(str(SAMPLES / f"{name}.csv") for name in ("customers", "policies"))
    )
    assert imported.returncode == 0, imported.stderr
    asyncio.run(fill(settings, folder, count))
    with dev_server(folder, settings | armed_project(folder)) as server:
        import_documents(user, server)


@pytest.mark.parametrize("state", [SAVED, FORGOTTEN])
@pytest.mark.parametrize("payer", PAYERS)
def test_killed_anywhere_a_refund_is_paid_once(
    tmp_path: Path, payer: str, state: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each server dies at another point with another claim, and the next settles that by itself or with answers to its cards."""
    plan: Sequence[Kill] = PAYERS[payer]
    till = Till()
    paying: Any = served(Payer, till) if payer == "endpoint" else nullcontext("")
    with running_model_server() as model, paying as url:
        settings = PERSON | {
            "EMAIL_ASSISTANT_MODEL_FAST": "openai:fast", "EMAIL_ASSISTANT_MODEL_STRONG": "openai:strong",
            "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": model.base_url, "EMAIL_ASSISTANT_TENANT": TENANT,
            "EMAIL_ASSISTANT_AUTHSERV_ID": HOST,
        }  # fmt: skip
        settings |= {"EMAIL_ASSISTANT_REFUND_URL": f"{url}/refunds"} if url else {}
        prepare(tmp_path, settings, len(plan))
        port, header = free_port(), ""
        for number, kill in enumerate([*plan, None]):
            if header:
                speak(model, number - 1)
            with serving(tmp_path, settings, port, partial(Claims, model=model)) as desk:
                if header:
                    desk.decided(header, "", plan[number - 1].answer)
                    desk.has_happened_once(header, plan[number - 1], number - 1, till)
                if kill:
                    header = desk.die_at(kill, state, number)
    with capsys.disabled():
        refunds = sum(kill.answer == ACCEPT for kill in plan)
        print(
            f"\nclaims_desk, paid by the {payer}, {state}: {len(plan)} kills, {refunds} refunds of {AMOUNT} once each,"
            f" {len(plan) - refunds} none"
        )
