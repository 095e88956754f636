"""What a claim comes to by the documents of `samples/claims/`, in the plainest way and without the assistant's own code."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

CLAIMS = Path(__file__).parents[2] / "samples" / "claims"
TODAY = date(2026, 11, 20)
NOTHING = Decimal("0.00")
GRACE = COOLING_OFF = timedelta(days=14)
REPORTED_WITHIN = timedelta(days=30)
SETTLED_DIRECTLY = Decimal("400.00")
ADMINISTRATION = Decimal("15.00")
MONTHLY_FEE = Decimal("12.00")
LATE_FEE = Decimal("18.00")
EACH_SIX_HOURS = Decimal("40.00")
EACH_DAY = Decimal("60.00")

Row = Mapping[str, str]


@dataclass(frozen=True)
class Owed:
    """What is owed, and the label of the section that decides it."""

    amount: Decimal
    because: str
    directly: bool = True
    """Whether the desk may settle it without an assessor."""


def rows(name: str) -> list[dict[str, str]]:
    """The rows of one table of the samples."""
    with (CLAIMS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def owed(facts: Mapping[str, Any], policy: Row, history: Sequence[Mapping[str, Any]]) -> Owed:
    """What `facts` give under this contract, after what was decided before.

    Raises:
        KeyError: there is no such rule.
    """
    return RULES[facts["rule"]](facts, policy, history)


def settlement(facts: Mapping[str, Any], policy: Row, history: Sequence[Mapping[str, Any]]) -> Owed:
    """A loss, or a journey that cannot be made: its value less the excess, up to the limit."""
    value, on = Decimal(facts["loss"]), date.fromisoformat(facts["on"])
    if facts["bought"]:
        bought = date.fromisoformat(facts["bought"])
        value = value / 2 if on > bought.replace(year=bought.year + 2) else value
    return _covered(value - Decimal(policy["excess"]), "5.2 Excess", on, policy, history)


def delayed_departure(facts: Mapping[str, Any], policy: Row, history: Sequence[Mapping[str, Any]]) -> Owed:
    """So much for every full six hours, without an excess."""
    amount = facts["hours"] // 6 * EACH_SIX_HOURS
    return _covered(amount, "2.2 Delayed departure", date.fromisoformat(facts["on"]), policy, history)


def delayed_baggage(facts: Mapping[str, Any], policy: Row, history: Sequence[Mapping[str, Any]]) -> Owed:
    """So much for every full day, for three at most, without an excess."""
    amount = min(facts["days"], 3) * EACH_DAY
    return _covered(amount, "2.3 Delayed baggage", date.fromisoformat(facts["on"]), policy, history)


def cooling_off(facts: Mapping[str, Any], policy: Row, history: Sequence[Mapping[str, Any]]) -> Owed:
    """Everything that was paid, until the fourteenth day after the first."""
    file = (
        "cancellation-and-refunds.md" if policy["tenant_id"] == "harrow-mutual" else "refunds-and-disputes.md"
    )
    in_time = date.fromisoformat(facts["on"]) <= date.fromisoformat(policy["starts"]) + COOLING_OFF
    return Owed(Decimal(policy["paid"]) if in_time else NOTHING, f"{file} § 1.1 Fourteen days")


def unused_months(facts: Mapping[str, Any], policy: Row, history: Sequence[Mapping[str, Any]]) -> Owed:
    """A twelfth of the year's premium for each whole month that was not used, less the fee."""
    used_until = date.fromisoformat(policy["cancelled_on"]) + timedelta(days=1)
    paid_until = date.fromisoformat(policy["paid_until"]) + timedelta(days=1)
    months = _months(used_until, paid_until) - (paid_until.day < used_until.day)
    amount = Decimal(policy["paid"]) / 12 * months - ADMINISTRATION
    return Owed(max(amount, NOTHING), "cancellation-and-refunds.md § 2.1 Premium for unused months")


def after_cancellation(facts: Mapping[str, Any], policy: Row, history: Sequence[Mapping[str, Any]]) -> Owed:
    """The monthly fees for months after that of the cancellation."""
    months = _months(date.fromisoformat(policy["cancelled_on"]), date.fromisoformat(policy["paid_until"]))
    return Owed(months * MONTHLY_FEE, "refunds-and-disputes.md § 2.2 Fees after cancellation")


def charged_twice(facts: Mapping[str, Any], policy: Row, history: Sequence[Mapping[str, Any]]) -> Owed:
    """What was paid in monthly fees beyond the months that are paid for."""
    months = _months(date.fromisoformat(policy["starts"]), date.fromisoformat(policy["paid_until"])) + 1
    return Owed(
        Decimal(policy["paid"]) - months * MONTHLY_FEE, "refunds-and-disputes.md § 2.1 Fees charged twice"
    )


def late_fee(facts: Mapping[str, Any], policy: Row, history: Sequence[Mapping[str, Any]]) -> Owed:
    """The fee, unless one was given back within twelve months."""
    on = date.fromisoformat(facts["on"])
    before = [date.fromisoformat(one["created_at"][:10]) for one in history if Decimal(one["amount"])]
    again = any(day.replace(year=day.year + 1) > on for day in before)
    return Owed(NOTHING if again else LATE_FEE, "refunds-and-disputes.md § 2.3 Late-payment fee")


RULES = {
    rule.__name__: rule
    for rule in (
        settlement, delayed_departure, delayed_baggage, cooling_off, unused_months, after_cancellation, charged_twice, late_fee,
    )
}  # fmt: skip


def _covered(
    amount: Decimal, section: str, on: date, policy: Row, history: Sequence[Mapping[str, Any]]
) -> Owed:
    """What is owed for a loss of this amount after the excess: nothing when the contract did not cover that day."""
    file = "home-contents.md" if policy["product"] == "Home Contents" else "travel.md"
    if not_covered := _not_covered(on, policy, file):
        return Owed(NOTHING, not_covered)
    if on + REPORTED_WITHIN < TODAY:
        return Owed(NOTHING, "claims-procedure.md § 1.1 How long you have")
    if any(one["on"] == on.isoformat() and one["policy_id"] == policy["policy_id"] for one in history):
        return Owed(NOTHING, "home-contents.md § 5.4 One payment for one incident")
    limit = Decimal(policy["limit"])
    if amount > limit:
        amount, section = limit, "5.1 Limit"
    if amount > min(SETTLED_DIRECTLY, Decimal(policy["paid"])):
        return Owed(amount, "claims-procedure.md § 3.2 Larger claims", directly=False)
    return Owed(max(amount, NOTHING), f"{file} § {section}")


def _not_covered(on: date, policy: Row, file: str) -> str:
    """The label of the section by which this day is not covered; "" when it is."""
    starts, ends, paid_until = (date.fromisoformat(policy[name]) for name in ("starts", "ends", "paid_until"))
    if policy["cancelled_on"]:
        ends = min(ends, date.fromisoformat(policy["cancelled_on"]))
    home = file == "home-contents.md"
    if not starts <= on <= ends:
        return f"{file} § 1.2 When cover begins and ends"
    if policy["status"] == "lapsed" and on > paid_until:
        return f"{file} § {'4.3' if home else '4.2'} Lapsed policies"
    if on > paid_until + GRACE:
        return f"{file} § {'4.2' if home else '4.1'} Unpaid premium"
    return ""


def _months(first: date, last: date) -> int:
    """How many months the month of `last` comes after that of `first`."""
    return (last.year - first.year) * 12 + last.month - first.month
