"""Gmail's labels by name: they are known to its calls by ids, nested by "/", and alike without regard to case."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from email_assistant.adapters.google.api import GoogleApi
from email_assistant.adapters.google.gmail_answers import ME, record, records, text
from email_assistant.clock import Clock
from email_assistant.errors import AccessError, InputError, ProviderError, TransientError

MAX_LABEL = 225
"""Gmail's limit to a label's full name, in characters."""

KEPT = timedelta(minutes=1)
"""How long the list of labels is believed: a person may rename one at any time."""

_SYSTEM = frozenset(
    ["all mail", "chat", "chats", "draft", "drafts", "important", "inbox", "muted", "scheduled", "sent", "snoozed",
     "spam", "starred", "trash", "unread"]
)  # fmt: skip
"""Names, folded, that Gmail keeps for itself or shows for its own."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The account's labels at some time."""

    read_at: datetime
    ids: Mapping[str, str]
    """Of its own labels, by folded name."""
    names: Mapping[str, str]
    """Of its own labels, by id."""
    system: frozenset[str]
    """Folded names and ids of the system's."""


class GmailLabels:
    """The labels of one account."""

    def __init__(self, api: GoogleApi, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._known: _Known | None = None

    async def names(self, label_ids: Iterable[str]) -> frozenset[str]:
        """The names of those of the labels that are the account's own; a deleted one has none."""
        ids = set(label_ids)
        known = await self._list()
        if ids - set(known.names) - known.system:
            known = await self._list(anew=True)
        return frozenset(known.names[each] for each in ids if each in known.names)

    async def ids(self, names: Iterable[str]) -> dict[str, str]:
        """The ids of those of the names that exist, by folded name."""
        folded = {fold(name) for name in names}
        known = await self._list()
        return {key: known.ids[key] for key in folded if key in known.ids}

    async def missing(self, names: Iterable[str]) -> list[str]:
        """Those of the names that have no label yet; raises `InputError` for one that cannot be a label's."""
        tidy = [self._checked(name) for name in names]
        if not tidy:
            return []
        known = await self._list()
        for name in tidy:
            if fold(name) in known.system:
                raise InputError(f"not a label of your own, but one of Gmail's: {name!r}")
        return [name for name in tidy if fold(name) not in known.ids]

    async def create(self, names: Iterable[str]) -> None:
        """Create the labels that do not exist, and those they are nested in."""
        for name in names:
            parts = _tidy(name).split("/")
            for depth in range(1, len(parts) + 1):
                path = "/".join(parts[:depth])
                if fold(path) not in (await self._list()).ids:
                    await self._create(path)

    async def forget(self) -> frozenset[str]:
        """Read the labels anew; returns the ids of the account's own."""
        return frozenset((await self._list(anew=True)).names)

    async def _create(self, name: str) -> None:
        body = {"name": name, "labelListVisibility": "labelShow", "messageListVisibility": "show"}
        problem: ProviderError | None = None
        try:
            await self._api.call(
                "gmail", lambda gmail: gmail.users().labels().create(userId=ME, body=body), repeatable=False
            )
        except (TransientError, AccessError):
            raise
        except ProviderError as error:
            problem = error
        known = await self._list(anew=True)
        # Somebody else may have been quicker: Gmail answers 409, and it is there.
        if problem and fold(name) not in known.ids:
            raise problem

    async def _list(self, *, anew: bool = False) -> _Known:
        known, now = self._known, self._clock.now()
        if known is None or anew or not known.read_at <= now <= known.read_at + KEPT:
            answer = await self._api.call("gmail", lambda gmail: gmail.users().labels().list(userId=ME))
            known = self._known = _known(records(answer, "labels"), now)
        return known

    def _checked(self, name: str) -> str:
        tidy = _tidy(name)
        parts = tidy.split("/")
        if not all(parts) or len(tidy) > MAX_LABEL or not tidy.isprintable():
            raise InputError(f"not a label: {name[:40]!r}")
        if fold(tidy) in _SYSTEM or fold(tidy).startswith("category_"):
            raise InputError(f"not a label of your own, but one of Gmail's: {tidy!r}")
        return tidy


def fold(name: str) -> str:
    """The form in which Gmail compares labels."""
    return _tidy(name).casefold()


def _tidy(name: str) -> str:
    return "/".join(" ".join(part.split(" ")).strip() for part in name.split("/"))


def _known(labels: list[dict[str, Any]], now: datetime) -> _Known:
    system = [label for label in labels if label.get("type") == "system"]
    own = {text(label, "id"): text(label, "name") for label in labels if label.get("type") != "system"}
    return _Known(
        read_at=now,
        ids={fold(name): label_id for label_id, name in own.items()},
        names=own,
        system=frozenset(each for s in system for each in (text(s, "id"), fold(text(record(s), "name")))),
    )
