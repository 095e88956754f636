"""`customers`, `tickets`, `incidents`, `refunds` and what `doctor` tells of them, as somebody new to them would use them."""

import asyncio
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from email_assistant.app.assistant import AppDeps, deps_of
from email_assistant.settings import load_settings
from email_assistant.workflows.claims_desk.claims.claim import Refund, TicketDraft
from email_assistant.workflows.claims_desk.refunding import Refunding
from email_assistant.workflows.claims_desk.ticketing import Ticketing
from tests.support.jira_stand_in import Jira, World, served
from tests.support.refund_stand_in import Payer, Till
from tests.unit.cli.called import Command, done, told

CUSTOMERS = "tenant_id,user_id,name,email,since\nacme,U1,Ana,ana@example.com,2020-01-01\nbank,U1,Bo,bo@example.com,2020-01-01\n"
POLICIES = (
    "tenant_id,policy_id,user_id,product,status,starts,ends,paid_until,paid,limit,excess,cancelled_on\n"
    "acme,HC-1,U1,Home,cancelled,2026-01-01,2026-12-31,2026-06-30,100,90,5,2026-07-01\n"
)


@pytest.fixture
def command(command: Command) -> Command:
    """Beside tables of customers and policies."""
    Path("c.csv").write_text(CUSTOMERS)
    Path("p.csv").write_text(POLICIES)
    return command


def within(work: Callable[[AppDeps], Any]) -> Any:
    """The outcome of work with what the settings describe."""
    return asyncio.run(work(deps_of(load_settings())))


def test_customers(command: Command) -> None:
    """An empty list says what to do; tables come in, again without change; one is shown with all policies."""
    assert "customers import CUSTOMERS.csv POLICIES.csv" in done(command("customers", "list"))
    assert done(command("customers", "list", "--json")) == "[]\n"
    imported = "2 customers with 1 policies, of 2 tenants.\n"
    assert done(command("customers", "import", "c.csv", "p.csv")) == imported
    assert done(command("customers", "import", "c.csv", "p.csv")) == imported
    assert "bank" not in done(command("customers", "list", "--tenant", "acme"))
    assert "HC-1" in done(command("customers", "show", "U1", "--tenant", "acme"))
    found = json.loads(done(command("customers", "show", "U1", "--json")))
    assert [(one["tenant_id"], len(one["policies"])) for one in found] == [("acme", 1), ("bank", 0)]
    assert found[0]["policies"][0]["paid"] == "100.00"
    assert "there is no customer U9" in told(command("customers", "show", "U9"))


def test_wrong_tables(command: Command) -> None:
    """One line says why, and nothing has changed."""
    done(command("customers", "import", "c.csv", "p.csv"))
    Path("bad.csv").write_text(CUSTOMERS + "acme,U 2,,nobody,soon\n")
    code, out, err = command("customers", "import", "bad.csv", "p.csv")
    assert (code, len(out.splitlines()), len(err.splitlines())) == (1, 0, 1)
    assert "bad.csv: nothing was imported: line 4, user_id:" in err
    Path("bad.csv").write_text(POLICIES.replace("U1", "U7"))
    assert "bad.csv: nothing was imported: line 2, user_id" in told(
        command("customers", "import", "c.csv", "bad.csv")
    )
    assert "nix.csv: no such file" in told(command("customers", "import", "nix.csv", "p.csv"))
    assert "not a file" in told(command("customers", "import", "c.csv", "."))
    assert len(done(command("customers", "list")).splitlines()) == 2


def test_tickets(command: Command) -> None:
    """The open ones are listed; one is shown and closed; what a mail says cannot move the terminal."""
    assert done(command("tickets", "list")) == "There are no open tickets.\n"
    draft = TicketDraft("acme", "U1", "complaint", "Pipe \x1b[2J", "It burst.\n\nTwice.")
    first = within(lambda house: Ticketing.of(house).perform_ticket(draft, "k1"))
    other = TicketDraft("bank", "", "human_review", "Fee", "")
    within(lambda house: Ticketing.of(house).perform_ticket(other, "k1"))
    assert "\x1b" not in done(command("tickets", "list"))
    assert "It burst.\n\nTwice." in done(command("tickets", "show", first.key.lower()))
    assert json.loads(done(command("tickets", "show", first.key, "--json")))["idempotency_key"] == "k1"
    assert "there is no ticket" in told(command("tickets", "close", first.key, "--tenant", "bank"))
    assert done(command("tickets", "close", first.key)) == f"Closed: {first.key}\n"
    assert done(command("tickets", "close", first.key)) == f"{first.key} was closed before.\n"
    assert len(json.loads(done(command("tickets", "list", "--json")))) == 1
    assert len(json.loads(done(command("tickets", "list", "--all", "--json")))) == 2
    assert "there is no ticket LOCAL-99" in told(command("tickets", "show", "LOCAL-99"))


def test_refunds(command: Command) -> None:
    """What is to be paid by hand is due until somebody says that it was paid."""
    assert done(command("refunds", "list")) == "There are no refunds.\n"
    done(command("customers", "import", "c.csv", "p.csv"))
    refund = Refund("acme", "U1", "HC-1", Decimal("12.50"), "EUR")
    within(lambda house: Refunding.of(house).perform_refund(refund, "k", approved=True))
    assert "1 to be paid by hand" in done(command("refunds", "list"))
    (found,) = json.loads(done(command("refunds", "list", "--json")))
    assert (found["amount"], found["state"], found["policy_id"]) == ("12.50", "due", "HC-1")
    done(command("refunds", "paid", "k", "--tenant", "acme", "--receipt", "BANK-7"))
    assert "(paid: BANK-7)\n" in done(command("refunds", "list"))
    again = within(lambda house: Refunding.of(house).perform_refund(refund, "k", approved=True))
    assert again.id == "BANK-7"


def test_doctor(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tells whether Jira and the endpoint answer, once they are configured, and how to mend what is wrong."""

    def findings() -> dict[str, dict[str, Any]]:
        _, out, _ = command("doctor", "--json")
        return {each["name"]: each for each in json.loads(out)}

    assert not {"jira", "refunds"} & findings().keys()
    world, till = World(), Till()
    with served(Jira, world) as jira, served(Payer, till) as endpoint:
        for name, value in (("URL", jira), ("TOKEN", "t"), ("PROJECT", "CLAIMS")):
            monkeypatch.setenv(f"EMAIL_ASSISTANT_JIRA_{name}", value)
        monkeypatch.setenv("EMAIL_ASSISTANT_REFUND_URL", f"{endpoint}/pay")
        found = findings()
        assert found["jira"]["text"] == f"{jira}: Claims Bot, project CLAIMS, issue type Task"
        assert found["refunds"]["text"] == (
            f"{endpoint}/pay answers (status 405); up to 500.00 EUR each, each is reviewed"
        )
        assert found["jira"]["ok"] and found["refunds"]["ok"]  # noqa: PT018
        world.fault("GET", 401)
        till.fault("HEAD", 403)
        found = findings()
        assert "EMAIL_ASSISTANT_JIRA_TOKEN" in found["jira"]["text"]
        assert "EMAIL_ASSISTANT_REFUND_TOKEN" in found["refunds"]["text"]
        assert not found["jira"]["ok"]
        assert not found["refunds"]["ok"]
    assert (world.issues, till.payments) == ([], 0)
