"""Messages as these tests need them: few words each, and the samples."""

import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.mime import parse_message

SAMPLES = Path(__file__).parents[3] / "samples"
ROBIN = Address("robin@vale.example", "Robin Vale")
OWN = frozenset({ROBIN.key})
WEDNESDAY = datetime(2026, 11, 18, 9, 0, tzinfo=UTC)


def message(
    text: str, *, subject: str = "Hello", sender: str = "ana@example.com", name: str = "Ana", **more: Any
) -> Message:
    """A message to Robin, written on Wednesday, 18 November 2026, unless told otherwise."""
    fields = {"to": (ROBIN,), "date": WEDNESDAY} | more
    return Message("m1", "t1", Address(sender, name), subject, text, **fields)


def conversation(text: str, *, earlier: tuple[Message, ...] = (), **more: Any) -> Conversation:
    """A conversation whose current message has this text."""
    return Conversation(message(text, **more), earlier)


@cache
def sample_messages() -> dict[str, Message]:
    """Every sample by its file name."""
    paths = sorted((SAMPLES / "mailbox").glob("*.eml"))
    return {path.name: parse_message(path.read_bytes(), id=path.stem) for path in paths}


def sample(name: str) -> Conversation:
    """A sample with what came before it in its conversation; the name may be just its number."""
    found = {file: m for file, m in sample_messages().items() if file.startswith(name)}
    ((_, current),) = found.items()
    earlier = [
        m
        for m in sample_messages().values()
        if m.mail_thread_id == current.mail_thread_id and m.date and current.date and m.date < current.date
    ]
    return Conversation(current, tuple(sorted(earlier, key=lambda m: str(m.date))))


@cache
def expected() -> dict[str, dict[str, Any]]:
    """What each sample needs."""
    table: dict[str, dict[str, Any]] = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))
    return table
