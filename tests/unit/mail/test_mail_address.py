"""Reading and writing of addresses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.errors import InputError
from email_assistant.mail.address import (
    Address,
    format_addresses,
    is_email,
    parse_addresses,
    parse_recipients,
)

ATEXT = st.text("abcXYZ019!#$%&'*+/=?^_`{|}~-äж", min_size=1, max_size=12)
LOCAL = st.lists(ATEXT, min_size=1, max_size=3).map(".".join)
LABEL = st.text("abz09ñж", min_size=1, max_size=10)
DOMAIN = st.lists(LABEL, min_size=1, max_size=3).map(".".join)
NAME = st.text(
    st.one_of(st.sampled_from('",<>@;:\\()[]. äж='), st.characters(exclude_categories=["C", "Z"])),
    max_size=15,
)
ADDRESS = st.builds(
    Address,
    st.builds("{}@{}".format, LOCAL, DOMAIN).filter(is_email),
    NAME.map(lambda name: " ".join(name.split())),
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            '"Lee, Bo" <bo@Example.ORG>, ana@example.com',
            [("bo@example.org", "Lee, Bo"), ("ana@example.com", "")],
        ),
        (
            "Team: a@one.example, b@two.example;, c@three.example",
            ["a@one.example", "b@two.example", "c@three.example"],
        ),
        ("=?utf-8?B?w6TDtg==?= =?utf-8?B?w7w=?= <u@example.com>", [("u@example.com", "äöü")]),
        ('"Ana <a@one.example>, b@two.example', ["a@one.example", "b@two.example"]),
        ("not an address, , @, a@, <>", []),
    ],
)
def test_headers_are_read_leniently(value: str, expected: list[str | tuple[str, str]]) -> None:
    """Groups, comments, encoded words, broken quotes and junk: what can be read is read."""
    wanted = [Address(*one) if isinstance(one, tuple) else Address(one) for one in expected]
    assert parse_addresses(value) == tuple(wanted)


def test_an_encoded_name_cannot_add_an_address() -> None:
    """A comma or bracket inside an encoded word stays part of the name."""
    found = parse_addresses("=?utf-8?q?Boss_=3Cboss=40bank=2Eexample=3E=2C?= <real@example.com>")
    assert found == (Address("real@example.com", "Boss <boss@bank.example>,"),)


@pytest.mark.parametrize(
    ("text", "bad"),
    [
        ("ana@example.com, nonsense", '"nonsense"'),
        ("Ana <ana@example.com", '"Ana <ana@example.com"'),
        ("ana@example.com bo@example.org", '"ana@example.com bo@example.org"'),
        ("x" * 65 + "@example.com", "xxx"),
    ],
)
def test_forms_are_read_strictly(text: str, bad: str) -> None:
    """A malformed address in a form is refused, and the message quotes it."""
    with pytest.raises(InputError) as caught:
        parse_recipients(text)
    assert bad in str(caught.value)


@pytest.mark.parametrize("char", ["\r", "\n", "\0", "\t", "\x7f", "\u2028", "\u202e", "\udc80"])
def test_forms_take_no_control_characters(char: str) -> None:
    """A line break or another control character anywhere is refused: it could add a header."""
    with pytest.raises(InputError, match="control character"):
        parse_recipients(f"ana@example.com{char}Bcc: eve@example.net")


@given(st.lists(ADDRESS, max_size=4).map(tuple))
def test_writing_and_reading_gives_the_same(addresses: tuple[Address, ...]) -> None:
    """What is formatted for a form reads back to the same addresses, whatever the names hold."""
    assert parse_recipients(format_addresses(addresses)) == addresses


@given(st.text(st.one_of(st.sampled_from('",<>@;:\\()[]=?.a '), st.characters()), max_size=60))
def test_lenient_results_are_always_strictly_valid(value: str) -> None:
    """Reading a header never raises, and what it finds can be shown in a form and read back."""
    found = parse_addresses(value)
    assert parse_recipients(format_addresses(found)) == found
