"""The three preference profiles.

The LangGraph store shows them to everyone who reads it; every revision is in the database, which also
decides between two writers: a revision number can be taken once. When the two differ, the store is either behind (its
server lost its last seconds) or was edited by hand, and either is mended on the next read.
"""

import asyncio
import math
import threading
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from weakref import WeakKeyDictionary

from email_assistant.clock import Clock
from email_assistant.errors import InputError
from email_assistant.journal.revisions import Revision, Revisions

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

    from email_assistant.models.offline.preferences import Preferences

ProfileName = Literal["triage_preferences", "response_preferences", "cal_preferences"]
PROFILES: tuple[ProfileName, ...] = ("triage_preferences", "response_preferences", "cal_preferences")
FOLLOWED: tuple[ProfileName, ...] = ("response_preferences", "cal_preferences")
"""The profiles whose lines tell how letters and meetings are to be."""
NAMESPACE = "email_assistant"
KEY = "user_preferences"
MAX_CHARACTERS = 8_000
RECENT_SECONDS = 1.0
"""So long a run goes by the profiles that it, or another one, has read."""

DEFAULTS: Mapping[ProfileName, str] = tomllib.loads(
    Path(__file__).with_name("profiles.toml").read_text(encoding="utf-8")
)  # type: ignore[assignment] # its keys are the profiles' names


@dataclass
class _Seen:
    """The newest revisions as they were when they were read last."""

    at: float = -math.inf
    """As `time.monotonic` tells it."""
    latest: Mapping[str, Revision] = field(default_factory=dict)
    changes: int = 0
    """That were made in this process."""

    def forget(self) -> None:
        """Something was changed here."""
        self.at, self.latest, self.changes = -math.inf, {}, self.changes + 1


@dataclass(frozen=True)
class Profiles:
    """Reads and writes the profiles."""

    revisions: Revisions
    clock: Clock
    _guard: threading.Lock = field(default_factory=threading.Lock, compare=False, repr=False)
    _seen: _Seen = field(default_factory=_Seen, compare=False, repr=False)
    _turns: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Lock]] = field(
        default_factory=WeakKeyDictionary, compare=False, repr=False
    )

    def turn(self, name: ProfileName) -> asyncio.Lock:
        """Held while something is learned: on one event loop lessons about a profile wait in line.

        Else all but one of those that come at once would have to learn anew, with a model call each.
        """
        with self._guard:
            return self._turns.setdefault(asyncio.get_running_loop(), {}).setdefault(name, asyncio.Lock())

    async def read(self, name: ProfileName, store: "BaseStore | None") -> Revision:
        """The profile as it is now; the defaults are its revision 1. `store` may be None outside a server."""
        latest = await self.revisions.latest(name) or await self._first(name)
        if store is None:
            return latest
        shown = await _shown(name, store)
        if shown == latest.content:
            return latest
        if shown is not None and not await self._is_old(name, shown):
            return await self.write(name, shown, origin="store", store=store)
        await self._show(latest, store)
        return latest

    async def recent(self, names: Sequence[ProfileName], store: "BaseStore | None") -> list[Revision]:
        """Each as `read` gives it, for a prompt: what another process has changed within the last second may be missing.

        All profiles are read at once, as one run needs one after the other. For learning it must be `read`.
        """
        if time.monotonic() - self._seen.at > RECENT_SECONDS:
            changes = self._seen.changes
            at, latest = time.monotonic(), await self.revisions.latest_of(PROFILES)
            if self._seen.changes == changes:
                self._seen.at, self._seen.latest = at, latest
        return [await self._recent(name, store) for name in names]

    async def _recent(self, name: ProfileName, store: "BaseStore | None") -> Revision:
        seen = self._seen.latest.get(name)
        if seen is None or (store is not None and await _shown(name, store) != seen.content):
            return await self.read(name, store)
        return seen

    async def wanted(self, store: "BaseStore | None" = None, said: Sequence[str] = ()) -> "Preferences":
        """What rules can follow of what the profiles say of letters and meetings, and the user has `said` since."""
        from email_assistant.models.offline.preferences import preferences

        read = await self.recent(FOLLOWED, store)
        return preferences([*(line for each in read for line in each.content.splitlines()), *said])

    async def lines(self) -> list[str]:
        """Every line of the three profiles."""
        contents = [(await self.read(name, None)).content for name in PROFILES]
        return [line for content in contents for line in content.splitlines() if line.strip()]

    async def append(
        self,
        base: Revision,
        content: str,
        *,
        origin: str,
        store: "BaseStore | None",
        decision_id: str | None = None,
    ) -> Revision | None:
        """The revision after `base`; None when another writer came first (read again and merge)."""
        check_content(content)
        revision = await self.revisions.append(
            base.profile, expected=base.revision, content=content, origin=origin, decision_id=decision_id
        )
        self._seen.forget()
        if revision and store is not None:
            await self._show(await self.revisions.latest(base.profile) or revision, store)
        return revision

    async def write(
        self, name: ProfileName, content: str, *, origin: str, store: "BaseStore | None" = None
    ) -> Revision:
        """Replace the profile, whatever it holds by now; raises `InputError` for an empty or too long one."""
        for _ in range(100):
            base = await self.revisions.latest(name) or await self._first(name)
            if base.content == content:
                return base
            written = await self.append(base, content, origin=origin, store=store)
            if written:
                return written
        raise InputError(f"{name} is being changed by others all the time; try again")

    async def history(self, name: ProfileName) -> list[Revision]:
        """Every revision, oldest first."""
        await self.read(name, None)
        return await self.revisions.history(name)

    async def restore(self, name: ProfileName, number: int) -> Revision:
        """Make an old revision's content the newest; raises `InputError` when there is none of that number."""
        old = await self.revisions.get(name, number)
        if old is None:
            raise InputError(f"{name} has no revision {number}")
        return await self.write(name, old.content, origin=f"restored from {number}")

    async def _first(self, name: ProfileName) -> Revision:
        await self.revisions.append(
            name, expected=0, content=DEFAULTS[name], origin="default", decision_id=None
        )
        self._seen.forget()
        latest = await self.revisions.latest(name)
        assert latest is not None  # noqa: S101 - just written, by this call or by another
        return latest

    async def _is_old(self, name: ProfileName, content: str) -> bool:
        return any(r.content == content for r in await self.revisions.history(name))

    async def _show(self, revision: Revision, store: "BaseStore") -> None:
        # Nobody looks for a profile by its meaning.
        await store.aput(
            (NAMESPACE, revision.profile),
            KEY,
            {
                "content": revision.content,
                "revision": revision.revision,
                "updated_at": revision.created_at.isoformat(),
            },
            index=False,
        )


def check_content(content: str) -> None:
    """Raises `InputError` for a profile that is empty or longer than `MAX_CHARACTERS`."""
    if not content.strip():
        raise InputError("a preference profile cannot be empty")
    if len(content) > MAX_CHARACTERS:
        raise InputError(f"a preference profile cannot be longer than {MAX_CHARACTERS} characters")


async def _shown(name: ProfileName, store: "BaseStore") -> str | None:
    """The content that the store shows; None without one that could be a profile's."""
    item = await store.aget((NAMESPACE, name), KEY)
    content = item.value.get("content") if item else None
    if isinstance(content, str) and content.strip() and len(content) <= MAX_CHARACTERS:
        return content
    return None
