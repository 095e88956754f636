"""Notes in a vault, with a model over HTTP."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.model_server import Answer, ModelServer, running_model_server, tool_call
from tests.support.desk import Desk, mail, organizer

BOSS = "The Boss <boss@board.example>"
BODY = "The quote is ready. The shelf costs 400 euro: https://board.example/quote"


def says(importance: float = 0.5) -> Answer:
    """Where the model puts the mail."""
    fields = {"reasoning": "Work.", "category": "Professional/Work", "confidence": 0.9, "key_phrases": []}
    return tool_call("CategoryAnswer", fields | {"importance": importance})


CATEGORY = says()


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """A scripted model server."""
    with running_model_server() as server:
        yield server


def desk_with(model: ModelServer, folder: Path, **settings: str) -> Desk:
    """An organizer with a vault."""
    return organizer(
        folder,
        EMAIL_ASSISTANT_MODEL_FAST="openai:fast",
        EMAIL_ASSISTANT_MODEL_STRONG="openai:strong",
        OPENAI_API_KEY="none",
        OPENAI_BASE_URL=model.base_url,
        EMAIL_ASSISTANT_VIPS="board.example",
        **{"EMAIL_ASSISTANT_VAULT": str(folder / "vault")} | settings,
    )


def noted(**changes: Any) -> Answer:
    """What the model finds worth noting."""
    fields = {
        "worth_noting": True, "title": "Oak shelf", "summary": "The shelf costs 400 euro.", "key_points": ["400 euro"],
    }  # fmt: skip
    return tool_call("NoteAnswer", fields | changes)


def vault(folder: Path) -> list[Path]:
    """The notes."""
    return sorted((folder / "vault").rglob("*.md"))


async def test_what_matters_is_noted_once(model: ModelServer, tmp_path: Path) -> None:
    """With what the mail says; a repeat changes nothing, a later mail is added to the note."""
    assistant = desk_with(model, tmp_path)
    model.script(*[CATEGORY, noted()] * 2)
    message = await assistant.receive(mail(BODY, sender=BOSS))
    for _ in range(2):
        assert await assistant.start(message) is None
    (note,) = vault(tmp_path)
    assert note.relative_to(tmp_path / "vault").parts[:3] == ("Agent", "Professional", "Work")
    text = note.read_text()
    assert text.count("The shelf costs 400 euro.") == 1
    assert BODY in text
    later = mail(
        "Could you look again? It costs 500 euro now.", sender=BOSS, message_id="<m2@example.com>", subject="Re: Oak shelf",
        reply_to_id="<m1@example.com>", minutes=9,
    )  # fmt: skip
    model.script(CATEGORY, noted(summary="It costs 500 euro now."))
    await assistant.start(await assistant.receive(later))
    (note,) = vault(tmp_path)
    assert "It costs 500 euro now." in note.read_text()
    await assistant.house.models.close()


@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        ({"body": "Hello."}, 1),
        ({"List_Id": "<board.example>", "List_Unsubscribe": "<mailto:u@board.example>"}, 1),
        ({"Authentication_Results": "mx.vale.example; dmarc=fail header.from=board.example"}, 1),
        ({}, 2),
    ],
)
async def test_what_is_not_noted(
    model: ModelServer, tmp_path: Path, fields: dict[str, str], asked: int
) -> None:
    """Unimportant mail, mail to many and mail of a sender in doubt without asking; else what the model finds idle."""
    assistant = desk_with(model, tmp_path)
    model.script(says(0.2) if "body" in fields else CATEGORY, noted(worth_noting=False))
    await assistant.start(await assistant.receive(mail(**{"body": BODY, "sender": BOSS} | fields)))
    assert (len(model.bodies), vault(tmp_path)) == (asked, [])
    await assistant.house.models.close()


async def test_without_a_vault_nothing_is_noted(model: ModelServer, tmp_path: Path) -> None:
    """And no model is asked for it."""
    assistant = desk_with(model, tmp_path, EMAIL_ASSISTANT_VAULT="")
    model.script(CATEGORY)
    assert await assistant.start(await assistant.receive(mail(BODY, sender=BOSS))) is None
    assert len(model.bodies) == 1
    await assistant.house.models.close()
