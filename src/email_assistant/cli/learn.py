"""`learn`: how you write, from the mail that you have sent."""

import asyncio
from typing import Annotated

import typer

from email_assistant.app import ingesting
from email_assistant.app.accounts import AccountDeps
from email_assistant.cli.console import RUN_SECONDS, UrlOption, account_deps, client_for, run_async, say
from email_assistant.cli.progress import shown_progress
from email_assistant.errors import TransientError
from email_assistant.journal.records import MailRecord, MailStatus
from email_assistant.models.offline.writing_style import letter_lines, people_line

PAUSE = 0.2
"""Seconds between two looks for the card."""


def learn(
    from_sent: Annotated[
        bool,
        typer.Option("--from-sent", help="Count greetings, closings, length, languages, hours and people."),
    ] = False,
    url: UrlOption = None,
) -> None:
    """Count how you write in the mail that you have sent, and propose it as a card.

    It is counted on this machine: no model is asked, and nothing leaves it. Nothing is learned before you accept the card.
    """
    if not from_sent:
        raise typer.BadParameter("say what to learn from: --from-sent")
    run_async(_from_sent(account_deps(), url))


async def _from_sent(deps: AccountDeps, url: str | None) -> None:
    client = client_for(deps, url)
    await client.assistants.search(limit=1)  # Before the reading, which takes long.
    own = ingesting.own_style(deps, client)
    with shown_progress("Reading your letters", quiet=False):
        letters = await own.letters()
        style = await own.style(letters)
    record = await own.propose(style, letters)
    for line in (*letter_lines(style), people_line(style)):
        say(line)
    status = await _status_of(deps, record)
    await deps.database.close()
    if status is not MailStatus.waiting_review:
        raise TransientError("There is no card of it: `email-assistant status` says why.")
    say(
        f"Counted in {style.letters} letters. A card with this waits for you: nothing is learned before you accept it."
    )


async def _status_of(deps: AccountDeps, record: MailRecord) -> MailStatus:
    """How it stands as soon as its run rests."""
    for _ in range(round(RUN_SECONDS / PAUSE)):
        found = await deps.mail_log.get(record.mailbox, record.message_id, record.graph)
        if found and found.status not in {MailStatus.claimed, MailStatus.processing}:
            return found.status
        await asyncio.sleep(PAUSE)
    return MailStatus.processing
