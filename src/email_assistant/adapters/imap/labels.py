"""Labels as keywords of a message, which are atoms without spaces (RFC 9051 §9), and back.

A space becomes `_`, and what an atom cannot hold is written as folder names are (RFC 3501 §5.1.3): `Zu erledigen` is `Zu_erledigen`.
Servers compare keywords without regard to case and keep the spelling that came first.
"""

import base64
from collections.abc import Iterable

from imapclient.imap_utf7 import decode

from email_assistant.mail.mailbox import check_labels

_NO_ATOM = frozenset('(){%*"\\]_&')
_SYSTEM = frozenset(
    {"nonjunk", "junk", "notjunk", "forwarded", "mdnsent", "redirected", "submitted", "submitpending"}
)


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
