"""Mails for the order desk: from a table, or from a mailbox in a file or folder."""

import csv
import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from email_assistant.adapters.importer import read_source
from email_assistant.errors import InputError
from email_assistant.mail.email_input import to_email_input
from email_assistant.mail.message import Conversation
from email_assistant.mail.mime import parse_message

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
