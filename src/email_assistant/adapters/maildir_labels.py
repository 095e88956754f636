"""Labels of messages: one small file for each message that has any. Blocking calls, to be made under a lock."""

import hashlib
import json
from pathlib import Path

from email_assistant.adapters.files import write_atomically
from email_assistant.errors import InputError, ProviderError

_MAX_LABEL = 200
_MAX_NAME = 200


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


def check_labels(labels: frozenset[str]) -> None:
    """Raise `InputError` for a label that could not be shown."""
    for label in labels:
        if not label.strip() or len(label) > _MAX_LABEL or not label.isprintable():
            raise InputError(f"not a label: {label[:40]!r}")
