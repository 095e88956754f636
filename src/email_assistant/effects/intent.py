"""An effect before it is done: what it is known by, who does it, and why it may not be."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from email_assistant.errors import EmailAssistantError, ProviderError
from email_assistant.journal.records import NOBODY, Doer, OutboxRow

MAX_PART = 200
"""Bytes that a part of a key may have and be told as it is."""


class ActionChangedError(EmailAssistantError):
    """An action id came back with other content than is on record: what was approved is what is done."""


class DoneElsewhereError(EmailAssistantError):
    """Another run has done, or begun, the same kind of thing on the same subject; nothing was done now."""

    def __init__(self, rows: Sequence[OutboxRow]) -> None:
        """`rows` are what the others did, oldest first."""
        super().__init__(f"{rows[0].kind} was done or begun on the same subject by another run")
        self.rows = tuple(rows)


class UnresolvedEffectError(ProviderError):
    """Nobody can tell whether the effect happened; a person must look before it is repeated."""


def digest_of(*about: str) -> str:
    """32 hexadecimal digits, the same for the same texts for ever: fit for a header or a label, and telling nothing of them."""
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:32]


def subject_key(what: str, *about: str) -> str:
    """`what` and a digest of what it is about: short, however long the addresses and subjects in it are."""
    return f"{what}:{digest_of(*about)}"


def bounded(part: str) -> str:
    """The part of a key as it is, or a digest of it when it is long: ids come from mail, models and callers."""
    written = part.encode(errors="replace")
    return part if len(written) <= MAX_PART else f"sha256-{hashlib.sha256(written).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Intent:
    """What an action id stands for."""

    action_id: str
    kind: str
    subject_key: str
    payload: Mapping[str, Any]
    by: Doer = NOBODY
    accepted: Collection[str] | None = None
    """Ids of what others have done on the subject and this effect may follow; None when it may follow anything."""

    @property
    def content(self) -> dict[str, Any]:
        """The payload as it is stored; raises `TypeError` or `ValueError` when it is not JSON."""
        return cast(dict[str, Any], json.loads(_canonical(self.payload)))

    @property
    def digest(self) -> str:
        """Of everything but the id; raises like `content`."""
        return hashlib.sha256(_canonical([self.kind, self.subject_key, self.payload]).encode()).hexdigest()


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_mapping)


def _mapping(value: object) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a payload is JSON, not {type(value).__name__}")
