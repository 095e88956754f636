"""The claims desk on the real server: the 30 sample claims, with a model over HTTP that follows a script, and with the rules."""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_sync_client

from email_assistant.app import Container
from email_assistant.settings import load_settings
from eval.accepting import accepting
from eval.claims.measure import route_of, score
from eval.claims.running import SAMPLES, Outcome, claims, input_of, remember, said_by
from eval.mails import HOST
from tests.e2e.cli_support import OFFLINE, PERSON, Cli
from tests.servers.model_server import ModelServer, running_model_server, tool_call, tool_calls
from tests.support.dev_server import DevServer, forked_server

pytestmark = pytest.mark.xdist_group("claims")

NOW = {"EMAIL_ASSISTANT_NOW": "2026-11-20T10:00:00Z", "EMAIL_ASSISTANT_AUTHSERV_ID": HOST}
ENOUGH = {"content": "There is enough.", "when": '"list_user_policies"', "repeat": True}
SHORT = {"C06", "C12", "C18", "C19"}
"""Claims of which one of the parts to be cited is not among those that are found."""


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """A scripted model server."""
    with running_model_server() as server:
        yield server


def company(folder: Path, models: Mapping[str, str]) -> Cli:
    """Both sample companies' customers and contracts, through the command."""
    made = Cli(folder, folder / "data", PERSON | NOW | models)
    tables = (str(SAMPLES / "customers.csv"), str(SAMPLES / "policies.csv"))
    imported = made.run("customers", "import", *tables)
    assert imported.returncode == 0, imported.stderr
    asyncio.run(remember_all(made))
    return made


async def remember_all(user: Cli) -> None:
    """What was decided for the claims' customers before; that record has no command to be filled by."""
    house = Container(
        load_settings({**user.settings, "EMAIL_ASSISTANT_DATA_DIR": str(user.data)}, user.folder)
    )
    for claim in claims():
        await remember(house, claim)


def import_documents(user: Cli, server: DevServer) -> None:
    """Of both companies, for everybody and for their staff."""
    for folder in sorted(path for path in SAMPLES.glob("*/*") if path.is_dir()):
        role = () if folder.name == "public" else ("--role", folder.name)
        told = user.run(
            "knowledge", "import", str(folder), "--tenant", folder.parent.name, *role, "--url", server.url
        )
        assert told.returncode == 0, told.stderr


def script(model: ModelServer, claim: Mapping[str, Any]) -> None:
    """What the model says in this claim's run; turns of the verifier come in their order."""
    said = said_by(claim)
    named = ("IntentResult", "DocumentAnswer", "Report", "Verification")
    answers = [tool_call(name, said[name], when=f'"name":"{name}"', repeat=True) for name in named]
    verifier = [tool_calls(*passes, when='"list_user_policies"') for passes in said["turns"]]
    model.script(*answers, *verifier, ENOUGH)


def bring(server: DevServer, claim: Mapping[str, Any]) -> Outcome:
    """One claim, its refund approved."""
    client, cards = get_sync_client(url=server.url), []
    thread = client.threads.create()["thread_id"]
    client.runs.wait(thread, "claims_desk", input=input_of(claim))
    for _ in range(3):
        state: Any = client.threads.get_state(thread)
        waiting = [i["value"][0] for task in state["tasks"] for i in task["interrupts"]]
        cards += waiting
        if not waiting or not waiting[0]["action_request"]["action"].startswith("Refund "):
            break
        client.runs.wait(thread, "claims_desk", command={"resume": [accepting(waiting[0])]})
    return Outcome(dict(state["values"]), cards, [])


def test_the_thirty_claims_with_a_scripted_model(tmp_path: Path, model: ModelServer) -> None:
    """Each field of each claim, but for citations of parts that the search does not find."""
    models = {"EMAIL_ASSISTANT_MODEL_FAST": "openai:fast", "EMAIL_ASSISTANT_MODEL_STRONG": "openai:strong"}
    user = company(tmp_path, models | {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": model.base_url})
    with forked_server(user.folder, user.settings) as server:
        import_documents(user, server)
        wrong: dict[str, list[str]] = {}
        for claim in claims():
            script(model, claim)
            fields = score(claim, bring(server, claim))
            if bad := [name for name, right in fields.items() if not right]:
                wrong[claim["claim_id"]] = bad
        assert {claim_id: bad for claim_id, bad in wrong.items() if claim_id not in SHORT} == {}
        assert all(set(bad) <= {"documents found", "citations"} for bad in wrong.values()), wrong
    tickets = user.run("tickets", "list", "--tenant", "harrow-mutual").stdout
    assert "tracking" in tickets


def test_the_thirty_claims_by_the_rules(tmp_path: Path) -> None:
    """They pay nothing that is not owed, and send most of it to a person."""
    user = company(tmp_path, OFFLINE)
    with forked_server(user.folder, user.settings) as server:
        import_documents(user, server)
        outcomes = {claim["claim_id"]: bring(server, claim) for claim in claims()}
    for claim in claims():
        fields = score(claim, outcomes[claim["claim_id"]])
        assert fields["no wrong refund"], claim["claim_id"]
        assert fields.get("incident kept", True), claim["claim_id"]
    routes = [route_of(outcome) for outcome in outcomes.values()]
    assert routes.count("ticket") > 15
    assert "review" not in routes
