"""Requests as the page's routes read them."""

import json
from typing import Any, TypeVar

from starlette.requests import Request

from email_assistant.errors import InputError

T = TypeVar("T", dict[str, Any], list[Any])


async def json_body(request: Request, form: type[T]) -> T:
    """The body, an object or a list; raises `InputError` for anything else."""
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, form):
        raise InputError(f"The body must be {'an object' if form is dict else 'a list'} in JSON.")
    return body
