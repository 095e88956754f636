"""`run` and `serve`."""

import os
import shutil
import time
from pathlib import Path
from typing import Annotated

import typer

from email_assistant.adapters.importer import deliver, read_source
from email_assistant.bootstrap import House
from email_assistant.cli.console import house, out, run_async
from email_assistant.cli.ingest import ingest_inbox
from email_assistant.cli.server import DEFAULT_PORT, check_port, config_file, running_server, url_of
from email_assistant.cli.status import print_waiting
from email_assistant.errors import ConfigError
from email_assistant.memory.profiles import PROFILES
from email_assistant.settings import DATA_FILE, load_settings

PortOption = Annotated[int, typer.Option(help="The port on 127.0.0.1.", min=1, max=65535)]


def serve(port: PortOption = DEFAULT_PORT) -> None:
    """Start the server and keep it running until Ctrl-C; its log goes to the terminal."""
    house()  # A wrong setting is said before anything starts.
    with running_server(port, None) as process:
        out.print(f"email_assistant is at {url_of(port)}")
        process.wait()


def run(port: PortOption = DEFAULT_PORT) -> None:
    """Set up the sample mailbox when nothing else is configured, start the server, take in mail, show what waits."""
    check_port(port)
    prepare_samples()
    built = house()
    log_file = built.settings.data_path / "server.log"
    log_file.parent.mkdir(parents=True, exist_ok=True)
    out.print(f"Starting the server on {url_of(port)} (log: {_shown(log_file)}) …")
    with running_server(port, log_file) as process:
        run_async(ingest_inbox(built, url_of(port), include_read=False, limit=None, quiet=False))
        run_async(print_waiting(built, url_of(port)))
        out.print(_where_to_review(port), markup=False)
        while process.poll() is None:
            time.sleep(0.5)


def prepare_samples() -> None:
    """Fill an empty default data folder with the sample mailbox, calendar, person and preferences."""
    settings = load_settings()
    samples = config_file().parent / "samples"
    untouched = settings.mailbox == "maildir" and settings.calendar == "ics" and not settings.email
    if not untouched or settings.data_path.exists() or not samples.is_dir():
        return
    out.print(
        f"No account is configured: trying things out with the sample mailbox in {_shown(settings.data_path)}."
    )
    settings.data_path.mkdir(parents=True)
    shutil.copy(samples / "settings.toml", settings.data_path / DATA_FILE)
    shutil.copy(samples / "calendar.ics", settings.data_path / "calendar.ics")
    run_async(_fill(house(), samples))


async def _fill(built: House, samples: Path) -> None:
    for raw in read_source(samples / "mailbox"):
        await deliver(built.local_mailbox, raw)
    for name, content in _sections((samples / "preferences.md").read_text(encoding="utf-8")).items():
        for profile in PROFILES:
            if profile == name:
                await built.profiles.write(profile, content, origin="sample")
    await built.database.close()


def _sections(text: str) -> dict[str, str]:
    """The parts of a Markdown text under `## name` headings."""
    parts = [part.partition("\n") for part in text.split("\n## ")[1:]]
    return {name.strip(): body.strip() for name, _, body in parts}


def _where_to_review(port: int) -> str:
    url = url_of(port)
    return (
        "\nReview them\n"
        f"  in this terminal's neighbour:  .venv/bin/email-assistant review --url {url}\n"
        f"  in Agent Inbox:  open https://dev.agentinbox.ai, add an inbox with graph id email_assistant and URL {url}\n"
        f"  in LangGraph Studio:  https://smith.langchain.com/studio/?baseUrl={url}\n"
        "\nThe server runs until Ctrl-C."
    )


def _shown(path: Path) -> str:
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


__all__ = ["ConfigError", "prepare_samples", "run", "serve"]
