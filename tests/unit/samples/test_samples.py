"""The samples are what they are said to be."""

import email
import json
import re
from email import policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path(__file__).parents[3] / "samples"
FILES = sorted((SAMPLES / "mailbox").iterdir())
TOOLS = {"check_calendar", "schedule_meeting", "send_email"}
RESERVED = re.compile(r"(?:[a-z0-9-]+\.)*(?:example\.(?:com|org|net)|[a-z0-9-]+\.(?:example|test))")
DOMAIN = re.compile(r"(?:@|https?://)([A-Za-z0-9.-]+)")


def parse(path: Path) -> EmailMessage:
    """The message as the standard library reads it."""
    return email.message_from_bytes(path.read_bytes(), policy=policy.default)


def table() -> dict[str, dict[str, Any]]:
    """What is expected of each sample."""
    expected: dict[str, dict[str, Any]] = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))
    return expected


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_message_parses(path: Path) -> None:
    """Each has a sender, Robin among the recipients unless Robin wrote it, an id, and a Date with a zone in that week."""
    message = parse(path)
    people = f"{message['From']} {message['To']} {message['Cc'] or ''}"
    assert "robin@vale.example" in people or message["List-Id"]
    assert re.fullmatch(r"<[^<>\s]+@[^<>\s]+>", str(message["Message-ID"]))
    date = parsedate_to_datetime(str(message["Date"]))
    assert date.tzinfo is not None
    assert (date.year, date.month) == (2026, 11)
    assert 16 <= date.day <= 20


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_only_reserved_domains(path: Path) -> None:
    """Every domain in headers and bodies is one reserved for examples (RFC 2606)."""
    message = parse(path)
    texts = [str(value) for value in message.values()]
    for part in message.walk():
        if not part.is_multipart():
            texts.append(part.get_payload(decode=True).decode(part.get_content_charset("utf-8"), "replace"))
    found = {domain.rstrip(".").lower() for text in texts for domain in DOMAIN.findall(text)}
    assert not {domain for domain in found if not RESERVED.fullmatch(domain)}


def test_ids_are_unique_and_threads_are_whole() -> None:
    """No Message-ID occurs twice, and the kitchen conversation is one chain of four."""
    ids = [str(parse(path)["Message-ID"]) for path in FILES]
    assert len(set(ids)) == len(ids)
    kitchen = [parse(path) for path in FILES if "kitchen" in path.name]
    assert len(kitchen) == 4
    for before, after in pairwise(kitchen):
        assert str(after["In-Reply-To"]) == str(before["Message-ID"])
        assert str(after["References"]).split()[0] == str(kitchen[0]["Message-ID"])


def test_every_file_has_an_expectation() -> None:
    """The table names every file once, with a reason, and tools for replies alone."""
    assert sorted(table()) == [path.name for path in FILES]
    for name, row in table().items():
        assert row["triage"] in {"respond", "notify", "ignore"}, name
        assert row["why"].endswith("."), name
        assert ("tools" in row) == (row["triage"] == "respond"), name
        assert set(row.get("tools", [])) <= TOOLS, name
