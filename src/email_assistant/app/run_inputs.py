"""What a run may be started with, before it is: the same readers as the graphs' own, for the server's door."""

import asyncio
from collections.abc import Mapping
from typing import Any

from email_assistant.errors import InputError
from email_assistant.mail.email_input import parse_email_input
from email_assistant.tools.tool import User
from email_assistant.workflows.registry import workflow

INGEST = "ingest"


def check_look(inputs: Any) -> None:
    """Raises `InputError` for a field that `ingest` does not know.

    Fields beside a graph's input are dropped by LangGraph without a word; who names an address to start runs at shall be told.
    """
    from email_assistant.ingest.graph import IngestInput  # Graphs are slow to import.

    known = IngestInput.__annotations__
    unknown = [str(name) for name in _object(inputs) if name not in known]
    if unknown:
        raise InputError(f"unknown field {unknown[0][:80]!r}; there are {', '.join(known)}")


async def check_mail(graph: str, inputs: Any, user: User) -> None:
    """Raises `InputError` naming the field when a mail graph could do nothing with the input."""
    fields, deals = _object(inputs), workflow(graph)
    if deals.brings_mail(fields):
        await asyncio.to_thread(lambda: parse_email_input(deals.email_input(fields, user)))


def _object(inputs: Any) -> Mapping[str, Any]:
    if not isinstance(inputs, Mapping):
        raise InputError("input must be an object")
    return inputs
