"""`run`; it begins with samples where nothing is configured."""

import shutil
import subprocess
import sys
from pathlib import Path

import httpx

from email_assistant.adapters.importer import bring_in_all, read_source
from email_assistant.app import Container
from email_assistant.cli.account_settings import samples_folder
from email_assistant.cli.console import client_for, container, run_async, say, shown
from email_assistant.cli.dead_letters import complain_of_everything
from email_assistant.cli.ingest import ingest_inbox
from email_assistant.cli.server import PortOption, server_process, until_stopped
from email_assistant.cli.server_note import DEFAULT_PORT, check_alone, check_port, url_of
from email_assistant.cli.status import print_waiting
from email_assistant.clock import SampleClock
from email_assistant.ingest.look import Look, look_lock
from email_assistant.journal.attention import failing_now
from email_assistant.mail.mailbox import MailQuery
from email_assistant.memory.profiles import PROFILES
from email_assistant.settings import DATA_FILE, Settings, load_settings

LINK_SECONDS = 5.0
UNFINISHED = ".samples-unfinished"
"""Stands in the data folder while it is filled; a fill that was interrupted is done again, each part once."""


def run(port: PortOption = DEFAULT_PORT) -> None:
    """Set up the sample mailbox when nothing else is configured, start the server, take in mail, show what waits."""
    works, settings = True, load_settings()
    with until_stopped(), server_process(port) as server:
        check_alone(settings.data_path)
        check_port(port)
        prepare_samples()
        built = container()
        if isinstance(built.agenda_clock, SampleClock):
            say(f"{built.agenda_clock.told}.")
        if unused := built.models.settings.unused:
            say(f"{unused}.", "bold")
        log_file = built.settings.data_path / "server.log"
        with look_lock(built.settings.data_path):  # The server's own looks begin when this one is over.
            server.begin(log_file)
            say(f"Starting the server on {url_of(port)} (log: {shown(log_file)}) …")
            server.wait_until_ready()
            works = _take_in(built, port, server.process)
        server.wait_for_end()
    if not works:
        complain_of_everything(run_async(failing_now(built.database)))


def _take_in(built: Container, port: int, process: subprocess.Popen[bytes]) -> bool:
    """Bring mail in and say what waits; False when nothing worked."""
    try:
        client = client_for(built, url_of(port))
        taken = run_async(ingest_inbox(built, client, Look(), graph=None, quiet=False, server_is_new=True))
        waiting = run_async(print_waiting(built, url_of(port), taken.listed))
    except Exception:
        if process.poll() is None:
            raise
        return True  # The server is gone, and the caller says so: that is why the work broke off.
    if waiting or not taken.failing.everything:
        say(_where_to_review(built, port))
    say("\nThe server runs until Ctrl-C.")
    return not taken.failing.everything


def _this_command() -> str:
    """This command as a user would type it here: its name alone where the shell finds it by that."""
    path = Path(sys.argv[0])
    is_found = (found := shutil.which(path.name)) is not None and Path(found).samefile(path)
    return path.name if is_found else shown(path)


def _page(built: Container, url: str) -> str:
    """The review page's address; where it asks for the token, one that logs in, once."""
    token = built.settings.api_token
    if token is None:
        return f"{url}/review"
    shown_as = {"x-api-key": token.get_secret_value(), "origin": url}
    try:
        answer = httpx.post(f"{url}/review/link", json={}, headers=shown_as, timeout=LINK_SECONDS)
        return f"{url}{answer.raise_for_status().json()['path']} (this link logs in once, within ten minutes)"
    except (httpx.HTTPError, ValueError, KeyError):
        return f"{url}/review (it asks for your EMAIL_ASSISTANT_API_TOKEN)"


def _where_to_review(built: Container, port: int) -> str:
    url = url_of(port)
    key = ", LangSmith key: your EMAIL_ASSISTANT_API_TOKEN" if built.settings.api_token else ""
    where = "" if port == DEFAULT_PORT else f" --url {url}"
    return (
        "\nReview them\n"
        f"  in a browser:  {_page(built, url)}\n"
        f"  in a second terminal:  {_this_command()} review{where}\n"
        f"  in Agent Inbox:  open https://dev.agentinbox.ai, add an inbox with graph id email_assistant and URL {url}{key}\n"
        f"  in LangGraph Studio:  https://smith.langchain.com/studio/?baseUrl={url}"
    )


def prepare_samples() -> None:
    """Fill the data folder when nothing is configured and nothing is in it, or go on with a fill that was interrupted."""
    settings = load_settings()
    if not _wanted(settings):
        return
    samples = samples_folder()
    say(
        f"No account is configured: trying things out with the sample mailbox in {shown(settings.data_path)}."
    )
    (settings.data_path / UNFINISHED).touch()
    run_async(_fill(container(), samples))
    if not (settings.data_path / "calendar.ics").exists():
        _copy(samples / "calendar.ics", settings.data_path / "calendar.ics")
    # The person comes last: with a person the set-up no longer counts as untouched.
    _copy(samples / DATA_FILE, settings.data_path / DATA_FILE)
    (settings.data_path / UNFINISHED).unlink()


def _wanted(settings: Settings) -> bool:
    default = settings.mailbox == "maildir" and settings.calendar == "ics" and settings.database_url is None
    if not default or settings.email:
        return False
    if (settings.data_path / UNFINISHED).exists():
        return True
    return not (settings.data_path / DATA_FILE).exists() and run_async(_is_empty(container()))


async def _is_empty(built: Container) -> bool:
    """Whether no mail was ever brought here; a mere look (`doctor`, `status`) may have made the folder."""
    return not await built.mailbox.inbox(MailQuery(limit=1)) and not await built.mail_log.count_by_status()


async def _fill(built: Container, samples: Path) -> None:
    # The person of the samples is settled last, and one of the mails is theirs.
    own = load_settings({"EMAIL_ASSISTANT_DATA_DIR": str(samples)}, samples).own_addresses
    async for _ in bring_in_all(built.local_mailbox, read_source(samples / "mailbox"), own):
        pass
    for name, content in _sections((samples / "preferences.md").read_text(encoding="utf-8")).items():
        for profile in PROFILES:
            if profile == name and (await built.profiles.read(profile, None)).origin == "default":
                await built.profiles.write(profile, content, origin="sample")
    await built.database.close()


def _copy(source: Path, target: Path) -> None:
    """Copy so that the target is there whole or not at all."""
    part = target.with_name(f"{target.name}.part")
    shutil.copyfile(source, part)
    part.replace(target)


def _sections(text: str) -> dict[str, str]:
    """The parts of a Markdown text under `## name` headings."""
    parts = [part.partition("\n") for part in text.split("\n## ")[1:]]
    return {name.strip(): body.strip() for name, _, body in parts}
