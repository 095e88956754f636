"""Mail that fails, told before anything else: each cause with its number, some of the mails, and how to mend it."""

from email_assistant.cli.console import say, tries
from email_assistant.errors import ProviderError
from email_assistant.journal.failing import Cause, Failing, with_mend


def tell_failing(failing: Failing) -> None:
    """Print what fails, by cause; nothing when nothing does."""
    if not failing.number:
        return
    say(f"{headline(failing)}:", "bold red")
    for cause in failing.causes:
        given_up = " (given up)" if cause.given_up else ""
        say(f"  {mails(cause.number)}{given_up}: {with_mend(cause.reason)}")
        for name in named(cause):
            say(f"    {name}")
    say(_what_next(failing))


def complain_of_everything(failing: Failing) -> None:
    """Raises `ProviderError` when nothing works, so that the command ends with exit code 1 and one line on stderr."""
    if failing.everything:
        raise ProviderError(f"{headline(failing)}: {with_mend(failing.causes[0].reason)}")


def headline(failing: Failing) -> str:
    """How many fail."""
    told = f"{mails(failing.number)} failed"
    return f"Nothing works at the moment, {told}" if failing.everything else told


def in_a_line(cause: Cause) -> str:
    """A cause with its mails, and whether they are tried again."""
    one = cause.number == 1
    what = cause.named[0] if one else f"{mails(cause.number)} ({'; '.join(named(cause))})"
    if cause.given_up:
        return f"given up: {what} after {tries(cause.attempts)}: {with_mend(cause.reason)}"
    so_far = f"by itself ({tries(cause.attempts)} so far)" if one else "by themselves"
    return f"failed: {what}, tried again {so_far}: {with_mend(cause.reason)}"


def named(cause: Cause) -> list[str]:
    """Some of the mails, and how many more there are."""
    more = cause.number - len(cause.named)
    return [*cause.named, *([f"and {more} more"] if more > 0 else [])]


def mails(number: int) -> str:
    """So many mails, in words."""
    return f"{number} {'mail' if number == 1 else 'mails'}"


def _what_next(failing: Failing) -> str:
    told = []
    if failing.number > failing.given_up:
        told.append("What failed is tried again by itself, and at once when the server starts anew.")
    if failing.given_up:
        told.append("When the cause is mended: `email-assistant dead-letters replay --all`.")
    return " ".join([*told, "`email-assistant doctor` asks each model a small question."])
