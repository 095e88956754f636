"""A model provider's errors understood: whether one may pass by itself, and the one line that a user reads."""

import re
from dataclasses import dataclass

from langchain_core.exceptions import (
    ContextOverflowError,
    ModelAuthenticationError,
    ModelError,
    ModelInvalidRequestError,
    ModelNotFoundError,
    ModelPermissionDeniedError,
)

from email_assistant.clock import seconds_asked_for
from email_assistant.errors import AccessError, ProviderError, TransientError
from email_assistant.models.chat import AnswerTooLongError
from email_assistant.models.settings import ModelSpec

_TRANSIENT_STATUS = frozenset({408, 409, 429})
_NO_ACCESS = frozenset({401, 403, 404})
_STATUS_OF: dict[type[ModelError], int] = {
    ModelInvalidRequestError: 400,
    ModelAuthenticationError: 401,
    ModelPermissionDeniedError: 403,
    ModelNotFoundError: 404,
}
# Errors of providers' libraries that carry no status, by class name so that no library has to be imported.
_TRANSIENT_NAMES = frozenset(
    {
        "APIConnectionError",
        "APITimeoutError",
        "ClientConnectionError",
        "DeadlineExceeded",
        "EndpointConnectionError",
        "RateLimitError",
        "ReadTimeoutError",
        "ResourceExhausted",
        "ServiceUnavailable",
        "ThrottlingException",
        "TransportError",
    }
)
_PROVIDER_NAMES = frozenset(
    {"APIError", "ClientError", "GoogleAPIError", "HTTPStatusError", "OpenAIError", "SDKError"}
)
# What providers' libraries raise over a response that they did not expect.
_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
# The model's own text cannot be read: half a character, endless nesting, an object that is cut off.
_UNSOUND = {"UnicodeEncodeError", "RecursionError", "LengthFinishReasonError"}
_FORM = re.compile(r"\btools?\b|tool_choice|function|response_format|json_schema|grammar", re.IGNORECASE)
_KEY_SETTINGS = {
    "azure_openai": "AZURE_OPENAI_API_KEY",
    "google_genai": "GOOGLE_API_KEY",
    "mistralai": "MISTRAL_API_KEY",
}


class ModelOutputError(ProviderError):
    """The server's response cannot be read as an answer."""


class UnusableAnswerError(ModelOutputError):
    """The model's answer does not fit what was asked for, also after it was told what is wrong."""


@dataclass(frozen=True)
class Failure:
    """A provider's error, understood."""

    error: BaseException
    status: int | None
    """HTTP status, None when there was no response."""
    retryable: bool
    """Whether the same request may succeed in a moment."""
    retry_after: float | None
    """Seconds the provider asked to wait, None when it did not say."""
    unavailable: bool
    """Whether another model should be asked instead: the model stays out of reach, the request is sound."""


def understand(error: BaseException) -> Failure | None:
    """The failure behind an exception of a model library; None for one that is no provider's fault."""
    error = _too_long(error) or error
    status = _status(error)
    names = {c.__name__ for c in type(error).__mro__}
    by_itself = isinstance(error, TimeoutError | ConnectionError) or bool(names & _TRANSIENT_NAMES)
    if status is not None:
        transient = status in _TRANSIENT_STATUS or 500 <= status <= 599
    elif isinstance(error, ModelError):
        transient = error.is_retryable or by_itself
    else:
        transient = by_itself
        if not transient and not (isinstance(error, _UNREADABLE) or names & _PROVIDER_NAMES):
            return None
    # A used-up quota is a 429 that no short wait mends (and that another provider's model does).
    retryable = transient and not _quota_used_up(error)
    return Failure(error, status, retryable, _retry_after(error), transient)


def domain_error(failure: Failure, spec: ModelSpec) -> ProviderError:
    """The error to raise, one line long: `TransientError` when it may pass by itself, `AccessError` when only a person mends it."""
    if failure.unavailable and not failure.retryable:
        return AccessError(f"{spec} has no quota left (429); check the plan and billing of its provider")
    if failure.retryable:
        return TransientError(f"{spec} cannot be reached at the moment ({_reason(failure)})")
    if isinstance(failure.error, AnswerTooLongError):
        return UnusableAnswerError(f"{spec} {failure.error}")
    if failure.status is None and not isinstance(failure.error, ContextOverflowError):
        name = type(failure.error).__name__
        unreadable = UnusableAnswerError if name in _UNSOUND else ModelOutputError
        return unreadable(f"{spec} gave an unreadable response ({name})")
    kind = AccessError if failure.status in _NO_ACCESS else ProviderError
    return kind(_refusal(failure.error, failure.status, spec))


def is_unavailable(error: ProviderError) -> bool:
    """True when another model should be asked in place of the one that failed so."""
    failure = understand(error.__cause__) if error.__cause__ else None
    return failure is not None and failure.unavailable


def refuses_form(error: ProviderError) -> bool:
    """True when a server refused a request for the tools or the JSON schema in it."""
    failure = understand(error.__cause__) if error.__cause__ else None
    return failure is not None and failure.status in {400, 422} and bool(_FORM.search(str(failure.error)))


def _too_long(error: BaseException | None) -> AnswerTooLongError | None:
    """The answer that was given up: libraries take the broken reading for a broken connection."""
    for _ in range(8):
        if error is None or isinstance(error, AnswerTooLongError):
            return error
        error = error.__cause__ or error.__context__
    return None


def _status(error: BaseException) -> int | None:
    for holder in (error, getattr(error, "response", None)):
        found = getattr(holder, "status_code", None)
        if isinstance(found, int) and found >= 400:
            return found
    return next((status for kind, status in _STATUS_OF.items() if isinstance(error, kind)), None)


def _retry_after(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None)
    value = headers.get("retry-after") if headers is not None else None
    return seconds_asked_for(value) if isinstance(value, str) else None


def _quota_used_up(error: BaseException) -> bool:
    return "insufficient_quota" in {getattr(error, "code", None), getattr(error, "type", None)}


def _reason(failure: Failure) -> str:
    if failure.status is not None:
        wait = f", it asks to wait {failure.retry_after:.0f} s" if failure.retry_after else ""
        return f"{failure.status}{wait}"
    timed_out = isinstance(failure.error, TimeoutError) or "Timeout" in type(failure.error).__name__
    return "time-out" if timed_out else "no connection"


def _refusal(error: BaseException, status: int | None, spec: ModelSpec) -> str:
    if isinstance(error, ContextOverflowError):
        return f"the conversation is too long for {spec}"
    match status:
        case 401:
            return f"{spec} refused the key (401); check {_key_setting(spec)}"
        case 403:
            return f"{spec} may not be used with this key (403); check {_key_setting(spec)}"
        case 404:
            return f"there is no model {spec} (404); check {spec.setting}"
        case _:
            return f"{spec} refused the request ({status}): {_message(error)}"


def _key_setting(spec: ModelSpec) -> str:
    return _KEY_SETTINGS.get(spec.provider, f"{spec.provider.upper()}_API_KEY")


def _message(error: BaseException) -> str:
    return " ".join(str(getattr(error, "message", None) or error).split())[:200]
