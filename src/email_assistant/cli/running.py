"""`run`."""

import shutil
import subprocess
import sys
from pathlib import Path

import httpx

from email_assistant.app import Container
from email_assistant.cli.console import client_for, container, run_async, say
from email_assistant.cli.failing import complain_of_everything
from email_assistant.cli.ingest import ingest_inbox
from email_assistant.cli.samples import prepare_samples, shown
from email_assistant.cli.server import server_process
from email_assistant.cli.server_note import DEFAULT_PORT, check_alone, check_port, url_of
from email_assistant.cli.serving import PortOption, until_stopped
from email_assistant.cli.status import print_waiting
from email_assistant.ingest.look import Look
from email_assistant.journal.failing import failing_now
from email_assistant.settings import load_settings

LINK_SECONDS = 5.0


def run(port: PortOption = DEFAULT_PORT) -> None:
    """Set up the sample mailbox when nothing else is configured, start the server, take in mail, show what waits."""
    works, settings = True, load_settings()
    with until_stopped(), server_process(port) as server:
        check_alone(settings.data_path)
        check_port(port)
        prepare_samples()
        built = container()
        log_file = built.settings.data_path / "server.log"
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
