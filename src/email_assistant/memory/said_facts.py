"""Facts that the user said, once: each with the question it answered, in one row of revisions like a profile."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from email_assistant.clock import Clock, short_day
from email_assistant.errors import InputError, NotFoundError
from email_assistant.journal.revisions import Revisions
from email_assistant.mail.text import one_line

NAME = "facts"
"""Under which their revisions stand, beside those of the profiles."""
MAX_FACTS = 100
"""Beyond it the oldest goes."""
MAX_ANSWER = 200
MAX_TRIES = 20
FORGET = "email-assistant memory facts forget"
"""The command that forgets one, by its number."""


@dataclass(frozen=True, slots=True)
class SaidAnswer:
    """What the user said to a question."""

    question: str
    """In a few words, and only a name: it may be a stranger's."""
    words: str
    """The user's own."""
    asker: str = ""
    """The address of who asked."""


@dataclass(frozen=True, slots=True)
class SaidFact:
    """An answer that was kept."""

    number: int
    """Never given twice."""
    question: str
    answer: str
    asker: str
    """Whom it was said to, by their address; "" once another was told the same: then it is for everybody."""
    said_at: str
    """ISO 8601, UTC."""
    decision_id: str = ""
    """The action that it came with."""

    @property
    def kept(self) -> str:
        """The sentence when it is kept."""
        told = f"Kept for {self.asker or 'everybody'}"
        return f"{told}: “{self.question}” {self.answer} (to forget it: {FORGET} {self.number})"

    def holds_for(self, asker: str) -> bool:
        """Whether it is an answer to that address, too."""
        return self.asker in {"", asker}

    def listed(self, timezone: str, now: datetime) -> str:
        """The same with its question, whom it is for, and its number, in a list."""
        return f"{self.cited(timezone, now)} ({self.number}: {self.question} For {self.asker or 'everybody'})"

    def cited(self, timezone: str, now: datetime, limit: int | None = None) -> str:
        """Like "You said on Mon 16 Nov: 95 EUR an hour"; the year where it is another one."""
        day = self._day(timezone)
        year = "" if day.year == now.astimezone(day.tzinfo).year else f" {day.year}"
        return f"You said on {short_day(day)}{year}: {one_line(self.answer, limit=limit)}"

    def said_on(self, timezone: str) -> str:
        """Like "you said on Mon 16 Nov"."""
        return f"you said on {short_day(self._day(timezone))}"

    def _day(self, timezone: str) -> datetime:
        return datetime.fromisoformat(self.said_at).astimezone(ZoneInfo(timezone))


@dataclass(frozen=True)
class SaidFacts:
    """Reads and writes them; every change is a revision, and of two writers at once the second reads again."""

    revisions: Revisions
    clock: Clock

    async def all(self) -> list[SaidFact]:
        """The oldest first."""
        return (await self._read())[1]

    async def keep(
        self, answers: Sequence[SaidAnswer], is_same: Callable[[SaidFact, SaidAnswer], bool], decision_id: str
    ) -> list[SaidFact]:
        """Keep what was answered in place of what whoever asked was told before; what another was told in the same words is for
        everybody from now on. Again with the same decision it adds nothing."""

        def kept(number: int, facts: list[SaidFact]) -> list[SaidFact]:
            now, left, new = self.clock.now().isoformat(), facts, list[SaidFact]()
            for i, each in enumerate(answers, 1):
                same = [fact for fact in left if is_same(fact, each)]
                is_general = any(f.answer == each.words and f.asker != each.asker for f in same)
                asker = "" if is_general else each.asker
                left = [fact for fact in left if fact not in same or (asker and fact.asker != asker)]
                new.append(SaidFact(number + i, each.question, each.words, asker, now, decision_id))
            return [*left, *new][-MAX_FACTS:]

        facts = await self._change(kept, "said", decision_id) if answers else []
        return [fact for fact in facts if fact.decision_id == decision_id]

    async def edit(self, number: int, answer: str, *, for_everybody: bool = False) -> SaidFact:
        """Say it otherwise, as of now, or to everybody; raises `NotFoundError`, and `InputError` for what is no short line."""
        answer = answer.strip()
        if not 0 < len(answer) <= MAX_ANSWER or len(answer.splitlines()) > 1:
            raise InputError(f"a fact is one line of at most {MAX_ANSWER} characters")
        now = self.clock.now().isoformat()

        def edited(_: int, facts: list[SaidFact]) -> list[SaidFact]:
            found(number, facts)
            return [
                replace(f, answer=answer, said_at=now, asker="" if for_everybody else f.asker)
                if f.number == number
                else f
                for f in facts
            ]

        return found(number, await self._change(edited, "edited by hand"))

    async def forget(self, number: int) -> None:
        """Use it no more; raises `NotFoundError`."""

        def left(_: int, facts: list[SaidFact]) -> list[SaidFact]:
            gone = found(number, facts)  # Asked where there are none, too.
            return [fact for fact in facts if fact is not gone]

        await self._change(left, "forgotten")

    async def _change(
        self,
        change: Callable[[int, list[SaidFact]], list[SaidFact]],
        origin: str,
        decision_id: str | None = None,
    ) -> list[SaidFact]:
        """The facts after `change`, which is given the last number and those there are."""
        for _ in range(MAX_TRIES):
            revision, facts, last = await self._read()
            changed = change(last, facts)
            last = max([last, *(fact.number for fact in changed)])
            content = json.dumps(
                {"last": last, "facts": [asdict(fact) for fact in changed]}, ensure_ascii=False
            )
            written = await self.revisions.append(
                NAME, expected=revision, content=content, origin=origin, decision_id=decision_id
            )
            if written:
                return _facts(written.content)[0]
        raise InputError("the facts are being changed by others all the time; try again")

    async def _read(self) -> tuple[int, list[SaidFact], int]:
        """The newest revision's number, its facts, and the last number that one was given."""
        latest = await self.revisions.latest(NAME)
        return (latest.revision, *_facts(latest.content)) if latest else (0, [], 0)


def found(number: int, facts: Sequence[SaidFact]) -> SaidFact:
    """The fact of that number; raises `NotFoundError`."""
    fact = next((each for each in facts if each.number == number), None)
    if fact is None:
        raise NotFoundError(f"there is no fact {number}: `memory facts` lists them")
    return fact


def _facts(content: str) -> tuple[list[SaidFact], int]:
    kept = json.loads(content)
    return [SaidFact(**each) for each in kept["facts"]], kept["last"]
