"""How the user writes: counted in what was sent, shown on one card, and part of every letter once it is accepted."""

import json
import re
from collections.abc import Mapping
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from email_assistant.adapters.importer import bring_in
from email_assistant.app import ingesting
from email_assistant.errors import InputError
from email_assistant.ingest.own_style import FEWEST
from email_assistant.mail.email_input import parse_email_input
from email_assistant.mail.message import Message
from email_assistant.models.offline.preferences import voice_of
from eval.accepting import accepting
from eval.workbench import config_for
from tests.graphs.test_assistant import edit
from tests.support.deployment import Deployment
from tests.support.desk import ME, Desk, desk, mail

SENT = Path(__file__).parents[1] / "support" / "sent"
BODY = "Hey {name},\n\nthe oak shelf number {number} is ready, and so are its brackets.\n\nTake care\nRob"
COUNTED = "- In English I begin “Hey {first},” and end “Take care”.\n- Sign off as “Rob”.\n- My letters have about 12 words."


def raw_of(given: Mapping[str, str], number: int) -> bytes:
    """One of the made-up letters, as a mail program writes it."""
    made = EmailMessage()
    for name in ("From", "To", "Cc", "Date", "Subject"):
        if given[name.lower()]:
            made[name] = given[name.lower()]
    made["Message-ID"] = f"<{number}@sent.example>"
    made.set_content(given["body"])
    return bytes(made)


async def with_letters(folder: Path, number: int = FEWEST, **settings: str) -> Desk:
    """An assistant whose mailbox has so many letters in Sent."""
    assistant = desk(folder, None, EMAIL_ASSISTANT_NAME="Rob Vale", **settings)
    for each in range(number):
        name = ("Ana Petrova", "Bo Lindt", "Cem Acar")[each % 3]
        raw = mail(
            BODY.format(name=name.split()[0], number=each), sender=ME, message_id=f"<s{each}@vale.example>"
        )
        raw = raw.replace(
            f"To: {ME}".encode(), f"To: {name} <{name.split()[0].lower()}@example.com>".encode()
        )
        await bring_in(assistant.house.mailbox, raw, assistant.house.user.own)
    return assistant


async def proposed(assistant: Desk, deployment: Deployment) -> tuple[Message, dict[str, Any]]:
    """What `learn --from-sent` starts, and its card."""
    own = ingesting.own_style(assistant.house, deployment.client)
    letters = await own.letters()
    await own.propose(await own.style(letters), letters)
    given = deployment.runs[-1]["input"]
    message = parse_email_input(given["email_input"]).current
    await assistant.graph.ainvoke(given, config_for(message))
    card = await assistant.card(message)
    assert card is not None
    return message, card


@pytest.mark.parametrize("person", ["a", "b"])
async def test_habits_of_two_people_are_found_though_one_letter_in_ten_breaks_them(
    tmp_path: Path, person: str
) -> None:
    """Both were made up by somebody who had not seen how they are counted: languages, greetings, closings, length, hours, people."""
    truth = json.loads((SENT / "truth.json").read_text(encoding="utf-8"))[person]
    assistant = desk(tmp_path, None, EMAIL_ASSISTANT_NAME=truth["name"], EMAIL_ASSISTANT_EMAIL=truth["address"],
                     EMAIL_ASSISTANT_TIMEZONE=truth["timezone"], EMAIL_ASSISTANT_ALIASES=truth["aliases"][0])  # fmt: skip
    for number, line in enumerate((SENT / "mails.jsonl").read_text(encoding="utf-8").splitlines()):
        if (given := json.loads(line))["person"] == person:
            await bring_in(
                assistant.house.mailbox, raw_of(given, number), {truth["address"], *truth["aliases"]}
            )
    _, card = await proposed(assistant, Deployment())
    shown, view = card["action_request"]["args"], card["view"]
    greeting, sign_off = truth["greeting"], truth["sign_off"]
    found = {each.language: each for each in map(voice_of, shown["letters"].splitlines()) if each}
    assert {name: (each.greeting, each.closing) for name, each in found.items()} == {
        name: (greeting[name], sign_off[name]) for name in truth["languages"]
    }
    assert f"- Sign off as “{truth['signed']}”." in shown["letters"]
    (words,) = map(int, re.findall(r"about (\d+) words", shown["letters"]))
    assert words == pytest.approx(truth["median_words"], rel=0.2)
    assert [int(each) for each in re.findall(r"(\d+):00", shown["letters"])] == pytest.approx(
        truth["hours"], abs=1
    )
    assert [int(each) / 100 for each in re.findall(r"(\d+) %", shown["letters"])] == pytest.approx(
        list(truth["languages"].values()), abs=0.05
    )
    assert re.findall(r"[\w.-]+@[\w.-]*\w", shown["people"]) == truth["close"]
    unnamed = [re.sub(r"^\d+ letters are from ", "", each) for each in view["warnings"]]
    assert unnamed == [
        f"{each}, which EMAIL_ASSISTANT_ALIASES does not name." for each in truth["aliases"][1:]
    ]


async def test_it_is_learned_once_it_is_accepted_and_letters_are_written_so(tmp_path: Path) -> None:
    """Counted anew it takes the place of what was counted before; what the user wrote beside it stays."""
    assistant = await with_letters(tmp_path)
    message, card = await proposed(assistant, Deployment())
    assert card["action_request"]["action"].startswith(f"Write as I do: {FEWEST} letters, Thu 19 Nov 2026")
    shown = card["action_request"]["args"]
    assert shown["letters"].startswith(COUNTED)
    assert shown["people"] == (
        "- Close to me: Ana Petrova (ana@example.com), Bo Lindt (bo@example.com), Cem Acar (cem@example.com)."
    )
    profiles = assistant.house.profiles
    assert COUNTED.splitlines()[0] not in (await profiles.read("response_preferences", None)).content
    assert await assistant.answer(message, [accepting(card)]) is None
    learned = (await profiles.read("response_preferences", None)).content
    assert learned.endswith(shown["letters"])
    assert learned.startswith("\n- Short, friendly") or learned.startswith("- Short, friendly")
    letter = await assistant.start(
        await assistant.receive(mail("Hi Rob,\n\nwhat is your hourly rate?\n\nAna"))
    )
    assert letter is not None
    body = letter["action_request"]["args"]["body"]
    assert (body.startswith("Hey Ana,\n\n"), body.endswith("\n\nTake care\nRob")) == (True, True)
    again, card = await proposed(assistant, Deployment())
    assert again.id != message.id
    changed = shown["letters"].replace("Hey", "Dear")
    assert await assistant.answer(again, edit(card, letters=changed)) is None
    assert (await profiles.read("response_preferences", None)).content == learned.replace("Hey", "Dear")


async def test_what_is_not_wanted_teaches_nothing(tmp_path: Path) -> None:
    """And few letters show nothing."""
    assistant = await with_letters(tmp_path)
    profiles = [
        each.content
        for each in await assistant.house.profiles.recent(
            ("response_preferences", "triage_preferences"), None
        )
    ]
    message, _ = await proposed(assistant, Deployment())
    assert await assistant.answer(message, [{"type": "ignore", "args": None}]) is None
    now = await assistant.house.profiles.recent(("response_preferences", "triage_preferences"), None)
    assert [each.content for each in now] == profiles
    few = await with_letters(tmp_path / "few", FEWEST - 1)
    with pytest.raises(InputError, match=f"Letters of yours in Sent: {FEWEST - 1}"):
        await ingesting.own_style(few.house, Deployment().client).letters()
