"""The generated inbox, what the rules make of it, and what categorizing it costs."""

import re
from collections import Counter
from functools import cache

import pytest

from email_assistant.mail.headers import bulk_of
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.mime import parse_message
from email_assistant.workflows.inbox_organizer.offline.categories import by_headers, categorize
from email_assistant.workflows.inbox_organizer.offline.category import CATEGORIES, Ruled
from eval.bench_organizer import measure
from eval.organizer_mail import OWN, SHARES, Sample, TextSet, generate, templates

SETS: tuple[TextSet, ...] = ("first", "second")
HEADERS = frozenset(
    [
        "auto-submitted", "content-transfer-encoding", "content-type", "date", "feedback-id", "from", "in-reply-to", "list-id",
        "list-post", "list-unsubscribe", "list-unsubscribe-post", "message-id", "mime-version", "precedence", "references",
        "return-path", "subject", "to",
    ]
)  # fmt: skip


@cache
def inbox(texts: TextSet) -> list[Sample]:
    """A thousand mails that no rule was written on."""
    return list(generate(1_000, 424242, texts))


@cache
def read(raw: bytes) -> Message:
    """The mail, read once for all tests."""
    return parse_message(raw, id="m")


@cache
def judged(sample: Sample) -> tuple[Ruled | None, Ruled]:
    """What headers decide, and what the rules say."""
    message = read(sample.raw)
    found = categorize(
        Conversation(message), categories=CATEGORIES, own=OWN, is_correspondent=sample.is_correspondent
    )
    return by_headers(message), found


def test_the_same_seed_gives_the_same_mail() -> None:
    """Byte for byte; another seed gives other mail."""
    first, again, other = (list(generate(60, seed)) for seed in (7, 7, 8))
    assert first == again
    assert first != other


def test_the_categories_are_the_assistants() -> None:
    """All eight, each with templates in both sets, in every language of the rules."""
    assert sorted(SHARES) == sorted(CATEGORIES)
    assert sum(SHARES.values()) == 100
    for texts in SETS:
        by_category = templates(texts)
        assert all(by_category[category] for category in CATEGORIES)
        assert {t.language for found in by_category.values() for t in found} == {"en", "de", "es", "fr"}


@pytest.mark.parametrize("texts", SETS)
def test_the_mix_is_that_of_an_inbox(texts: TextSet) -> None:
    """Each category has about its share."""
    counts = Counter(sample.category for sample in inbox(texts))
    assert all(abs(counts[category] / 10 - share) < 6 for category, share in SHARES.items())


@pytest.mark.parametrize("texts", SETS)
def test_every_mail_reads_without_a_flaw(texts: TextSet) -> None:
    """Sender, recipient, subject, date and text are there, and nothing about the message is odd."""
    for sample in inbox(texts):
        message = read(sample.raw)
        assert message.notes == ()
        assert message.sender.email
        assert message.subject
        assert message.text
        assert message.date is not None
        assert "{" not in message.subject + message.text


@pytest.mark.parametrize("texts", SETS)
def test_nothing_marks_the_answer(texts: TextSet) -> None:
    """No header of its own, and no category's name, gives the category away."""
    for sample in inbox(texts):
        head = sample.raw.partition(b"\r\n\r\n")[0].decode("ascii")
        assert {name.lower() for name in re.findall(r"^([\w-]+):", head, re.MULTILINE)} <= HEADERS
        assert sample.category not in sample.raw.decode() or sample.category == "Important"


@pytest.mark.parametrize("texts", SETS)
def test_only_example_domains_are_used(texts: TextSet) -> None:
    """No address and no link of the mail can belong to anybody (RFC 2606)."""
    for sample in inbox(texts):
        text = read(sample.raw).text + "\n" + sample.raw.partition(b"\r\n\r\n")[0].decode("ascii")
        for domain in re.findall(r"(?:@|https://)([\w.-]+?)(?=\.?(?:[^\w.-]|$))", text):
            assert domain.rstrip(".").endswith(".example"), domain


def test_kinds_of_mail_overlap() -> None:
    """Each sign that tells one category turns up in others as well."""
    for sign, least in (
        (r"% off", 3),
        (r"\border", 4),
        (r"unsubscribe", 3),
        (r"meeting|meet\b", 2),
        (r"no need to reply", 2),
    ):
        found = {
            s.category
            for s in inbox("first")
            if re.search(sign, parse_message(s.raw, id="m").text, re.IGNORECASE)
        }
        assert len(found) >= least, (sign, found)


def test_one_way_mail_is_a_programs() -> None:
    """Mail that bears the marks of a program is one-way, discussions are not."""
    for sample in inbox("first"):
        bulk = bulk_of(read(sample.raw))
        if bulk.is_discussion:
            assert not sample.one_way
        elif bulk.is_no_reply or bulk.is_automatic:
            assert sample.one_way


@pytest.mark.parametrize("texts", SETS)
def test_confidence_means_what_it_says(texts: TextSet) -> None:
    """Of the rules' answers at each confidence about so many are right, of plain and of oblique mail, rather more than fewer."""
    answers: dict[float, list[bool]] = {}
    for sample in inbox(texts):
        found = judged(sample)[1]
        answers.setdefault(found.confidence, []).append(found.category == sample.category)
    for confidence, right in answers.items():
        assert len(right) < 20 or sum(right) / len(right) >= confidence - 0.12, confidence
    sure = [hit for confidence, right in answers.items() if confidence >= 0.8 for hit in right]
    assert sum(sure) / len(sure) >= 0.93


@pytest.mark.parametrize(("texts", "share"), [("first", 0.35), ("second", 0.05)])
def test_what_headers_decide_is_right(texts: TextSet, share: float) -> None:
    """Headers decide a good part of plain mail, and are right about it as often as they say."""
    decided = [(found, s) for s in inbox(texts) if (found := judged(s)[0])]
    right = [found.category == sample.category for found, sample in decided]
    assert len(decided) / len(inbox(texts)) >= share
    assert sum(right) / len(right) >= max(found.confidence for found, _ in decided)


async def test_the_cheap_way_costs_less_than_a_fifth() -> None:
    """Headers first, then the fast tier, then the strong one, against the strong one for every mail."""
    mails, ours, theirs = await measure("first", 300, 11)
    assert ours.usd < theirs.usd / 5
    assert theirs.calls == len(mails) == 300
