"""Documents on the real development server: the command imports them, and nobody finds what is not theirs."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from email_assistant.knowledge.embedding import Embedder, LexicalEmbedding
from email_assistant.knowledge.served_store import ServedStore
from email_assistant.workflows.claims_desk.document_search import Documents, FoundChunk
from email_assistant.workflows.claims_desk.document_store import Who
from tests.e2e.cli_support import OFFLINE, PERSON, Cli, told
from tests.support.dev_server import DevServer, forked_server

SAMPLES = Path(__file__).parents[2] / "samples" / "claims"


@dataclass(frozen=True)
class Desk:
    """The server and a user beside it."""

    server: DevServer
    cli: Cli

    def command(self, *args: str, **more: str) -> str:
        """A knowledge command that succeeds; what it printed."""
        done = self.cli.run("knowledge", *args, "--url", self.server.url, **more)
        assert done.returncode == 0, done
        return done.stdout

    def store(self) -> ServedStore:
        """The server's store, seen from here; to be made anew in each event loop."""
        return ServedStore(LangGraphClient(httpx.AsyncClient(base_url=self.server.url, timeout=60)))

    def find(self, role: str, query: str) -> list[FoundChunk]:
        """What somebody of the insurer finds."""
        documents = Documents(Embedder(LexicalEmbedding(), embeds_here=False))
        return asyncio.run(documents.find(self.store(), Who("harrow-mutual", "C-1", role), query))


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One server for the module."""
    folder = tmp_path_factory.mktemp("documents")
    with forked_server(folder, PERSON | OFFLINE) as server:
        yield Desk(server, Cli(folder, folder / "data", PERSON | OFFLINE))


def test_a_folder_is_imported_found_listed_and_removed(desk: Desk) -> None:
    """The insurer of samples/claims, its handlers' guidance for the role alone; the tenant beside it sees neither."""
    insurer = SAMPLES / "harrow-mutual"
    line = desk.command("import", str(insurer / "public"), "--tenant", "harrow-mutual")
    assert line.startswith("harrow-mutual, Public: 5 new, 0 changed, 0 unchanged, 0 removed; ")
    desk.command("import", str(insurer / "agent"), "--tenant", "harrow-mutual", "--role", "agent")
    again = desk.command("import", str(insurer / "public"), "--tenant", "harrow-mutual")
    assert again == "harrow-mutual, Public: 0 new, 0 changed, 5 unchanged, 0 removed; 0 chunks embedded.\n"
    found = desk.find("customer", "premium is late and unpaid, is a loss covered?")
    assert found[0].label in {"home-contents.md § 4.2 Unpaid premium", "travel.md § 4.1 Unpaid premium"}
    secret = "goodwill that a handler may grant without asking"
    assert "claims-guidance.md § 2.1 Handler's limit" in [one.label for one in desk.find("agent", secret)]
    assert not [one for one in desk.find("customer", secret) if one.document == "claims-guidance.md"]
    listed = json.loads(desk.command("documents", "--tenant", "harrow-mutual", "--json"))
    assert [(one["visibility"], one["name"]) for one in listed][-1] == ("agent", "claims-guidance.md")
    assert "harrow-mutual  Public  travel.md  " in desk.command("documents")
    assert desk.command("forget-documents", "--tenant", "harrow-mutual") == (
        "harrow-mutual, Public: 5 documents removed.\n"
    )
    assert [one.document for one in desk.find("agent", secret)][:1] == ["claims-guidance.md"]
    desk.command("forget-documents", "--tenant", "harrow-mutual", "--role", "agent")
    gone = desk.command("documents", "--tenant", "harrow-mutual")
    assert gone == "There are no documents: `knowledge import DIR --tenant TENANT`.\n"


def test_a_changed_folder_replaces_what_was_there(desk: Desk, tmp_path: Path) -> None:
    """What vanished from it is removed, and a file that cannot be read stops all of it."""
    (tmp_path / "a.md").write_text("# One\n\nfirst")
    (tmp_path / "b.md").write_text("second")
    desk.command("import", str(tmp_path), "--tenant", "changed")
    (tmp_path / "b.md").unlink()
    (tmp_path / "c.md").write_bytes("Sch\xe4den".encode("latin-1"))
    failed = desk.cli.run(
        "knowledge", "import", str(tmp_path), "--tenant", "changed", "--url", desk.server.url
    )
    assert "c.md: is not written in utf-8" in told(failed)
    assert len(json.loads(desk.command("documents", "--tenant", "changed", "--json"))) == 2
    done = json.loads(desk.command("import", str(tmp_path), "--tenant", "changed", "--skip-bad", "--json"))
    assert (done["same"], done["removed"], len(done["left_out"])) == (1, 1, 1)
    desk.command("forget-documents", "--tenant", "changed")
