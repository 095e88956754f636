"""Refunds: our own ledger and an HTTP endpoint behind one port, and what is special about an endpoint that fails."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from email_assistant.clock import FixedClock
from email_assistant.errors import AccessError, ConflictError, InputError, ProviderError, TransientError
from email_assistant.journal.database import Database
from email_assistant.workflows.claims_desk.claims.claim import (
    MAX_AMOUNT,
    Customer,
    CustomerPolicy,
    Refund,
    Refunds,
)
from email_assistant.workflows.claims_desk.records.customers import Customers
from email_assistant.workflows.claims_desk.records.refunds import RefundLedger
from email_assistant.workflows.claims_desk.refund_endpoint import REMEMBERS, HttpRefunds, refund_api
from tests.support.jira_stand_in import CUT, served
from tests.support.refund_stand_in import Payer, Till

REFUND = Refund("acme", "U1", "HC-1", Decimal("12.50"), "EUR")


@pytest.fixture
def till() -> Till:
    """Nothing was paid."""
    return Till()


@pytest.fixture
def endpoint(till: Till) -> Iterator[HttpRefunds]:
    """An endpoint that takes a token; waiting takes no time."""

    async def sleep(seconds: float) -> None:
        pass

    with served(Payer, till) as url:
        yield HttpRefunds(replace(refund_api(f"{url}/refunds", "t0ken"), sleep=sleep))


@pytest.fixture
async def ledger(tmp_path: Path, clock: FixedClock) -> AsyncIterator[RefundLedger]:
    """Of a customer with two policies."""
    database = Database(f"sqlite:///{tmp_path / 'a.db'}")
    day = clock.now().date()
    home = CustomerPolicy(
        "acme",
        "HC-1",
        "U1",
        "Home",
        "active",
        day,
        day,
        day,
        Decimal("999999999.99"),
        Decimal("999999999.99"),
    )
    card = replace(home, policy_id="CC-1")
    await Customers(database).import_all([Customer("acme", "U1", "Ana", "a@example.com", day)], [home, card])
    yield RefundLedger(database, clock)
    await database.close()


@pytest.fixture(params=["ledger", "endpoint", "endpoint that repeats its answer"])
def refunds(request: pytest.FixtureRequest, till: Till) -> Refunds:
    """Each that pays."""
    till.repeat_status = 200 if "repeats" in request.param else 409
    found: Refunds = request.getfixturevalue(request.param.split()[0])
    return found


async def test_a_key_is_paid_once(refunds: Refunds) -> None:
    """And answered the same; another key is another refund."""
    first = await refunds.refund(REFUND, "k1")
    assert first.id
    assert await refunds.refund(REFUND, "k1") == first
    assert await refunds.refund(replace(REFUND, amount=Decimal("12.5")), "k1") == first
    assert (await refunds.refund(REFUND, "k2")).id != first.id


@pytest.mark.parametrize("change", [{"amount": Decimal("12.51")}, {"currency": "USD"}, {"policy_id": "CC-1"}])
async def test_a_key_stands_for_one_refund(refunds: Refunds, change: dict[str, Any]) -> None:
    """Another one under it goes to a person."""
    await refunds.refund(REFUND, "k1")
    with pytest.raises(ConflictError):
        await refunds.refund(replace(REFUND, **change), "k1")


@pytest.mark.parametrize(
    "amount",
    ["0", "-0.01", "NaN", "0.001", "1000000000"],
)
async def test_what_is_no_amount(refunds: Refunds, till: Till, amount: str) -> None:
    """It is named, and nobody is asked."""
    with pytest.raises(InputError, match="amount"):
        await refunds.refund(replace(REFUND, amount=Decimal(amount)), "k1")
    assert till.requests == []


@pytest.mark.parametrize(
    "change",
    [
        {"currency": "eur"}, {"user_id": ""},
    ],
)  # fmt: skip
async def test_what_is_no_refund(refunds: Refunds, change: dict[str, str]) -> None:
    """What is wrong is named."""
    with pytest.raises(InputError, match=next(iter(change))):
        await refunds.refund(replace(REFUND, **change), "k1")


def test_amounts_that_are_right() -> None:
    """To the cent, however they are written."""
    for amount in ("0.01", "12", "1E+2", "12.500", str(MAX_AMOUNT)):
        assert replace(REFUND, amount=Decimal(amount)).checked()


async def test_what_the_endpoint_is_sent(endpoint: HttpRefunds, till: Till) -> None:
    """The refund as JSON with two decimals, a key that tells nothing, and the token."""
    await endpoint.refund(replace(REFUND, amount=Decimal(12)), "thread:call:1")
    ((path, headers, body),) = till.asked("POST")
    assert path == "/refunds"
    assert body == {
        "tenant_id": "acme",
        "user_id": "U1",
        "policy_id": "HC-1",
        "amount": "12.00",
        "currency": "EUR",
    }
    assert headers["authorization"] == "Bearer t0ken"
    assert len(headers["idempotency-key"]) == 32
    assert endpoint.remembers == REMEMBERS


@pytest.mark.parametrize("what", [500, CUT])
async def test_a_failing_endpoint_is_asked_again(endpoint: HttpRefunds, till: Till, what: int | str) -> None:
    """Under the same key: money leaves once."""
    for _ in range(2):
        till.fault("POST", what)
    assert (await endpoint.refund(REFUND, "k1")).id == "R-1"
    keys = {headers["idempotency-key"] for _, headers, _ in till.asked("POST")}
    assert (len(till.asked("POST")), len(keys), till.payments) == (3, 1, 1)


@pytest.mark.parametrize(
    ("status", "error", "told"),
    [
        (400, ProviderError, "the refund endpoint refused .status 400.: no reason given"),
        (401, AccessError, "check EMAIL_ASSISTANT_REFUND_URL and EMAIL_ASSISTANT_REFUND_TOKEN"),
        (307, ProviderError, "another address"),
    ],
)
@pytest.mark.parametrize("before", [None, CUT])
async def test_a_refusal(
    endpoint: HttpRefunds, till: Till, status: int, error: type[ProviderError], told: str, before: str | None
) -> None:
    """Is final, unless an attempt before it may have been carried out: then nobody knows."""
    if before:
        till.fault("POST", before)
    till.fault("POST", status)
    with pytest.raises(ProviderError, match=told) as refused:
        await endpoint.refund(REFUND, "k1")
    assert type(refused.value) is (TransientError if before else error)
    assert ("may have been carried out" in str(refused.value)) is bool(before)
    assert till.payments == int(bool(before))


@pytest.mark.parametrize(
    "body",
    [{}, {"id": "R-1"}, {"id": "R", "amount": "NaN"}],
)
@pytest.mark.parametrize("status", [409, 200])
async def test_answers_that_cannot_be_read(endpoint: HttpRefunds, till: Till, body: Any, status: int) -> None:
    """Nobody knows what was paid."""
    await endpoint.refund(REFUND, "k1")
    (key,) = till.paid
    till.paid[key], till.repeat_status = body, status
    with pytest.raises(TransientError, match=f"answer .status {status}. "):
        await endpoint.refund(REFUND, "k1")


async def test_an_endpoint_that_hangs(endpoint: HttpRefunds, till: Till) -> None:
    """Is left after the time-out, and asked again."""
    till.fault("POST", "hang")
    slow = replace(endpoint, api=replace(endpoint.api, timeout=0.3))
    assert (await slow.refund(REFUND, "k1")).id == "R-1"
    assert till.payments == 1


async def test_whether_somebody_is_there(endpoint: HttpRefunds, till: Till) -> None:
    """Is asked without asking for money."""
    assert await endpoint.check() == f"{endpoint.api.url} answers (status 405)"
    assert (till.payments, till.asked("POST")) == (0, [])
    till.fault("HEAD", 401)
    with pytest.raises(AccessError):
        await endpoint.check()
