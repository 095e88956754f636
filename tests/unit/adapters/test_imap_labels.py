"""Labels as an IMAP server keeps them."""

import pytest

from email_assistant.adapters.imap.labels import keyword_of, labels_in


@pytest.mark.parametrize(
    "label",
    ["Agent/Work", "Zu erledigen", "größe_x", "a&b", "100 %", "日本 x", "(one) {two}", "\N{SLEEPING SYMBOL}"],
)
def test_a_label_is_an_atom_and_comes_back(label: str) -> None:
    """Whatever people call things."""
    keyword = keyword_of(label)
    assert keyword.isascii()
    assert not set(keyword) & set(' (){%*"\\]')
    assert labels_in([keyword]) == {label}


def test_what_others_keep_is_told_as_far_as_it_is_a_label() -> None:
    """A system's own flags are none; what another program wrote in its own way stays as it is."""
    flags = ["\\Seen", "$label1", "NonJunk", "a&b", "x&!!-", "Work"]
    assert labels_in(flags) == {"a&b", "x&!!-", "Work"}
