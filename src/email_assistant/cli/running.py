"""`run`; it begins with samples where nothing is configured."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NoReturn

import httpx

import email_assistant
from email_assistant.adapters.importer import bring_in_all, read_source
from email_assistant.app.accounts import AccountDeps, local_mailbox
from email_assistant.cli.console import account_deps, client_for, run_async, say, shown
from email_assistant.cli.dead_letters import complain_of_everything
from email_assistant.cli.ingest import ingest_inbox
from email_assistant.cli.server import PortOption, checked_deps, until_stopped, wait_until_ready
from email_assistant.cli.server_note import DEFAULT_PORT, check_alone, check_port, url_of
from email_assistant.cli.status import print_waiting
from email_assistant.clock import SampleClock
from email_assistant.errors import ConfigError, ProviderError
from email_assistant.ingest.look import Look, look_lock
from email_assistant.journal.attention import failing_now
from email_assistant.mail.mailbox import MailQuery
from email_assistant.memory.profiles import PROFILES
from email_assistant.models.settings import ModelSettings
from email_assistant.server.engine import check_installed
from email_assistant.settings import DATA_FILE, Settings, load_settings, read_settings_file

LINK_SECONDS = 5.0
STOP_SECONDS = 20
LOG_MAX_BYTES = 5_000_000
"""Above this the log of the servers before becomes the old log, `server.log.1`; the one before goes."""
UNFINISHED = ".samples-unfinished"
"""Stands in the data folder while it is filled; a fill that was interrupted is done again, each part once."""


def run(port: PortOption = DEFAULT_PORT) -> None:
    """Set up the sample mailbox when nothing else is configured, start the server, take in mail, show what waits."""
    works, settings = True, load_settings()
    with until_stopped():
        check_installed()
        check_alone(settings.data_path)
        check_port(port)
        prepare_samples()
        deps = checked_deps()
        if isinstance(deps.agenda_clock, SampleClock):
            say(f"{deps.agenda_clock.notice}.")
        if unused := ModelSettings.of(deps.settings).unused:
            say(f"{unused}.", "bold")
        log_file = deps.settings.data_path / "server.log"
        with ExitStack() as until_its_end:
            with look_lock(deps.settings.data_path):  # The server's own looks begin when this one is over.
                server = until_its_end.enter_context(background_server(port, log_file))
                say(f"Starting the server on {url_of(port)} (log: {shown(log_file)}) …")
                if not wait_until_ready(port, lambda: server.poll() is None):
                    raise ProviderError(f"the server did not start on port {port}; its log is {log_file}")
                works = _take_in(deps, port, server)
            _wait_for_end(server, log_file)
    if not works:
        complain_of_everything(run_async(failing_now(deps.database)))


@contextmanager
def background_server(port: int, log_file: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`serve` as a process of its own until the block ends; its log goes to the file."""
    with opened_log(log_file) as log:
        server = subprocess.Popen(  # noqa: S603 - a fixed command line
            [sys.executable, "-P", "-m", "email_assistant.cli.main", "serve", "--port", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C reaches this command alone, which then ends the server in good order.
        )
    try:
        yield server
    finally:
        _stop(server)


@contextmanager
def opened_log(path: Path) -> Iterator[int]:
    """A descriptor that appends to the log. Raises `ConfigError` when it cannot be written."""
    try:
        if path.exists() and path.stat().st_size > LOG_MAX_BYTES:
            path.replace(f"{path}.1")
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError as error:
        raise ConfigError(
            f"EMAIL_ASSISTANT_DATA_DIR: {path} cannot be written ({error.strerror}): name another folder"
        ) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _stop(server: subprocess.Popen[bytes]) -> None:
    """End it, by its own process id, and wait for it; at once when asked a second time."""
    server.terminate()
    try:
        server.wait(STOP_SECONDS)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        server.kill()
        server.wait()


def _wait_for_end(server: subprocess.Popen[bytes], log_file: Path) -> NoReturn:
    """Wait for as long as the server runs; raises `ProviderError`, because nobody but this command should end it."""
    code = server.wait()
    raise ProviderError(f"the server ended by itself (exit code {code}); its log is {log_file}")


def _take_in(deps: AccountDeps, port: int, process: subprocess.Popen[bytes]) -> bool:
    """Bring mail in and say what waits; False when nothing worked."""
    try:
        client = client_for(deps, url_of(port))
        taken = run_async(ingest_inbox(deps, client, Look(), graph=None, quiet=False, server_is_new=True))
        waiting = run_async(print_waiting(deps, url_of(port), taken.listed))
    except Exception:
        if process.poll() is None:
            raise
        return True  # The server is gone, and the caller says so: that is why the work broke off.
    if waiting or not taken.failing.everything:
        say(_where_to_review(deps, port))
    say("\nThe server runs until Ctrl-C.")
    return not taken.failing.everything


def _this_command() -> str:
    """This command as a user would type it here: its name alone where the shell finds it by that."""
    path = Path(sys.argv[0])
    is_found = (found := shutil.which(path.name)) is not None and Path(found).samefile(path)
    return path.name if is_found else shown(path)


def _page(deps: AccountDeps, url: str) -> str:
    """The review page's address; where it asks for the token, one that logs in, once."""
    token = deps.settings.api_token
    if token is None:
        return f"{url}/review"
    shown_as = {"x-api-key": token.get_secret_value(), "origin": url}
    try:
        answer = httpx.post(f"{url}/review/link", json={}, headers=shown_as, timeout=LINK_SECONDS)
        return f"{url}{answer.raise_for_status().json()['path']} (this link logs in once, within ten minutes)"
    except (httpx.HTTPError, ValueError, KeyError):
        return f"{url}/review (it asks for your EMAIL_ASSISTANT_API_TOKEN)"


def _where_to_review(deps: AccountDeps, port: int) -> str:
    url = url_of(port)
    key = ", LangSmith key: your EMAIL_ASSISTANT_API_TOKEN" if deps.settings.api_token else ""
    where = "" if port == DEFAULT_PORT else f" --url {url}"
    return (
        "\nReview them\n"
        f"  in a browser:  {_page(deps, url)}\n"
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
    run_async(_fill(account_deps(), samples))
    if not (settings.data_path / "calendar.ics").exists():
        _copy(samples / "calendar.ics", settings.data_path / "calendar.ics")
    # The person comes last: with a person the set-up no longer counts as untouched.
    _copy(samples / DATA_FILE, settings.data_path / DATA_FILE)
    (settings.data_path / UNFINISHED).unlink()


def samples_folder() -> Path:
    """Where the samples are: in the installed package, or in the checkout that it runs from."""
    package = Path(email_assistant.__file__).resolve().parent
    return next(
        folder / "samples" for folder in (package, package.parents[1]) if (folder / "samples").is_dir()
    )


def remove_sample_person(file: Path) -> bool:
    """Delete the data folder's settings when they are the samples' and nothing else; True when they name the sample person."""
    stored, sample = (read_settings_file(each) for each in (file, samples_folder() / DATA_FILE))
    if stored == sample:
        file.unlink()
    return bool(stored.get("EMAIL_ASSISTANT_EMAIL") == sample["EMAIL_ASSISTANT_EMAIL"])


def _wanted(settings: Settings) -> bool:
    default = settings.mailbox == "maildir" and settings.calendar == "ics" and settings.database_url is None
    if not default or settings.email:
        return False
    if (settings.data_path / UNFINISHED).exists():
        return True
    return not (settings.data_path / DATA_FILE).exists() and run_async(_is_empty(account_deps()))


async def _is_empty(deps: AccountDeps) -> bool:
    """Whether no mail was ever brought here; a mere look (`doctor`, `status`) may have made the folder."""
    return not await deps.mailbox.inbox(MailQuery(limit=1)) and not await deps.mail_log.count_by_status()


async def _fill(deps: AccountDeps, samples: Path) -> None:
    # The person of the samples is settled last, and one of the mails is theirs.
    own = load_settings({"EMAIL_ASSISTANT_DATA_DIR": str(samples)}, samples).own_addresses
    async for _ in bring_in_all(local_mailbox(deps), read_source(samples / "mailbox"), own):
        pass
    for name, content in _sections((samples / "preferences.md").read_text(encoding="utf-8")).items():
        for profile in PROFILES:
            if profile == name and (await deps.profiles.read(profile, None)).origin == "default":
                await deps.profiles.write(profile, content, origin="sample")
    await deps.database.close()


def _copy(source: Path, target: Path) -> None:
    """Copy so that the target is there whole or not at all."""
    part = target.with_name(f"{target.name}.part")
    shutil.copyfile(source, part)
    part.replace(target)


def _sections(text: str) -> dict[str, str]:
    """The parts of a Markdown text under `## name` headings."""
    parts = [part.partition("\n") for part in text.split("\n## ")[1:]]
    return {name.strip(): body.strip() for name, _, body in parts}
