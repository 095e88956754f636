"""The mailbox contract on Gmail, and what is particular to Gmail."""

import base64
import email
import email.policy
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from email_assistant.adapters.google.access import GoogleTokens, Places
from email_assistant.adapters.google.api import GoogleApi
from email_assistant.adapters.google.mailbox import GmailMailbox
from email_assistant.clock import FixedClock
from email_assistant.errors import (
    AccessError,
    CursorExpiredError,
    InputError,
    NotFoundError,
    ProviderError,
    TransientError,
)
from email_assistant.mail import conversation
from email_assistant.mail.address import Address
from email_assistant.mail.conversation import answers, since
from email_assistant.mail.mailbox import MailQuery, Whereabouts
from email_assistant.mail.wire import to_bytes
from tests.contract.mailbox_contract import NINE, OWNER, Deliver, MailboxContract, Move, mail, reply

if TYPE_CHECKING:
    from tests.servers.google_server import GoogleServer

CLOCK = FixedClock(datetime(2026, 11, 20, 12, tzinfo=UTC))
_NUMBERS = count(1)


@dataclass
class Account:
    """An account of its own for each test, at the stand-in that all tests share."""

    google: "GoogleServer"
    email: str
    token: str
    waits: list[float] = field(default_factory=list)

    def api(self, folder: Path) -> GoogleApi:
        """Calls as this account; waiting takes no time and is noted."""
        places = Places(self.google.url)

        async def note(seconds: float) -> None:
            self.waits.append(seconds)

        tokens = GoogleTokens(places, folder, token=json.dumps({"token": self.token}))
        return GoogleApi(places, tokens, clock=CLOCK, sleep=note)

    def deliver(self, raw: bytes, *, labels: tuple[str, ...] = ("INBOX", "UNREAD")) -> str:
        """Put a message into the account; returns its id."""
        return self.google.deliver(self.email, raw, labels=labels)


@pytest.fixture
def account(google: "GoogleServer") -> Iterator[Account]:
    """A new, empty account."""
    email = f"robin{next(_NUMBERS)}@example.com"
    token = google.account(email, name="Robin Example", aliases=[OWNER.email])
    yield Account(google, email, token)
    google.faults()


@pytest.fixture
def api(account: Account, tmp_path: Path) -> GoogleApi:
    """The account's calls."""
    return account.api(tmp_path)


@pytest.fixture
def mailbox(api: GoogleApi, account: Account) -> GmailMailbox:
    """The mailbox under test."""
    return GmailMailbox(api, account.email)


@pytest.fixture
def deliver(account: Account) -> Deliver:
    """Puts bytes into the inbox."""

    async def put(raw: bytes) -> str:
        return account.deliver(raw)

    return put


@pytest.fixture
def write(account: Account) -> Deliver:
    """Puts bytes among the sent ones."""

    async def put(raw: bytes) -> str:
        return account.deliver(raw, labels=("SENT",))

    return put


@pytest.fixture
def move(api: GoogleApi) -> Move:
    """By labels."""
    labels = dict(zip(Whereabouts, ("INBOX", "", "SPAM", "TRASH"), strict=True))

    async def put(message_id: str, where: Whereabouts) -> None:
        gone = [each for each in labels.values() if each and each != labels[where]]
        await modify(api, message_id, add=[each for each in [labels[where]] if each], remove=gone)

    return put


class TestGmailMailbox(MailboxContract):
    """The contract."""


def keys(account: Account, pattern: str) -> list[dict[str, Any]]:
    """The requests whose method and path fit, in order."""
    return [request for request in account.google.requests if re.search(pattern, request["key"])]


def sent_bytes(request: dict[str, Any]) -> bytes:
    """The message in the body of a request that saves a draft."""
    return base64.urlsafe_b64decode(request["body"]["message"]["raw"])


async def edit_in_gmail(api: GoogleApi, draft_id: str, raw: bytes) -> None:
    """Replace a draft behind our back, as Gmail's own page does."""
    body = {"message": {"raw": base64.urlsafe_b64encode(raw).decode()}}
    await api.call("gmail", lambda g: g.users().drafts().update(userId="me", id=draft_id, body=body))


async def modify(
    api: GoogleApi, message_id: str, *, add: Sequence[str] = (), remove: Sequence[str] = ()
) -> None:
    """Change labels behind our back, by their ids."""
    body = {"addLabelIds": list(add), "removeLabelIds": list(remove)}
    await api.call("gmail", lambda g: g.users().messages().modify(userId="me", id=message_id, body=body))


async def test_a_reply_from_the_phone_that_names_nothing_is_the_answer_in_its_conversation(
    mailbox: GmailMailbox, account: Account, api: GoogleApi
) -> None:
    """Gmail knows the conversation; that it lies among the sent ones and is later says the rest."""
    first = await mailbox.fetch(account.deliver(mail(1)))
    raw = mail(2, sender="shop@example.com").replace(
        b"To: Robin Example <robin@example.com>", b"To: ana@example.org"
    )
    body = {
        "raw": base64.urlsafe_b64encode(raw).decode(), "threadId": first.mail_thread_id, "labelIds": ["SENT"],
    }  # fmt: skip
    await api.call("gmail", lambda g: g.users().messages().insert(userId="me", body=body))
    conversation = await mailbox.thread(first.mail_thread_id)
    (own,) = since(first, conversation)
    assert (own.sent, own.in_reply_to, own.references) == (True, "", ())
    assert answers(own, first, conversation, frozenset())


class TestReplies:
    """A reply stays in its conversation, in Gmail and for everybody else (RFC 5322 §3.6.4)."""

    async def test_a_reply_on_the_wire(self, mailbox: GmailMailbox, account: Account) -> None:
        """The draft names Gmail's conversation, the message answered, and has one "Re:"."""
        account.deliver(mail(1))
        second = account.deliver(mail(2, reply_to=1, references=(1,), subject="Re: Ring fitting"))
        current = await mailbox.fetch(second)
        message = conversation.reply(
            current, sender=OWNER, own=frozenset(), body="Yes, at ten.", message_id="<own-1@example.com>"
        )
        account.google.forget()
        await mailbox.save_draft(message)
        (request,) = keys(account, r"^POST .*/drafts$")
        assert request["body"]["message"]["threadId"] == current.mail_thread_id
        written = email.message_from_bytes(sent_bytes(request), policy=email.policy.default)
        assert written["In-Reply-To"] == "<2@example.org>"
        assert written["References"].split() == ["<1@example.org>", "<2@example.org>"]
        assert written["Subject"] == "Re: Ring fitting"
        assert written["Message-ID"] == written["X-Email-Assistant-ID"] == "<own-1@example.com>"
        assert written["Date"] is None  # Gmail gives it when it sends.

    async def test_who_may_not_send_as_an_alias_sends_from_the_account(
        self, mailbox: GmailMailbox, account: Account
    ) -> None:
        """Gmail would put the account's address there unsaid: the draft says so before anybody accepts it."""
        draft = await mailbox.save_draft(replace(reply(), sender=Address("shop@example.net", "Robin")))
        assert draft.message.sender == Address(account.email, "Robin")
        found = await mailbox.draft(draft.id)
        assert found is not None
        assert found.message.sender == draft.message.sender

    async def test_a_conversation_that_is_gone(self, mailbox: GmailMailbox, account: Account) -> None:
        """A draft for a conversation that was deleted meanwhile is saved without it, not lost."""
        account.google.faults({"match": r"^POST .*/drafts$", "status": 404, "reason": "notFound", "times": 1})
        account.google.forget()
        saved = await mailbox.save_draft(reply(1, mail_thread_id="18c0ffee0000dead"))
        first, second = keys(account, r"^POST .*/drafts$")
        assert first["body"]["message"]["threadId"] == "18c0ffee0000dead"
        assert "threadId" not in second["body"]["message"]
        assert await mailbox.draft(saved.id) == saved
        account.google.faults({"match": r"^PUT .*/drafts/", "status": 404, "reason": "notFound", "times": 1})
        again = await mailbox.save_draft(reply(1, mail_thread_id="18c0ffee0000dead"), replaces=saved.id)
        assert again.id == saved.id

    async def test_a_malformed_draft_is_refused_before_anything_is_sent(
        self, mailbox: GmailMailbox, account: Account
    ) -> None:
        """A Message-ID or subject that would add a header is refused."""
        account.google.forget()
        with pytest.raises(InputError):
            await mailbox.save_draft(replace(reply(), message_id="<a@b>\r\nBcc: eve@example.net"))
        with pytest.raises(InputError):
            await mailbox.save_draft(replace(reply(), subject="Hello\r\nBcc: eve@example.net"))
        assert account.google.requests == []


class TestDrafts:
    """Drafts that a person has touched too, and finding again what was saved or sent."""

    async def test_an_edit_in_gmail_is_seen(self, mailbox: GmailMailbox, api: GoogleApi) -> None:
        """A draft that a person changed in Gmail is read as it is now, under its id."""
        draft = await mailbox.save_draft(reply())
        edited = replace(reply(own="<gmail-made-this@mail.example>"), body="Rather at noon.")
        await edit_in_gmail(api, draft.id, to_bytes(edited, date=CLOCK.now()))
        found = await mailbox.draft(draft.id)
        assert found is not None
        assert found.message.body == "Rather at noon."
        assert found.message.message_id == "<gmail-made-this@mail.example>"

    async def test_a_draft_sent_from_gmail(self, mailbox: GmailMailbox, api: GoogleApi) -> None:
        """What a person sent from Gmail's own page cannot be sent again, and is found among the sent."""
        draft = await mailbox.save_draft(reply())
        answer = await api.call(
            "gmail", lambda g: g.users().drafts().send(userId="me", body={"id": draft.id})
        )
        with pytest.raises(NotFoundError):
            await mailbox.send_draft(draft.id)
        assert await mailbox.find_sent("<reply-1@example.com>") == answer["id"]

    async def test_received_mail_of_the_same_id_is_not_sent_mail(
        self, mailbox: GmailMailbox, account: Account
    ) -> None:
        """Mail that came in under a Message-ID of ours is neither our draft nor our sent mail."""
        account.deliver(mail(1).replace(b"<1@example.org>", b"<reply-1@example.com>"))
        assert await mailbox.find_sent("<reply-1@example.com>") is None
        assert await mailbox.find_draft("<reply-1@example.com>") is None
        sent = await mailbox.send_draft((await mailbox.save_draft(reply())).id)
        assert await mailbox.find_sent("<reply-1@example.com>") == sent

    @pytest.mark.parametrize("hostile", ["", '<a"b@example.com>', "<-in:inbox>"])
    async def test_what_is_no_message_id_finds_nothing(self, mailbox: GmailMailbox, hostile: str) -> None:
        """Whatever is asked for, nothing else is found."""
        await mailbox.save_draft(reply())
        await mailbox.send_draft((await mailbox.save_draft(reply(own="<reply-2@example.com>"))).id)
        assert await mailbox.find_draft(hostile) is None
        assert await mailbox.find_sent(hostile) is None


class TestOtherIds:
    """Gmail may put a Message-ID of its own in place of ours, and its search may lag behind."""

    @pytest.mark.parametrize("header", ["X-Email-Assistant-ID", "X-Google-Original-Message-ID"])
    async def test_a_sent_message_that_got_another_id(
        self, mailbox: GmailMailbox, account: Account, header: str
    ) -> None:
        """It is found among the newest sent messages by either header that keeps our id."""
        raw = to_bytes(reply(own="<CA123@mail.example>"), date=CLOCK.now())
        raw = f"{header}: <reply-1@example.com>\r\n".encode() + raw
        account.deliver(raw)  # received with such a header: not ours
        sent = account.deliver(raw, labels=("SENT",))
        assert await mailbox.find_sent("<reply-1@example.com>") == sent
        assert await mailbox.find_sent("<CA123@mail.example>") == sent

    async def test_a_search_that_lags_behind(self, mailbox: GmailMailbox, account: Account) -> None:
        """What the search does not know yet is found all the same, at once."""
        draft = await mailbox.save_draft(reply())
        nothing = {"status": 200, "body": {"resultSizeEstimate": 0}, "times": 1}
        account.google.faults(
            {"match": r"^GET .*/drafts$", **nothing}, {"match": r"^GET .*/messages$", **nothing}
        )
        found = await mailbox.find_draft("<reply-1@example.com>")
        assert found is not None
        assert found.id == draft.id
        sent = await mailbox.send_draft(draft.id)
        assert await mailbox.find_sent("<reply-1@example.com>") == sent


class TestSending:
    """A mail goes out once, whatever happens on the way."""

    async def test_a_failure_in_the_middle_is_not_repeated(
        self, mailbox: GmailMailbox, account: Account
    ) -> None:
        """Nobody knows what a server did that failed, so the send is not tried again by itself."""
        draft = await mailbox.save_draft(reply())
        account.google.faults(
            {"match": r"/drafts/send$", "status": 503, "reason": "backendError", "times": 1}
        )
        account.google.forget()
        with pytest.raises(TransientError):
            await mailbox.send_draft(draft.id)
        assert len(keys(account, r"/drafts/send$")) == 1
        assert await mailbox.find_sent("<reply-1@example.com>") is None
        assert await mailbox.draft(draft.id) is not None

    async def test_a_send_that_was_carried_out_although_the_connection_broke(
        self, mailbox: GmailMailbox, account: Account
    ) -> None:
        """The message is found by its Message-ID, and a second send finds no draft."""
        draft = await mailbox.save_draft(reply())
        account.google.faults({"match": r"/drafts/send$", "drop": True, "after": True, "times": 1})
        with pytest.raises(TransientError):
            await mailbox.send_draft(draft.id)
        sent = await mailbox.find_sent("<reply-1@example.com>")
        assert sent is not None
        assert (await mailbox.fetch(sent)).message_id == "<reply-1@example.com>"
        with pytest.raises(NotFoundError):
            await mailbox.send_draft(draft.id)

    @pytest.mark.parametrize("fault", [{"drop": True}, {"status": 500}])
    @pytest.mark.parametrize("saved", [True, False])
    async def test_a_draft_whose_saving_got_no_answer(
        self, mailbox: GmailMailbox, account: Account, fault: dict[str, Any], saved: bool
    ) -> None:
        """It is looked for before it is saved again, so that there is one, whether or not it was saved."""
        account.google.faults({"match": r"^POST .*/drafts$", "after": saved, "times": 1} | fault)
        draft = await mailbox.save_draft(reply())
        assert draft == await mailbox.find_draft("<reply-1@example.com>")
        assert len(account.google.drafts(account.email)) == 1
        assert account.waits == [1]


class TestReading:
    """Messages and conversations."""

    async def test_junk_is_no_part_of_a_conversation(
        self, mailbox: GmailMailbox, api: GoogleApi, account: Account
    ) -> None:
        """Spam is left out, archived mail is not."""
        ids = [account.deliver(mail(1))]
        ids += [account.deliver(mail(n, reply_to=1, subject="Re: Ring fitting")) for n in (2, 3)]
        await modify(api, ids[1], add=["SPAM"], remove=["INBOX"])
        await modify(api, ids[2], remove=["INBOX"])
        first = await mailbox.fetch(ids[0])
        assert [m.id for m in await mailbox.thread(first.mail_thread_id)] == [ids[0], ids[2]]

    @pytest.mark.parametrize("hostile", ["", "..", "a?alt=media", "\r\n"])
    async def test_what_cannot_be_an_id_reaches_no_server(
        self, mailbox: GmailMailbox, account: Account, hostile: str
    ) -> None:
        """An odd id is unknown; it never becomes part of an address."""
        account.google.forget()
        for call in (mailbox.fetch, mailbox.mark_read, mailbox.is_read, mailbox.labels, mailbox.send_draft):
            with pytest.raises(NotFoundError):
                await call(hostile)
        with pytest.raises(NotFoundError):
            await mailbox.save_draft(reply(), replaces=hostile)
        assert await mailbox.thread(hostile) == []
        assert await mailbox.draft(hostile) is None
        await mailbox.delete_draft(hostile)
        assert account.google.requests == []


class TestPeriods:
    """When a message was received; Gmail searches by seconds."""

    async def test_the_period_holds_its_ends(self, mailbox: GmailMailbox, account: Account) -> None:
        """Nothing of it is left out; of what is beside it a second or two may be found."""
        steps = (-5000, -1, 0, 1, 999, 5000)
        ids = {
            step: account.google.deliver(
                account.email,
                mail(number, subject=f"Step {step}"),
                received=NINE + timedelta(milliseconds=step),
            )
            for number, step in enumerate(steps)
        }
        after = await mailbox.inbox(MailQuery(after=NINE))
        assert {ids[step] for step in (0, 1, 999, 5000)} <= set(after)
        assert ids[-5000] not in after
        before = await mailbox.inbox(MailQuery(before=NINE))
        assert {ids[-5000], ids[-1]} <= set(before)
        assert ids[5000] not in before


class TestWords:
    """Words of a query are only ever words."""

    @pytest.mark.parametrize(
        "text",
        ["in:anywhere", '" OR in:sent "', "{from:bo}"],
    )
    async def test_no_text_adds_an_operator(self, mailbox: GmailMailbox, account: Account, text: str) -> None:
        """Text in the form of an operator is looked for as words, and finds no mail outside the inbox."""
        inside = account.deliver(mail(1))
        outside = account.deliver(mail(2, subject="Ana and bo"), labels=("SENT",))
        found = await mailbox.inbox(MailQuery(text=text))
        assert outside not in found
        assert set(found) <= {inside}


class TestLabels:
    """Gmail's labels by name."""

    async def test_nested_labels_have_their_parents(
        self, mailbox: GmailMailbox, api: GoogleApi, account: Account
    ) -> None:
        """A nested label is created with those above it, once, and is what the message bears."""
        one, two = account.deliver(mail(1)), account.deliver(mail(2))
        for each in (one, two):
            await mailbox.change_labels(each, add=frozenset({"Agent/Priority/High", "Agent/Seen"}))
        assert await mailbox.labels(one) == {"Agent/Priority/High", "Agent/Seen"}
        answer = await api.call("gmail", lambda g: g.users().labels().list(userId="me"))
        own = sorted(label["name"] for label in answer["labels"] if label["type"] == "user")
        assert own == ["Agent", "Agent/Priority", "Agent/Priority/High", "Agent/Seen"]

    @pytest.mark.parametrize("name", ["Inbox", "CATEGORY_SOCIAL"])
    async def test_gmails_own_labels_are_not_ours(
        self, mailbox: GmailMailbox, account: Account, name: str
    ) -> None:
        """A system label can be neither added nor removed as a label of one's own."""
        one = account.deliver(mail(1))
        with pytest.raises(InputError):
            await mailbox.change_labels(one, add=frozenset({name}))
        await mailbox.change_labels(one, remove=frozenset({name}))
        assert await mailbox.inbox(MailQuery(unread_only=True)) == [one]
        assert await mailbox.labels(one) == frozenset()

    @pytest.mark.parametrize("name", ["", "a//b", "x" * 300, "a\u202eb"])
    async def test_what_cannot_be_a_label(self, mailbox: GmailMailbox, account: Account, name: str) -> None:
        """Names that Gmail would not take, or that could not be shown, are refused."""
        one = account.deliver(mail(1))
        with pytest.raises(InputError):
            await mailbox.change_labels(one, add=frozenset({name}))


class TestHistory:
    """What came in since a cursor."""

    async def test_mail_that_is_moved_into_the_inbox_later(
        self, mailbox: GmailMailbox, api: GoogleApi, account: Account
    ) -> None:
        """What was archived or spam when it came counts when it is moved into the inbox, once."""
        spam = account.deliver(mail(1), labels=("SPAM", "UNREAD"))
        archived = account.deliver(mail(2), labels=("UNREAD",))
        cursor = await mailbox.cursor()
        new = account.deliver(mail(3))
        await modify(api, spam, add=["INBOX"], remove=["SPAM"])
        await modify(api, spam, add=["STARRED"])
        assert [m.id for m in (await mailbox.changes(cursor)).messages] == [new, spam]
        await modify(api, archived, add=["STARRED"])
        assert archived not in [m.id for m in (await mailbox.changes(cursor)).messages]

    async def test_what_is_not_in_the_inbox_any_more(
        self, mailbox: GmailMailbox, api: GoogleApi, account: Account
    ) -> None:
        """Archived, trashed and deleted mail is left out, and mail that came with another label."""
        cursor = await mailbox.cursor()
        archived, trashed, deleted, stays = [account.deliver(mail(n)) for n in range(4)]
        account.deliver(mail(5), labels=("SPAM", "UNREAD"))
        await modify(api, archived, remove=["INBOX"])
        await api.call("gmail", lambda g: g.users().messages().trash(userId="me", id=trashed))
        await api.call("gmail", lambda g: g.users().messages().delete(userId="me", id=deleted))
        assert [m.id for m in (await mailbox.changes(cursor)).messages] == [stays]

    async def test_conversations_the_user_has_answered(self, mailbox: GmailMailbox, account: Account) -> None:
        """What was sent since is told by its conversation; drafts and received mail are not."""
        first = await mailbox.fetch(account.deliver(mail(1)))
        cursor = await mailbox.cursor()
        draft = await mailbox.save_draft(reply(1, mail_thread_id=first.mail_thread_id))
        account.deliver(mail(2, subject="Something else"))
        changes = await mailbox.changes(cursor)
        assert changes.answered == ()
        await mailbox.send_draft(draft.id)
        assert (await mailbox.changes(cursor)).answered == (first.mail_thread_id,)
        assert (await mailbox.changes(changes.cursor)).answered == (first.mail_thread_id,)

    async def test_an_expired_cursor(self, mailbox: GmailMailbox, account: Account) -> None:
        """A cursor that is too old is said to be expired, and a new one works."""
        account.deliver(mail(1))
        cursor = await mailbox.cursor()
        account.deliver(mail(2))
        account.google.expire_history(account.email)
        with pytest.raises(CursorExpiredError):
            await mailbox.changes(cursor)
        account.deliver(mail(3))
        fresh = await mailbox.cursor()
        four = account.deliver(mail(4))
        assert [m.id for m in (await mailbox.changes(fresh)).messages] == [four]

    @pytest.mark.parametrize("cursor", ["", "1.5", "9" * 500])
    async def test_what_is_no_cursor(self, mailbox: GmailMailbox, cursor: str) -> None:
        """Anything that is not a history id counts as expired."""
        with pytest.raises(CursorExpiredError):
            await mailbox.changes(cursor)

    async def test_a_cursor_that_gmail_refuses(self, mailbox: GmailMailbox, account: Account) -> None:
        """A refusal is an expired cursor; an outage or a lost permission is not."""
        cursor = await mailbox.cursor()
        account.google.faults({"match": r"/history$", "status": 400, "reason": "invalidArgument", "times": 1})
        with pytest.raises(CursorExpiredError):
            await mailbox.changes("1")
        account.google.faults({"match": r"/history$", "status": 500, "reason": "backendError"})
        with pytest.raises(TransientError):
            await mailbox.changes(cursor)
        account.google.faults({"match": r"/history$", "status": 403, "reason": "insufficientPermissions"})
        with pytest.raises(AccessError):
            await mailbox.changes(cursor)


class TestTrouble:
    """Rate limits, outages and lost access."""

    async def test_a_listing_that_has_to_wait(self, mailbox: GmailMailbox, account: Account) -> None:
        """Every wait that Gmail asks for is sat out, in seconds or until a date, and nothing is lost."""
        one = account.deliver(mail(1))
        until = format_datetime(CLOCK.now() + timedelta(seconds=20), usegmt=True)
        limit = {"match": r"^GET .*/messages$", "status": 429, "reason": "rateLimitExceeded", "times": 1}
        account.google.faults(
            limit | {"headers": {"retry-after": "3"}},
            limit | {"headers": {"retry-after": until}},
            limit | {"status": 403},
        )
        assert await mailbox.inbox(MailQuery()) == [one]
        assert account.waits == [3, 20, 4]

    async def test_a_quota_that_is_used_up(self, mailbox: GmailMailbox, account: Account) -> None:
        """A daily quota is not waited for."""
        account.google.faults({"match": r"/messages", "status": 403, "reason": "quotaExceeded"})
        with pytest.raises(TransientError, match="quota"):
            await mailbox.inbox(MailQuery())
        assert account.waits == []

    async def test_a_token_that_was_revoked(self, mailbox: GmailMailbox, account: Account) -> None:
        """Lost access is one line that says how to sign in again."""
        one = account.deliver(mail(1))
        account.google.revoke(account.token)
        for call in (mailbox.fetch(one), mailbox.thread("18c0ffee0000dead"), mailbox.cursor()):
            with pytest.raises(AccessError, match="gmail auth") as caught:
                await call
            assert "\n" not in str(caught.value)


MALFORMED: list[Any] = [
    [],
    {"messages": [5]},
    {"labels": [{"id": "Label_1"}]},
    {"id": "m1", "threadId": "t1", "raw": "not base64!"},
    {"message": []},
    {"historyId": 5},
    {"history": [{"messagesAdded": [{}]}], "historyId": "1"},
]


class TestMalformed:
    """Answers that are JSON, but not what was asked for."""

    @pytest.mark.parametrize("body", MALFORMED, ids=lambda body: json.dumps(body)[:40])
    async def test_no_answer_breaks_us(self, mailbox: GmailMailbox, account: Account, body: Any) -> None:
        """Each call gives a result or an error of the house, whatever comes back."""
        one = account.deliver(mail(1))
        calls: list[Callable[[], Awaitable[object]]] = [
            lambda: mailbox.inbox(MailQuery(after=NINE)),
            lambda: mailbox.fetch(one),
            lambda: mailbox.thread(one),
            lambda: mailbox.labels(one),
            lambda: mailbox.change_labels(one, add=frozenset({"Work"})),
            lambda: mailbox.save_draft(reply()),
            lambda: mailbox.draft("r1"),
            lambda: mailbox.find_draft("<reply-1@example.com>"),
            lambda: mailbox.find_sent("<reply-1@example.com>"),
            mailbox.cursor,
            lambda: mailbox.changes("1"),
        ]
        account.google.faults({"match": r"^[A-Z]+ /gmail/", "status": 200, "body": body})
        for call in calls:
            with suppress(ProviderError, NotFoundError):
                await call()

    @pytest.mark.parametrize("body", [{}, "nonsense"], ids=json.dumps)
    async def test_a_send_whose_answer_cannot_be_understood(
        self, mailbox: GmailMailbox, account: Account, body: Any
    ) -> None:
        """Nobody may take it for a refusal: the mail is out, and is found."""
        draft = await mailbox.save_draft(reply())
        account.google.faults({"match": r"/drafts/send$", "status": 200, "body": body, "after": True})
        with pytest.raises(TransientError):
            await mailbox.send_draft(draft.id)
        assert await mailbox.find_sent("<reply-1@example.com>") is not None
