"""Every command by name, told without importing it: starting up is quick because only what is called is loaded."""

from email_assistant.workflows.registry import CommandEntry, workflows

CLI = "email_assistant.cli"

CORE: tuple[CommandEntry, ...] = (
    CommandEntry(
        "run", f"{CLI}.serving:run", "Start the server, take in mail, show what waits; with samples at first."
    ),
    CommandEntry("serve", f"{CLI}.serving:serve", "Start the server only."),
    CommandEntry("ingest", f"{CLI}.ingest:ingest", "Bring mail in, from the mailbox or from files."),
    CommandEntry("review", f"{CLI}.review:review", "Answer the cards that wait."),
    CommandEntry("status", f"{CLI}.status:status", "Last processed, waiting, failed, cost."),
    CommandEntry("doctor", f"{CLI}.doctor:doctor", "Check every setting and how to mend it."),
    CommandEntry(
        "cron", f"{CLI}.cron:app", "Look for mail on a schedule: install, list, remove.", is_group=True
    ),
    CommandEntry("gmail", f"{CLI}.gmail:app", "Sign in to Google; have new mail announced.", is_group=True),
    CommandEntry(
        "memory", f"{CLI}.memory:app", "What it has learned: show, history, edit, restore.", is_group=True
    ),
    CommandEntry(
        "contacts",
        f"{CLI}.contacts:app",
        "People and their details: import, list, show, set, remove.",
        is_group=True,
    ),
    CommandEntry(
        "eval", f"{CLI}.evaluate:app", "The scorecard: how good, how safe, how costly.", is_group=True
    ),
    CommandEntry(
        "knowledge", f"{CLI}.knowledge:app", "What past mail can tell: index, search, forget.", is_group=True
    ),
    CommandEntry(
        "dead-letters",
        f"{CLI}.dead_letters:app",
        "Messages that were given up: list, show, replay.",
        is_group=True,
    ),
    CommandEntry("journal", f"{CLI}.journal:app", "What happened in the runs.", is_group=True),
)
COMMANDS: tuple[CommandEntry, ...] = (*CORE, *(entry for each in workflows() for entry in each.commands))
"""The core's, then each workflow's."""
