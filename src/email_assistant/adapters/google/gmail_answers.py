"""Asking for a message, and reading Gmail's answers: ids are checked before they are sent, answers before they count."""

import base64
import re
from typing import Any, Literal

from email_assistant.adapters.google.api import Build
from email_assistant.errors import NotFoundError, ProviderError

ME = "me"

_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")


def checked_id(value: str) -> str:
    """The id; raises `NotFoundError` for text that cannot be one of Gmail's."""
    if not _ID.fullmatch(value):
        raise NotFoundError(f"Gmail has no such item: {value[:100]!r}")
    return value


def is_id(value: str) -> bool:
    """Whether the text can be one of Gmail's ids."""
    return bool(_ID.fullmatch(value))


def get_message(message_id: str, form: Literal["minimal", "raw"]) -> Build:
    """The call for one message: its labels and times, with "raw" also its source."""
    return lambda gmail: gmail.users().messages().get(userId=ME, id=message_id, format=form)


def record(value: Any) -> dict[str, Any]:
    """The JSON object; raises `ProviderError` for anything else."""
    if not isinstance(value, dict):
        raise ProviderError("Gmail's answer cannot be understood: not a JSON object")
    return value


def records(value: Any, key: str) -> list[dict[str, Any]]:
    """The list of objects under this key; Gmail leaves empty lists out. Raises `ProviderError` for anything else."""
    found = record(value).get(key, [])
    if not isinstance(found, list):
        raise ProviderError(f"Gmail's answer cannot be understood: '{key}' is not a list")
    return [record(item) for item in found]


def text(value: dict[str, Any], key: str) -> str:
    """The text under this key; raises `ProviderError` when there is none."""
    found = value.get(key)
    if not isinstance(found, str) or not found:
        raise ProviderError(f"Gmail's answer cannot be understood: it has no '{key}'")
    return found


def number(value: dict[str, Any], key: str) -> int:
    """The whole number under this key, which Gmail writes as text when it may be long; 0 when there is none."""
    found = value.get(key, 0)
    try:
        return int(found)
    except (TypeError, ValueError):
        raise ProviderError(f"Gmail's answer cannot be understood: '{key}' is not a number") from None


def label_ids(message: dict[str, Any]) -> frozenset[str]:
    """The ids of the message's labels, the system's included; a message without any has no such list."""
    found = message.get("labelIds") or []
    if not isinstance(found, list):
        raise ProviderError("Gmail's answer cannot be understood: 'labelIds' is not a list")
    return frozenset(map(str, found))


def raw_bytes(message: dict[str, Any]) -> bytes:
    """The source of a message that was asked for with format=raw (base64url, RFC 4648 §5)."""
    coded = text(message, "raw")
    try:
        return base64.b64decode(coded + "=" * (-len(coded) % 4), altchars=b"-_", validate=True)
    except ValueError:  # not base64, or not even ASCII
        raise ProviderError("Gmail's answer cannot be understood: 'raw' is not base64") from None


def header_values(message: dict[str, Any]) -> dict[str, list[str]]:
    """The headers of a message that was asked for with format=metadata, names in lower case."""
    found: dict[str, list[str]] = {}
    for header in records(message.get("payload") or {}, "headers"):
        found.setdefault(str(header.get("name", "")).lower(), []).append(str(header.get("value", "")))
    return found
