"""What errors of model libraries mean, also of those that are not installed."""

import asyncio

import pytest
from langchain_core.exceptions import (
    ContextOverflowError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelRateLimitError,
    ModelTimeoutError,
)

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
    [
        ModelRateLimitError(),
        ModelTimeoutError(),
        ModelConnectionError(),
        ModelAPIError(),
        TimeoutError(),
        ConnectionResetError(),
        ThrottlingException(),
        ResponseError(502),
    ],
)
def test_passing_errors_are_retried(error: Exception) -> None:
    """By type, by class name or by status: these may pass by themselves."""
    failure = understand(error)
    assert failure is not None
    assert failure.retryable
    assert isinstance(domain_error(failure, SPEC), TransientError)


@pytest.mark.parametrize(
    "error", [ModelAuthenticationError(), ContextOverflowError(), ResponseError(400), ValueError("x")]
)
def test_lasting_errors_are_not(error: Exception) -> None:
    """These are the provider's last word."""
    failure = understand(error)
    assert failure is not None
    assert not failure.retryable
    found = domain_error(failure, SPEC)
    assert isinstance(found, ProviderError)
    assert not isinstance(found, TransientError)


@pytest.mark.parametrize(
    "error", [AssertionError(), RuntimeError("bug"), asyncio.CancelledError(), KeyboardInterrupt()]
)
def test_what_is_no_providers_fault_is_not_touched(error: BaseException) -> None:
    """Bugs and cancellation are left to propagate."""
    assert understand(error) is None


def test_the_key_is_named_by_provider() -> None:
    """A refused key says which setting holds it."""
    failure = understand(ResponseError(401))
    assert failure is not None
    assert "ANTHROPIC_API_KEY" in str(domain_error(failure, SPEC))


def test_an_authentication_error_without_a_status_says_so_too() -> None:
    """The type alone is enough to name the key."""
    failure = understand(ModelAuthenticationError())
    assert failure is not None
    assert "ANTHROPIC_API_KEY" in str(domain_error(failure, SPEC))


def test_a_conversation_that_is_too_long_is_said_plainly() -> None:
    """The context limit is not reported as a refused request."""
    failure = understand(ContextOverflowError())
    assert failure is not None
    assert "too long" in str(domain_error(failure, SPEC))


@pytest.mark.parametrize("status", [True, "500", None])
def test_a_status_that_is_no_number_is_no_status(status: object) -> None:
    """Odd attributes of foreign errors do not confuse."""
    assert understand(ResponseError(status)) is None


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_only_a_person_mends_is_want_of_access(status: int) -> None:
    """A mail that meets it waits; a request that is refused for what is in it counts against the mail."""
    wanted, refused = understand(ResponseError(status)), understand(ResponseError(400))
    assert wanted is not None
    assert refused is not None
    assert isinstance(domain_error(wanted, SPEC), AccessError)
    assert not isinstance(domain_error(refused, SPEC), AccessError)
