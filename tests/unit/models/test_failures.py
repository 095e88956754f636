"""What errors of model libraries mean, also of those that are not installed."""

import asyncio

import pytest
from langchain_core.exceptions import ModelAuthenticationError, ModelRateLimitError

from email_assistant.errors import AccessError, ProviderError, TransientError
from email_assistant.models.failures import domain_error, understand
from email_assistant.models.settings import ModelSpec

SPEC = ModelSpec("anthropic", "claude-sonnet-4-5", "EMAIL_ASSISTANT_MODEL_STRONG")


class ThrottlingException(Exception):
    """As a library calls it that sets no status."""


class ResponseError(Exception):
    """An error with a status, as several libraries have it."""

    def __init__(self, status_code: object) -> None:
        super().__init__("no luck")
        self.status_code = status_code


@pytest.mark.parametrize(
    "error",
    [ModelRateLimitError(), TimeoutError(), ThrottlingException(), ResponseError(502)],
)
def test_passing_errors_are_retried(error: Exception) -> None:
    """By type, by class name or by status: these may pass by themselves."""
    failure = understand(error)
    assert failure is not None
    assert failure.retryable
    assert isinstance(domain_error(failure, SPEC), TransientError)


@pytest.mark.parametrize("error", [ModelAuthenticationError(), ResponseError(400)])
def test_lasting_errors_are_not(error: Exception) -> None:
    """These are the provider's last word."""
    failure = understand(error)
    assert failure is not None
    assert not failure.retryable
    found = domain_error(failure, SPEC)
    assert isinstance(found, ProviderError)
    assert not isinstance(found, TransientError)


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
