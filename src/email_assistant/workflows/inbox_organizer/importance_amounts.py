"""How much money a message is about, roughly, in euro."""

from dataclasses import dataclass
from decimal import Decimal

from email_assistant.language.money import amounts

# What one unit is worth in euro, roughly: only the size of an amount matters here.
_WORTH = {
    "EUR": 1.0, "USD": 0.9, "GBP": 1.2, "CHF": 1.0, "CAD": 0.65, "AUD": 0.6, "NZD": 0.55, "JPY": 0.006, "CNY": 0.13, "INR": 0.011,
    "SEK": 0.09, "NOK": 0.085, "DKK": 0.13, "kr": 0.1, "PLN": 0.23, "CZK": 0.04, "HUF": 0.0025, "MXN": 0.05, "BRL": 0.17,
    "TRY": 0.025, "RUB": 0.01, "KRW": 0.0007, "cent": 0.01,
}  # fmt: skip
_READ = 50_000
_MAX_WORTH = 1e12


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
