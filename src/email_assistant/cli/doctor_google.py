"""`doctor`'s look at a Google account: one cheap call to each service in use, and what Google says where it refuses.

Nothing is written, and no call is repeated.
"""

from collections.abc import Awaitable, Callable

from email_assistant.adapters.google.account import onlooker, read_address, read_calendar
from email_assistant.app import Container
from email_assistant.cli.account_settings import EMAIL
from email_assistant.cli.doctor import READ_ON, Finding
from email_assistant.errors import EmailAssistantError

SIGN_IN = "run `email-assistant gmail auth`"


async def google_findings(built: Container) -> list[Finding]:
    """A finding for each service in use; one for the token when there is none."""
    settings, tokens = built.settings, built.google_tokens
    try:
        api = onlooker(tokens, tokens.load(), built.clock)
    except EmailAssistantError as error:
        return [_refused("google token", error)]

    async def calendar_address() -> str:
        return (await read_calendar(api)).address

    found = []
    if settings.mailbox == "gmail":
        found.append(await _service(built, "gmail", lambda: read_address(api)))
    if settings.calendar == "google":
        found.append(await _service(built, "google calendar", calendar_address))
    return found


async def _service(built: Container, name: str, address: Callable[[], Awaitable[str]]) -> Finding:
    try:
        told = await address()
    except EmailAssistantError as error:
        return _refused(name, error)
    mine = built.settings.email
    if told and told.lower() != mine.lower():
        text = f"the account is {told}, and {EMAIL} is {mine or 'not set'}"
        return Finding(name, False, text, f"set {EMAIL} to {told}, or {SIGN_IN} and choose the other account")
    return Finding(name, True, f"it answers{f', for {told}' if told else ''}")


def _refused(name: str, error: EmailAssistantError) -> Finding:
    """What went wrong; most errors say after a colon how they are mended."""
    what, _, mend = " ".join(str(error).split()).partition(": ")
    return Finding(name, False, what, mend or READ_ON)
