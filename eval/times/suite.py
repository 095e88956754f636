"""The scorecard's suite on times in mail: phrases in seven languages, each the whole of a mail, written before the rules that read them.

A phrase is answered rightly when the times that are proposed are those it asks for, or none where it asks for none; wrongly when
any other time is proposed; the rest is left for a person to understand. `also` are readings that are no error either.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline.meeting import meeting_request
from eval.datasets import SPLITS, Case, load
from eval.figures import Bars, Figure, SuiteReport
from eval.intervals import share
from eval.setup import Setup

PHRASES = "times/phrases.jsonl"
ZONE = "Europe/Berlin"
WRITTEN = datetime(2026, 11, 16, 10, tzinfo=ZoneInfo(ZONE))
"""A Monday."""
SUBJECTS = {
    "en": "Meeting", "de": "Besprechung", "fr": "Rendez-vous", "es": "Reunión", "it": "Riunione", "nl": "Afspraak",
    "pt": "Reunião",
}  # fmt: skip
UNDERSTOOD = 0.8
"""Share of the phrases that are to be answered rightly; none may be answered wrongly."""
RIGHT, WRONG, LEFT = "right", "wrong", "left"


@dataclass(frozen=True, slots=True)
class Read:
    """What became of a phrase."""

    case: Case
    proposed: Sequence[datetime]

    @property
    def outcome(self) -> str:
        """right, wrong, or left to a person."""
        wanted = [_instant(each) for each in self.case["starts"]]
        allowed = {*wanted, *map(_instant, self.case.get("also", ()))}
        until = _instant(self.case["until"]) if "until" in self.case else None
        for start in self.proposed:
            if start not in allowed and not (until and wanted[0] <= start <= until):
                return WRONG
        return RIGHT if set(wanted) <= set(self.proposed) else LEFT


def read_all() -> list[Read]:
    """Every phrase, read by the rules."""
    return [Read(case, _proposed(case)) for case in load(PHRASES)]


async def report(setup: Setup) -> SuiteReport:
    """Right and wrong times; no model has a part in it."""
    found = await asyncio.to_thread(read_all)
    made = [figure for split in SPLITS for figure in _figures(split, found)]
    return SuiteReport("no model; rules", made, _told(found), [_by_language(found)])


def _figures(split: str, found: Sequence[Read]) -> list[Figure]:
    outcomes = [one.outcome for one in found if one.case["split"] == split]
    return [
        share(f"{split}.right", outcomes.count(RIGHT), len(outcomes), target=UNDERSTOOD),
        share(f"{split}.wrong", outcomes.count(WRONG), len(outcomes), better="lower", target=0.0),
    ]


def _proposed(case: Case) -> tuple[datetime, ...]:
    sender = Address("ana@example.com", "Ana")
    message = Message("1", "1", sender, SUBJECTS[case["language"]], case["text"], date=WRITTEN)
    request = meeting_request(Conversation(message), now=WRITTEN, timezone=ZONE)
    return request.proposed if request else ()


def _instant(local: str) -> datetime:
    return datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(ZONE))


def _by_language(found: Sequence[Read]) -> Bars:
    listed = []
    for language in SUBJECTS:
        of = [one.outcome for one in found if one.case["language"] == language]
        listed.append((language, of.count(RIGHT) / len(of), f"{of.count(RIGHT)} of {len(of)}"))
    return Bars("Understood, by language", listed)


def _told(found: Sequence[Read]) -> str:
    """What of the open half is not right; the locked half is counted and never shown."""
    lines = [
        f"- {one.outcome}: {one.case['text']} → {', '.join(f'{each:%a %d %b %H:%M}' for each in one.proposed) or 'nothing'}"
        for one in found
        if one.case["split"] == "dev" and one.outcome != RIGHT
    ]
    return "\n".join(["Of the open half:", "", *lines])
