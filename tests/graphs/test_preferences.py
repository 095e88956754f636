"""What `memory` says of a sentence is true: what rules follow differs with it as told, and with all others nothing does."""

import tomllib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from email_assistant.calendars.event import Event
from email_assistant.cli.memory import followed
from tests.support.desk import Desk, desk, mail, organizer, pipeline

NINE = datetime(2026, 11, 23, 8, tzinfo=UTC)
"""Nine o'clock in Berlin, on the Monday after the mails."""
READ = tomllib.loads(Path(__file__).with_name("preferences.toml").read_text(encoding="utf-8"))
WITHOUT: dict[str, str] = READ["without"]
MAILS = {
    "early": "Robin, can we have a call on Thursday 26 November at 9:00?",
    "noon": "Robin, can we have a call on Thursday 26 November at 12:30?",
    "late": "Robin, can we have a call on Thursday 26 November at 16:30?",
    "after_standup": "Robin, can we have a call on Monday 23 November at 10:00?",
    "friday": "Robin, can we have a call on Friday 27 November at 14:00?",
    "question": "Dear Mr Vale,\n\ncould you send me the price of the oak shelf?\n\nKind regards\nAna",
    "question_fr": "Bonjour M. Vale,\n\npourriez-vous nous envoyer le prix de l'étagère en chêne ?\n\nCordialement\nAna",
}


STANDUP = Event("standup", "Standup", NINE, NINE + timedelta(hours=1))
TOLD = [row for row in READ["sentences"] if "told" in row]
UNTOLD: list[str] = [row["says"] for row in READ["sentences"] if "told" not in row]


async def card_of(name: str, assistant: Desk) -> dict[str, Any]:
    """The card that the mail comes to."""
    await assistant.house.calendar.create(STANDUP)
    card = await assistant.start(await assistant.receive(mail(MAILS[name], subject="Catch up")))
    assert card is not None
    return card


async def comes_of(name: str, assistant: Desk) -> str:
    """In short: the meeting that is proposed, or the end of the letter."""
    card = await card_of(name, assistant)
    args: dict[str, Any] = card["action_request"]["args"]
    if "start" in args:
        start, end = (datetime.fromisoformat(args[edge]) for edge in ("start", "end"))
        return f"{start:%a %H:%M}–{end:%H:%M}"
    return ", ".join(args["body"].splitlines()[-2:]).replace(",,", ",")


async def wishing(folder: Path, says: str, graph: Callable[..., Desk] = desk, **more: Any) -> Desk:
    """An assistant whose profile of meetings has this sentence."""
    assistant = graph(folder, **more)
    await assistant.house.profiles.write("cal_preferences", f"- {says}", origin="edit", store=assistant.store)
    return assistant


@pytest.mark.parametrize("name", WITHOUT)
async def test_without_them(tmp_path: Path, name: str) -> None:
    """What comes of each mail by the profiles as they are at first."""
    assert await comes_of(name, desk(tmp_path)) == WITHOUT[name]


@pytest.mark.parametrize("row", [row for row in TOLD if "then" in row], ids=lambda row: row["says"])
async def test_what_rules_follow_is_followed(tmp_path: Path, row: dict[str, Any]) -> None:
    """It is told so, and what comes of the mail differs so."""
    assert followed(row["says"]) == f"rules follow this: {'; '.join(row['told'])}"
    found = await comes_of(row["mail"], await wishing(tmp_path, row["says"]))
    assert found == row["then"] != WITHOUT[row["mail"]]


@pytest.mark.parametrize("row", [row for row in TOLD if "then" not in row], ids=lambda row: row["says"])
async def test_a_meeting_that_is_not_as_wished_is_told(tmp_path: Path, row: dict[str, Any]) -> None:
    """Whoever has proposed it: its card names the wish that its time is against."""
    assert followed(row["says"]) == f"rules follow this: {'; '.join(row['told'])}"
    card = await card_of(row["mail"], await wishing(tmp_path, row["says"]))
    assert any(f"This is not as you want it: {wish}." in card["description"] for wish in row["told"])


def test_what_only_a_model_follows_is_told() -> None:
    """Of each sentence that rules do not read to its end."""
    assert {followed(says) for says in UNTOLD} == {"only a model will follow this"}


@pytest.mark.parametrize("name", WITHOUT)
async def test_what_only_a_model_follows_changes_nothing(tmp_path: Path, name: str) -> None:
    """Rules propose and write as without all of these sentences."""
    assert await comes_of(name, await wishing(tmp_path, "\n- ".join(UNTOLD))) == WITHOUT[name]


@pytest.mark.parametrize("graph", [organizer, pipeline])
async def test_other_workflows_sign_as_told(tmp_path: Path, graph: Callable[..., Desk]) -> None:
    """Whichever profile says so."""
    assistant = await wishing(tmp_path, "sign as Robin", graph=graph)
    text = "Robin, could you answer this today? It is urgent, please answer immediately."
    message = await assistant.receive(mail(text, sender="The Boss <boss@board.example>"))
    card = await assistant.start(message)
    while card is not None and "body" not in card["action_request"]["args"]:
        card = await assistant.answer(message, [{"type": "accept", "args": None}])
    assert card is not None
    assert card["action_request"]["args"]["body"].endswith("\nRobin")
