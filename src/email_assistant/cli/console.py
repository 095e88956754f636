"""What the commands share: output, JSON, running async work, reaching the server."""

import asyncio
import json
from collections.abc import Coroutine
from datetime import datetime
from typing import Any, TypeVar

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from rich.console import Console

from email_assistant.bootstrap import House, house
from email_assistant.cli.server import DEFAULT_PORT, url_of
from email_assistant.errors import ConfigError, ProviderError

T = TypeVar("T")

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run async work; a server that does not answer becomes one clear line."""
    try:
        return asyncio.run(work)
    except httpx.ConnectError as error:
        raise ProviderError(
            "the server does not answer: start it with `make run` or `email-assistant serve`"
        ) from error
    except httpx.HTTPStatusError as error:
        raise ProviderError(_http_problem(error)) from error
    except httpx.TransportError as error:
        raise ProviderError(f"the connection to the server broke: {type(error).__name__}") from error


def _http_problem(error: httpx.HTTPStatusError) -> str:
    if error.response.status_code in {401, 403}:
        return "the server refused the key: set EMAIL_ASSISTANT_API_TOKEN to the value the server was started with"
    return (
        f"the server answered {error.response.status_code} to {error.request.method} {error.request.url.path}"
    )


def client_for(built: House, url: str | None) -> LangGraphClient:
    """A client of the server at `url`, with the API token when one is set."""
    token = built.settings.api_token
    return get_client(url=url or url_of(DEFAULT_PORT), api_key=token.get_secret_value() if token else None)


def print_json(value: object) -> None:
    """Machine-readable output."""
    out.print_json(json.dumps(value, default=_as_json))


def _as_json(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else str(value)


__all__ = ["ConfigError", "House", "client_for", "err", "house", "out", "print_json", "run_async"]
