"""What `memory` says of a sentence is true: what rules follow differs with it as told, and with all others nothing does."""

import re
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from email_assistant.calendars.event import Event
from email_assistant.cli.memory import followed
from tests.support.desk import Desk, desk, mail, organizer, pipeline
from tests.support.scripted import Script, calls

NINE = datetime(2026, 11, 23, 8, tzinfo=UTC)
"""Nine o'clock in Berlin, on the Monday after the mails."""
READ = tomllib.loads(Path(__file__).with_name("preferences.toml").read_text(encoding="utf-8"))
WITHOUT: dict[str, str] = READ["without"]
MAILS = {
    "free": "When are you free next week for a call?",
    "noon": "Can we have a call on Thursday 26 November at 12:30?",
    "late": "Can we have a call on Thursday 26 November at 16:30?",
    "after_standup": "Can we have a call on Monday 23 November at 10:00?",
    "friday": "Can we have a call on Friday 27 November at 14:00?",
    "question": "Dear Mr Vale,\n\ncould you send me the price of the oak shelf?\n\nKind regards\nAna",
    "question_fr": "Bonjour Monsieur,\n\npourriez-vous nous envoyer le prix de l'étagère en chêne ?\n\nCordialement\nAna",
}


STANDUP = Event("standup", "Standup", NINE, NINE + timedelta(hours=1))
TOLD = [row for row in READ["sentences"] if "told" in row]
UNTOLD: list[str] = [row["says"] for row in READ["sentences"] if "told" not in row]


def limits(row: dict[str, Any]) -> bool:
    """Whether a sentence says when meetings may be."""
    return not row["told"][0].startswith(("letters", "no letters", "meetings of"))


async def comes_of(name: str, assistant: Desk) -> str:
    """In short: the times that are offered, the meeting that is proposed, the gap for a time, or the end of the letter."""
    await assistant.house.calendar.create(STANDUP)
    card = await assistant.start(await assistant.receive(mail(MAILS[name], subject="Catch up")))
    assert card is not None
    args: dict[str, Any] = card["action_request"]["args"]
    if "start" in args:
        start, end = (datetime.fromisoformat(args[edge]) for edge in ("start", "end"))
        return f"{start:%a %H:%M}–{end:%H:%M}"
    if times := re.findall(r"^- (\w{3})\w+ .*?, ([\d:]+–[\d:]+)", args["body"], re.MULTILINE):
        return ", ".join(" ".join(each) for each in times)
    gap = re.search(r"\[confirm: a time that suits you\]", args["body"])
    return gap.group() if gap else ", ".join(args["body"].splitlines()[-2:]).replace(",,", ",")


async def wishing(folder: Path, says: str, graph: Callable[..., Desk] = desk, **more: Any) -> Desk:
    """An assistant whose profile of meetings has this sentence."""
    assistant = graph(folder, **more)
    await assistant.house.profiles.write("cal_preferences", f"- {says}", origin="edit", store=assistant.store)
    return assistant


@pytest.mark.parametrize("name", WITHOUT)
async def test_without_them(tmp_path: Path, name: str) -> None:
    """What comes of each mail by the profiles as they are at first."""
    assert await comes_of(name, desk(tmp_path)) == WITHOUT[name]


@pytest.mark.parametrize("row", TOLD, ids=lambda row: row["says"])
async def test_what_rules_follow_is_followed(tmp_path: Path, row: dict[str, Any]) -> None:
    """It is told so, and what comes of the mail differs so."""
    assert followed(row["says"]) == f"rules follow this: {'; '.join(row['told'])}"
    found = await comes_of(row["mail"], await wishing(tmp_path, row["says"]))
    assert found == row["then"] != WITHOUT[row["mail"]]


@pytest.mark.parametrize("row", [row for row in TOLD if limits(row)], ids=lambda row: row["says"])
async def test_a_model_that_proposes_another_time_is_told_on(tmp_path: Path, row: dict[str, Any]) -> None:
    """The card says which wish its time would break; with the wish of another it would not."""
    times = [time for time in WITHOUT[row["mail"]].split(", ") if time not in row["then"].split(", ")]
    day, hours = times[0].split()
    date = NINE + timedelta(days=["Mon", "Tue", "Wed", "Thu", "Fri"].index(day))
    start, end = (f"{date:%Y-%m-%d}T{hour}" for hour in hours.split("–"))
    meeting = {"title": "Call", "attendees": ["ana@example.com"], "start": start, "end": end}
    script = Script(turns=[calls(("schedule_meeting", meeting))])
    assistant = await wishing(tmp_path, row["says"], script=script)
    await assistant.house.calendar.create(STANDUP)
    card = await assistant.start(await assistant.receive(mail(MAILS[row["mail"]], subject="Catch up")))
    assert card is not None
    broken = [wish for wish in row["told"] if f"This is not as you want it: {wish}." in card["description"]]
    assert broken


def test_what_only_a_model_follows_is_told() -> None:
    """Of each sentence that rules do not read to its end."""
    assert {followed(says) for says in UNTOLD} == {"only a model will follow this"}


@pytest.mark.parametrize("name", WITHOUT)
async def test_what_only_a_model_follows_changes_nothing(tmp_path: Path, name: str) -> None:
    """Rules offer, propose and write as without all of these sentences."""
    assert await comes_of(name, await wishing(tmp_path, "\n- ".join(UNTOLD))) == WITHOUT[name]


def test_there_are_thirty_of_them() -> None:
    """No sentence counts twice."""
    assert len({row["says"] for row in READ["sentences"]}) == 30


@pytest.mark.parametrize("graph", [organizer, pipeline])
async def test_other_workflows_sign_as_told(tmp_path: Path, graph: Callable[..., Desk]) -> None:
    """Whichever profile says so."""
    assistant = await wishing(tmp_path, "sign as Robin", graph=graph)
    text = "Could you pay the 4,000 euro? It is due today, please answer immediately."
    message = await assistant.receive(mail(text, sender="The Boss <boss@board.example>"))
    card = await assistant.start(message)
    while card is not None and "body" not in card["action_request"]["args"]:
        card = await assistant.answer(message, [{"type": "accept", "args": None}])
    assert card is not None
    assert card["action_request"]["args"]["body"].endswith("\nRobin")
