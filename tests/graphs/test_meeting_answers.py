"""An accepted meeting answers its mail: what is said about it goes into the invitation, and no second letter goes beside it unasked."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import ToolMessage

from email_assistant.kit.response.done_so_far import BESIDE_INVITATION
from eval.accepting import accepting
from tests.graphs.test_assistant import DONE, MEETING, REPLY, assert_every_call_answered, begin, edit
from tests.graphs.test_guests import text_of
from tests.support.desk import mail
from tests.support.scripted import Script, calls

WANTS_TO_MEET = "Hi Robin,\n\ncould we meet on Thursday, 26 November at 10:00 for half an hour?\n\nAna"
SAYS = {"message": "10:00 suits me well, and I bring the oak samples."}
SAYING = (MEETING[0], {**MEETING[1], **SAYS})


def told(messages: list[Any]) -> int:
    """How often the model was told that the invitation carries its words."""
    return sum(isinstance(m, ToolMessage) and BESIDE_INVITATION in m.additional_kwargs for m in messages)


@pytest.mark.parametrize("is_edited", [False, True])
async def test_the_invitation_carries_the_words(tmp_path: Path, is_edited: bool) -> None:
    """As shown or edited, after its greeting; a letter beside it is answered to the model, without a card or a draft."""
    # A meeting that is edited takes the letter beside it away: the model writes it anew.
    anew = [calls(REPLY, DONE, prefix="anew")] if is_edited else []
    script = Script(turns=[calls(SAYING, REPLY, DONE), *anew, calls(DONE, prefix="end")])
    assistant, message, card = await begin(tmp_path, script, mail(WANTS_TO_MEET))
    assert card["action_request"]["args"]["message"] == SAYS["message"]
    says = "Ten is fine." if is_edited else SAYS["message"]
    answer = edit(card, message=says) if is_edited else [accepting(card)]
    assert await assistant.answer(message, answer) is None
    (invitation,) = await assistant.sent()
    assert text_of(invitation).startswith(f"Hi Ana,\n\n{says}\n\n")
    messages = await assistant.messages(message)
    assert (told(messages), script.turns, await assistant.drafts()) == (1, [], [])
    assert_every_call_answered(messages)
    assert (await assistant.values(message))["outcome"] == "scheduled"


async def test_a_model_that_writes_all_the_same_gets_a_card(tmp_path: Path) -> None:
    """Nothing it writes is swallowed."""
    script = Script(turns=[calls(SAYING, REPLY), calls(REPLY, prefix="two"), calls(DONE, prefix="end")])
    assistant, message, card = await begin(tmp_path, script, mail(WANTS_TO_MEET))
    second = await assistant.answer(message, [accepting(card)])
    assert second is not None
    assert second["action_request"]["args"]["body"] == REPLY[1]["body"]
    assert await assistant.answer(message, [accepting(second)]) is None
    assert len(await assistant.sent()) == 2
    assert_every_call_answered(await assistant.messages(message))


@pytest.mark.parametrize(
    ("body", "attendees"),
    [
        (f"{WANTS_TO_MEET}\n\nAnd what does the oak shelf cost?", ["ana@example.com"]),
        (WANTS_TO_MEET, ["bo@example.org"]),
    ],
)
async def test_what_no_invitation_answers_is_a_letter(
    tmp_path: Path, body: str, attendees: list[str]
) -> None:
    """Another question of the mail; or its sender is no guest."""
    meeting = (MEETING[0], {**SAYING[1], "attendees": attendees})
    script = Script(turns=[calls(meeting, REPLY, DONE), calls(DONE, prefix="two")])
    assistant, message, card = await begin(tmp_path, script, mail(body))
    second = await assistant.answer(message, [accepting(card)])
    assert second is not None
    assert second["action_request"]["args"]["body"] == REPLY[1]["body"]
    assert "Done so far" in second["description"]
