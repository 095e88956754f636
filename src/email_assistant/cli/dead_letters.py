"""Mail that fails, told before anything else by its cause; and `dead-letters`, the messages that were given up."""

from typing import Annotated

import typer

from email_assistant.app.accounts import AccountDeps
from email_assistant.app.journal import JournalDeps
from email_assistant.cli.console import (
    JsonOption,
    UrlOption,
    account_deps,
    client_for,
    count,
    journal_deps,
    print_list,
    run_async,
    say,
    tries,
)
from email_assistant.errors import InputError, ProviderError
from email_assistant.journal.attention import Cause, Failing, mail_name, with_mend
from email_assistant.journal.records import MailRecord, MailStatus

ALL = 10_000

app = typer.Typer(help="The messages that were given up: list, replay.", no_args_is_help=True)


@app.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List the messages that were given up, oldest first: a run is tried three times, a wrong input once."""
    records = run_async(_given_up(journal_deps()))
    print_list(records, _line, "There are no dead letters.", as_json=as_json, plain=_plain)
    if records and not as_json:
        say(
            "When the reason is mended: `email-assistant dead-letters replay`, or `replay MESSAGE_ID` for one."
        )


@app.command()
def replay(
    message_id: Annotated[
        str | None,
        typer.Argument(metavar="MESSAGE_ID", help="Its id from `dead-letters list`; every one without."),
    ] = None,
    url: UrlOption = None,
) -> None:
    """Try what was given up anew, one message or all; a server that is not running does it when it starts."""
    number, running = run_async(_replay(account_deps(), message_id, url))
    when = "" if running else " as soon as the server runs"
    say(f"{number} {'message is' if number == 1 else 'messages are'} tried again{when}.")


def _plain(record: MailRecord) -> dict[str, object]:
    return {
        "message_id": record.message_id,
        "graph": record.graph,
        "mail": mail_name(record.email_input),
        "given_up_at": record.updated_at,
        "attempts": record.attempts,
        "reason": record.reason,
    }


def _line(record: MailRecord) -> str:
    when = f"{record.updated_at:%Y-%m-%d %H:%M} UTC"
    line = (
        f"{mail_name(record.email_input)}  {record.graph}  {when}  {tries(record.attempts)}: {record.reason}"
    )
    return f"{line}\n    MESSAGE_ID {record.message_id}"


async def _given_up(deps: JournalDeps, message_id: str | None = None) -> list[MailRecord]:
    """The messages of that id, or all; raises `InputError` when none has the id."""
    records = await deps.mail_log.with_status(MailStatus.dead_letter, limit=ALL)
    found = [each for each in records if message_id in {None, each.message_id}]
    if message_id is not None and not found:
        raise InputError(
            f"no dead letter has the id {message_id!r}; `email-assistant dead-letters list` lists them"
        )
    return found


async def _replay(deps: AccountDeps, message_id: str | None, url: str | None) -> tuple[int, bool]:
    from email_assistant.app.ingesting import replay_all  # Slow to import; whoever only lists does without.

    records = await _given_up(deps, message_id)
    return len(records), await replay_all(deps, client_for(deps, url), records)


def print_failing(failures: Failing) -> None:
    """Print what fails, by cause; nothing when nothing does."""
    if not failures.number:
        return
    say(f"{headline(failures)}:", "bold red")
    for cause in failures.causes:
        given_up = " (given up)" if cause.given_up else ""
        say(f"  {count(cause.number, 'mail')}{given_up}: {with_mend(cause.reason)}")
        for name in named(cause):
            say(f"    {name}")
    say(_what_next(failures))


def complain_of_everything(failures: Failing) -> None:
    """Raises `ProviderError` when nothing works, so that the command ends with exit code 1 and one line on stderr."""
    if failures.everything:
        raise ProviderError(f"{headline(failures)}: {with_mend(failures.causes[0].reason)}")


def headline(failures: Failing) -> str:
    """How many fail."""
    failed = f"{count(failures.number, 'mail')} failed"
    return f"Nothing works at the moment, {failed}" if failures.everything else failed


def in_a_line(cause: Cause) -> str:
    """A cause with its mails, and whether they are tried again."""
    one = cause.number == 1
    what = cause.named[0] if one else f"{count(cause.number, 'mail')} ({'; '.join(named(cause))})"
    if cause.given_up:
        return f"given up: {what} after {tries(cause.attempts)}: {with_mend(cause.reason)}"
    so_far = f"by itself ({tries(cause.attempts)} so far)" if one else "by themselves"
    return f"failed: {what}, tried again {so_far}: {with_mend(cause.reason)}"


def named(cause: Cause) -> list[str]:
    """Some of the mails, and how many more there are."""
    more = cause.number - len(cause.named)
    return [*cause.named, *([f"and {more} more"] if more > 0 else [])]


def _what_next(failures: Failing) -> str:
    sentences = []
    if failures.number > failures.given_up:
        sentences.append("What failed is tried again by itself, and at once when the server starts anew.")
    if failures.given_up:
        sentences.append("When the cause is mended: `email-assistant dead-letters replay`.")
    return " ".join([*sentences, "`email-assistant doctor` asks each model a small question."])
