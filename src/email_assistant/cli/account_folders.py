"""Which folders sent mail and drafts are in, asked where neither the server nor a usual name tells."""

import typer

from email_assistant.adapters.account_check import folders_of
from email_assistant.adapters.smtp import Secret
from email_assistant.cli.console import run_async, say
from email_assistant.mail_accounts import Account


def with_folders(account: Account, secret: Secret) -> Account:
    """The account with the folders that its user names; nothing is asked where they are known, or where there are none to choose from.

    What the user wants made is made when the mailbox is used. Raises as `sign_in`.
    """
    folders, server, named = run_async(folders_of(account, secret)), account.imap, dict[str, str]()
    if folders is None or server is None:
        return account
    for role, made, held in (("sent", "Sent", "sent mail is"), ("drafts", "Drafts", "drafts are")):
        choices = ["", *sorted(each for each in folders.others if each not in named.values())]
        if folders.named(role) or not choices[1:]:
            continue
        say(f"Nothing tells which folder {held} in.")
        for number, name in enumerate(choices):
            say(f"{number} {name or f'make a folder {made}'}")
        answer = -1
        while answer not in range(len(choices)):
            answer = typer.prompt(f"{made} is", default=0, type=int)
        named[role] = choices[answer]
    return account.model_copy(update={"imap": server.model_copy(update=named)})
