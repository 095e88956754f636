"""Files beside a Maildir's messages: its id and its name on record, wherever it is moved, and labels. Blocking calls."""

import hashlib
import json
import secrets
import shlex
from contextlib import suppress
from pathlib import Path

from email_assistant.adapters.files import file_errors, locked, write_atomically
from email_assistant.adapters.maildir_folder import MaildirFolder
from email_assistant.errors import AccessError, ConfigError, ProviderError

FILE = "mailbox.id"
NAME_FILE = "mailbox.name"
"""The name that the journal's rows and keys of what was done bear: where it was when it was first opened."""

_MAX_NAME = 200


def mailbox_id(folder: Path, recorded: str | None, *, is_named: bool = False) -> str:
    """The id of the mailbox in the folder, which gets one where it has none, and is made where nothing is on record.

    `recorded` as in `journal.mailboxes.Identify`. One that a setting names is never made: its name may be mistyped. Raises
    `AccessError` when the mailbox was there and is gone, `ConfigError` when there is none of that name.
    """
    file = folder / FILE
    with file_errors(str(file)):
        with suppress(FileNotFoundError):
            return file.read_text(encoding="ascii", errors="replace").strip()
        is_empty = not folder.is_dir() or not any(folder.iterdir())
        if recorded or (recorded is not None and is_empty):
            raise gone(folder, recorded)
        if is_named:
            check_maildir(folder)
        MaildirFolder(folder).prepare()  # Whole, for other programs find it from now on.
        with locked(folder / f"{FILE}.lock"):
            if not file.exists():
                write_atomically(file, f"{secrets.token_hex(16)}\n".encode())
        return mailbox_id(folder, recorded)


def check_maildir(folder: Path) -> None:
    """Raise `ConfigError` unless the folder is a Maildir."""
    if not (folder / "cur").is_dir():
        raise ConfigError(
            f"EMAIL_ASSISTANT_MAILBOX: no such Maildir: {folder} (it has no folder cur); check the spelling, or make one: "
            f"mkdir -p {shlex.quote(str(folder / 'cur'))}"
        )


def gone(folder: Path, recorded: str = "") -> AccessError:
    """The error; nothing is made in its place, because an unmounted disk leaves an empty folder."""
    unless = (
        f"; if it is there and only its {FILE} is not, write {recorded} into that file" if recorded else ""
    )
    return AccessError(
        f"EMAIL_ASSISTANT_MAILBOX: the mailbox that was in {folder} is gone: mount its disk or put it back{unless}"
    )


def recorded_name(folder: Path) -> str:
    """The name that the mailbox in the folder is on record under; "" as long as it has none."""
    try:
        return (folder / NAME_FILE).read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return ""


def record_name(folder: Path, name: str) -> None:
    """Keep the name for good: by another one its mail would be new, and what was done about it unknown."""
    with file_errors(str(folder)):
        if not recorded_name(folder):
            write_atomically(folder / NAME_FILE, f"{name}\n".encode(errors="surrogateescape"))


class MaildirLabels:
    """The labels in one folder of JSON files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, unique: str) -> frozenset[str]:
        """The labels of the message; none when it has no file."""
        try:
            found = json.loads(self._file(unique).read_bytes())
        except FileNotFoundError:
            return frozenset()
        except ValueError as error:
            raise ProviderError(f"{self._file(unique)}: not a list of labels") from error
        if not isinstance(found, list) or not all(isinstance(label, str) for label in found):
            raise ProviderError(f"{self._file(unique)}: not a list of labels")
        return frozenset(found)

    def change(self, unique: str, *, add: frozenset[str], remove: frozenset[str]) -> None:
        """Add and remove labels; a label in both is removed."""
        before = self.of(unique)
        after = (before | add) - remove
        if after == before:
            return
        if after:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            write_atomically(self._file(unique), json.dumps(sorted(after), ensure_ascii=False).encode())
        else:
            self._file(unique).unlink(missing_ok=True)

    def _file(self, unique: str) -> Path:
        long = len(unique.encode("utf-8", "surrogateescape")) > _MAX_NAME
        name = hashlib.sha256(unique.encode("utf-8", "surrogateescape")).hexdigest() if long else unique
        return self._folder / f"{name}.json"
