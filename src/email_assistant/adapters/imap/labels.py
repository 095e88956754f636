"""Labels of a message: Gmail's own where the server is Gmail, which shows no keywords to anybody, else keywords.

Keywords are atoms without spaces (RFC 9051 §9): a space becomes `_`, and what an atom cannot hold is written as folder names are
(RFC 3501 §5.1.3), so that `Zu erledigen` is `Zu_erledigen`. Gmail takes any name (X-GM-EXT-1). Both compare without regard to case and
keep the spelling that came first.
"""

import base64
from collections.abc import Iterable, Set

from imapclient.imap_utf7 import decode

from email_assistant.adapters.imap.connection import Commands
from email_assistant.errors import InputError
from email_assistant.mail.mailbox import check_labels

_GMAIL, _OWN = "X-GM-EXT-1", "\\"
"""What Gmail says of itself, and what its own labels begin with, like `\\Inbox` and `\\Important`."""
_NO_ATOM = frozenset('(){%*"\\]_&')
_SYSTEM = frozenset(
    {"nonjunk", "junk", "notjunk", "forwarded", "mdnsent", "redirected", "submitted", "submitpending"}
)


def read_labels(commands: Commands, uid: int) -> frozenset[str]:
    """The user's labels of a message in the open folder; raises `NotFoundError`."""
    if commands.has(_GMAIL):
        return frozenset(each for each in commands.gmail_labels(uid) if not each.startswith(_OWN))
    return labels_in(commands.flags(uid))


def write_labels(commands: Commands, uid: int, *, add: Set[str], remove: Set[str]) -> bool:
    """Change the labels of a message in the open folder, one in both is removed; False where the server keeps none.

    Raises `NotFoundError`, and `InputError` for a label that cannot be shown or is Gmail's own: who takes away `\\Inbox` archives.
    """
    if commands.has(_GMAIL):
        _write_gmail(commands, uid, add, remove)
        return True
    added, gone = ([keyword_of(each) for each in sorted(some)] for some in (add - remove, remove))
    commands.flags(uid)
    if commands.keeps_keywords:
        commands.store(uid, add=added, remove=gone)
    return commands.keeps_keywords


def _write_gmail(commands: Commands, uid: int, add: Set[str], remove: Set[str]) -> None:
    check_labels(add | remove)
    if own := next((each for each in sorted(add | remove) if each.startswith(_OWN)), ""):
        raise InputError(f"Gmail's own, and no label of yours: {own[:40]}")
    commands.gmail_labels(uid)
    gone = {each.casefold() for each in remove}
    added = [each for each in sorted(add) if each.casefold() not in gone]
    commands.store_gmail_labels(uid, add=added, remove=sorted(remove))


def keyword_of(label: str) -> str:
    """How the label is written; raises `InputError` for one that could not be shown."""
    check_labels([label])
    return "".join(map(_written, label))


def labels_in(flags: Iterable[str]) -> frozenset[str]:
    """The labels among a message's flags; a system's own, and those of other programs that people do not see, are none."""
    own = (each for each in flags if each[:1] not in {"\\", "$"} and each.lower() not in _SYSTEM)
    return frozenset(map(_read, own))


def _read(keyword: str) -> str:
    try:
        return str(decode(keyword.replace("_", " ").encode("ascii", "replace")))
    except UnicodeDecodeError:  # Another program's, written in another way.
        return keyword


def _written(character: str) -> str:
    if character == " ":
        return "_"
    if character.isascii() and character not in _NO_ATOM:
        return character
    coded = base64.b64encode(character.encode("utf-16-be")).rstrip(b"=").replace(b"/", b",")
    return f"&{coded.decode()}-"
