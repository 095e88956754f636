"""Replies and new mails, and their way to bytes and back."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from email import message_from_bytes
from email.policy import default

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.errors import InputError
from email_assistant.mail.address import Address, is_email
from email_assistant.mail.conversation import new_mail, reply
from email_assistant.mail.message import Message, OutgoingMessage
from email_assistant.mail.text import one_line
from email_assistant.mail.wire import from_bytes, to_bytes

ME = Address("me@example.com", "Me")
ANA, BO, CY = Address("ana@example.com", "Ana"), Address("bo@example.org"), Address("cy@example.net")
OWN = frozenset({"me@example.com", "me@work.example"})
DATE = datetime(2027, 5, 3, 10, tzinfo=timezone(timedelta(hours=2)))


def received(**changes: object) -> Message:
    """A message from Ana to the user."""
    message = Message(
        id="1",
        mail_thread_id="t",
        sender=ANA,
        subject="Ring",
        text="Hi",
        to=(Address("ME@example.com"), BO),
        cc=(CY,),
        message_id="<b@example.com>",
        references=("<a@example.com>",),
    )
    return replace(message, **changes)  # type: ignore[arg-type]


def answer(message: Message, **changes: object) -> OutgoingMessage:
    """The user's answer."""
    options: dict[str, object] = {"sender": ME, "own": OWN, "body": "Yes.", "message_id": "<n@example.com>"}
    return reply(message, **(options | changes))  # type: ignore[arg-type]


def test_reply_all_keeps_everybody_but_the_user() -> None:
    """Sender and To go to To, Cc stays, the user's own address in any case is left out."""
    out = answer(received())
    assert (out.to, out.cc) == ((ANA, BO), (CY,))
    assert out.subject == "Re: Ring"
    assert out.in_reply_to == "<b@example.com>"
    assert out.references == ("<a@example.com>", "<b@example.com>")
    assert out.mail_thread_id == "t"


def test_a_plain_reply_goes_to_the_sender_alone() -> None:
    """Without reply-all only the sender is answered."""
    out = answer(received(), reply_all=False)
    assert (out.to, out.cc) == ((ANA,), ())


LIST = Address("list@example.net")


@pytest.mark.parametrize(
    ("changes", "to"),
    [
        ({"to": (BO,), "cc": (CY,)}, ANA),
        ({"to": (LIST,), "cc": (), "reply_to": (LIST,)}, ANA),
        (
            {"to": (BO,), "cc": (CY,), "reply_to": (Address("office@example.com"),)},
            Address("office@example.com"),
        ),
    ],
)
def test_whom_a_mail_does_not_name_answers_the_sender_alone(changes: dict[str, object], to: Address) -> None:
    """A blind copy, a list, forwarded mail: the others do not know that the user got it, and a list is not answered."""
    out = answer(received(**changes))
    assert (out.to, out.cc) == ((to,), ())


def test_an_answer_to_oneself_goes_to_the_recipients() -> None:
    """Following up on the user's own message writes to those it was sent to."""
    sent = received(sender=Address("me@work.example"), to=(ANA,), cc=(CY,))
    assert (answer(sent).to, answer(sent).cc) == ((ANA,), (CY,))
    assert answer(sent, reply_all=False).to == (ANA,)


def test_nobody_gets_a_message_twice() -> None:
    """The same mailbox in several places and cases is written to once, in To rather than in Cc."""
    out = answer(received(to=(BO, Address("ANA@example.com")), cc=(ME, BO, CY, Address("Cy@example.net"))))
    assert (out.to, out.cc) == ((ANA, BO), (CY,))


def test_a_message_from_nobody_cannot_be_answered() -> None:
    """Without any address there is an error, not a guess."""
    with pytest.raises(InputError, match="nobody to reply to"):
        answer(received(sender=Address("", "ghost"), to=(), cc=()))
    with pytest.raises(InputError, match="no recipient"):
        new_mail(sender=ME, to=(), subject="s", body="b", message_id="<n@example.com>")


def test_the_wire_form_is_plain_mail() -> None:
    """The standard library's strict reader sees the fields that were set."""
    out = new_mail(
        sender=Address("me@example.com", "Jürgen, the Ümläut =?utf-8?q?x?="),
        to=(ANA, BO),
        subject="Grüße " * 30,
        body="Zwölf Ringe\n.\nFrom me\n" + "x" * 2000,
        message_id="<n@example.com>",
    )
    raw = to_bytes(replace(out, cc=(CY,)), date=DATE)
    assert raw.replace(b"\r\n", b"").count(b"\n") == 0
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    mail = message_from_bytes(raw, policy=default)
    assert mail["subject"] == ("Grüße " * 30).rstrip() or mail["subject"] == "Grüße " * 30
    assert [a.addr_spec for a in mail["to"].addresses] == ["ana@example.com", "bo@example.org"]
    assert mail["from"].addresses[0].addr_spec == "me@example.com"
    assert mail["date"].datetime == DATE
    assert mail["message-id"] == "<n@example.com>"
    assert not mail.defects


@pytest.mark.parametrize("char", ["\r", "\n", "\r\n", "\0", "\x85", "\u2028", "\x7f"])
def test_no_header_can_be_injected(char: str) -> None:
    """Control characters in subject, names, addresses and ids are refused with the field's name."""
    bad = f"x{char}Bcc: eve@example.net"
    good = answer(received())
    cases = {
        "subject": replace(good, subject=bad),
        "to": replace(good, to=(Address("ana@example.com", bad),)),
        "cc": replace(good, cc=(Address(f"ana@example.com{char}"),)),
        "sender": replace(good, sender=Address("me@example.com", bad)),
        "message_id": replace(good, message_id=f"<a@b>{char}"),
        "in_reply_to": replace(good, in_reply_to=f"<a{char}@b>"),
        "references": replace(good, references=(f"<a@b>{char}X: y",)),
    }
    for field, message in cases.items():
        with pytest.raises(InputError, match=f"^{field} "):
            to_bytes(message, date=DATE)


def test_what_cannot_be_sent_is_refused() -> None:
    """A malformed address, a lone surrogate and a naive date do not become mail."""
    good = answer(received())
    with pytest.raises(InputError, match=r'^to is not an email address: "nonsense"'):
        to_bytes(replace(good, to=(Address("nonsense"),)), date=DATE)
    with pytest.raises(InputError, match=r"^body "):
        to_bytes(replace(good, body="\udc80"), date=DATE)
    with pytest.raises(ValueError, match="aware"):
        to_bytes(good, date=datetime(2027, 5, 3))


EMAIL = st.builds(
    "{}@{}.example".format,
    st.text("abz09.+ä", min_size=1, max_size=8),
    st.text("abzä", min_size=1, max_size=5),
)
WORDS = st.text(
    st.one_of(st.sampled_from('", <>@=?utf-8qbäж😀'), st.characters(exclude_categories=["C", "Z"])),
    max_size=120,
)
ADDRESS = st.builds(Address, EMAIL.filter(is_email), WORDS.map(one_line))
IDS = st.text("abc09.$+-", min_size=1, max_size=90).map("<{}@x.example>".format)
BODY = st.text(
    st.one_of(
        st.sampled_from("\n\t .=ä\x00\x0b\x0c\x85\u2028"),
        st.characters(exclude_characters="\r", exclude_categories=["Cs"]),
    )
)


@given(
    st.builds(
        OutgoingMessage,
        sender=ADDRESS,
        to=st.lists(ADDRESS, max_size=3).map(tuple),
        subject=st.one_of(WORDS, WORDS.map(lambda words: f" {words}  {words} ")),
        body=BODY,
        message_id=IDS,
        cc=st.lists(ADDRESS, max_size=2).map(tuple),
        in_reply_to=st.one_of(st.just(""), IDS),
        references=st.lists(IDS, max_size=5, unique=True).map(tuple),
        mail_thread_id=st.sampled_from(["", "t"]),
    )
)
def test_bytes_and_back_gives_the_same_message(message: OutgoingMessage) -> None:
    """What was saved as a draft is read back as it was: addresses, subject, body and ids."""
    raw = to_bytes(message, date=DATE.astimezone(UTC))
    assert from_bytes(raw, mail_thread_id=message.mail_thread_id) == message
