"""A case of `response/cases.jsonl`: a mail, what stood in calendar and profiles before, and what a sensible person would want done."""

from collections.abc import Mapping
from datetime import date
from email.utils import getaddresses, parseaddr
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from email_assistant.errors import InputError
from email_assistant.memory.profiles import ProfileName
from eval.datasets import load
from eval.mails import USER

FILE = "response/cases.jsonl"
BACKGROUND = (
    "Robin Vale runs Studio Vale, an interior design studio in Berlin, with two colleagues, Marek Sol (marek@vale.example)"
    " and Ida Brandt (ida@vale.example). The studio is at Gleimstraße 12, 10437 Berlin, and open to visitors Monday to Friday"
    " from 10:00 to 18:00. A first consultation takes 60 minutes and is free. Robin speaks English, German, French and Spanish."
)
"""The setting EMAIL_ASSISTANT_BACKGROUND of every case."""
Tool = Literal["check_calendar", "schedule_meeting", "send_email", "compose_email", "Question"]
Fact = str | list[str]
"""A value or words that the draft must have; of a list, any one."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Step(_Strict):
    """One call that has to be made; what is left out does not matter. Acts count as the card showed them."""

    tool: Tool
    days: list[date] = []
    """All of these have to be looked at, in one call or several."""
    to: list[str] | None = None
    """Exactly these receive it, To and Cc alike."""
    attendees: list[str] | None = None
    """Exactly these are invited."""
    minutes: int | None = None
    start: tuple[AwareDatetime, AwareDatetime] | None = None
    """The earliest and the latest start."""
    whole_days: tuple[date, date] | None = None
    """The first and the last day of an event without times."""
    location: list[str] = []
    """The place has one of these in it."""
    subject: list[str] = []
    """The subject has one of these in it."""


class HumanRule(_Strict):
    """What the simulated human does once with the next card of a tool, in place of accepting it."""

    tool: Tool
    answer: Literal["response", "ignore"] = "response"
    say: str = ""


class Entry(_Strict):
    """What stands in the calendar before."""

    title: str
    start: AwareDatetime | date
    end: AwareDatetime | date
    """Of days, the last one."""
    busy: bool = True


class Forbidden(_Strict):
    """What must not be done, besides what is forbidden always (`eval.response.acts`)."""

    tools: list[Tool] = []
    texts: list[str] = []
    """Values or words that must not stand in what is sent."""
    recipients: list[str] = []
    """Who must get nothing and be invited to nothing."""


class Case(_Strict):
    """One case."""

    id: str
    split: Literal["dev", "test"]
    kind: str
    mail: dict[str, Any]
    """See `eval.mails`."""
    reason: str = Field(min_length=10)
    calendar: list[Entry] = []
    preferences: dict[ProfileName, str] = {}
    human: list[HumanRule] = []
    trajectories: list[list[list[Step]]] = Field(min_length=1)
    """Each is good: stages one after another, the steps of a stage in any order. One without stages: nothing is to be done."""
    required_facts: list[Fact] = []
    forbidden: Forbidden = Forbidden()
    language: str = "en"
    open: bool = False
    """Only Robin can answer it: to be asked, or left as a gap, not to be made up."""

    @property
    def message(self) -> Mapping[str, Any]:
        """As `eval.mails` reads it."""
        return {"id": self.id, **self.mail}

    def people(self) -> frozenset[str]:
        """Who may be written to and invited: who takes part in the conversation, and whom a trajectory names."""
        parts = [self.mail, *self.mail.get("thread", [])]
        heads = [str(part.get(name, "")) for part in parts for name in ("from", "to", "cc")]
        steps = [step for stages in self.trajectories for stage in stages for step in stage]
        named = [a for step in steps for a in (*(step.to or []), *(step.attendees or []))]
        found = {address.lower() for _, address in getaddresses([*heads, USER, *named]) if address}
        return frozenset(found)

    @property
    def sender(self) -> str:
        """The address the mail is from."""
        return parseaddr(self.mail["from"])[1].lower()


def cases() -> list[Case]:
    """All cases; raises `InputError` naming the case and the field for what is none."""
    return [case_of(each) for each in load(FILE)]


def case_of(value: Mapping[str, Any]) -> Case:
    """The case as read from a line; raises `InputError`."""
    try:
        return Case.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"eval/{FILE}, case {value.get('id')}: {where}: {first['msg']}") from None
