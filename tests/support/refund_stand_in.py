"""A stand-in for a company's refund endpoint on loopback: it pays once for each key, with the faults that are asked for."""

from dataclasses import dataclass, field
from typing import Any

from tests.support.jira_stand_in import Answering, World


@dataclass
class Till(World):
    """What was paid, by key."""

    paid: dict[str, dict[str, Any]] = field(default_factory=dict)
    payments: int = 0
    """How often money left."""
    repeat_status: int = 409
    """What a key that was seen is answered with: 409, or 200 with the first answer."""


class Payer(Answering):
    """What the endpoint does."""

    world: Till

    def act(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
        """Pay, unless the key was paid."""
        if method == "HEAD":
            return 405, {}
        key = self.headers["idempotency-key"]
        if key in self.world.paid:
            return self.world.repeat_status, self.world.paid[key]
        self.world.payments += 1
        self.world.paid[key] = {
            "id": f"R-{self.world.payments}",
            "amount": body["amount"],
            "currency": body["currency"],
            "policy_id": body["policy_id"],
            "refunded_at": "2026-11-20T10:30:00+01:00",
        }
        return 201, self.world.paid[key]
