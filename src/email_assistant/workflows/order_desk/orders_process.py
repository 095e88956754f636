"""`orders process`: the mails of a table, a file or a folder through the order desk, with the results as tables."""

import csv
import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from email_assistant.adapters.importer import read_source
from email_assistant.app import Container
from email_assistant.cli.console import JsonOption, complain, container, print_json, run_async, say
from email_assistant.errors import EmailAssistantError, InputError
from email_assistant.mail.email_input import to_email_input
from email_assistant.mail.message import Conversation
from email_assistant.mail.mime import parse_message
from email_assistant.workflows.order_desk.run_workflow import OrderWorkflow
from email_assistant.workflows.order_desk.services import OrderDeskServices

CLASSIFICATION, STATUS, ORDER, INQUIRY = (
    "email-classification.csv", "order-status.csv", "order-response.csv", "inquiry-response.csv",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

COLUMNS = ("email_id", "subject", "message")
MAX_FIELD = 1024 * 1024


def read_mails(path: Path) -> Iterator[dict[str, Any]]:
    """Each mail as `run_workflow` takes it; raises `InputError` naming the path, and the line and column where a table is wrong."""
    if path.suffix.lower() == ".csv":
        yield from _table(path)
        return
    for raw in read_source(path):
        yield _mail(raw)


def email_id_of(email: dict[str, Any]) -> str:
    """The id by which the results name it."""
    return str(email.get("email_id") or email.get("id") or "")


def _mail(raw: bytes) -> dict[str, Any]:
    unique = hashlib.sha256(raw.replace(b"\r\n", b"\n")).hexdigest()[:16]
    message = parse_message(raw, id=unique, mail_thread_id=unique)
    named = replace(message, id=message.message_id.strip("<>") or unique)
    return to_email_input(Conversation(named))


def _table(path: Path) -> Iterator[dict[str, Any]]:
    csv.field_size_limit(MAX_FIELD)
    try:
        with path.expanduser().open(encoding="utf-8-sig", newline="") as file:
            yield from _rows(csv.reader(file, strict=True), path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save the table as CSV UTF-8") from None


def _rows(reader: Any, path: Path) -> Iterator[dict[str, Any]]:
    seen: dict[str, int] = {}
    try:
        places = _places(next(reader, []), path)
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            email = {name: row[at] if at < len(row) else "" for name, at in places.items()}
            email_id = email["email_id"] = email["email_id"].strip()
            if not email_id:
                raise InputError(
                    f"{path}, line {reader.line_num}: email_id is empty; each mail needs an id of its own"
                )
            if email_id in seen:
                raise InputError(
                    f"{path}, line {reader.line_num}: email_id {email_id} stands in line {seen[email_id]}, too"
                )
            seen[email_id] = reader.line_num
            yield email
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}") from None


def _places(heading: list[str], path: Path) -> dict[str, int]:
    """Where each column stands; "Email ID" is email_id."""
    named = {"_".join(cell.lower().split()): at for at, cell in enumerate(heading)}
    if missing := [name for name in COLUMNS if name not in named]:
        raise InputError(f"{path}: the column {missing[0]} is missing; there must be {', '.join(COLUMNS)}")
    return {name: named[name] for name in (*COLUMNS, "sender") if name in named}


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
    await OrderDeskServices.of(built).catalogue_index.index()  # Without a catalogue nothing is begun.
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
