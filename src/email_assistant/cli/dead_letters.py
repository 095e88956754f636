"""Mail that fails, told before anything else by its cause; and `dead-letters`, the messages that were given up."""

from dataclasses import asdict
from typing import Annotated

import typer

from email_assistant.app import Container
from email_assistant.cli.console import (
    JsonOption,
    UrlOption,
    client_for,
    container,
    count,
    print_json,
    print_list,
    print_rows,
    run_async,
    say,
    tries,
)
from email_assistant.errors import InputError, ProviderError
from email_assistant.journal.attention import Cause, Failing, mail_name, with_mend
from email_assistant.journal.records import DeadLetter, MailRecord

ALL = 10_000
_GivenUp = tuple[DeadLetter, MailRecord | None]
"""A message with what is on record of its mail."""

app = typer.Typer(help="The messages that were given up: list, show, replay.", no_args_is_help=True)
MessageArgument = Annotated[
    str, typer.Argument(metavar="MESSAGE_ID", help="Its id from `dead-letters list`.")
]


@app.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List the messages that were given up, oldest first: a run is tried three times, a wrong input once."""
    letters = run_async(_given_up(container()))
    print_list(
        letters,
        _line,
        "There are no dead letters.",
        as_json=as_json,
        plain=lambda each: asdict(each[0]) | {"mail": _mail_of(each)},
    )
    if letters and not as_json:
        say("When the reason is mended: `email-assistant dead-letters replay MESSAGE_ID`, or `replay --all`.")


@app.command()
def show(message_id: MessageArgument, as_json: JsonOption = False) -> None:
    """Show what the mail was and why it was given up."""
    found = run_async(_given_up(container(), message_id))
    mails = [(letter, record.email_input) for letter, record in found if record]
    if as_json:
        print_json([asdict(letter) | {"email_input": mail} for letter, mail in mails])
        return
    for letter, email_input in mails:
        mail = email_input or {}
        print_rows({
            "message": letter.message_id,
            "graph": letter.graph,
            "from": mail.get("from", "unknown"),
            "subject": mail.get("subject", "unknown"),
            "given up": f"{letter.created_at:%Y-%m-%d %H:%M} UTC after {tries(letter.attempts)}",
            "reason": letter.reason,
        })  # fmt: skip


@app.command()
def replay(
    message_id: Annotated[str | None, typer.Argument(metavar="MESSAGE_ID", help="Its id.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every dead letter.")] = False,
    url: UrlOption = None,
) -> None:
    """Try a message anew, or with --all every one; a server that is not running does it when it starts."""
    if (message_id is None) is not everything:
        raise typer.BadParameter("name one message, or say --all")
    number, running = run_async(_replay(container(), message_id, url))
    when = "" if running else " as soon as the server runs"
    say(f"{number} {'message is' if number == 1 else 'messages are'} tried again{when}.")


def _mail_of(given_up: _GivenUp) -> str:
    record = given_up[1]
    return mail_name(record.email_input if record else None)


def _line(given_up: _GivenUp) -> str:
    letter, when = given_up[0], f"{given_up[0].created_at:%Y-%m-%d %H:%M} UTC"
    line = f"{_mail_of(given_up)}  {letter.graph}  {when}  {tries(letter.attempts)}: {letter.reason}"
    return f"{line}\n    MESSAGE_ID {letter.message_id}"


async def _given_up(built: Container, message_id: str | None = None) -> list[_GivenUp]:
    """The messages of that id, or all; raises `InputError` when none has the id."""
    letters = await built.mail_log.dead_letters(limit=ALL)
    found = [each for each in letters if message_id in {None, each.message_id}]
    if message_id is not None and not found:
        raise InputError(
            f"no dead letter has the id {message_id!r}; `email-assistant dead-letters list` lists them"
        )
    return [(each, await built.mail_log.get(each.mailbox, each.message_id, each.graph)) for each in found]


async def _replay(built: Container, message_id: str | None, url: str | None) -> tuple[int, bool]:
    found = [(letter, record) for letter, record in await _given_up(built, message_id) if record]
    return len(found), await built.replay_all(client_for(built, url), found)


def tell_failing(failures: Failing) -> None:
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
        sentences.append("When the cause is mended: `email-assistant dead-letters replay --all`.")
    return " ".join([*sentences, "`email-assistant doctor` asks each model a small question."])
