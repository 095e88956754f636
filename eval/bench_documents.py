"""`python -m eval.bench_documents`: import and search of documents on a real development server.

A hundred Markdown files with fifty sections each for one tenant, imported by the command; then twenty questions over HTTP.
"""

import asyncio
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import httpx
from langgraph_sdk.client import LangGraphClient

from email_assistant.knowledge.embedding import Embedder, LexicalEmbedding
from email_assistant.knowledge.served_store import ServedStore
from email_assistant.workflows.claims_desk.document_search import Documents
from email_assistant.workflows.claims_desk.document_store import Who
from tests.e2e.cli_support import COMMAND, OFFLINE, PERSON, Cli
from tests.support.dev_server import dev_server

FILES, SECTIONS, QUESTIONS = 100, 50, 20
_SYLLABLES = ["ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "zu"]


def _words(luck: random.Random, number: int) -> str:
    return " ".join("".join(luck.choices(_SYLLABLES, k=luck.randint(2, 4))) for _ in range(number))


def write(folder: Path) -> None:
    """The files, the same each time."""
    luck = random.Random(7)
    for file in range(FILES):
        sections = [
            f"## {n} {_words(luck, 3)}\n\n{_words(luck, luck.randint(20, 120))}" for n in range(SECTIONS)
        ]
        (folder / f"terms-{file:03}.md").write_text("\n\n".join(sections), encoding="utf-8")


def command(cli: Cli, folder: Path, url: str) -> str:
    """What the import printed, and how long it took."""
    began = time.monotonic()
    done = subprocess.run(
        [COMMAND, "knowledge", "import", str(folder), "--tenant", "acme", "--url", url],
        check=True, cwd=cli.folder, env=cli.environment(), capture_output=True, encoding="utf-8", timeout=1_200,
    )  # fmt: skip
    return f"{time.monotonic() - began:.0f} s: {done.stdout.strip()}"


async def search(url: str) -> list[float]:
    """Seconds that each question took."""
    store = ServedStore(LangGraphClient(httpx.AsyncClient(base_url=url, timeout=60)))
    documents, luck = Documents(Embedder(LexicalEmbedding(), embeds_here=False)), random.Random(8)
    found = []
    for _ in range(QUESTIONS):
        began = time.monotonic()
        await documents.find(store, Who("acme", "C-1", "customer"), _words(luck, 8))
        found.append(time.monotonic() - began)
    return found


def main() -> None:
    """Print all of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        docs = folder / "docs"
        docs.mkdir()
        write(docs)
        with dev_server(folder / "server", PERSON | OFFLINE) as server:
            cli = Cli(folder, folder / "data", PERSON | OFFLINE)
            print(f"import: {command(cli, docs, server.url)}")
            print(f"again: {command(cli, docs, server.url)}")
            (docs / "terms-007.md").write_text("# New\n\ntext", encoding="utf-8")
            print(f"one file changed: {command(cli, docs, server.url)}")
            took = sorted(asyncio.run(search(server.url)))
            print(f"{QUESTIONS} searches: median {median(took):.2f} s, longest {took[-1]:.2f} s")


if __name__ == "__main__":
    sys.exit(main())
