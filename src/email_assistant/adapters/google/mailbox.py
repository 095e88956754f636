"""The `Mailbox` port on Gmail, and Gmail's labels by name: its calls know them by ids, nested by "/", and alike without regard to case."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from email_assistant.adapters.google.api import GoogleApi
from email_assistant.adapters.google.gmail_drafts import GmailDrafts
from email_assistant.adapters.google.gmail_listing import GmailListing
from email_assistant.adapters.google.gmail_reading import (
    ME,
    GmailReading,
    checked_id,
    records,
    text,
)
from email_assistant.errors import AccessError, InputError, ProviderError, TransientError

MAX_LABEL = 225
"""Gmail's limit to a label's full name, in characters."""

_SYSTEM = frozenset(
    ["all mail", "chat", "chats", "draft", "drafts", "important", "inbox", "muted", "scheduled", "sent", "snoozed",
     "spam", "starred", "trash", "unread"]
)  # fmt: skip
"""Names, folded, that Gmail keeps for itself or shows for its own."""


class GmailMailbox(GmailListing, GmailReading, GmailDrafts):
    """The mailbox of one Google account. All ids are Gmail's.

    Nothing is kept between calls. Every method raises what `GoogleApi.call` does, and
    `ProviderError` for an answer that cannot be understood.
    """

    def __init__(self, api: GoogleApi, address: str) -> None:
        """Opens nothing; `address` is the account's."""
        super().__init__(api)
        self._address = address
        self._labels = GmailLabels(api)

    @classmethod
    def of(cls, deps: Any, path: None) -> "GmailMailbox":
        """The one that settings name; raises `ConfigError` when they do not say whose account it is."""
        s = deps.settings
        return cls(GoogleApi.of(s, deps.clock), s.account_for("EMAIL_ASSISTANT_MAILBOX=gmail"))

    sends = True

    @property
    def name(self) -> str:
        """ "gmail:" and the account's address in lower case."""
        return f"gmail:{self._address.lower()}"

    async def mark_read(self, message_id: str) -> None:
        """Take the label UNREAD away; no error when it is away already; raises `NotFoundError`."""
        await self._modify(message_id, [], ["UNREAD"])

    async def is_read(self, message_id: str) -> bool:
        """Whether the message has no label UNREAD; raises `NotFoundError`."""
        return "UNREAD" not in await self.labels_of(message_id)

    async def labels(self, message_id: str) -> frozenset[str]:
        """Full names of the message's own labels; raises `NotFoundError`."""
        ids, known = await self.labels_of(message_id), await self._labels.read()
        return frozenset(known.names[each] for each in ids if each in known.names)

    async def change_labels(
        self, message_id: str, *, add: frozenset[str] = frozenset(), remove: frozenset[str] = frozenset()
    ) -> None:
        """Add and remove labels; one in both is removed. New ones are created with those they are nested in.

        Raises `NotFoundError`, and `InputError` for a name that cannot be a label's or is one of Gmail's own.
        """
        removed = {fold(name) for name in remove}
        wanted = [checked_label(name) for name in sorted(add) if fold(name) not in removed]
        known = await self._labels.read()
        for name in wanted:
            if fold(name) in known.system:
                raise InputError(f"not a label of your own, but one of Gmail's: {name!r}")
        if missing := [name for name in wanted if fold(name) not in known.ids]:
            await self.labels_of(message_id)  # No labels are created for a message that is gone.
            known = await self._labels.create(missing, known)
        gone = [known.ids[key] for key in removed if key in known.ids]
        await self._modify(message_id, [known.ids[fold(name)] for name in wanted], gone)

    async def _modify(self, message_id: str, add: list[str], remove: list[str]) -> None:
        checked_id(message_id)
        if not add and not remove:
            await self.labels_of(message_id)
            return
        body = {"addLabelIds": sorted(set(add)), "removeLabelIds": sorted(set(remove))}
        await self._api.call(
            "gmail", lambda gmail: gmail.users().messages().modify(userId=ME, id=message_id, body=body)
        )


@dataclass(frozen=True, slots=True)
class KnownLabels:
    """The account's labels as they are at some moment: a person may rename one at any time."""

    ids: Mapping[str, str]
    """Of its own labels, by folded name."""
    names: Mapping[str, str]
    """Of its own labels, by id."""
    system: frozenset[str]
    """Folded names and ids of the system's."""


@dataclass(frozen=True)
class GmailLabels:
    """The labels of one account."""

    api: GoogleApi

    async def read(self) -> KnownLabels:
        """The labels that there are now."""
        answer = await self.api.call("gmail", lambda gmail: gmail.users().labels().list(userId=ME))
        labels = records(answer, "labels")
        system = [label for label in labels if label.get("type") == "system"]
        own = {text(label, "id"): text(label, "name") for label in labels if label.get("type") != "system"}
        return KnownLabels(
            ids={fold(name): label_id for label_id, name in own.items()},
            names=own,
            system=frozenset(each for s in system for each in (text(s, "id"), fold(text(s, "name")))),
        )

    async def create(self, names: Iterable[str], known: KnownLabels) -> KnownLabels:
        """Create the labels, with those they are nested in; gives what there is then."""
        for name in names:
            parts = _tidy(name).split("/")
            for path in ("/".join(parts[: depth + 1]) for depth in range(len(parts))):
                if fold(path) not in known.ids:
                    known = await self._create(path)
        return known

    async def _create(self, name: str) -> KnownLabels:
        body = {"name": name, "labelListVisibility": "labelShow", "messageListVisibility": "show"}
        problem = ProviderError(f"Gmail does not show the label that it was asked for: {name!r}")
        try:
            await self.api.call(
                "gmail", lambda gmail: gmail.users().labels().create(userId=ME, body=body), repeatable=False
            )
        except (TransientError, AccessError):
            raise
        except ProviderError as error:
            problem = error
        known = await self.read()
        # Somebody else may have been quicker: Gmail answers 409, and it is there.
        if fold(name) not in known.ids:
            raise problem
        return known


def checked_label(name: str) -> str:
    """The name as Gmail writes it; raises `InputError` for one that cannot be a label of the account's own."""
    tidy = _tidy(name)
    if not all(tidy.split("/")) or len(tidy) > MAX_LABEL or not tidy.isprintable():
        raise InputError(f"not a label: {name[:40]!r}")
    if fold(tidy) in _SYSTEM or fold(tidy).startswith("category_"):
        raise InputError(f"not a label of your own, but one of Gmail's: {tidy!r}")
    return tidy


def fold(name: str) -> str:
    """The form in which Gmail compares labels."""
    return _tidy(name).casefold()


def _tidy(name: str) -> str:
    return "/".join(" ".join(part.split(" ")).strip() for part in name.split("/"))
