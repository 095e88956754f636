"""What tells a Maildir from all others, wherever it is moved: a line in a file in it. Blocking calls."""

import secrets
from contextlib import suppress
from pathlib import Path

from email_assistant.adapters.files import file_errors, locked, write_atomically
from email_assistant.adapters.maildir_folder import MaildirFolder
from email_assistant.errors import AccessError

FILE = "mailbox.id"


def mailbox_id(folder: Path, recorded: str | None) -> str:
    """The id of the mailbox in the folder, which gets one where it has none, and is made where nothing is on record.

    `recorded` as in `journal.owner.Identify`. Raises `AccessError` when the mailbox was there and is gone.
    """
    file = folder / FILE
    with file_errors(str(file)):
        with suppress(FileNotFoundError):
            return file.read_text(encoding="ascii", errors="replace").strip()
        is_empty = not folder.is_dir() or not any(folder.iterdir())
        if recorded or (recorded is not None and is_empty):
            raise gone(folder, recorded)
        MaildirFolder(folder).prepare()  # Whole, for other programs find it from now on.
        with locked(folder / f"{FILE}.lock"):
            if not file.exists():
                write_atomically(file, f"{secrets.token_hex(16)}\n".encode())
        return mailbox_id(folder, recorded)


def gone(folder: Path, recorded: str = "") -> AccessError:
    """The error; nothing is made in its place, because an unmounted disk leaves an empty folder."""
    unless = (
        f"; if it is there and only its {FILE} is not, write {recorded} into that file" if recorded else ""
    )
    return AccessError(
        f"EMAIL_ASSISTANT_MAILBOX: the mailbox that was in {folder} is gone: mount its disk or put it back{unless}"
    )
