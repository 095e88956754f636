"""Deletes from the server the finished threads of mail: it keeps each in memory, with all its runs.

A thread that waits, works or has failed is none of them, nor is one whose effect has no end on record, one that a schedule names, or
one that dealt with no mail of ours. What is deleted is taken up again from the mailbox and the journal (`Starter`): mail that comes in
while its thread goes is on record before, and recovery starts its run anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from langgraph_sdk.client import LangGraphClient

from email_assistant.clock import Clock
from email_assistant.journal.run_threads import ThreadPast
from email_assistant.review.waiting import all_threads

MOST_KEPT = 200
"""However short the time; each takes about as much memory as its mail, several times over."""
PAGE = 1_000
TOGETHER = 100
"""Deleted in one request."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class FinishedThreads:
    """The threads that are over."""

    client: LangGraphClient
    past: ThreadPast
    clock: Clock
    keep: timedelta
    """How long they stay."""
    doomed: set[str]
    """Those that are being deleted now: no person wants their work gone."""

    async def delete(self) -> int:
        """Delete those that are over for long enough, and the oldest above `MOST_KEPT`; how many."""
        idle = await self._idle()
        until = self.clock.now() - self.keep
        above = len(idle) - MOST_KEPT
        due = [str(t["thread_id"]) for at, t in enumerate(idle) if at < above or _ended(t) <= until]
        scheduled = await self._scheduled() if due else frozenset[str]()
        deleted = 0
        for start in range(0, len(due), TOGETHER):
            finished = await self.past.finished(due[start : start + TOGETHER])
            deleted += await self._delete(sorted(finished - scheduled))
        if deleted:
            log.info("threads_deleted", number=deleted)
        return deleted

    async def _idle(self) -> Sequence[Mapping[str, Any]]:
        """The threads on which nothing works and nothing waits, the one that ended first first."""
        return await all_threads(
            self.client, "idle", sort_by="updated_at", select=("thread_id", "updated_at")
        )

    async def _scheduled(self) -> frozenset[str]:
        """The threads that schedules name, which would go with them."""
        crons: Any = await self.client.crons.search(limit=PAGE)
        return frozenset(str(cron["thread_id"]) for cron in crons if cron.get("thread_id"))

    async def _delete(self, threads: Sequence[str]) -> int:
        """Those of them that are still idle: a new mail's run may have begun since."""
        if not threads:
            return 0
        self.doomed.update(threads)
        try:
            still: Any = await self.client.threads.search(
                ids=threads, status="idle", select=["thread_id"], limit=len(threads)
            )
            ids = [str(each["thread_id"]) for each in still]
            return int((await self.client.threads.prune(ids))["pruned_count"]) if ids else 0
        finally:
            self.doomed.difference_update(threads)


def _ended(thread: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(str(thread["updated_at"]))
