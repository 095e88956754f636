"""The `Calendar` port over CalDAV (RFC 4791)."""

import asyncio
import hashlib
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar
from urllib.parse import urljoin
from zoneinfo import ZoneInfo

from email_assistant.adapters.caldav.collection import Collection
from email_assistant.adapters.caldav.dav import Dav
from email_assistant.adapters.caldav.discovery import Calendars, discover
from email_assistant.adapters.ics_editing import IcsEditor, IcsTexts, Plan
from email_assistant.adapters.ics_reading import IcsAgenda
from email_assistant.adapters.ics_writing import EMPTY_CALENDAR, without_scheduling
from email_assistant.adapters.smtp import Secret
from email_assistant.calendars.event import Event, check_period, in_period, is_zone
from email_assistant.clock import Clock
from email_assistant.errors import AccessError, ConfigError, NotFoundError, ProviderError, TransientError
from email_assistant.mail_accounts import Account, CalendarServer

_ATTEMPTS = 5
_LOOK_SECONDS = 300.0
_TAKEN = (403, 409, 412)
"""What servers say when something is there already, or is not any more as it was."""
_KIND = {"Content-Type": "text/calendar; charset=utf-8"}
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9@_.-]{0,99}")
T = TypeVar("T")


class CaldavCalendar(IcsTexts):
    """What a person has in calendars of a server: events of all of them take time, meetings are made, found and changed in one.

    The server is asked to write to no guests: who is invited, and in which words, is what the person has approved.
    """

    writes_to_guests = False
    """They get mail of ours, and none of the server's."""

    def __init__(
        self,
        server: CalendarServer,
        email: str,
        secret: Secret,
        timezone: str,
        clock: Clock,
        own: frozenset[str] = frozenset(),
    ) -> None:
        """`own` are the owner's addresses in lower case, `timezone` their IANA zone; `ConfigError` when there is none such."""
        if not is_zone(timezone):
            raise ConfigError(f"EMAIL_ASSISTANT_TIMEZONE is not an IANA time zone: {timezone!r}")
        self.name = f"caldav:{email.lower()}"
        self._server = server
        self._dav = Dav(server, server.login or email, secret)
        self._editor = IcsEditor(self.name, ZoneInfo(timezone), own, clock)
        # One of its own: a server that does not answer keeps nobody waiting but who asks it.
        self._thread = ThreadPoolExecutor(1, "caldav")
        self._there: Calendars | None = None
        self._looked_at = 0.0
        self._collections: list[Collection] = []

    @classmethod
    def of(cls, deps: Any, name: str) -> "CaldavCalendar":
        """The account of that name in the settings; raises `ConfigError` when it has no calendar."""
        s = deps.settings
        account: Account = s.account(name)
        if account.calendar is None:
            raise ConfigError(f"[accounts.{name}] has no calendar")
        own = s.own_addresses | {account.email.lower()}
        return cls(account.calendar, account.email, s.account_secret(name), s.timezone, deps.clock, own)

    async def events(self, start: datetime, end: datetime) -> list[Event]:
        """Every occurrence that overlaps [start, end), recurring ones expanded, ordered by start.

        Of an event that is in several calendars, the one where meetings are made counts. Raises `InputError` for naive times,
        `AccessError`, `ProviderError` or `TransientError` when any calendar cannot be read.
        """
        check_period(start, end)
        return await self._in_thread(self._between, start, end)

    async def _in_thread(self, work: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)

    def _between(self, start: datetime, end: datetime) -> list[Event]:
        there = self._refreshed(everything=True)
        own, *others = self._collections
        known = frozenset(uid for item in own.items if item.text for uid in item.text.agenda.uids)
        found = [*_events(own, start, end)]
        for calendar, collection in zip(there.others, others, strict=True):
            beside = (each for each in _events(collection, start, end) if each.uid not in known)
            found += [replace(each, busy=False) if calendar.is_free else each for each in beside]
        return in_period(found, start, end)

    def _look(self, uid: str) -> IcsAgenda:
        self._refreshed()
        item = self._collections[0].holding(uid)
        return item.text.agenda if item and item.text else self._nothing

    def _rewritten(self, uid: str, plan: Plan) -> IcsAgenda:
        there = self._refreshed()
        own = self._collections[0]
        for _ in range(_ATTEMPTS):
            item = own.holding(uid)
            text = item.text if item and item.text else self._editor.read(EMPTY_CALENDAR)
            planned = plan(text)
            if planned is None:
                return text.agenda
            href, condition = (
                (urljoin(own.url, item.href), {"If-Match": item.tag})
                if item
                else (urljoin(own.url, _file_of(uid)), {"If-None-Match": "*"})
            )
            raw = without_scheduling(planned.raw) if there.sends else planned.raw
            answer = self._dav.request("PUT", href, raw, _KIND | condition, _TAKEN)
            own.refresh()
            # A server may have written it in its own way: what it says by now is what there is.
            now = own.holding(uid)
            if answer.status < 300:
                return now.text.agenda if now and now.text else self._nothing
            if answer.status == 403 and now is None:
                raise ProviderError(f"{self.name}: the server takes no event of the UID {uid[:80]!r} here")
        raise TransientError(f"{self.name}: another program keeps changing the event")

    @property
    def _nothing(self) -> IcsAgenda:
        return self._editor.read(EMPTY_CALENDAR).agenda

    def _refreshed(self, *, everything: bool = False, anew: bool = False) -> Calendars:
        """What there is, the own calendar up to date, or all of them; one that is gone by now is looked for anew, once."""
        try:
            there = self._calendars(anew=anew)
            for each in self._collections if everything else self._collections[:1]:
                each.refresh()
            return there
        except NotFoundError as error:
            if anew:
                raise AccessError(f"{self.name}: a calendar is not where it was: {error}") from error
        return self._refreshed(everything=everything, anew=True)

    def _calendars(self, *, anew: bool) -> Calendars:
        """What there is; looked for every few minutes, for calendars are added and taken away."""
        if anew or self._there is None or time.monotonic() - self._looked_at > _LOOK_SECONDS:
            found = discover(self._dav, self._server.url)
            # Another one takes no meetings that are meant for it.
            if self._there and found.own.url != self._there.own.url:
                raise NotFoundError(f"there is no {self._there.own.url} any more")
            known = {each.url: each for each in self._collections}
            urls = (found.own.url, *(each.url for each in found.others))
            self._collections = [
                known.get(each) or Collection(self._dav, each, self._editor) for each in urls
            ]
            self._there, self._looked_at = found, time.monotonic()
        return self._there


def _events(collection: Collection, start: datetime, end: datetime) -> Iterator[Event]:
    for item in collection.items:
        if item.text:
            yield from item.text.agenda.between(start, end)
        elif item.unread:
            yield item.unread


def _file_of(uid: str) -> str:
    """What a new event is called on the server."""
    return f"{uid if _PLAIN.fullmatch(uid) else hashlib.sha256(uid.encode()).hexdigest()}.ics"
