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
from email_assistant.journal.dead_letters import DeadLetters
from email_assistant.journal.failing import Cause, Failing, mail_name, with_mend
from email_assistant.journal.records import DeadLetter, MailRecord

ALL = 10_000

app = typer.Typer(help="The messages that were given up: list, show, replay.", no_args_is_help=True)
MessageArgument = Annotated[
    str, typer.Argument(metavar="MESSAGE_ID", help="Its id from `dead-letters list`.")
]


@app.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List the messages that were given up, oldest first: a run is tried three times, a wrong input once."""
    letters = run_async(_named(container()))
    print_list(
        letters,
        _line,
        "There are no dead letters.",
        as_json=as_json,
        plain=lambda each: asdict(each[0]) | {"mail": each[1]},
    )
    if letters and not as_json:
        say("When the reason is mended: `email-assistant dead-letters replay MESSAGE_ID`, or `replay --all`.")


@app.command()
def show(message_id: MessageArgument, as_json: JsonOption = False) -> None:
    """Show what the mail was and why it was given up."""
    found = run_async(_found(container(), message_id))
    if as_json:
        print_json([asdict(letter) | {"email_input": record.email_input} for letter, record in found])
        return
    for letter, record in found:
        mail = record.email_input or {}
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


def _line(named: tuple[DeadLetter, str]) -> str:
    letter, name = named
    when = f"{letter.created_at:%Y-%m-%d %H:%M} UTC"
    told = f"{name}  {letter.graph}  {when}  {tries(letter.attempts)}: {letter.reason}"
    return f"{told}\n    MESSAGE_ID {letter.message_id}"


def _dead_letters(built: Container) -> DeadLetters:
    return DeadLetters(built.database, built.clock)


async def _letters(built: Container) -> list[DeadLetter]:
    return await _dead_letters(built).waiting(limit=ALL)


async def _named(built: Container) -> list[tuple[DeadLetter, str]]:
    """With each the mail's sender and subject."""
    letters = await _letters(built)
    records = [await built.mail_log.get(each.mailbox, each.message_id, each.graph) for each in letters]
    return [
        (letter, mail_name(record.email_input if record else None))
        for letter, record in zip(letters, records, strict=True)
    ]


async def _found(built: Container, message_id: str) -> list[tuple[DeadLetter, MailRecord]]:
    letters = [letter for letter in await _letters(built) if letter.message_id == message_id]
    if not letters:
        raise InputError(
            f"no dead letter has the id {message_id!r}; `email-assistant dead-letters list` lists them"
        )
    records = [await built.mail_log.get(each.mailbox, each.message_id, each.graph) for each in letters]
    return [(letter, record) for letter, record in zip(letters, records, strict=True) if record]


async def _replay(built: Container, message_id: str | None, url: str | None) -> tuple[int, bool]:
    from email_assistant.app.replaying import (
        replay_all,  # Slow to import; whoever tells what fails does without.
    )

    wanted = [message_id] if message_id else [letter.message_id for letter in await _letters(built)]
    found = [each for one in dict.fromkeys(wanted) for each in await _found(built, one)]
    return len(found), await replay_all(built, client_for(built, url), found)


def tell_failing(failing: Failing) -> None:
    """Print what fails, by cause; nothing when nothing does."""
    if not failing.number:
        return
    say(f"{headline(failing)}:", "bold red")
    for cause in failing.causes:
        given_up = " (given up)" if cause.given_up else ""
        say(f"  {count(cause.number, 'mail')}{given_up}: {with_mend(cause.reason)}")
        for name in named(cause):
            say(f"    {name}")
    say(_what_next(failing))


def complain_of_everything(failing: Failing) -> None:
    """Raises `ProviderError` when nothing works, so that the command ends with exit code 1 and one line on stderr."""
    if failing.everything:
        raise ProviderError(f"{headline(failing)}: {with_mend(failing.causes[0].reason)}")


def headline(failing: Failing) -> str:
    """How many fail."""
    told = f"{count(failing.number, 'mail')} failed"
    return f"Nothing works at the moment, {told}" if failing.everything else told


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


def _what_next(failing: Failing) -> str:
    told = []
    if failing.number > failing.given_up:
        told.append("What failed is tried again by itself, and at once when the server starts anew.")
    if failing.given_up:
        told.append("When the cause is mended: `email-assistant dead-letters replay --all`.")
    return " ".join([*told, "`email-assistant doctor` asks each model a small question."])
