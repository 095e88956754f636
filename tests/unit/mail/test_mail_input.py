"""The two forms of `email_input`."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.errors import InputError
from email_assistant.mail.address import Address
from email_assistant.mail.email_input import parse_email_input, to_email_input
from email_assistant.mail.message import Conversation
from email_assistant.mail.mime import parse_message

GMAIL: dict[str, Any] = {
    "from": "Ana <ana@example.com>",
    "to": "me@example.com, bo@example.org",
    "subject": "Ring",
    "body": "Is it ready?\n\nBest,\nAna\n\nOn 3 May 2027 at 10:00 Bo wrote:\n> old",
    "id": "m1",
}
STUDIO: dict[str, Any] = {
    "author": "Ana <ana@example.com>",
    "to": "me@example.com, bo@example.org",
    "subject": "Ring",
    "email_thread": "Is it ready?\n\nBest,\nAna\n\nOn 3 May 2027 at 10:00 Bo wrote:\n> old",
}


def test_both_forms_give_the_same_message() -> None:
    """The same mail in both forms differs only in its ids."""
    gmail, studio = parse_email_input(GMAIL).current, parse_email_input(STUDIO).current
    assert gmail.sender == Address("ana@example.com", "Ana")
    assert gmail.to == (Address("me@example.com"), Address("bo@example.org"))
    assert (gmail.text, gmail.signature) == ("Is it ready?", "Best,\nAna")
    assert gmail.quoted.endswith("> old")
    assert (gmail.id, gmail.mail_thread_id) == ("m1", "m1")
    assert studio == replace(gmail, id="", mail_thread_id=studio.mail_thread_id)


def test_a_studio_conversation_has_a_stable_name() -> None:
    """The same Studio mail names the same conversation, another text another one."""
    first = parse_email_input(STUDIO).mail_thread_id
    assert first == parse_email_input(dict(STUDIO)).mail_thread_id
    assert len(first) == 64
    assert first != parse_email_input(STUDIO | {"email_thread": "other"}).mail_thread_id


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, "email_input must be an object"),
        ({}, "email_input.from is missing"),
        ({k: v for k, v in GMAIL.items() if k != "body"}, "email_input.body is missing"),
        (GMAIL | {"subject": None}, "email_input.subject must be text"),
        (GMAIL | {"id": 7}, "email_input.id must be text"),
        (GMAIL | {"from": "Ana"}, 'email_input.from is not an email address: "Ana"'),
        (GMAIL | {"date": "soon"}, 'email_input.date is not a date: "soon"'),
        (GMAIL | {"headers": {"x": 1}}, "email_input.headers.x must be text"),
        (GMAIL | {"thread": [GMAIL, {}]}, "email_input.thread[1].from is missing"),
        (
            GMAIL | {"thread": [GMAIL] * 2000},
            "email_input.thread has more than the 1000 messages that are allowed",
        ),
        (
            GMAIL | {"attachments": [{"name": "x", "size": "1"}]},
            "email_input.attachments[0].size must be a number of bytes",
        ),
        (GMAIL | {"calendars": [{}]}, "email_input.calendars[0] must be text"),
    ],
)
def test_wrong_input_names_the_field(value: object, problem: str) -> None:
    """Whatever is missing or wrong, one sentence names the field and what is wrong with it."""
    with pytest.raises(InputError) as caught:
        parse_email_input(value)
    assert str(caught.value) == problem


@pytest.mark.parametrize(
    "body",
    [
        "<html><body><p>Is it ready?</p><p style='display:none'>obey</p></body></html>",
        "Is it <b>ready</b>?<br><div hidden>obey</div>",
    ],
)
@pytest.mark.parametrize(("form", "field"), [(GMAIL, "body"), (STUDIO, "email_thread")])
def test_html_bodies_are_rendered(form: dict[str, Any], field: str, body: str) -> None:
    """A body in HTML gives the text a reader sees, and the note on what was hidden."""
    message = parse_email_input(form | {field: body}).current
    assert message.text == "Is it ready?"
    assert message.notes == (
        "Hidden text was removed: it was set not to be displayed. Nothing of it was read or followed.",
    )


def test_huge_bodies_are_cut_with_a_note() -> None:
    """More than a million characters are cut, and the message says so."""
    message = parse_email_input(GMAIL | {"body": "word " * 400_000}).current
    assert len(message.text) <= 1_000_000
    assert message.notes == ("The message is very long; its end was cut.",)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(
    st.dictionaries(
        st.sampled_from([*GMAIL, "author", "email_thread", "thread", "cc", "date", "headers", "quoted"]), JSON
    )
)
def test_any_json_is_a_conversation_or_an_input_error(changes: dict[str, object]) -> None:
    """Nothing but an `InputError` comes of wrong input."""
    for value in (changes, GMAIL | changes):
        problem = "email_input"
        try:
            parse_email_input(value)
        except InputError as error:
            problem = str(error)
        assert problem.startswith("email_input")


PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "<p>hi</p>", "> quoted", "-- ", "On 3 May 2027 10:00 Bo wrote:", "\u200b", "👩\u200d💻", "\ufe0f", "\n\n\n\n",
                "Best,", "<br>", "</div>", "x\u202ey", "", "\x0c", "می\u200c",
            ]
        ),
        st.text(max_size=10),
    ),
    max_size=8,
)  # fmt: skip


@given(PIECES, st.text(max_size=30), st.binary(max_size=20), st.sampled_from(["plain", "html"]))
def test_messages_survive_the_way_through_json(lines: list[str], words: str, junk: bytes, kind: str) -> None:
    """A message read from bytes is equal after it went through `email_input` as JSON."""
    one_line = words.replace("\n", " ").replace("\r", " ")
    source = (
        f'From: "{one_line}" <ana@example.com>\nTo: {one_line} <a@b.example>, me@example.com\nSubject: {one_line}\n'
        f"Reply-To: {one_line}\nMessage-ID: <b@x.example>\nReferences: <a@x.example> {one_line}\nDate: {one_line}\n"
        f"List-Id: {one_line}\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/{kind}; charset=utf-8\n\n"
    )
    raw = source.encode("utf-8", "replace") + "\n".join(lines).encode("utf-8", "replace")
    raw += b"\n--b\nContent-Type: application/pdf; name=" + junk + b"\n\nx\n"
    raw += b"--b\nContent-Type: text/calendar\n\nBEGIN:" + junk + "\n".join(lines).encode("utf-8", "replace")
    raw += b"\n--b--\n"
    first = parse_message(raw, id="m1", mail_thread_id="t")
    second = parse_message(junk + raw, id="m2")
    conversation = Conversation(first, (second,))
    assert parse_email_input(json.loads(json.dumps(to_email_input(conversation)))) == conversation


def test_who_is_answered_has_the_name_that_was_filled_in() -> None:
    """Of a form of another house, too, whose sender stays the sender; what names nobody beside the address changes nothing."""
    raw = b"From: Forms <forms@f.example>\nTo: me@b.example\nReply-To: leo@x.example\n\n"
    texts = (b"Name  Leander Voigt\nEmail  leo@x.example\n", b"Write to leo@x.example\n")
    named, plain = (parse_message(raw + text, id="m1", mail_thread_id="t") for text in texts)
    assert (named.sender.name, named.reply_to) == ("Forms", (Address("leo@x.example", "Leander Voigt"),))
    assert plain.reply_to == (Address("leo@x.example"),)


def test_whom_a_form_names_survives_the_way_too() -> None:
    """Who asks is read from the mail once, and stays who asked."""
    raw = b"From: Forms <noreply@f.example>\nTo: me@b.example\nReply-To: Ana <ana@x.example>\n\nEmail: ana@x.example\n"
    message = parse_message(raw, id="m1", mail_thread_id="t")
    assert (message.sender.email, message.form) == ("ana@x.example", Address("noreply@f.example", "Forms"))
    assert parse_email_input(to_email_input(Conversation(message))).current == message
