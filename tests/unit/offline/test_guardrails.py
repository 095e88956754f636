"""What gets no drafted answer whoever judges it, and what no model's verdict leaves out."""

from collections.abc import Mapping
from types import MappingProxyType

import pytest

from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline.guardrails import contradicts, left_out, not_put_to, unsolicited
from email_assistant.models.offline.preferences import dismissed_line
from email_assistant.models.offline.reading import Reader, calls

ME = Address("robin@vale.example", "Robin Vale")
HOST = "mx.vale.example"
READER = Reader(
    frozenset([ME.key]),
    frozenset(["shop@vale.example", "@claims.example"]),
    frozenset(["robin", "Price"]),
    HOST,
)
ASKS = "Hi Robin,\n\ncould you send me the price of the oak shelf?\n\nAna"
PASSED = {"authentication-results": f"{HOST}; dmarc=pass header.from=petrova.example"}


def mail(
    text: str = ASKS, *, to: tuple[str, ...] = (ME.email,), headers: Mapping[str, str] = MappingProxyType({})
) -> Message:
    """A mail of somebody the user has never written to."""
    people = tuple(Address(each) for each in to)
    return Message(
        "m1", "t1", Address("ana@petrova.example", "Ana"), "Shelf", text, to=people, headers=headers
    )


def of_mine(message: Message) -> Conversation:
    """It goes on with something that the user wrote."""
    return Conversation(message, (Message("m0", "t1", ME, "Shelf", "Which shelf?", sent=True),))


@pytest.mark.parametrize(
    "to",
    [
        ("robin@vale.example",),
        ("Robin+shop@vale.example",),
        ("shop@vale.example",),
        ("ida@claims.example",),
        (),
    ],
)
def test_mail_to_the_user_is_theirs_to_answer(to: tuple[str, ...]) -> None:
    """By any of their addresses, and where no recipients are told."""
    assert not_put_to(Conversation(mail(to=to)), READER) is None


def test_mail_that_names_the_user_nowhere_is_not() -> None:
    """Unless the receiving host tells that it came for them, or it goes on with a conversation of theirs."""
    other = ("bo@elsewhere.example",)
    assert not_put_to(Conversation(mail(to=other)), READER) is not None
    assert not_put_to(Conversation(mail(to=other, headers={"delivered-to": ME.email})), READER) is None
    assert not_put_to(of_mine(mail(to=other)), READER) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x-spam-flag", "YES"),
        ("x-spam-status", "Yes, score=7.1"),
        ("x-gmail-labels", "INBOX,SPAM"),
        ("x-gmail-labels", "CATEGORY_PROMOTIONS,INBOX"),
        ("x-gmail-labels", "Inbox,Category Social"),
        ("authentication-results", f"{HOST}; dmarc=fail header.from=petrova.example"),
    ],
)
def test_what_the_mail_system_has_judged_is_not_answered(name: str, value: str) -> None:
    """In a conversation of the user's, neither."""
    assert not_put_to(of_mine(mail(headers={name: value})), READER) is not None


@pytest.mark.parametrize(
    ("name", "value"),
    [("x-spam-flag", "no"), ("x-spam-status", "No, score=0.1"), ("x-gmail-labels", "INBOX")],
)
def test_what_it_let_through_is(name: str, value: str) -> None:
    """A header that says no is no verdict."""
    assert not_put_to(Conversation(mail(headers={name: value})), READER) is None


@pytest.mark.parametrize(
    "more",
    [
        "Our offer: https://offer.example/1",
        "We offer 9,400 USD to you.",
        "I saw your website and its rankings.",
        "To unsubscribe, answer with STOP.",
        "Wir helfen Ihnen, neue Kunden zu finden.",
        "Nous proposons un prêt.",
        "Ofrecemos préstamos.",
    ],
)
def test_a_strangers_offer_gets_no_draft(more: str) -> None:
    """Of somebody the user has written to, or in a conversation of theirs, it is a letter like any other."""
    message = mail(f"{ASKS}\n{more}", headers=PASSED)
    assert unsolicited(Conversation(message), READER, is_known=False) is not None
    assert unsolicited(Conversation(message), READER, is_known=True) is None
    assert unsolicited(of_mine(message), READER, is_known=False) is None


def test_a_stranger_is_vouched_for_or_knows_the_users_name() -> None:
    """Either is enough for a draft, and neither is not."""
    nameless = "Hello,\n\nwhat does the oak shelf cost?"
    found = [
        unsolicited(Conversation(each), READER, is_known=False)
        for each in (mail(nameless), mail(nameless, headers=PASSED), mail(ASKS))
    ]
    assert [each is None for each in found] == [False, True, True]


@pytest.mark.parametrize(
    ("message", "is_known"),
    [
        (mail("What does it cost?"), False),
        (mail("What does it cost?", to=(ME.email, "bo@elsewhere.example")), True),
        (mail("Robin, which green would you take?", to=(ME.email, "bo@elsewhere.example")), False),
        (mail("The table arrived damaged. I am disappointed."), False),
        (mail("Our bank details have changed; see below.", to=("bo@elsewhere.example",)), False),
    ],
)
def test_what_asks_beyond_doubt_is_not_left_out(message: Message, is_known: bool) -> None:
    """Put to the user alone or by name, of somebody they know, a complaint, new bank details."""
    assert left_out(Conversation(message), READER, is_known=is_known, in_doubt=False) is not None


@pytest.mark.parametrize(
    "message",
    [
        mail("See you on Thursday."),
        mail("What does it cost?", to=(ME.email, "bo@elsewhere.example")),
        mail("Do you like it? https://offer.example/1"),
        mail("Do you like it?", headers={"list-unsubscribe": "<https://offer.example/out>"}),
        mail("Do you like it?", headers={"auto-submitted": "auto-generated"}),
        mail("Our gift cards are here!", headers={"list-id": "<news.offer.example>"}),
    ],
)
def test_a_model_may_leave_out_the_rest(message: Message) -> None:
    """What asks nothing, is put to many, sells, or is a mailing or a program's."""
    assert left_out(Conversation(message), READER, is_known=False, in_doubt=False) is None


@pytest.mark.parametrize(
    ("message", "is_contradiction"),
    [
        (mail("What does it cost?", to=(ME.email, "bo@elsewhere.example")), True),
        (mail("The table arrived damaged. I am disappointed."), True),
        (mail("Please send the form by Friday."), True),
        (mail("Hi Robin, do you like it? https://offer.example/1"), True),
        (mail("Do you like it? https://offer.example/1"), False),
        (mail("Do you like it?", headers={"list-unsubscribe": "<https://offer.example/out>"}), False),
        (mail("Do you like it?", headers={"x-spam-flag": "YES"}), False),
        (mail("Hi Robin, do you like it? Just reply STOP to opt out."), False),
        (mail("Do you like it?", to=("bo@elsewhere.example",)), False),
        (mail("See you on Thursday."), False),
    ],
)
def test_what_was_ignored_although_it_asks_is_known(message: Message, is_contradiction: bool) -> None:
    """Unless it went to many or to others, was judged, advertises to nobody by name, or the user did not want the sender's mail."""
    assert contradicts(message, READER, "") is is_contradiction
    assert not contradicts(message, READER, dismissed_line("ana@petrova.example", 1))


def test_a_name_that_is_a_word_is_a_name_where_it_is_written_so() -> None:
    """Of Robin Price nobody asks by "what is the price?"."""
    found = [
        calls(mail(text), READER.called) for text in ("Hi ROBIN,", "Dear Ms Price,", "What is the price?")
    ]
    assert found == [True, True, False]


def test_mail_in_doubt_is_left_to_the_model() -> None:
    """A question whose sender may be forged."""
    assert left_out(Conversation(mail("What does it cost?")), READER, is_known=False, in_doubt=True) is None
