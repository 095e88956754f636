"""What errors of model libraries mean, also of those that are not installed."""

import asyncio

import pytest

from email_assistant.errors import AccessError
from email_assistant.models.failures import domain_error, understand
from email_assistant.models.settings import ModelSpec

SPEC = ModelSpec("anthropic", "claude-sonnet-4-5", "EMAIL_ASSISTANT_MODEL_STRONG")


class ResponseError(Exception):
    """An error with a status, as several libraries have it."""

    def __init__(self, status_code: object) -> None:
        super().__init__("no luck")
        self.status_code = status_code


@pytest.mark.parametrize("error", [RuntimeError("bug"), asyncio.CancelledError()])
def test_what_is_no_providers_fault_is_not_touched(error: BaseException) -> None:
    """Bugs and cancellation are left to propagate."""
    assert understand(error) is None


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_only_a_person_mends_is_want_of_access(status: int) -> None:
    """A mail that meets it waits; a request that is refused for what is in it counts against the mail."""
    wanted, refused = understand(ResponseError(status)), understand(ResponseError(400))
    assert wanted is not None
    assert refused is not None
    assert isinstance(domain_error(wanted, SPEC), AccessError)
    assert not isinstance(domain_error(refused, SPEC), AccessError)
