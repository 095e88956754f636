"""`orders process`: a whole file of mails through the order desk, with the results as tables."""

import csv
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from email_assistant.app import Container
from email_assistant.cli.console import JsonOption, complain, container, print_json, run_async, say
from email_assistant.errors import EmailAssistantError, InputError
from email_assistant.workflows.order_desk.commands.order_mails import email_id_of, read_mails
from email_assistant.workflows.order_desk.run_workflow import OrderWorkflow
from email_assistant.workflows.order_desk.services import OrderDeskServices

CLASSIFICATION, STATUS, ORDER, INQUIRY = (
    "email-classification.csv", "order-status.csv", "order-response.csv", "inquiry-response.csv",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass
class Results:
    """The rows of the four tables."""

    classification: list[Sequence[object]] = field(default_factory=list)
    status: list[Sequence[object]] = field(default_factory=list)
    order: list[Sequence[object]] = field(default_factory=list)
    inquiry: list[Sequence[object]] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    """Email id and what went wrong, of agents and of whole mails."""

    def add(self, email_id: str, state: dict[str, Any]) -> None:
        """One mail."""
        intent = (state["classifier"] or {}).get("primary_intent", "")
        self.classification.append((email_id, intent))
        for line in (state["fulfiller"] or {}).get("lines", []):
            self.status.append(
                (
                    email_id,
                    line["product_id"],
                    line["quantity"],
                    line["fulfilled"],
                    line["status"],
                    line["total"],
                )
            )
        responses = self.order if intent == "order request" else self.inquiry
        responses.append((email_id, state["final_response"]))
        self.failed += [(email_id, f"the {agent} failed: {told}") for agent, told in state["errors"].items()]

    def write(self, folder: Path) -> None:
        """Four tables; raises `InputError` when the folder cannot be written."""
        try:
            _write(folder / CLASSIFICATION, ("email_id", "category"), self.classification)
            columns = ("email_id", "product_id", "quantity", "fulfilled", "status", "total")
            _write(folder / STATUS, columns, self.status)
            _write(folder / ORDER, ("email_id", "response"), self.order)
            _write(folder / INQUIRY, ("email_id", "response"), self.inquiry)
        except OSError as error:
            raise InputError(f"--out {folder}: {error.strerror or error}") from None


def process(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A CSV of mails (email_id, subject, message), an mbox, an .eml, or a folder."
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="Folder for the four tables; files of their names are replaced.")
    ] = Path(),
    as_json: JsonOption = False,
) -> None:
    """Read each mail, take what it orders from the stock, and write classification, orders and replies as tables.

    Nothing is sent. What a mail orders is taken once, however often the file is processed.
    """
    built = container()
    mails = list(read_mails(source))
    _check_folder(out)
    results = run_async(_processed(built, mails, quiet=as_json))
    results.write(out)
    intents = Counter(str(row[1]) for row in results.classification)
    statuses = Counter(str(row[4]) for row in results.status)
    if as_json:
        print_json(
            {
                "mails": len(mails),
                "categories": intents,
                "lines": statuses,
                "failed": [list(f) for f in results.failed],
            }
        )
    else:
        _tell(built, out, len(mails), intents, statuses)
        for email_id, told in results.failed:
            complain(f"{email_id}: {told}")
    if results.failed:
        raise typer.Exit(1)


def _check_folder(folder: Path) -> None:
    """Before anything is taken from the stock: the folder can be written. Raises `InputError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(f"--out {folder}: {error.strerror or error}") from None


async def _processed(built: Container, mails: Iterable[dict[str, Any]], *, quiet: bool) -> Results:
    workflow, results = OrderWorkflow(built), Results()
    await OrderDeskServices.of(built).shelf.index()  # Without a catalogue nothing is begun.
    for email in mails:
        email_id = email_id_of(email)
        try:
            results.add(email_id, await workflow.run(email))
        except EmailAssistantError as error:
            results.failed.append((email_id, str(error)))
        if not quiet:
            say(f"{email_id} done")
    return results


def _tell(built: Container, out: Path, mails: int, intents: Counter[str], statuses: Counter[str]) -> None:
    say(f"{mails} mails: {_counts(intents)}. Order lines: {_counts(statuses)}.")
    if built.models.is_offline("strong"):
        say("Read and answered by offline rules, which stand in for a language model.")
    if built.settings.order_approval and statuses:
        say(
            "The stock is held: `email-assistant orders confirm --all` sells it, `orders release --all` gives it back."
        )
    say(f"Tables: {', '.join(str(out / name) for name in (CLASSIFICATION, STATUS, ORDER, INQUIRY))}")


def _counts(counted: Counter[str]) -> str:
    return ", ".join(f"{number} {name or 'not read'}" for name, number in sorted(counted.items())) or "none"


def _write(path: Path, heading: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(heading)
        writer.writerows([_cell(value) for value in row] for row in rows)


def _cell(value: object) -> object:
    """As text that no spreadsheet takes for a formula: ids come from strangers."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
