"""So many effects a day and no more, however many processes ask at once."""

from dataclasses import dataclass
from datetime import date

from email_assistant.effects.errors import ActionChangedError
from email_assistant.effects.outbox import Happened, Outbox, Reconciled
from email_assistant.effects.subjects import bounded

KIND = "allowance"


@dataclass(frozen=True)
class DailyAllowance:
    """Numbered places of a day, each taken by one action for good; on record in the outbox."""

    outbox: Outbox
    name: str
    """What the allowance is for, like `auto_send <mailbox>`."""
    limit: int

    async def take(self, action_id: str, day: date) -> bool:
        """Whether the action may happen on that day; one that has a place already keeps it."""
        subject = f"{KIND}:{bounded(self.name)}:{bounded(action_id)}"
        if taken := await self.outbox.find(subject, KIND):
            return await self._place(
                taken[0].action_id, subject
            )  # Perhaps it was cut off while it took that.
        for number in range(self.limit):
            if await self._place(f"{KIND}:{bounded(self.name)}:{day.isoformat()}:{number}", subject):
                return True
        return False

    async def _place(self, place: str, subject: str) -> bool:
        async def nothing() -> None:
            return None

        async def done() -> Reconciled:
            return Happened(None)

        try:
            await self.outbox.perform(
                place, kind=KIND, subject_key=subject, payload={"for": subject}, do=nothing, reconcile=done
            )
        except ActionChangedError:
            return False  # Another action has it.
        return True
