"""Every command by name, told without importing it: starting up is quick because only what is called is loaded."""

from dataclasses import dataclass

CLI = "email_assistant.cli"


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command, or a family of commands, of `email-assistant`."""

    name: str
    target: str
    """Where it is, as `module:attribute`: a function, or with `is_group` a `typer.Typer`. Imported when it is called."""
    help: str
    """Its line in `email-assistant --help`."""
    is_group: bool = False


COMMANDS: tuple[CommandEntry, ...] = (
    CommandEntry(
        "run", f"{CLI}.serving:run", "Start the server, take in mail, show what waits; with samples at first."
    ),
    CommandEntry("serve", f"{CLI}.serving:serve", "Start the server only."),
    CommandEntry("ingest", f"{CLI}.ingest:ingest", "Bring mail in, from the mailbox or from files."),
    CommandEntry("review", f"{CLI}.review:review", "Answer the cards that wait."),
    CommandEntry("status", f"{CLI}.status:status", "Last processed, waiting, failed, cost."),
    CommandEntry(
        "report", f"{CLI}.report:report", "One page: who sorted the mail, its status, cost, failures."
    ),
    CommandEntry("doctor", f"{CLI}.doctor:doctor", "Check every setting and how to mend it."),
    CommandEntry("organize", f"{CLI}.organize:app", "Sort the inbox: a label for each mail.", is_group=True),
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
    CommandEntry("catalog", f"{CLI}.catalog:app", "What the shop sells: import, show.", is_group=True),
    CommandEntry("orders", f"{CLI}.orders:app", "What was taken for orders: list, show.", is_group=True),
    CommandEntry(
        "customers",
        f"{CLI}.customers:app",
        "Customers and their policies: import, list, show.",
        is_group=True,
    ),
    CommandEntry(
        "eval", f"{CLI}.evaluate:app", "The scorecard: how good, how safe, how costly.", is_group=True
    ),
    CommandEntry("tickets", f"{CLI}.tickets:app", "Tickets of claims: list, show, close.", is_group=True),
    CommandEntry("incidents", f"{CLI}.incidents:app", "What was decided on claims: list.", is_group=True),
    CommandEntry("refunds", f"{CLI}.refunds:app", "What was paid back, or is to be: list.", is_group=True),
    CommandEntry(
        "knowledge", f"{CLI}.knowledge:app", "What past mail can tell: index, search, forget.", is_group=True
    ),
    CommandEntry("mailings", f"{CLI}.mailings:app", "Newsletters: left, asked, failed, kept.", is_group=True),
    CommandEntry(
        "hints", f"{CLI}.hints:app", "What you taught about categories: list, forget.", is_group=True
    ),
    CommandEntry(
        "dead-letters",
        f"{CLI}.dead_letters:app",
        "Messages that were given up: list, show, replay.",
        is_group=True,
    ),
    CommandEntry("journal", f"{CLI}.journal:app", "What happened in the runs.", is_group=True),
)
