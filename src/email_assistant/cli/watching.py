"""`ingest --watch`: look again and again."""

import asyncio

import httpx
from langgraph_sdk.client import LangGraphClient

from email_assistant.app import Container
from email_assistant.cli.console import complain, problem_of, say
from email_assistant.cli.failing import tell_failing
from email_assistant.cli.looking import journaled_look, told
from email_assistant.errors import AccessError, ConfigError, EmailAssistantError, InputError
from email_assistant.ingest.look import Look
from email_assistant.journal.failing import failing_since


async def watch_inbox(
    built: Container, client: LangGraphClient, look: Look, graph: str | None, seconds: int
) -> None:
    """Look into the mailbox every so many seconds until interrupted; a look that fails is said and tried again.

    What only a person can mend ends the watch: a wrong setting, or an account that does not let us in.
    """
    say(f"Watching for new mail every {seconds} seconds; Ctrl-C ends it.")
    while True:
        await asyncio.sleep(seconds)
        began = built.clock.now()
        try:
            tally = await journaled_look(built, client, look, graph)
        except* (ConfigError, AccessError, InputError):
            raise
        except* (EmailAssistantError, httpx.HTTPError) as group:
            complain(f"{problem_of(group)}; trying again in {seconds} seconds")
        else:
            tell_failing(await failing_since(built.database, began))
            if tally.new:
                say(told(tally))
