"""What corrections are about."""

import pytest

from email_assistant.mail.address import Address
from email_assistant.mail.message import Message
from email_assistant.workflows.inbox_organizer.records.hints import hint_keys

LIST = "list:news.shop.example"


def message(sender: str = "news@shop.example", **headers: str) -> Message:
    """A message with these headers."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Message("1", "1", Address(sender), "Hello", "Text", headers=named)


@pytest.mark.parametrize(
    ("mail", "keys"),
    [
        (message(list_id="Shop News <NEWS.shop.example>"), (LIST,)),
        (
            message(list_unsubscribe="<mailto:u@shop.example>", sender="ana@shop.example"),
            ("sender:ana@shop.example",),
        ),
        (message(), ()),
        (message(sender="ana@shop.example"), ()),
        (message(list_id="<dev.example.org>", list_post="<mailto:dev@example.org>"), ()),
    ],
)
def test_only_one_way_mail_has_keys(mail: Message, keys: tuple[str, ...]) -> None:
    """A list is known by its id, whoever sends it; discussions and people's own mail have none."""
    assert hint_keys(mail, is_correspondent=False) == keys
    assert hint_keys(mail, is_correspondent=True) == ()


def test_a_key_is_bounded() -> None:
    """However long a list's name is."""
    assert max(map(len, hint_keys(message(list_id=f"<{'x' * 5000}>"), is_correspondent=False))) == 300
