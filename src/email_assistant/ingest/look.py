"""A look: which mail ingestion searches for."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from email_assistant.errors import InputError
from email_assistant.mail.mailbox import MailQuery

MAX_MINUTES = 60 * 24 * 365 * 30


@dataclass(frozen=True)
class Look:
    """Which messages of the inbox to take up; without any condition, whatever is new since the last time."""

    email: str = ""
    """The account that is meant; "" is the one configured."""
    minutes_since: int | None = None
    """Received within so many minutes."""
    after: datetime | None = None
    before: datetime | None = None
    query: str = ""
    """Words of sender, recipients or subject."""
    include_read: bool = False
    rerun: bool = False
    """Take up messages that were dealt with before, too."""
    early: bool = False
    """Stop after the first conversation that is taken up."""
    limit: int | None = None
    """At most so many messages that are new."""
    backfill: bool = False
    """The whole inbox, read mail included, from the oldest message on."""

    def __post_init__(self) -> None:
        """Raises `InputError` naming the field that is wrong."""
        if self.minutes_since is not None and not 0 < self.minutes_since <= MAX_MINUTES:
            raise InputError(f"minutes_since must be from 1 to {MAX_MINUTES}: {self.minutes_since}")
        if self.limit is not None and self.limit < 1:
            raise InputError(f"limit must be 1 or more: {self.limit}")
        for name in ("after", "before"):
            instant = getattr(self, name)
            if instant is not None and instant.utcoffset() is None:
                raise InputError(f"{name} has no time zone: {instant.isoformat()}")
        if self.after and self.before and self.before <= self.after:
            raise InputError("before must be later than after")
        if self.minutes_since is not None and (self.after or self.backfill):
            raise InputError("minutes_since goes with neither after nor backfill: choose one")

    @property
    def is_search(self) -> bool:
        """Whether certain messages are asked for, and not whatever is new."""
        conditions = (self.minutes_since, self.after, self.before)
        return self.backfill or self.rerun or bool(self.query) or any(c is not None for c in conditions)

    def searched(self, now: datetime) -> MailQuery:
        """The query for the messages asked for."""
        after = now - timedelta(minutes=self.minutes_since) if self.minutes_since else self.after
        unread_only = not (self.include_read or self.backfill)
        return MailQuery(after=after, before=self.before, unread_only=unread_only, text=self.query)


def parse_look(values: Mapping[str, Any]) -> Look:
    """A `Look` from JSON, as the `ingest` graph takes it; raises `InputError` naming a field that is wrong."""
    names = [f.name for f in fields(Look)]
    known = {name: values[name] for name in names if values.get(name) not in (None, "")}
    if unknown := [str(name) for name in values if name not in names]:
        raise InputError(f"unknown field {unknown[0][:80]!r}; there are {', '.join(names)}")
    for name in ("minutes_since", "limit"):
        if name in known:
            known[name] = _whole(name, known[name])
    for name in ("after", "before"):
        if name in known:
            known[name] = _instant(name, known[name])
    for name in ("include_read", "rerun", "early", "backfill"):
        if name in known and not isinstance(known[name], bool):
            raise InputError(f"{name} must be true or false: {known[name]!r}")
    for name in ("email", "query"):
        if name in known and not isinstance(known[name], str):
            raise InputError(f"{name} must be text: {known[name]!r}")
    return Look(**known)


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not str(value).strip().lstrip("-").isdecimal():
        raise InputError(f"{name} must be a whole number: {value!r}")
    return int(value)


def _instant(name: str, value: Any) -> datetime:
    try:
        return datetime.fromisoformat(str(value))
    except ValueError:
        raise InputError(
            f"{name} must be a time with offset, like 2026-11-20T08:00+00:00: {value!r}"
        ) from None
