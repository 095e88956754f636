"""Refunds by an HTTP endpoint of the company's own.

It takes a POST with JSON and an `Idempotency-Key` header, and answers 200 or 201 with what it paid; a key that it has seen before
gets 409 with what was paid under it. docs/claims_systems.md has the whole of it.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Self

from email_assistant.effects.store import digest_of
from email_assistant.errors import ConflictError, ProviderError, TransientError
from email_assistant.mail.text import one_line
from email_assistant.settings import Settings
from email_assistant.workflows.claims_desk.claims.claim import Receipt, Refund
from email_assistant.workflows.claims_desk.http_api import HttpAnswer, HttpApi

REMEMBERS = timedelta(hours=12)
"""Many systems forget a key after a day; half of that is safe."""
MEND = "check EMAIL_ASSISTANT_REFUND_URL and EMAIL_ASSISTANT_REFUND_TOKEN"
_MAX_TOLD = 300
_MAX_ID = 200


def refund_api(url: str, token: str | None) -> HttpApi:
    """The endpoint; with a token it is sent as a bearer's."""
    return HttpApi("the refund endpoint", url, {"authorization": f"Bearer {token}"} if token else {}, MEND)


@dataclass(frozen=True)
class HttpRefunds:
    """A `Refunds` port. Whatever happens, a refund is asked for under one key for ever."""

    api: HttpApi

    @classmethod
    def of(cls, settings: Settings) -> Self | None:
        """The endpoint that settings name; None when they name none."""
        if settings.refund_url is None:
            return None
        token = settings.refund_token
        return cls(refund_api(settings.refund_url, token.get_secret_value() if token else None))

    @property
    def remembers(self) -> timedelta | None:
        """The time for which asking again is taken for safe."""
        return REMEMBERS

    async def refund(self, refund: Refund, idempotency_key: str) -> Receipt:
        """Ask for it; up to three times under the same key while the endpoint fails or does not answer. See `Refunds`."""
        refund.checked()
        wanted = asdict(refund) | {"amount": format(refund.amount, ".2f")}
        key = digest_of(refund.tenant_id, idempotency_key)
        answer = await self.api.ask("POST", body=wanted, headers={"idempotency-key": key}, repeatable=True)
        if answer.status in {200, 201, 409}:
            return _receipt(answer, refund)
        text = f"the refund endpoint refused (status {answer.status}): {_reason(answer.body)}"
        if answer.in_doubt:
            raise TransientError(f"{text}; an earlier attempt may have been carried out")
        raise ProviderError(text)

    async def check(self) -> str:
        """Whether somebody answers there, without asking for anything."""
        answer = await self.api.ask("HEAD", repeatable=True)
        return f"{self.api.url} answers (status {answer.status})"


def _receipt(answer: HttpAnswer, wanted: Refund) -> Receipt:
    """The receipt; raises `ConflictError` when it is another refund's, `TransientError` when it cannot be read."""
    body = answer.body
    if not isinstance(body, dict) or not body.get("id") or _amount(body.get("amount")) is None:
        text = "does not say what was paid under this key" if answer.status == 409 else "cannot be read"
        raise TransientError(f"the refund endpoint's answer (status {answer.status}) {text}")
    paid = {"amount": _amount(body["amount"]), "currency": body.get("currency", wanted.currency)}
    paid["policy_id"] = body.get("policy_id", wanted.policy_id)
    for name, value in paid.items():
        due = getattr(wanted, name)
        if value != due:
            raise ConflictError(
                f"the refund endpoint has paid something else under this key: {name} {one_line(str(value), limit=40)}, not "
                f"{due}; a person must look"
            )
    return Receipt(one_line(str(body["id"]), limit=_MAX_ID), _time(body))


def _amount(value: object) -> Decimal | None:
    """A decimal number, as text or as JSON's number; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None


def _time(body: Mapping[str, Any]) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(body.get("refunded_at")))
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _reason(body: Any) -> str:
    reason = body.get("error") if isinstance(body, dict) else None
    return one_line(str(reason), limit=_MAX_TOLD) if reason else "no reason given"
