"""Where another program has put a message that was in a Maildir's inbox: the folders beside it. Blocking calls."""

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from email_assistant.adapters.folder_names import JUNK, TRASH, last_name
from email_assistant.adapters.headers import read_header
from email_assistant.adapters.maildir_folder import is_put_away
from email_assistant.mail.mailbox import Whereabouts
from email_assistant.mail.message import Message

_ROOTS = frozenset({"inbox"})
"""What a folder is called, in small letters, whose siblings are the other folders of the same mailbox."""
_FOLLOWED = frozenset({".Sent", ".Drafts"})
_CLOCKS = timedelta(days=1).total_seconds()


def whereabouts(root: Path, message: Message) -> Whereabouts:
    """In which folder a message is that is in the inbox no more, by its name or its Message-ID; of several the most harmless."""
    found = {_kind(folder) for folder in _folders(root) if _holds(folder, message)}
    kinds = (Whereabouts.MOVED, Whereabouts.JUNK)
    return next((kind for kind in kinds if kind in found), Whereabouts.THROWN_AWAY)


def _folders(root: Path) -> Iterator[Path]:
    parents = (root, root.parent) if root.name.casefold() in _ROOTS else (root,)
    for folder in (each for parent in parents for each in parent.iterdir()):
        if folder != root and folder.name not in _FOLLOWED and (folder / "cur").is_dir():
            yield folder


def _kind(folder: Path) -> Whereabouts:
    name = last_name(folder.name, ".")
    if name in JUNK:
        return Whereabouts.JUNK
    return Whereabouts.THROWN_AWAY if name in TRASH else Whereabouts.MOVED


def _holds(folder: Path, message: Message) -> bool:
    for place in (folder / "new", folder / "cur"):
        for entry in os.scandir(place) if place.is_dir() else ():
            if entry.is_file(follow_symlinks=False) and not is_put_away(entry.name) and _is(entry, message):
                return True
    return False


def _is(entry: "os.DirEntry[str]", message: Message) -> bool:
    if entry.name.partition(":")[0] == message.id:
        return True
    if not message.message_id:
        return False
    try:
        # Whatever moves a file changes its status; only what was put there since can be this message.
        if message.arrived and entry.stat().st_ctime < message.arrived.timestamp() - _CLOCKS:
            return False
        return read_header(entry.path).message_id == message.message_id
    except FileNotFoundError:
        return False
