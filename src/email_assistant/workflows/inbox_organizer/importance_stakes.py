"""The stakes of a message, by its words: how much it presses, how soon it is due, how much money it is about."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from email_assistant.language import deadline_words
from email_assistant.language.money import amounts
from email_assistant.models.offline import words as common
from email_assistant.workflows.inbox_organizer.importance_case import Case, FactorValue
from email_assistant.workflows.inbox_organizer.offline import importance_words

# What one unit is worth in euro, roughly: only the size of an amount matters here.
_WORTH = {
    "EUR": 1.0, "USD": 0.9, "GBP": 1.2, "CHF": 1.0, "CAD": 0.65, "AUD": 0.6, "NZD": 0.55, "JPY": 0.006, "CNY": 0.13, "INR": 0.011,
    "SEK": 0.09, "NOK": 0.085, "DKK": 0.13, "kr": 0.1, "PLN": 0.23, "CZK": 0.04, "HUF": 0.0025, "MXN": 0.05, "BRL": 0.17,
    "TRY": 0.025, "RUB": 0.01, "KRW": 0.0007, "cent": 0.01,
}  # fmt: skip
_READ = 50_000
_MAX_WORTH = 1e12

_BY_WORTH = ((1_000, 1.0), (250, 0.8), (50, 0.6), (0, 0.4))
_BY_DISTANCE = ((0, 1.0), (1, 0.9), (2, 0.8), (4, 0.7), (7, 0.6), (14, 0.4))
_LATER = 0.2
_SINCE = ((2, 0.9), (7, 0.5))
_OVERDUE = 0.9
_RAISED = frozenset(["1", "2", "high", "urgent"])
_ASKED = ((0, 1.0, "It asks for something today."), (1, 0.8, "It asks for something by tomorrow."),
          (3, 0.7, "It asks for something within a few days."))  # fmt: skip


def urgency(case: Case) -> FactorValue:
    """How much it presses: the strongest sign counts."""
    best = max(_urgencies(case), key=lambda each: each.value)
    return best._replace(value=best.value * case.share)


def _urgencies(case: Case) -> Iterator[FactorValue]:
    said = case.text
    if any(map(_presses, case.lines)):
        yield FactorValue(1.0, "It says that it is urgent.")
    if importance_words.NO_HURRY.search(said):
        yield FactorValue(0.0, "It says that there is no hurry.")
        return
    days = [(each.day - case.today).days for each in case.deadlines if each.asked]
    ahead = min((ahead for ahead in days if ahead >= 0), default=None)
    yield from (FactorValue(v, why) for limit, v, why in _ASKED if ahead is not None and ahead <= limit)
    if importance_words.CHASING.search(said):
        yield FactorValue(0.7, "It asks again for something.")
    if common.COMPLAINT.search(said):
        yield FactorValue(0.7, "It is a complaint.")
    if common.cancels(said):
        yield FactorValue(0.6, "It cancels something.")
    if common.ALERT.search(said):
        yield FactorValue(0.7, "It warns of something.")
    if _RAISED & {case.header("importance"), case.header("x-priority")[:1]}:
        yield FactorValue(0.6, "Its sender marked it as important.")
    yield _plain(said)


def _presses(line: str) -> bool:
    """Whether a sentence says that something is urgent; "we will answer as soon as possible" does not."""
    if deadline_words.PROMISE.search(line) and not deadline_words.ASKING.search(line):
        return False
    line = importance_words.IF_URGENT.sub(" ", importance_words.NO_HURRY.sub(" ", line))
    return importance_words.PRESSING.search(line) is not None


def _plain(said: str) -> FactorValue:
    """What a message without any pressure is worth."""
    if common.NO_REPLY_NEEDED.search(said):
        return FactorValue(0.1, "It says that no reply is needed.")
    if common.QUESTION.search(said) or common.REQUEST.search(said) or deadline_words.ASKING.search(said):
        return FactorValue(0.5, "It asks you for something.")
    return FactorValue(0.2, "It asks you for nothing.")


def deadline(case: Case) -> FactorValue:
    """Today counts most, two weeks ahead little, what is long over nothing."""
    found = [_of_day(each.day, case.today) for each in case.deadlines]
    if any(importance_words.OVERDUE.search(line) for line in case.lines):
        found.append(FactorValue(_OVERDUE, "Something in it is overdue."))
    best = max(found, key=lambda each: each.value, default=FactorValue(0.0, "It sets no deadline."))
    return best._replace(value=best.value * case.share)


def _of_day(day: date, today: date) -> FactorValue:
    ahead = (day - today).days
    written = f"{day:%A} {day.day} {day:%B %Y}"
    if ahead < 0:
        value = next((value for limit, value in _SINCE if -ahead <= limit), 0.0)
        return FactorValue(value, f"The deadline was on {written}.")
    value = next((value for limit, value in _BY_DISTANCE if ahead <= limit), _LATER)
    return FactorValue(
        value, f"The deadline is {('today', 'tomorrow')[ahead] if ahead < 2 else f'on {written}'}."
    )


@dataclass(frozen=True, slots=True)
class Worth:
    """An amount with its currency, as `language.money` tells it; `in_euro` to compare with others, no rate of exchange."""

    number: Decimal
    currency: str

    @property
    def in_euro(self) -> float:
        """The size of the amount in euro."""
        return float(self.number) * _WORTH[self.currency]

    def __str__(self) -> str:
        """Written by us: whole units, a comma for thousands, the currency's code."""
        cents = self.number < 100 and self.number != int(self.number)
        return f"{self.number:,.2f} {self.currency}" if cents else f"{self.number:,.0f} {self.currency}"


def largest_amount(text: str) -> Worth | None:
    """The amount worth most of those in the first 50,000 characters of a text, or None."""
    found = (Worth(amount.value, amount.currency) for amount in amounts(text[:_READ]))
    return max((a for a in found if 0 < a.in_euro <= _MAX_WORTH), key=lambda a: a.in_euro, default=None)


def finance(case: Case) -> FactorValue:
    """How much money is at stake, by the largest amount named or by words alone."""
    amount = largest_amount(case.text)
    best = max(_of_amount(amount), _of_words(case.text), key=lambda each: each.value)
    return best._replace(value=best.value * case.origin.value)


def _of_amount(amount: Worth | None) -> FactorValue:
    if amount is None:
        return FactorValue(0.0, "It does not speak of money.")
    return FactorValue(
        next(v for limit, v in _BY_WORTH if amount.in_euro >= limit), f"It speaks of {amount}."
    )


def _of_words(text: str) -> FactorValue:
    if importance_words.MONEY_DUE.search(text):
        return FactorValue(0.8, "It speaks of something to be paid.")
    if common.NEW_BANK_DETAILS.search(text):
        return FactorValue(0.8, "It speaks of bank details.")
    if importance_words.MONEY.search(text):
        return FactorValue(0.6, "It speaks of a matter of money.")
    if importance_words.PRICES.search(text):
        return FactorValue(0.4, "It speaks of a price or costs.")
    return FactorValue(0.0, "It does not speak of money.")
