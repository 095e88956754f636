"""Reading what a stranger wrote costs time that grows with its length, and not with its square."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from email_assistant.errors import InputError
from email_assistant.facts.check import check
from email_assistant.facts.fact import Source
from email_assistant.facts.promises import granted, promises
from email_assistant.knowledge.similarity import vector_of
from email_assistant.language.measures import amounts
from email_assistant.mail.address import Address, parse_addresses
from email_assistant.mail.authenticity import by_form, sender_warnings
from email_assistant.mail.conversation import delivery_report
from email_assistant.mail.html import visible_text
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.mime import parse_message
from email_assistant.mail.text import clean, split_reply
from email_assistant.models.offline.triage import lure
from email_assistant.workflows.claims_desk.documents.document import UnreadableError
from email_assistant.workflows.claims_desk.documents.reading import read_document
from email_assistant.workflows.inbox_organizer.notes import escaped, plain
from email_assistant.workflows.inbox_organizer.offline.categories import by_headers, categorize
from email_assistant.workflows.inbox_organizer.offline.category import CATEGORIES
from email_assistant.workflows.inbox_organizer.unsubscribing.list_headers import (
    list_key,
    list_name,
    unsubscribe_of,
)
from email_assistant.workflows.inbox_organizer.unsubscribing.uris import mail_address
from email_assistant.workflows.order_desk.shop.order import settle_order
from email_assistant.workflows.order_desk.shop.promotion import read_promotion
from email_assistant.workflows.order_desk.shop.quantity import read_quantity
from tests.support.growth import growth, is_linear
from tests.unit.offline.building import OWN, ROBIN
from tests.unit.organizer.test_importance import weigh
from tests.unit.shop.test_resolution import SHOP, ProductMention
from tests.unit.shop.test_totals import product

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)


def facts(text: str) -> object:
    """Both as the draft and as what supports it."""
    return check(text, (Source("records", text, "ours"),), now=NOW, timezone="Europe/Berlin")


def commitments(text: str) -> object:
    """Those that a draft makes, and those that a source grants."""
    return list(promises(text)), granted(text)


def letter(text: str, **headers: str) -> Message:
    """A message that has the text in its sender's name, in its subject and as its body."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Message("m", "t", Address("a@example.com", text), text, text, to=(ROBIN,), headers=named)


def filled_in(text: str) -> object:
    """As what stands in a form of a web site, and as what could be a lure."""
    mail = Message("m", "t", Address("noreply@example.com", "DHL"), "", text)
    return by_form(mail), lure(mail)


def report(text: str) -> object:
    """As the text of a mail system's mail."""
    return delivery_report(Message("m", "t", Address("mailer-daemon@example.com"), "", text))


def in_headers(text: str) -> object:
    """In each header that tells of lists and of who the sender is."""
    headers = dict.fromkeys(("list_unsubscribe", "list_id", "authentication_results", "received_spf"), text)
    mail = letter(text, list_unsubscribe_post="List-Unsubscribe=One-Click", **headers)
    warnings = sender_warnings(mail, own=OWN, name="Robin Vale")
    return warnings, unsubscribe_of(mail), list_key(mail), list_name(mail)


def sorted_mail(text: str) -> object:
    """By its category and its importance."""
    mail = letter(text)
    found = categorize(Conversation(mail), categories=CATEGORIES, own=OWN, is_correspondent=False)
    return by_headers(mail), found, weigh(text, subject=text).score


def note(text: str) -> object:
    """In both places of a note."""
    return escaped(text), plain(text)


def mention(text: str) -> object:
    """A product named so, in every field."""
    return SHOP.resolve(ProductMention(text, text, text, text, 1, 1.0, text))


def document(text: str) -> object:
    """A page of Markdown."""
    try:
        return read_document("a.md", text.encode())
    except UnreadableError:
        return None


def promotion(text: str) -> object:
    """In the shop's words."""
    try:
        return read_promotion(text)
    except InputError:
        return None


READERS: dict[str, tuple[Callable[[str], object], tuple[str, ...]]] = {
    "facts": (facts, ("a", "9", "1 ", "1.", "[confirm", "I will refund ", "+4 ", "@a", "two ", "> x\n", "mit Ab liefern ", "0(")),
    "promises": (commitments, ("we accept\n", "nobody a " * 210 + ". ", "keep your " * 190 + ". ", " " * 1990 + ". ")),
    "amounts": (lambda text: list(amounts(text)), ("1", "1,", "1.000,", "€", "two ", "1 m ", "hundert", "kr")),
    "quoting": (split_reply, ("> a\n", "<<<a@b 2027 10:00:\n", "On 10:00 x wrote:\n", "From:\nSubject:\n", "-- \n", "____\n")),
    "html": (visible_text, ("<div>", "<a = ", "<!--", "<b><table><tr><td>x</div>", "<style>*{}", "<blockquote>x", "<pre> \n", "&amp;")),
    "text": (clean, ("a\u200b", "\u202e", "\ud800")),
    "addresses": (parse_addresses, ('"', "(", "<", "a@", "\\", "=?a?q?", '"a\\', "a@b<", ":;")),
    "headers": (in_headers, ("(", '"', ";", '"(;', "dkim=fail ", "; spf=", "<", "<>", "<a>", ",mailto:", "a@a.", "=?utf-8?q?=28?= ")),
    "form": (filled_in, ("a: ", "Name: Ana\n", "a: b@c.example\n", "a@b ", "|", "https://a.", "verify ", "\t")),
    "report": (report, (" ", "a", "550 ", "550 5.1.", "a@", "<a@b>:\n", "action: failed\n", "\n\n", "x: y\n")),
    "mailto": (lambda text: mail_address(f"mailto:a@b.example{text}"), ("&", ".b", "%0D", "a")),
    "sorting": (sorted_mail, ("your ", "left a b ", "1", " #1", "\n", "4,000 ", "due ", "läuft a b c ", "\ufdfa", "月火水")),
    "notes": (note, ("x", "a\n", "[")),
    "lexical vector": (lambda text: vector_of(text, 256), ("x", "word ", "漢", "a@", "http://", "é\u0301")),
    "product": (mention, ("A", "red alpine mug ", "CSH-1099 ", "A1-", "(.*+?[){(a|a)*", "a\u0301", "Whale, Mug; Fjord. ")),
    "quantity": (lambda text: read_quantity(text, goods=("CSH-1098",)), ("1", "two ", "a-", "1 x ", "€1 ", "1,000,", "vingt-", "1'")),
    "promotion": (promotion, ("Free a ", "20% off together with A and ", "1", " ")),
    "document": (document, ("[", "*a", "# h\n", "|a", "`", "---\n", "x:\n\n", "- a\n\n")),
}  # fmt: skip
"""Each reader with pieces that once kept it, or would keep a careless one, searching."""
MANY_STEPS = {"facts", "sorting", "document"}
"""Readers whose cost is seen in short texts, too."""


@pytest.mark.parametrize("reader", READERS)
def test_text_takes_linear_time(reader: str) -> None:
    """A piece repeated to four times the length costs about four times as much, whatever the piece."""
    read, pieces = READERS[reader]
    size = 2_000 if reader in MANY_STEPS else 8_000
    grown = {piece: growth(lambda size, p=piece: read(p * (size // len(p) + 1)), size) for piece in pieces}  # type: ignore[misc]
    assert {piece: ratio for piece, ratio in grown.items() if not is_linear(ratio)} == {}


@pytest.mark.parametrize(
    "header",
    ['Content-Type: text/plain; x="{}', "Content-Type: {}", "From: {}", "To: {}", "References: {}", "Subject: {}", "Date: {}",
     "Content-Disposition: attachment; filename*0={}", "Authentication-Results: {}", "List-Id: {}"],
)  # fmt: skip
def test_headers_take_linear_time(header: str) -> None:
    """The same from the mail's bytes on, up to what is said of its sender."""

    def read(piece: str, size: int) -> object:
        raw = header.format(piece * (size // len(piece))) + "\r\nFrom: Ana <ana@shop.example>\r\n\r\nx"
        return sender_warnings(parse_message(raw.encode(), id="1"), own=OWN, name="Robin Vale")

    pieces = ("; ", "(", "=?utf-8?q?", "<", "=?utf-8?b?", "1 ", "a; filename*1=")
    grown = {piece: growth(lambda size, p=piece: read(p, size), 8_000) for piece in pieces}  # type: ignore[misc]
    assert {piece: ratio for piece, ratio in grown.items() if not is_linear(ratio)} == {}


def test_orders_take_linear_time() -> None:
    """Of many products that are cheaper together, each taken twice."""
    products = {f"P{n}": product(f"P{n}", "1.00", "50% off together with P1") for n in range(4_000)}
    assert is_linear(
        growth(lambda n: settle_order([(f"P{i % (n // 2)}", 1, 1) for i in range(n)], products), 2_000)
    )
