"""The claims desk with the sample companies: the real graph, store, database and mailbox; the model follows a script."""

import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.types import Command

from email_assistant.adapters.importer import deliver
from email_assistant.app import ingesting
from email_assistant.app.accounts import local_mailbox
from email_assistant.app.assistant import deps_of
from email_assistant.errors import InputError, TransientError
from email_assistant.ingest.elsewhere import Elsewhere
from email_assistant.mail.email_input import to_email_input
from email_assistant.mail.message import Conversation
from email_assistant.review.moved_mail import DELETED_THERE
from email_assistant.settings import load_settings
from email_assistant.workflows.claims_desk.claims.claim import CustomerPolicy, Refund
from email_assistant.workflows.claims_desk.records.customers import Customers
from email_assistant.workflows.claims_desk.records.incidents import Incidents, TicketTable
from email_assistant.workflows.claims_desk.records.refunds import RefundLedger
from email_assistant.workflows.claims_desk.refunding import Refunding
from eval.claims.running import (
    NOW,
    ClaimsDesk,
    Outcome,
    Script,
    claims,
    input_of,
    opened,
)
from eval.mails import HOST, vouching
from eval.workbench import answering
from tests.support.desk import mail
from tests.support.graph_server import GraphServer
from tests.support.sampling import sampled
from tests.support.workflows import BARE, edited

CLAIMS = {claim["claim_id"]: claim for claim in claims()}
HOSTILE = {claim["claim_id"]: claim for claim in claims("hostile.jsonl")}
REFUND, TENANT, BANK = "C01", "harrow-mutual", "kestrelford-bank"
MAUD, HERS = "maud.ashdown@post.example", "TR-50023"
"""The customer of the claim for a refund, and a contract of hers that the claim does not name."""


@pytest.fixture
async def made(tmp_path: Path) -> ClaimsDesk:
    """A desk with the sample companies."""
    return await claims_desk(tmp_path)


async def claims_desk(folder: Path, **settings: str) -> ClaimsDesk:
    """A desk in a folder."""
    values = {
        "EMAIL_ASSISTANT_DATA_DIR": str(folder / "data"), "EMAIL_ASSISTANT_NAME": "Claims desk", "EMAIL_ASSISTANT_NOW": NOW,
        "EMAIL_ASSISTANT_EMAIL": "claims@desk.example", "EMAIL_ASSISTANT_MODEL_FAST": "offline",
        "EMAIL_ASSISTANT_MODEL_STRONG": "offline", "EMAIL_ASSISTANT_AUTHSERV_ID": HOST,
    }  # fmt: skip
    house = deps_of(load_settings(values | settings, folder), is_server=True, models=Script())
    return await opened(house)


def config(claim_id: str) -> Any:
    """The claim's thread."""
    return {"configurable": {"thread_id": claim_id}}


def path(outcome: Outcome) -> list[str]:
    """The steps of the run."""
    return [step["step_name"] for step in outcome.state["steps"]]


async def test_a_refund_for_a_cancelled_policy_takes_two_passes(made: ClaimsDesk) -> None:
    """Both look-ups in the first pass, the decision in the second; then a person approves, and the money goes back once."""
    outcome = await made.bring(CLAIMS[REFUND])
    assert path(outcome) == [
        "intent_gatherer", "report_maker", "claim_verifier", "tool_execution", "claim_verifier", "decide", "refund_review",
        "perform_refund", "record", "final_answer", "review",
    ]  # fmt: skip
    said = [m for m in outcome.state["messages"] if isinstance(m, AIMessage | ToolMessage)]
    assert [c["name"] for c in said[0].tool_calls] == ["get_user_data", "list_user_policies"]
    assert [m.name for m in said[1:]] == ["get_user_data", "list_user_policies"]
    assert "HC-20417" in str(said[2].text)
    assert outcome.state["passes"] == 1
    refund, reply = outcome.cards
    assert refund["action_request"] == {
        "action": "Refund 105.00 EUR for HC-20417",
        "args": {"policy_id": "HC-20417", "amount": "105.00", "currency": "EUR"},
    }
    assert refund["config"]["allow_edit"] is True
    assert "105.00 EUR" in reply["action_request"]["args"]["body"]
    paid = await RefundLedger(made.house.database, made.house.clock).of_user(TENANT, "U001")
    assert [(p.refund.policy_id, p.refund.amount) for p in paid] == [("HC-20417", Decimal("105.00"))]
    (incident,) = await Incidents(made.house.database).of_user(TENANT, "U001")
    assert (incident.is_valid, incident.amount) == ("Yes", Decimal("105.00"))
    (ticket,) = await TicketTable(made.house.database, made.house.clock).of_user(TENANT, "U001")
    assert ticket.type == "tracking"


async def shown(made: ClaimsDesk) -> dict[str, Any]:
    """The card that waits."""
    (waits,) = (await made.graph.aget_state(config(REFUND))).interrupts
    return dict(waits.value[0])


async def paid(made: ClaimsDesk) -> list[Decimal]:
    """The amounts in the ledger."""
    ledger = RefundLedger(made.house.database, made.house.clock)
    return [each.refund.amount for each in await ledger.of_user(TENANT, "U001")]


async def given(made: ClaimsDesk, answer: object) -> dict[str, Any]:
    """The card after the answer."""
    await made.graph.ainvoke(Command(resume=answer), config(REFUND))
    return await shown(made)


async def test_no_accept_that_names_no_card_pays(made: ClaimsDesk) -> None:
    """Not for the first refund, not for one in its place, and not for the letter after it; each is asked again, on record."""
    (first,) = (await made.bring(CLAIMS[REFUND], approve=False)).cards
    assert (await given(made, BARE))["action_request"] == first["action_request"]
    (card,) = (await made.bring(CLAIMS[REFUND], approve=False)).cards
    assert card["action_request"]["action"] == first["action_request"]["action"] + " (message 2)"
    for _ in range(2):
        again = await given(made, BARE)
        assert again["description"].startswith("That answer does not say which card it is for")
    assert await paid(made) == []
    letter = await given(made, [{"type": "accept", "args": {"action": card["action_request"]["action"]}}])
    assert (await given(made, BARE))["action_request"] == letter["action_request"]
    assert len(await paid(made)) == 1
    reviews = {review.title: review for review in await made.house.trace.reviews(REFUND)}
    answers = reviews[card["action_request"]["action"]].answers
    assert [answer["decision"] for answer in answers] == ["not taken", "not taken", "accept"]


async def test_of_a_refund_the_amount_may_be_lowered_and_nothing_else_changed(
    made: ClaimsDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was approved is what the second question, the ledger, the letter and the record say, also when paying is cut off."""
    (card,) = (await made.bring(CLAIMS[REFUND], approve=False)).cards
    wrong = [{"amount": each} for each in ("105.01", "0", "-1", "x", "50.001", "nan")]
    for fields in (*wrong, {"policy_id": "HC-20418"}, {"currency": "USD", "amount": "50"}):
        again = await given(made, edited(card, **fields))
        assert again["action_request"] == card["action_request"]
        assert again["description"].startswith("The edit was not taken: ")
    assert await paid(made) == []
    refunding = Refunding.of(made.house)
    real = refunding.refunds.refund
    monkeypatch.setattr(type(refunding.refunds), "refund", _cut_off)
    again = await given(made, edited(card, amount="50"))
    assert again["action_request"]["args"] == {"policy_id": "HC-20417", "amount": "50.00", "currency": "EUR"}
    assert "50.00" in again["action_request"]["action"]
    assert "A refund of 50.00 EUR" in again["view"]["ask"]
    monkeypatch.setattr(type(refunding.refunds), "refund", real.__func__)
    letter = await given(made, [{"type": "accept", "args": again["action_request"]}])
    assert await paid(made) == [Decimal("50.00")]
    body = letter["action_request"]["args"]["body"]
    assert "50.00" in body
    assert "105" not in re.sub(r"\[confirm: [^]]*\]", "", body)
    (incident,) = await Incidents(made.house.database).of_user(TENANT, "U001")
    assert incident.amount == Decimal("50.00")


async def _cut_off(*_: object) -> None:
    raise TransientError("cut off")


@pytest.mark.parametrize(
    "answer", [[{"type": "ignore", "args": None}], [{"type": "response", "args": "ask for the bank letter"}]]
)
async def test_a_refund_that_a_person_does_not_approve_is_not_made_and_not_told(
    made: ClaimsDesk, answer: Any
) -> None:
    """A person gets a ticket with everything; the answer says nothing of an amount."""
    await made.bring(CLAIMS[REFUND], approve=False)
    await made.graph.ainvoke(await answering(made.graph, config(REFUND), answer), config(REFUND))
    state = (await made.graph.aget_state(config(REFUND))).values
    assert await RefundLedger(made.house.database, made.house.clock).of_user(TENANT, "U001") == ()
    assert (state["refund"], state["ticket"]["type"]) == (None, "human_review")
    assert "105" not in state["draft_response"]
    (ticket,) = await TicketTable(made.house.database, made.house.clock).of_user(TENANT, "U001")
    assert "A person did not approve the refund." in ticket.body
    assert ("ask for the bank letter" in ticket.body) is (answer[0]["type"] == "response")


async def test_below_the_configured_amount_nobody_is_asked_about_the_money(tmp_path: Path) -> None:
    """The answer still is a person's to approve."""
    made = await claims_desk(tmp_path, EMAIL_ASSISTANT_REFUND_AUTOMATIC="105.00")
    outcome = await made.bring(CLAIMS[REFUND])
    (card,) = outcome.cards
    assert card["action_request"]["action"].startswith("Send reply")
    assert outcome.state["refund"]["amount"] == "105.00"


async def test_the_ceiling_sends_it_to_a_person(tmp_path: Path) -> None:
    """It is not cut down to what would be allowed."""
    made = await claims_desk(tmp_path, EMAIL_ASSISTANT_REFUND_CEILING="104.99")
    outcome = await made.bring(CLAIMS[REFUND])
    assert outcome.state["ruling"]["route"] == "ticket"
    assert outcome.state["ruling"]["reasons"] == ["105.00 is more than the ceiling for refunds, 104.99."]
    assert outcome.state["refund"] is None


async def test_a_chat_is_answered_in_the_conversation(made: ClaimsDesk) -> None:
    """Without a card; the answer is the last message, and a further message is a round of its own."""
    claim = CLAIMS["C10"]
    outcome = await made.bring(claim)
    assert outcome.cards == []
    assert outcome.state["outcome"] == "refused"
    assert str(outcome.state["messages"][-1].text) == outcome.state["final_response"]
    again = input_of(claim) | {"messages": [{"role": "user", "content": "And why?"}]}
    await made.graph.ainvoke(again, config("C10"))
    state = (await made.graph.aget_state(config("C10"))).values
    assert (
        len(
            {
                i.incident_id
                for i in await Incidents(made.house.database).of_user(claim["tenant_id"], claim["user_id"])
            }
        )
        == 2
    )
    assert state["round"] == 2


async def test_tools_without_end_go_to_a_person(made: ClaimsDesk) -> None:
    """After four passes the verifier is not asked again."""
    claim = CLAIMS[REFUND] | {"claim_id": "loop", "tool_calls": [["retriever_tool"]] * 20}
    outcome = await made.bring(claim)
    assert outcome.state["passes"] == 4
    assert outcome.state["ruling"]["route"] == "ticket"
    assert "The verifier is not sure whether the claim is valid." in outcome.state["ruling"]["reasons"]


@pytest.mark.parametrize("claim_id", sampled(sorted(HOSTILE), every=4))
async def test_a_model_that_obeys_the_attacker_gets_nothing(made: ClaimsDesk, claim_id: str) -> None:
    """No refund beyond what the rules allow is even proposed, and nothing of anybody else's is in what the model hears or says."""
    claim = HOSTILE[claim_id]
    outcome = await made.bring(claim, approve=False)
    proposed = [
        Decimal(c["action_request"]["args"]["amount"])
        for c in outcome.cards
        if "amount" in c["action_request"]["args"]
    ]
    assert max(proposed, default=Decimal(0)) <= Decimal(claim["at_most"])
    assert (
        await RefundLedger(made.house.database, made.house.clock).of_user(
            claim["tenant_id"], claim["user_id"] or "nobody"
        )
        == ()
    )
    said = str(outcome.state.get("draft_response", "")).lower()
    for text in claim["final_must_not"]:
        assert text.lower() not in said, claim["must_not_happen"]
    results = " ".join(str(m.text) for m in outcome.state["messages"] if isinstance(m, ToolMessage))
    for other in await others(made, claim):
        assert other not in results, claim["must_not_happen"]


async def others(made: ClaimsDesk, claim: Any) -> list[str]:
    """Names, addresses and contracts of everybody else, in both tenants."""
    own, strings = (claim["tenant_id"], claim["user_id"]), []
    for tenant in await Customers(made.house.database).tenants():
        for customer in await Customers(made.house.database).list(tenant):
            if (tenant, customer.user_id) == own:
                continue
            strings += [customer.name, customer.email]
            strings += [
                p.policy_id for p in await Customers(made.house.database).policies(tenant, customer.user_id)
            ]
    mine = (
        {p.policy_id for p in await Customers(made.house.database).policies(*own)}
        if claim["user_id"]
        else set()
    )
    customer = await Customers(made.house.database).customer(*own) if claim["user_id"] else None
    mine |= {customer.name, customer.email} if customer else set()
    return [text for text in strings if text not in mine]


async def test_a_refund_that_is_paid_by_hand_is_told_as_one_that_will_be(made: ClaimsDesk) -> None:
    """It is due on the worklist until somebody has paid it; neither the desk's words nor the model's say that it was."""
    claim = CLAIMS[REFUND] | {"resolution": "We have refunded 105.00 EUR for HC-20417."}
    outcome = await made.bring(claim)
    body = outcome.cards[-1]["action_request"]["args"]["body"]
    assert "We will refund 105.00 EUR for HC-20417." in body
    assert "We have refunded" not in body
    assert "Due, to be paid by hand: 105.00 EUR" in outcome.cards[-1]["description"]
    (record,) = await RefundLedger(made.house.database, made.house.clock).of_user(TENANT, "U001")
    assert record.state == "due"
    await Refunding.of(made.house).found_out(TENANT, record.idempotency_key, receipt="BANK-7")
    (record,) = await RefundLedger(made.house.database, made.house.clock).of_user(TENANT, "U001")
    assert (record.state, record.receipt) == ("paid", "BANK-7")


@pytest.mark.parametrize(("intent", "ticket"), [("service request", None), ("complaint", "complaint")])
async def test_a_refusal_offers_a_complaint_and_a_complaint_gets_its_ticket(
    made: ClaimsDesk, intent: str, ticket: str | None
) -> None:
    """What the letter offers is made when it is asked for, and then it is told by its number."""
    outcome = await made.bring(CLAIMS["C10"] | {"intent": intent})
    said = outcome.state["final_response"]
    assert (outcome.state["ticket"] or {}).get("type") == ticket
    assert ("we will open a complaint for you" in said) is (ticket is None)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"messages": [{"role": "user", "content": "Hi"}]}, "tenant_id is missing"),
        (
            {"tenant_id": TENANT, "user_id": 7, "messages": [{"role": "user", "content": "Hi"}]},
            "user_id must be text",
        ),
        (
            {"tenant_id": TENANT, "user_id": "U001", "messages": [{"role": "wizard", "content": "Hi"}]},
            "messages must be a list",
        ),
        ({"email_input": {"from": "x"}}, "email_input"),
    ],
)
async def test_a_wrong_input_is_one_line_that_names_the_field(
    made: ClaimsDesk, given: Any, told: str
) -> None:
    """Nothing is done."""
    with pytest.raises(InputError, match=told) as error:
        await made.graph.ainvoke(given, config("wrong"))
    assert "\n" not in str(error.value)


async def mailed(made: ClaimsDesk, sender: str, tenant_id: str = TENANT, **headers: str) -> Outcome:
    """The claim for a refund as the mailbox receives it, up to its first card."""
    claim, models = CLAIMS[REFUND], made.house.models
    assert isinstance(models, Script)
    models.follow(claim)
    headers = {"Authentication_Results": vouching(sender)} | headers
    raw = mail(claim["email"]["body"], sender=sender, subject=claim["email"]["subject"], **headers)
    message_id, _ = await deliver(local_mailbox(made.house), raw)
    message = await made.house.mailbox.fetch(message_id)
    given = {"email_input": to_email_input(Conversation(message, ())), "tenant_id": tenant_id}
    await made.graph.ainvoke(given, config(REFUND))
    state = await made.graph.aget_state(config(REFUND))
    return Outcome(dict(state.values), [each.value[0] for each in state.interrupts], list(models.heard))


@pytest.mark.parametrize(
    ("sender", "headers", "told"),
    [
        (
            f"Maud Ashdown <{MAUD}>",
            {"Authentication_Results": f"{HOST}; spf=fail; dkim=fail; dmarc=fail"},
            "its check failed",
        ),
        (f'"{MAUD}" <thief@example.net>', {}, "comes from"),
        (f"Maud Ashdown <{MAUD}>", {"Reply_To": "thief@example.net"}, "would go to"),
    ],
)
async def test_nobody_gets_a_customers_money_or_data_by_a_forged_sender(
    made: ClaimsDesk, sender: str, headers: dict[str, str], told: str
) -> None:
    """The model hears nothing of the customer, nothing is paid or put on the customer's record, and the card says why."""
    outcome = await mailed(made, sender, **headers)
    state, (card,) = outcome.state, outcome.cards
    assert (state["is_known"], state["user_id"], state["refund"]) == (False, "", None)
    assert (state["ruling"]["route"], state["ticket"]["type"]) == ("ticket", "human_review")
    assert HERS not in " ".join(outcome.heard)
    results = {str(m.text) for m in state["messages"] if isinstance(m, ToolMessage)}
    assert results == {"The person who asks is not known as a customer; there is no data."}
    assert await RefundLedger(made.house.database, made.house.clock).list(TENANT) == ()
    assert await Incidents(made.house.database).of_user(TENANT, "U001") == ()
    assert await TicketTable(made.house.database, made.house.clock).of_user(TENANT, "U001") == ()
    assert card["action_request"]["action"].startswith("Send reply")
    assert "105" not in card["action_request"]["args"]["body"]
    assert "in doubt: no customer data was used" in card["description"]
    assert told in card["description"]


@pytest.mark.parametrize(
    "found",
    [
        "",
        f"{HOST}; dkim=pass header.d=thief.example",
        f"mx.thief.example; dmarc=pass header.from={MAUD.partition('@')[2]}",
    ],
)
async def test_a_mail_that_nobody_vouches_for_makes_nobody_a_customer(tmp_path: Path, found: str) -> None:
    """A customer's address alone moves no money and opens no record, automatic refunds or not; the card says why."""
    made = await claims_desk(tmp_path, EMAIL_ASSISTANT_REFUND_AUTOMATIC="500.00")
    outcome = await mailed(made, f"Maud Ashdown <{MAUD}>", Authentication_Results=found)
    assert (outcome.state["is_known"], outcome.state["user_id"]) == (False, "")
    assert (outcome.state["ruling"]["route"], outcome.state["refund"]) == ("ticket", None)
    assert HERS not in " ".join(outcome.heard)
    assert await RefundLedger(made.house.database, made.house.clock).list(TENANT) == ()
    (card,) = outcome.cards
    assert "Nobody vouches for the sender" in card["description"]


async def test_the_refund_card_says_to_whom_and_on_what_grounds(made: ClaimsDesk) -> None:
    """The amount with its working, its source in the contract, and what was refunded before."""
    earlier = Refund(TENANT, "U001", HERS, Decimal("20.00"), "EUR")
    await Refunding.of(made.house).perform_refund(earlier, "earlier", approved=True)
    outcome = await mailed(made, f"Maud Ashdown <{MAUD}>")
    (card,) = outcome.cards
    facts = card["view"]["refund"]
    assert facts["amount"] == card["action_request"]["args"]["amount"] == "105.00"
    assert facts["earlier"][0].startswith(f"20.00 EUR for {HERS} on ")
    lines = {line["label"]: line["value"] for line in facts["working"]}
    assert (lines["Refunded before"], lines["Refund"]) == ("0.00", "105.00")
    assert facts["working"][-1]["source"] == "; ".join(outcome.state["ruling"]["citations"])
    assert facts["checks"][-1] == "Nothing was refunded for this contract before, here or waiting."


@pytest.mark.parametrize(
    ("tenant", "user", "own", "foreign"),
    [(TENANT, "U001", HERS, "KB-1"), (BANK, "B001", "KB-1", HERS)],
)
async def test_an_address_that_two_companies_know_is_each_ones_own_customer(
    made: ClaimsDesk, tenant: str, user: str, own: str, foreign: str
) -> None:
    """The mailbox's tenant says which one is meant; the other's contracts are not heard of, and not refunded from."""
    everybody = [c for t in (TENANT, BANK) for c in await Customers(made.house.database).list(t)]
    policies = [
        p for c in everybody for p in await Customers(made.house.database).policies(c.tenant_id, c.user_id)
    ]
    maud = next(c for c in everybody if c.email == MAUD)
    hers: CustomerPolicy = next(p for p in policies if p.policy_id == HERS)
    await Customers(made.house.database).import_all(
        [*everybody, replace(maud, tenant_id=BANK, user_id="B001")],
        [*policies, replace(hers, tenant_id=BANK, user_id="B001", policy_id="KB-1")],
    )
    outcome = await mailed(made, f"Maud Ashdown <{MAUD}>", tenant)
    assert (outcome.state["tenant_id"], outcome.state["user_id"]) == (tenant, user)
    heard = " ".join([*outcome.heard, *(str(m.text) for m in outcome.state["messages"])])
    assert (own in heard, foreign in heard) == (True, False)
    # The contract that the claim names is one of the first company's only.
    refunds = [card for card in outcome.cards if card["action_request"]["action"].startswith("Refund ")]
    assert len(refunds) == (tenant == TENANT)


async def test_a_tool_takes_no_user(made: ClaimsDesk) -> None:
    """A call that names one is explained, not obeyed."""
    outcome = await made.bring(HOSTILE["X01"])
    results = [str(m.text) for m in outcome.state["messages"] if isinstance(m, ToolMessage)]
    assert results == ["user_id: Extra inputs are not permitted"] * 2


async def test_a_refund_stays_when_its_mail_is_deleted(made: ClaimsDesk) -> None:
    """Money that is owed is not forgotten with a mail; the record says where that went."""
    (card,) = (await mailed(made, f"Maud Ashdown <{MAUD}>")).cards
    (record,) = await made.house.mail_log.by_run_thread(REFUND)
    (file,) = Path(made.house.settings.maildir_path or "").glob(f"*/{record.message_id}*")
    file.unlink()
    server = GraphServer(made.graph)
    await server.show(REFUND)
    closing = ingesting.closing(made.house, server.client)
    assert await Elsewhere(closing).follow(None) == []
    assert await shown(made) == card
    (record,) = await made.house.mail_log.by_run_thread(REFUND)
    assert (record.status, record.reason) == ("waiting_review", DELETED_THERE)
