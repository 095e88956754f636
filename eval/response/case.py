"""A case of `response/cases.jsonl`: a mail, what stood in the calendar before, and what a sensible person would want done."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from email_assistant.errors import InputError
from eval.datasets import load

FILE = "response/cases.jsonl"
BACKGROUND = (
    "Robin Vale runs Studio Vale, an interior design studio in Berlin, with two colleagues, Marek Sol (marek@vale.example)"
    " and Ida Brandt (ida@vale.example). The studio is at Gleimstraße 12, 10437 Berlin, and open to visitors Monday to Friday"
    " from 10:00 to 18:00. A first consultation takes 60 minutes and is free. Robin speaks English, German, French and Spanish."
)
"""The setting EMAIL_ASSISTANT_BACKGROUND of every case."""
Act = Literal["schedule_meeting", "send_email", "compose_email"]
"""A tool whose work changes something outside."""
Fact = str | list[str]
"""A value or words that the draft must have; of a list, any one."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Entry(_Strict):
    """What stands in the calendar before."""

    title: str
    start: AwareDatetime | date
    end: AwareDatetime | date
    """Of days, the last one."""
    busy: bool = True


class Case(_Strict):
    """One case."""

    id: str
    split: Literal["dev", "test"]
    kind: str
    mail: dict[str, Any]
    """See `eval.mails`."""
    reason: str = Field(min_length=10)
    acts: list[list[Act]] = Field(min_length=1)
    """Each is good, and nothing besides; an empty one: nothing is to be done."""
    start: tuple[AwareDatetime, AwareDatetime] | None = None
    """The earliest and the latest start of a meeting."""
    calendar: list[Entry] = []
    answer: str = ""
    """What Robin says to the first question."""
    facts: list[Fact] = []
    never: list[str] = []
    """Words that must not stand in what is sent."""
    language: str = "en"
    open: bool = False
    """Only Robin can answer it: to be asked, or left as a gap, not to be made up."""

    @property
    def message(self) -> Mapping[str, Any]:
        """As `eval.mails` reads it."""
        return {"id": self.id, **self.mail}


def cases() -> list[Case]:
    """All cases; raises `InputError` naming the case and the field for what is none."""
    return [_case(each) for each in load(FILE)]


def _case(value: Mapping[str, Any]) -> Case:
    try:
        return Case.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"eval/{FILE}, case {value.get('id')}: {where}: {first['msg']}") from None
