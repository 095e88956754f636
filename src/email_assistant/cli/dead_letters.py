"""`dead-letters`: the messages that were given up."""

from dataclasses import asdict
from typing import Annotated

import typer

from email_assistant.app import Container
from email_assistant.app.replaying import replay_all
from email_assistant.cli.console import (
    JsonOption,
    UrlOption,
    client_for,
    container,
    print_json,
    run_async,
    say,
    tries,
)
from email_assistant.errors import InputError
from email_assistant.journal.dead_letters import DeadLetters
from email_assistant.journal.failing import mail_name
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
    if as_json:
        print_json([asdict(letter) | {"mail": name} for letter, name in letters])
        return
    for letter, name in letters:
        when = f"{letter.created_at:%Y-%m-%d %H:%M} UTC"
        say(f"{name}  {letter.graph}  {when}  {tries(letter.attempts)}: {letter.reason}")
        say(f"    MESSAGE_ID {letter.message_id}")
    if letters:
        say("When the reason is mended: `email-assistant dead-letters replay MESSAGE_ID`, or `replay --all`.")
    else:
        say("There are no dead letters.")


@app.command()
def show(message_id: MessageArgument, as_json: JsonOption = False) -> None:
    """Show what the mail was and why it was given up."""
    found = run_async(_found(container(), message_id))
    if as_json:
        print_json([asdict(letter) | {"email_input": record.email_input} for letter, record in found])
        return
    for letter, record in found:
        mail = record.email_input or {}
        rows = {
            "message": letter.message_id,
            "graph": letter.graph,
            "from": mail.get("from", "unknown"),
            "subject": mail.get("subject", "unknown"),
            "given up": f"{letter.created_at:%Y-%m-%d %H:%M} UTC after {tries(letter.attempts)}",
            "reason": letter.reason,
        }
        for name, value in rows.items():
            say(f"{name.ljust(9)}{value}")


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
    wanted = [message_id] if message_id else [letter.message_id for letter in await _letters(built)]
    found = [each for one in dict.fromkeys(wanted) for each in await _found(built, one)]
    return len(found), await replay_all(built, client_for(built, url), found)
