"""What the server must do before it serves: ask the guard, in a form that the guard knows."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

import email_assistant
from email_assistant.errors import ConfigError, InputError
from email_assistant.server.engine import asked_run, prove_doors

PACKAGE = Path(email_assistant.__file__).parent
ONES_OWN = {
    "assistant_id": "a",
    "thread_id": None,
    "kwargs": {"input": None, "command": {"update": {"x": 1}}},
}


def served(shape: Callable[[dict[str, Any]], Any], *, token: str = "", asks: bool = True) -> Starlette:
    """A server of this kind, that asks its guard about a run in a shape of its own, or not at all; a stand-in for other engines."""

    async def runs(request: Request) -> JSONResponse:
        if token and request.headers.get("x-api-key") != token:
            return JSONResponse({"detail": "the x-api-key header is missing"}, 401)
        try:
            run = asked_run(shape(await request.json()))
        except InputError:
            return JSONResponse({"refused": "its form"}, 422)
        refused = asks and bool(run.command and run.command.get("update"))
        return JSONResponse({"detail": "command.update is not taken"}, 422) if refused else JSONResponse({})

    async def delete(request: Request) -> JSONResponse:
        made.state.deleted = request.path_params["thread"]
        return JSONResponse({})

    of_thread = Route("/threads/{thread}", delete, methods=["DELETE"])
    made = Starlette(routes=[Route("/threads/{thread}/runs", runs, methods=["POST"]), of_thread])
    return made


def ours(body: dict[str, Any]) -> Any:
    """The form of langgraph-api."""
    return {"assistant_id": body["assistant_id"], "kwargs": {"input": None, "command": body["command"]}}


@pytest.mark.parametrize("token", ["", "secret"])
async def test_a_server_that_asks_is_started(token: str) -> None:
    """With an API token it is asked for a run with it and without."""
    await prove_doors(served(ours, token=token), "ingest", token or None)


@pytest.mark.parametrize(
    ("made", "token", "told"),
    [
        (served(ours, asks=False), None, "answers 200 .* to a run that must be refused with 422"),
        (served(ours), "secret", "answers 422 .* to a run that must be refused with 401"),
        (served(lambda body: {"run": body}), None, "answers 422 .*its form.* that must be refused with 422"),
        (Starlette(), None, "answers 404 .* to a run that must be refused with 422"),
    ],
)
async def test_a_server_that_does_not_ask_is_not_started(
    made: Starlette, token: str | None, told: str
) -> None:
    """The line says what it answered, and where to look."""
    with pytest.raises(ConfigError, match=rf"{told}.*langgraph\.json"):
        await prove_doors(made, "ingest", token)
    assert not made.routes or made.state.deleted


@pytest.mark.parametrize(
    "shape",
    [
        None,
        {},
        ONES_OWN | {"kwargs": None},
        ONES_OWN | {"kwargs": {"input": None}},
        ONES_OWN | {"kwargs": {"input": None, "command": "update"}},
    ],
)
def test_a_form_that_is_not_known_is_refused(shape: Any) -> None:
    """What is not found there cannot be checked, and would have been let in."""
    with pytest.raises(InputError):
        asked_run(shape)


def test_it_is_known_in_one_place() -> None:
    """Its modules are named nowhere else, by import or by name, but where its greeting is kept out of the log."""
    naming = {
        str(file.relative_to(PACKAGE))
        for file in PACKAGE.rglob("*.py")
        if re.search(r"\blanggraph_(?:api|runtime)", file.read_text(encoding="utf-8"))
    }
    assert naming == {"server/engine.py", "cli/server.py"}
