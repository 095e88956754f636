"""Message-IDs, conversations and subjects of replies."""

import pytest

from email_assistant.mail.address import Address
from email_assistant.mail.conversation import message_ids, reply_headers, reply_subject
from email_assistant.mail.message import Message


def message(message_id: str = "", in_reply_to: str = "", references: tuple[str, ...] = ()) -> Message:
    """A message with these ids."""
    return Message(
        id="1",
        mail_thread_id="t",
        sender=Address("ana@example.com"),
        subject="s",
        text="",
        message_id=message_id,
        in_reply_to=in_reply_to,
        references=references,
    )


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        ("<a@x.example>", ("<a@x.example>",)),
        ("your message of Monday", ()),
        ("", ()),
    ],
)
def test_message_ids_are_found(value: str, ids: tuple[str, ...]) -> None:
    """Ids are read from their headers once each, brackets restored, prose ignored."""
    assert message_ids(value) == ids


def test_a_reply_refers_to_its_parent_and_all_before() -> None:
    """In-Reply-To is the parent, References its references and the parent (RFC 5322 §3.6.4)."""
    assert reply_headers(message("<c>", "<b>", ("<a>", "<b>"))) == ("<c>", ("<a>", "<b>", "<c>"))
    assert reply_headers(message("<c>", "<b>")) == ("<c>", ("<b>", "<c>"))
    assert reply_headers(message("<c>")) == ("<c>", ("<c>",))
    assert reply_headers(message("", "<b>", ("<a>",))) == ("", ())


def test_references_stay_bounded() -> None:
    """Of a very long conversation the first reference and the latest ones stay."""
    ids = tuple(f"<{n}@x.example>" for n in range(500))
    _, references = reply_headers(message("<last>", references=ids))
    assert len(references) == 30
    assert references[0] == ids[0]
    assert references[-2:] == (ids[-1], "<last>")


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("Ring", "Re: Ring"),
        ("Re: Ring", "Re: Ring"),
        ("RE: AW: Sv: Antw: Re[2]: re : Ring", "Re: Ring"),
        ("Fwd: Ring", "Re: Fwd: Ring"),
        ("Ring\r\nBcc: eve@example.net", "Re: Ring Bcc: eve@example.net"),
    ],
)
def test_a_reply_subject_has_one_prefix(subject: str, expected: str) -> None:
    """Exactly one "Re:" stands in front, whatever was there, and the subject is one line."""
    assert reply_subject(subject) == expected
