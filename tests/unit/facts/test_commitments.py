"""Every sentence may commit us unless it is known not to."""

import time
from datetime import UTC, datetime
from typing import Any

import pytest

from email_assistant.facts.commitments import may_commit
from email_assistant.facts.fact import Own, Role, Source
from tests.support.sampling import sampled

CONTEXT: dict[str, Any] = {
    "now": datetime(2026, 11, 20, 9, tzinfo=UTC), "timezone": "Europe/Berlin", "own": Own("Robin Vale", also=("Vale Joinery",)),
}  # fmt: skip
OPEN = "The shop is open Monday to Friday from 9:00 to 18:00."


def told(text: str, *sources: str, role: Role = "ours") -> tuple[str, ...]:
    """What may commit, given sources."""
    return may_commit(text, [Source("notes", each, role) for each in sources], **CONTEXT)


@pytest.mark.parametrize(
    "text",
    [
        "Dear Ana,\n\nthank you for your mail.\n\nRobin Vale",
        "Hi Ana,\n\nThank you for your message of 3 March. Which of the two sizes do you need?\n\nKind regards,\nRobin Vale\nVale Joinery",
        "Sehr geehrte Frau Weber,\n\nvielen Dank für Ihre Nachricht. Wann passt es Ihnen?\n\nMit freundlichen Grüßen\nRobin Vale",
        "Cher Monsieur Castillo,\n\nMerci de votre message. Avez-vous une photo ?\n\nCordialement,\nRobin Vale",
        "Estimada Elena:\n\nGracias por su correo. ¿Qué talla necesita?\n\nUn saludo,\nRobin Vale",
        "You write that we owe you a refund.",
        "Please send us a photo of the damage.",
        "",
    ],
)
def test_a_reply_of_harmless_kinds_may_go(text: str) -> None:
    """Greeting, thanks, receipt, question, request, restatement, closing, signature."""
    assert told(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "The fee is gone.",
        "Consider it done.",
        "Yes.",
        "Of course!",
        "Keep the old one.",
        "Shall we refund it?",
        "You asked for a discount, and it is yours.",
        "You write that it broke: a new one leaves today.",
        "Thank you for your patience and the bill is on us.",
        "Thank you for accepting our free replacement.",
        "Dear Ana, your money is on its way",
        "I am sorry about our mistake.",
        "Please keep the old lamp.",
        "Please tell us which one you prefer, it costs you nothing.",
        "In your mail of 3 March we find a good reason.",
        "Kind regards,\nRobin Vale\nP.S. The fee is gone.",
        "Wir kümmern uns darum.",
        "C'est pour nous.",
        "Invita la casa.",
        "Danke für Reinigung usw. Die Gebühr entfällt.",
        "thank you for\nthe deposit that goes back to you",
    ],
)
def test_what_is_not_known_to_be_harmless_may_commit(text: str) -> None:
    """In whatever words, and behind whatever harmless ones."""
    assert told(text)


@pytest.mark.parametrize(
    "text",
    [
        "Gentile signora, la informiamo che il rimborso è stato approvato. Grazie e cordiali saluti.",
        "Geachte mevrouw, het bedrag van uw rekening is niet meer nodig. Met vriendelijke groet.",
        "Αγαπητή Άννα, τα χρήματα επιστρέφονται αύριο.",
        "返金いたします。",
    ],
)
def test_another_language_commits_altogether(text: str) -> None:
    """The whole reply is told, even where a source of ours says the same."""
    assert told(text, text) == (text,)


def test_what_a_sentence_of_ours_says_may_go() -> None:
    """Word for word, or with the values written in another way; not when it is the other party's sentence."""
    assert told(OPEN, OPEN) == ()
    assert told("The shop is open from Monday to Friday, 9 am to 6 pm.", OPEN) == ()
    assert told(OPEN) == told(OPEN, OPEN, role="theirs") == (OPEN,)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("We refund the deposit.", "We do not refund the deposit."),
        ("We refund the deposit.", "We refund the deposit if you cancel 14 days before."),
        ("We refund the deposit.", "We refund the deposit minus cleaning."),
        ("We refund the deposit within 3 days.", "We refund the deposit within 14 days."),
        ("We refund the deposit and the fee.", "We refund the deposit. The fee stays."),
        ("We refund the deposit.", "We refund 50 EUR of the deposit."),
        ("The deposit of 50 EUR is waived.", "Deposit: 50 EUR"),
    ],
)
def test_a_sentence_that_leaves_out_or_adds_rests_on_nothing(text: str, source: str) -> None:
    """A negation, a condition, a limit, a value, a further thing."""
    assert told(text, source) == (text,)


def test_a_true_quotation_is_the_other_partys() -> None:
    """A made-up one counts."""
    assert told("> The fee is gone.", "The fee is gone.", role="theirs") == ()
    assert told("> The fee is gone.", "Hello.", role="theirs")


@pytest.mark.parametrize(
    "unit", sampled(["thank you for the ", "The fee\nis gone\n", "a, ", " and", "> x\n", "Sie haben uns ", "¿", "Dr. ", "4 4 "], every=4)
)  # fmt: skip
def test_hostile_text_takes_linear_time(unit: str) -> None:
    """Four times the text, at most about four times as long."""

    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        began = time.process_time()
        told(text, text[:8_000])
        return time.process_time() - began

    seconds(5_000)
    assert seconds(200_000) < 8 * seconds(50_000) + 0.5
