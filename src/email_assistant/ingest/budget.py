"""How many more runs a cost limit lets begin."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from email_assistant.errors import ConfigError
from email_assistant.journal.spending import Spending, Spent

LIMIT_OPTION = "--cost-limit"


def affordable(wanted: int, limit: Decimal | None, spent: Decimal, mean: Decimal | None) -> int:
    """As many of the wanted runs as fit under the limit if they cost what runs cost on average; 0 when none does.

    Before anything is known about that (`mean` is None) one run goes ahead to tell. All in US dollars.
    """
    if limit is None:
        return wanted
    if spent >= limit:
        return 0
    if mean is None:
        return min(wanted, 1)
    return wanted if mean <= 0 else min(wanted, int((limit - spent) / mean))


@dataclass
class Budget:
    """Watches what the messages of one look cost; `limit` None watches nothing."""

    spending: Spending
    since: datetime
    limit: Decimal | None = None
    spent: Spent = field(default_factory=Spent)
    """What was found last."""
    ids: list[str] = field(default_factory=list)
    """The messages that were settled."""

    async def room(self, wanted: int) -> int:
        """How many of the wanted runs may begin; raises `ConfigError` when a model's price is not known."""
        if self.limit is None:
            return wanted
        self.spent = await self.spending.on(self.ids, self.since)
        check_priced(self.spent)
        return affordable(wanted, self.limit, self.spent.cost_usd, self.spent.mean_usd)

    def settled(self, message_ids: Sequence[str]) -> None:
        """These are on record now."""
        self.ids.extend(message_ids)


def check_priced(spent: Spent) -> None:
    """Raises `ConfigError` when the limit cannot be kept, because some calls have no known price."""
    if spent.unpriced:
        raise ConfigError(
            f"{LIMIT_OPTION} cannot be kept: the price of {spent.unpriced} model calls is not known; leave {LIMIT_OPTION} out, "
            "or name models with a public price in EMAIL_ASSISTANT_MODEL_FAST and _STRONG"
        )
