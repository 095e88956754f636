"""The console of all commands: output that cannot style or move the terminal, JSON, tables, async work, reaching the server."""

import asyncio
import json
import os
import sys
import unicodedata
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, TypeVar
from urllib.parse import urlsplit

import typer
from rich.console import Console
from rich.text import Text

from email_assistant.errors import EmailAssistantError, InputError, ProviderError

if TYPE_CHECKING:  # Slow to import, and whoever only prints does without.
    import httpx
    from langgraph_sdk.client import LangGraphClient

    from email_assistant.app.accounts import AccountDeps
    from email_assistant.app.assistant import AppDeps
    from email_assistant.app.journal import JournalDeps


T = TypeVar("T")

CONNECT_SECONDS = 5.0
RUN_SECONDS = 600.0
"""Longest silence of the server while a run is awaited."""

_ACTIVE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_HARMLESS = frozenset("\n\t\u200c\u200d")
"""Line end, tab, and the two joiners that Persian and emoji need."""

out = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
err = Console(stderr=True, highlight=False, soft_wrap=True, markup=False, emoji=False)


def _web_address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise typer.BadParameter(f"{url!r} is not an address like http://127.0.0.1:2024")
    return url.rstrip("/")


UrlOption = Annotated[
    str | None,
    typer.Option(
        help="The server; the one that runs on this data folder, or http://127.0.0.1:2024, when left out.",
        callback=lambda url: url if url is None else _web_address(url),
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
LimitOption = Annotated[int, typer.Option(min=1, max=1_000_000, help="How many to list.")]


def group(text: str) -> typer.Typer:
    """A group of commands that stays one when it has a single command."""
    made = typer.Typer(help=text, no_args_is_help=True)
    made.callback(help=text)(lambda: None)
    return made


def journal_deps(*, looks: bool = False) -> "JournalDeps":
    """What the settings describe, also for one who only `looks`; raises `ConfigError` for a wrong one, and when the data folder cannot
    be written.
    """
    from email_assistant.app import journal
    from email_assistant.cli.server_note import make_folder
    from email_assistant.settings import load_settings

    settings = load_settings()
    make_folder(settings.data_path)
    return journal.journal_deps(settings, looks=looks)


def account_deps(*, looks: bool = False) -> "AccountDeps":
    """The same with mailbox and calendar; raises what they raise when they cannot be what the settings say."""
    from email_assistant.app import accounts

    return accounts.account_deps(journal_deps(looks=looks))


def app_deps() -> "AppDeps":
    """The same with models and everything that prepares and does things."""
    from email_assistant.app import assistant

    return assistant.app_deps(account_deps())


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run async work; a server or database that fails becomes one clear line (`ProviderError`)."""
    try:
        return asyncio.run(work)
    except BaseExceptionGroup as group:
        domain_errors = [e for e in _leaves(group) if isinstance(e, EmailAssistantError)]
        broken = [e for e in _leaves(group) if _connection_problem(e)]
        if domain_errors:
            raise domain_errors[0] from group
        if broken:
            raise ProviderError(problem_of(broken[0])) from group
        raise
    except Exception as error:
        if problem := _connection_problem(error):
            raise ProviderError(problem) from error
        raise


def problem_of(error: BaseException) -> str:
    """What went wrong, in one line that says how to mend it; of several errors the first."""
    error = next(_leaves(error)) if isinstance(error, BaseExceptionGroup) else error
    return _connection_problem(error) or str(error)


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


def _connection_problem(error: BaseException) -> str:
    """What is wrong with the server or the database; "" for an error of neither's."""
    import httpx
    from sqlalchemy.exc import SQLAlchemyError

    if isinstance(error, SQLAlchemyError):
        return f"DATABASE_URL: the database failed: {' '.join(str(error.args[0]).split())}"
    if isinstance(error, httpx.ConnectError):
        return "the server does not answer: start it with `make run` or `email-assistant serve`, or name it with --url"
    if isinstance(error, httpx.HTTPStatusError):
        return _http_problem(error)
    if isinstance(error, httpx.HTTPError):
        kind = type(error).__name__
        return f"the connection to the server broke ({kind}): is it an email_assistant server, and still running?"
    return ""


def _http_problem(error: "httpx.HTTPStatusError") -> str:
    if error.response.status_code in {401, 403}:
        return "the server refused the key: set EMAIL_ASSISTANT_API_TOKEN to the value the server was started with"
    text = f"{error.response.status_code} to {error.request.method} {error.request.url.path}"
    if error.response.is_server_error:
        return f"the server failed ({text}): its log says why, and `email-assistant doctor` checks its files"
    return f"the server answered {text}: is --url the address of an email_assistant server?"


def client_for(deps: "JournalDeps", url: str | None) -> "LangGraphClient":
    """A client of the server at `url` (see `UrlOption` for None), with the API token when one is set.

    Unlike the SDK's own it does not try for seconds to reach a server that is not there, and never sends a key that
    was meant for another server.
    """
    import httpx
    from langgraph_sdk.client import LangGraphClient

    from email_assistant.cli.server_note import known_url

    token = deps.settings.api_token
    return LangGraphClient(
        httpx.AsyncClient(
            base_url=url or known_url(deps.settings.data_path),
            headers={"x-api-key": token.get_secret_value()} if token else {},
            timeout=httpx.Timeout(RUN_SECONDS, connect=CONNECT_SECONDS),
            # The server closes an idle connection after the very seconds for which httpx would keep it: a request may meet its end.
            limits=httpx.Limits(max_keepalive_connections=0),
        )
    )


def visible(text: str) -> str:
    """`text` with every character that acts instead of being shown as `\\uXXXX`: controls, escapes, direction marks."""
    plain = text.replace("\r\n", "\n")
    return "".join(_shown(c) for c in plain) if not plain.isascii() or not plain.isprintable() else plain


def _shown(character: str) -> str:
    if character in _HARMLESS or unicodedata.category(character) not in _ACTIVE_CATEGORIES:
        return character
    return json.dumps(character)[1:-1] if character != "\x7f" else "\\u007f"


def say(text: str, style: str = "") -> None:
    """Print a text as it is; nothing in it can style or move the terminal."""
    out.print(Text(visible(text), style=style))


def line_of(error: EmailAssistantError | OSError) -> str:
    """What went wrong, in the one line that a command ends with."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())


def complain(text: str) -> None:
    """Print the one line on stderr that says why a command failed."""
    err.print(Text(f"email-assistant: {' '.join(visible(text).split())}"))


def print_json(value: object) -> None:
    """Machine-readable output; characters that act on a terminal are escaped, as JSON allows inside its strings."""
    speaks_unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(value, default=_as_json, indent=2, ensure_ascii=not speaks_unicode)
    sys.stdout.write("".join(c if c == "\n" else _escaped(c) for c in text) + "\n")


def print_list(
    found: Sequence[T],
    line: Callable[[T], str],
    nothing: str,
    *,
    as_json: bool,
    plain: Callable[[T], object] = asdict,  # type: ignore[assignment]
    limit: int | None = None,
    more: Callable[[T], str] = lambda last: "a higher --limit",
) -> None:
    """Print a line for each up to `limit`, or `nothing`; as JSON each as `plain` has it.

    `found` has one beyond the limit where there are more; `more` names what shows them, given the last that is listed.
    """
    listed = found[:limit]
    if as_json:
        print_json([plain(one) for one in listed])
        return
    for one in listed:
        say(line(one))
    if len(listed) < len(found):
        say(f"There are more: {more(listed[-1])} shows them.")
    if not found:
        say(nothing)


def print_rows(rows: Mapping[str, object]) -> None:
    """Print each value that is not empty behind its name."""
    width = max(map(len, rows))
    for name, value in rows.items():
        if value != "":
            say(f"{name.ljust(width)}  {value}")


def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1] if _shown(character) != character else character


def _as_json(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def count(number: int, noun: str, plural: str = "") -> str:
    """So many of something, in words."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def guessed(number: int) -> str:
    """So many labels that are guessed, in a sentence; "" for none."""
    told = f"{count(number, 'label')} {'is' if number == 1 else 'are'} guessed"
    return f" {told}: `email-assistant review` settles all with one answer." if number else ""


def tries(number: int) -> str:
    """So many tries, in words."""
    return count(number, "try", "tries")


def remind_of_person(deps: "JournalDeps") -> None:
    """Say on stderr that the user has not said who they are."""
    if missing := deps.settings.missing_person:
        complain(missing)


def shown(path: Path) -> str:
    """The path as a user would type it here."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


def read_file(path: Path, read: Callable[[BinaryIO, str], T]) -> T:
    """What `read` makes of the file and its name; raises `InputError` when there is none."""
    if not path.exists():
        raise InputError(f"{path}: no such file")
    if not path.is_file():
        raise InputError(f"{path}: not a file")
    with path.open("rb") as file:
        return read(file, str(path))
