"""What headers say about mail that went to many or came from a program."""

import pytest

from email_assistant.mail.address import Address
from email_assistant.mail.headers import Bulk, bulk_of
from email_assistant.mail.message import Message


def marks(sender: str = "ana@example.com", **headers: str) -> Bulk:
    """The marks of a message with these headers; "_" stands for "-"."""
    kept = {name.replace("_", "-"): value for name, value in headers.items()}
    return bulk_of(Message("m", "t", Address(sender), "Hello", "Text", headers=kept))


def test_a_persons_mail_has_no_marks() -> None:
    """Without any such header there is somebody to answer."""
    assert marks() == Bulk(False, False, False, False, False, False)
    assert not marks().one_way


@pytest.mark.parametrize(
    "headers",
    [
        {"list_id": "<news.example.com>"},
        {"list_unsubscribe": "<https://example.com/u>"},
        {"precedence": " Bulk "},
        {"auto_submitted": "auto-generated"},
    ],
)
def test_each_mark_alone_makes_mail_one_way(headers: dict[str, str]) -> None:
    """One header that programs write is enough."""
    assert marks(**headers).one_way


def test_a_list_that_can_be_written_to_is_a_discussion() -> None:
    """List-Post with an address, or Precedence: list; its mail is to many and still to be answered."""
    posted = marks(
        list_id="<j.example>", list_post="<mailto:j@example.org>", list_unsubscribe="<mailto:x@example.org>"
    )
    assert posted.is_discussion
    assert posted.to_many
    assert not posted.one_way
    assert marks(precedence="list").is_discussion


def test_a_mailing_that_is_left_with_one_click_is_no_discussion() -> None:
    """Precedence: list alone does not make one of a newsletter."""
    assert marks(
        precedence="list",
        list_unsubscribe_post="List-Unsubscribe=One-Click",
        list_unsubscribe="<https://a.example>",
    ).one_way


@pytest.mark.parametrize(
    ("sender", "expected"),
    [
        ("no-reply@shop.example", True),
        ("nora.reply@shop.example", False),
        ("alertino@example.com", False),
    ],
)
def test_senders_that_read_no_answers(sender: str, expected: bool) -> None:
    """The local part says it in several spellings; names that merely begin so are people."""
    assert marks(sender).is_no_reply is expected
