"""The index of a Maildir's messages, kept in memory: only files that are new are read. Blocking calls."""

import os
from dataclasses import dataclass
from pathlib import Path

from email_assistant.adapters.maildir_folder import MaildirFolder, Place
from email_assistant.adapters.maildir_headers import Header, read_header
from email_assistant.adapters.maildir_threads import Threads, own_key


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A message: where its file is and what the index knows of it."""

    place: Place
    header: Header
    key: str
    """What stands for the message among conversations."""

    @property
    def id(self) -> str:
        """The message's id: its unique file name."""
        return self.place.unique


class MaildirIndex:
    """What is in the inbox, in Sent and in Drafts. Not safe to use from two threads at once."""

    def __init__(self, root: Path) -> None:
        self.inbox = MaildirFolder(root)
        self.sent = MaildirFolder(root / ".Sent")
        self.drafts = MaildirFolder(root / ".Drafts", watch_content=True)
        self.threads = Threads(root / "threads.log")
        self._seen: dict[MaildirFolder, dict[str, Place]] = {}
        self._entries: dict[MaildirFolder, dict[str, IndexEntry]] = {}
        self._ordered: dict[MaildirFolder, list[IndexEntry]] = {}
        self._by_message_id: dict[MaildirFolder, dict[str, IndexEntry]] = {}

    def prepare(self) -> None:
        """Create the folders where they are missing."""
        for folder in (self.inbox, self.sent, self.drafts):
            folder.prepare()

    def refresh(self) -> None:
        """Notice what was added, moved, flagged or deleted since, by whomever."""
        fresh = [entry for folder in (self.inbox, self.sent) for entry in self._refresh(folder)]
        self._refresh(self.drafts)
        if fresh:
            fresh.sort(key=_received)
            self.threads.add((entry.id, entry.header) for entry in fresh)

    def ordered(self, folder: MaildirFolder) -> list[IndexEntry]:
        """The folder's messages, oldest first."""
        return self._ordered.get(folder, [])

    def entry(self, unique: str, *folders: MaildirFolder) -> IndexEntry | None:
        """The message of this id in the first of the folders that has it."""
        return next((e for f in folders if (e := self._entries.get(f, {}).get(unique))), None)

    def current(self, unique: str, *folders: MaildirFolder) -> IndexEntry | None:
        """Like `entry`, but true of this moment; lists nothing as long as the file is where it was."""
        entry = self.entry(unique, *folders)
        # The path holds the flags too: while it exists, nothing about the message has changed.
        if entry is None or not os.path.lexists(entry.place.path):
            self.refresh()
            entry = self.entry(unique, *folders)
        return entry

    def with_message_id(self, folder: MaildirFolder, message_id: str) -> IndexEntry | None:
        """The oldest message in the folder whose Message-ID header is this."""
        return self._by_message_id.get(folder, {}).get(message_id) if message_id else None

    def conversation(self, mail_thread_id: str) -> list[IndexEntry]:
        """Received and sent messages of the conversation of this present or former id, oldest first."""
        name = self.threads.id_of(mail_thread_id)
        if not name:
            return []
        every = [e for folder in (self.inbox, self.sent) for e in self.ordered(folder)]
        return sorted((e for e in every if self.threads.id_of(e.key) == name), key=_received)

    def _refresh(self, folder: MaildirFolder) -> list[IndexEntry]:
        """Bring one folder's entries up to date; gives those whose files were read."""
        places = folder.places()
        if self._seen.get(folder) is places:
            return []
        known = self._entries.get(folder, {})
        entries, fresh = {}, []
        complete = True
        for unique, place in places.items():
            entry = known.get(unique)
            if entry is None or entry.place.version != place.version:
                try:
                    header = read_header(place.path)
                except FileNotFoundError:
                    complete = False  # moved or deleted meanwhile: the next look tells
                    continue
                entry = IndexEntry(place, header, own_key(unique, header))
                fresh.append(entry)
            elif entry.place is not place:
                entry = IndexEntry(place, entry.header, entry.key)
            entries[unique] = entry
        self._entries[folder] = entries
        self._ordered[folder] = sorted(entries.values(), key=_received)
        self._by_message_id[folder] = {e.header.message_id: e for e in reversed(self._ordered[folder])}
        if complete:
            self._seen[folder] = places
        return fresh


def _received(entry: IndexEntry) -> tuple[int, str]:
    return entry.header.received_ns, entry.id
