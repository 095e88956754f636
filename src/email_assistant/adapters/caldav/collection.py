"""What is in one calendar of a server, kept up to date by what has changed since (RFC 6578, else by entity tags). All of it blocks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from email_assistant.adapters.caldav.dav import C, D, Dav, DavAnswer
from email_assistant.adapters.ics_editing import IcsEditor, IcsText
from email_assistant.calendars.event import Event, unread_event
from email_assistant.errors import ProviderError

_TOGETHER = 100
"""Events of one request."""
_TAG = "<D:getetag/>"
_NO_SYNC = (400, 403, 405, 409, 412, 415, 501)


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One event, with all that is said of its occurrences."""

    href: str
    tag: str
    text: IcsText | None
    """None when it cannot be read; then `unread` says why."""
    unread: Event | None = None


class Collection:
    """The events of one calendar as they were when it was last looked at."""

    def __init__(self, dav: Dav, url: str, editor: IcsEditor) -> None:
        """Asks nothing."""
        self.url = url
        self._dav, self._editor = dav, editor
        self._items: dict[str, StoredEvent] = {}
        self._token = ""
        self._syncs = True

    @property
    def items(self) -> Iterable[StoredEvent]:
        """All of them."""
        return self._items.values()

    def refresh(self) -> None:
        """Ask for what has changed; nothing is taken over unless all of it could be had."""
        changed, token, is_whole = self._changes(self._token)
        gone = {href for href in self._items if changed.get(href, None if is_whole else "") is None}
        items = {href: each for href, each in self._items.items() if href not in gone}
        wanted = [
            href
            for href, tag in changed.items()
            if tag is not None and (href not in items or items[href].tag != tag)
        ]
        for start in range(0, len(wanted), _TOGETHER):
            asked = wanted[start : start + _TOGETHER]
            read = self._read(asked)
            for href in asked:
                items.pop(href, None)  # It may have gone meanwhile.
            items.update(read)
        self._items, self._token = items, token

    def holding(self, uid: str) -> StoredEvent | None:
        """The one that is the event of this UID."""
        return next((each for each in self.items if each.text and uid in each.text.agenda.uids), None)

    def _changes(self, token: str) -> tuple[Mapping[str, str | None], str, bool]:
        """The tags of what has changed, None of what is gone; the next token; and whether that is all that there is."""
        if not self._syncs:
            return self._listed(), "", True
        found = dict[str, str | None]()
        is_whole = not token
        while True:
            body = f"<D:sync-token>{_escaped(token)}</D:sync-token><D:sync-level>1</D:sync-level><D:prop>{_TAG}</D:prop>"
            answer = self._dav.report(self.url, "D:sync-collection", body, _NO_SYNC)
            if answer.status in _NO_SYNC and token:
                found, token, is_whole = {}, "", True  # It has forgotten what that stood for.
                continue
            if answer.status in _NO_SYNC:
                self._syncs = False
                return self._listed(), "", True
            found |= self._tags(answer)
            before, token = token, (answer.xml().findtext(f"{D}sync-token") or "").strip()
            if not token:
                self._syncs = False
            if not (_is_cut(answer, self.url) and token and token != before):
                return found, token, is_whole

    def _listed(self) -> dict[str, str | None]:
        return self._tags(self._dav.propfind(self.url, _TAG, depth=1))

    def _tags(self, answer: DavAnswer) -> dict[str, str | None]:
        own = _path(self.url)
        said = [each for each in answer.said() if _path(each.href) != own and not each.href.endswith("/")]
        return {each.href: None if each.is_gone else each.text(f"{D}getetag") for each in said}

    def _read(self, hrefs: Iterable[str]) -> dict[str, StoredEvent]:
        named = "".join(f"<D:href>{_escaped(each)}</D:href>" for each in hrefs)
        body = f"<D:prop>{_TAG}<C:calendar-data/></D:prop>{named}"
        answer = self._dav.report(self.url, "C:calendar-multiget", body)
        return {
            each.href: self._item(each.href, each.text(f"{D}getetag"), each.text(f"{C}calendar-data"))
            for each in answer.said()
            if f"{C}calendar-data" in each.props
        }

    def _item(self, href: str, tag: str, text: str) -> StoredEvent:
        try:
            return StoredEvent(href, tag, self._editor.read(_with_crlf(text)))
        except ProviderError as error:
            reason = str(error).removeprefix(f"{self._editor.source}: ")
            return StoredEvent(href, tag, None, unread_event(href, "", reason))


def _is_cut(answer: DavAnswer, url: str) -> bool:
    """Whether the server has more to say (RFC 6578 §3.6)."""
    return any(
        _path(r.findtext(f"{D}href") or "") == _path(url) and " 507 " in f"{r.findtext(f'{D}status') or ''} "
        for r in answer.xml().iter(f"{D}response")
    )


def _with_crlf(text: str) -> bytes:
    """As it is kept: within XML line ends are "\\n"."""
    return text.encode().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") + b"\r\n"


def _path(url: str) -> str:
    return unquote(urlsplit(url).path).rstrip("/")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
