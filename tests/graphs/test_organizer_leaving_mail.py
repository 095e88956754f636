"""Leaving mailings by a mail: what the card shows lies among the drafts after approval, once, and nothing is sent."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from email.message import Message as Written
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.clock import FixedClock
from email_assistant.errors import ProviderError, TransientError
from email_assistant.mail.address import Address
from email_assistant.mail.message import Message
from email_assistant.workflows.inbox_organizer.records.subscriptions import GRACE, SubscriptionState
from email_assistant.workflows.inbox_organizer.services import OrganizerServices
from email_assistant.workflows.inbox_organizer.unsubscribing.list_headers import unsubscribe_of
from email_assistant.workflows.inbox_organizer.unsubscribing.uris import MAX_MAIL
from tests.support.desk import Desk, mail
from tests.support.mailings import ACCEPT, IGNORE, is_leaving, leaving_desk, mailings, state_of, subscription


class Killed(BaseException):
    """The process died here."""


LEAVE = "<mailto:leave-17@lists.shop.example?subject=off%20news&body=id%2017>"
ADDRESS = "leave-17@lists.shop.example"


@pytest.fixture
def assistant(tmp_path: Path) -> Desk:
    """An organizer with the offline rules, whose mail host is known by name."""
    return leaving_desk(tmp_path, EMAIL_ASSISTANT_AUTHSERV_ID="mx.vale.example")


def text_of(draft: Written) -> str:
    """The draft's text."""
    return str(draft.get_payload()).strip()


async def told(assistant: Desk) -> str:
    """What the last tool said, by the journal."""
    trace = assistant.house.trace
    found = [await trace.run(run.run_id) for run in await trace.runs()]
    return str(next(tool.result for run in found if run for tool in run.tools if tool.name == "unsubscribe"))


async def test_the_mail_that_a_list_wants_is_saved_as_a_draft(assistant: Desk) -> None:
    """The card shows all of it and who signed; after approval it is a draft, nothing is sent, and the answer says so."""
    signed = "mx.vale.example; dkim=pass header.d=shop.example; dmarc=pass header.from=shop.example"
    message, card = await mailings(assistant, way=LEAVE, Authentication_Results=signed)
    assert card is not None
    assert card["action_request"]["action"] == "Unsubscribe from Weekly news"
    shown = card["description"].replace("`", "")
    assert (
        f"To leave it, a mail to {ADDRESS} with the subject “off news” and the text “id 17” is saved as a "
        "draft for you to send." in shown
    )
    assert "3 messages since 19 Nov 2026, none answered; signed by shop.example." in shown
    assert await assistant.drafts() == []
    assert await assistant.answer(message, ACCEPT) is None
    (draft,) = await assistant.drafts()
    assert (draft["To"], draft["Subject"], text_of(draft)) == (ADDRESS, "off news", "id 17")
    assert (draft["From"], draft["Cc"], draft["Bcc"], draft["In-Reply-To"]) == (
        "Robin Vale <robin@vale.example>", None, None, None
    )  # fmt: skip
    assert await assistant.sent() == []
    assert await told(assistant) == f"Saved a draft to {ADDRESS}: send it to leave Weekly news."
    found = await subscription(assistant)
    assert (found.state, found.method) == ("requested", "mailto")


async def test_the_longest_mail_is_shown_whole(assistant: Desk) -> None:
    """However long the names are that the sender has chosen, nothing of what will be in the draft is cut off."""
    long = "x" * 80
    code = "c" * (MAX_MAIL - len("leave@shop.example") - len("<b>*end*"))
    way = f"<mailto:leave@shop.example?subject={code}&body=%3Cb%3E*end*>"
    named = {"List_Id": f"{long} <{long}.{long}.shop.example>"}
    message, card = await mailings(assistant, way=way, **named)
    assert card is not None
    assert (
        f"“{code}” and the text “&lt;b>\\*end\\*” is saved as a draft for you to send." in card["description"]
    )
    await assistant.answer(message, ACCEPT)
    (draft,) = await assistant.drafts()
    assert (draft["Subject"], text_of(draft)) == (code, "<b>*end*")


async def test_a_mail_without_words_says_unsubscribe(assistant: Desk) -> None:
    """The word that list managers read; and without the host's word nobody is said to have signed."""
    message, card = await mailings(assistant, way="<mailto:leave@shop.example>")
    assert card is not None
    assert "its signature was not checked" in card["description"]
    assert "signed by" not in card["description"]
    await assistant.answer(message, ACCEPT)
    (draft,) = await assistant.drafts()
    assert (draft["To"], draft["Subject"], text_of(draft)) == ("leave@shop.example", "unsubscribe", "")


async def test_the_draft_outlives_further_runs(assistant: Desk) -> None:
    """A run with the conversation's next mail sweeps drafts that nobody wants; this one is the user's to send."""
    message, _ = await mailings(assistant, way=LEAVE)
    await assistant.answer(message, ACCEPT)
    await assistant.start(message)
    await mailings(assistant, way=LEAVE, numbers=range(3, 5), reply_to_id=message.message_id)
    assert [draft["To"] for draft in await assistant.drafts()] == [ADDRESS]


async def test_ignoring_the_card_saves_nothing(assistant: Desk) -> None:
    """The list is kept."""
    message, _ = await mailings(assistant, way=LEAVE)
    assert await assistant.answer(message, IGNORE) is None
    assert (await assistant.drafts(), await state_of(assistant)) == ([], "kept")


async def test_both_ways_go_on_one_card(tmp_path: Path, httpserver: HTTPServer) -> None:
    """One click goes first where a list offers both; what is taken off the card gets no draft."""
    assistant = leaving_desk(tmp_path, httpserver)
    httpserver.expect_request("/leave").respond_with_data("ok")
    click = f"<{httpserver.url_for('/leave')}>, {LEAVE}"
    subscriptions, name = (
        OrganizerServices.of(assistant.house).unsubscribing.subscriptions,
        assistant.house.mailbox.name,
    )
    for each in ("mail", "other"):
        message, card = await mailings(assistant, each, way=LEAVE, numbers=range(2))
        assert card is None
    post = {"List_Unsubscribe_Post": "List-Unsubscribe=One-Click"}
    first, card = await mailings(assistant, "click", way=click, **post)
    assert is_leaving(card)
    await assistant.answer(first, IGNORE)
    await subscriptions.move(
        name, "click.shop.example", SubscriptionState.active, expected=SubscriptionState.kept
    )
    for each in ("mail", "other"):
        numbered = mail(message_id=f"<{each}-more@shop.example>", sender=f"<{each}@shop.example>",
                        List_Id=f"<{each}.shop.example>", List_Unsubscribe=LEAVE)  # fmt: skip
        arrived = await assistant.receive(numbered)
        await subscriptions.note(name, arrived, _offer(assistant, arrived))
    message, card = await mailings(assistant, "click", way=click, numbers=range(3, 4), **post)
    assert card is not None
    request = card["action_request"]
    assert request["action"] == "Unsubscribe from 3 lists"
    kept = request | {"args": {"lists": "click.shop.example, mail.shop.example"}}
    assert await assistant.answer(message, [{"type": "edit", "args": kept}]) is None
    assert [draft["To"] for draft in await assistant.drafts()] == [ADDRESS]
    assert len(httpserver.log) == 1
    assert (await told(assistant)).startswith(f"Asked 1 list to stop. Saved a draft to {ADDRESS}: send it")
    states = [await state_of(assistant, each) for each in ("click", "mail", "other")]
    assert states == ["unsubscribed", "requested", "kept"]


def _offer(assistant: Desk, message: Message) -> Any:
    return unsubscribe_of(message, allow=OrganizerServices.of(assistant.house).unsubscribing.allow)


Save = Callable[..., Awaitable[Any]]


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("error", [Killed(), TransientError("the answer was lost")])
async def test_one_draft_whatever_crashes(
    assistant: Desk, monkeypatch: pytest.MonkeyPatch, error: BaseException, before: bool
) -> None:
    """Killed, or without the mailbox's answer, just before or just after the draft was saved: there is one at the end."""
    message, _ = await mailings(assistant, way=LEAVE)
    saved: Save = MaildirMailbox.save_draft

    async def fails(*args: Any, **kwargs: Any) -> None:
        if not before:
            await saved(*args, **kwargs)
        raise error

    monkeypatch.setattr(MaildirMailbox, "save_draft", fails)
    if isinstance(error, TransientError):
        card = await assistant.answer(message, ACCEPT)
        assert card is not None
        assert "Not everything worked: Weekly news: the answer was lost" in card["description"]
        monkeypatch.undo()
        assert await assistant.answer(message, ACCEPT) is None
    else:
        with pytest.raises(Killed):
            await assistant.answer(message, ACCEPT)
        monkeypatch.undo()
        assert await assistant.resume(message) is None
    assert [draft["To"] for draft in await assistant.drafts()] == [ADDRESS]
    assert await state_of(assistant) == "requested"
    assert (await told(assistant)).startswith("Saved a draft")


async def test_a_draft_that_was_sent_before_anybody_knew_is_not_saved_again(
    assistant: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process died with the draft saved, and the user sent it before the run went on."""
    message, _ = await mailings(assistant, way=LEAVE)
    saved: Save = MaildirMailbox.save_draft

    async def dies_after(*args: Any, **kwargs: Any) -> None:
        await saved(*args, **kwargs)
        raise Killed

    monkeypatch.setattr(MaildirMailbox, "save_draft", dies_after)
    with pytest.raises(Killed):
        await assistant.answer(message, ACCEPT)
    monkeypatch.undo()
    (draft,) = await assistant.drafts()
    found = await assistant.house.mailbox.find_draft(draft["Message-ID"])
    assert found is not None
    await assistant.house.mailbox.send_draft(found.id)
    assert await assistant.resume(message) is None
    assert (await assistant.drafts(), len(await assistant.sent())) == ([], 1)


async def test_a_mailbox_that_refuses_the_draft_leaves_the_list_as_it_was(
    assistant: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is claimed to be done."""
    message, _ = await mailings(assistant, way=LEAVE)

    async def refuses(*_: Any, **__: Any) -> None:
        raise ProviderError("the mailbox is full")

    monkeypatch.setattr(MaildirMailbox, "save_draft", refuses)
    assert await assistant.answer(message, ACCEPT) is None
    assert await told(assistant) == "No list was left. Refused: Weekly news: the mailbox is full"
    assert await state_of(assistant) == "active"


async def reopen(assistant: Desk) -> None:
    """Let the request be old and mail have come after it: the list is active again."""
    subscriptions, name = (
        OrganizerServices.of(assistant.house).unsubscribing.subscriptions,
        assistant.house.mailbox.name,
    )
    # The journal goes by the real clock, whatever day the sample mail is from.
    moment = subscriptions.clock.now() + 2 * GRACE
    later = replace(subscriptions, clock=FixedClock(moment))
    late = await assistant.receive(_late("<late@shop.example>", moment))
    reopened = await later.note(name, late, _offer(assistant, late))
    assert reopened is not None
    assert reopened.state is SubscriptionState.active


def _late(message_id: str, moment: datetime) -> bytes:
    raw = mail(message_id=message_id, sender="Weekly news <news@shop.example>",
               List_Id="Weekly news <news.shop.example>", List_Unsubscribe=LEAVE)  # fmt: skip
    late = (moment - timedelta(hours=1)).strftime("%a, %d %b %Y %H:%M:%S +0000")
    return raw.replace(b"Date: Thu, 19 Nov 2026 09:00:00 +0000", f"Date: {late}".encode())


async def test_while_the_draft_lies_unsent_nothing_is_asked(assistant: Desk) -> None:
    """That mail still comes says nothing then, and the wait begins anew; no second draft is offered."""
    message, _ = await mailings(assistant, way=LEAVE)
    await assistant.answer(message, ACCEPT)
    await reopen(assistant)
    _, card = await mailings(assistant, way=LEAVE, numbers=range(4, 5))
    assert not is_leaving(card)
    found = await subscription(assistant)
    assert (found.state, found.method, found.still_coming) == ("requested", "mailto", False)


@pytest.mark.parametrize("sent", [True, False])
async def test_when_mail_still_comes_it_is_asked_again(assistant: Desk, sent: bool) -> None:
    """The draft was sent (its recipient is now somebody the user has written to) or thrown away: another is offered."""
    message, _ = await mailings(assistant, way=LEAVE)
    await assistant.answer(message, ACCEPT)
    (draft,) = await assistant.drafts()
    found = await assistant.house.mailbox.find_draft(draft["Message-ID"])
    assert found is not None
    if sent:
        await assistant.house.mailbox.send_draft(found.id)
        await assistant.house.correspondents.note(assistant.house.mailbox.name, [Address(ADDRESS)])
    else:
        await assistant.house.mailbox.delete_draft(found.id)
    await reopen(assistant)
    again, card = await mailings(assistant, way=LEAVE, numbers=range(4, 5))
    assert card is not None
    assert "mail still came after it was asked to stop" in card["description"]
    assert await assistant.answer(again, ACCEPT) is None
    (second,) = await assistant.drafts()
    assert second["Message-ID"] != draft["Message-ID"]


@pytest.mark.parametrize(
    ("way", "more"),
    [
        ("<mailto:leave@shop.example?bcc=ana@example.com>", {}),
        ("<mailto:leave@shop.example,ana@example.com>", {}),
        ("<mailto:leave@shop.example?subject=x%0D%0ABcc:%20ana@example.com>", {}),
        ("<mailto:leave@police.example?subject=I%20confess>", {}),
        ("<mailto:robin@vale.example>", {}),
        ("<mailto:boss@vale.example>", {}),
        ("<mailto:leave@va1e.example>", {"sender": "News <news@va1e.example>"}),
        ("<mailto:ceo@victim.example>", {"List_Id": "Weekly news <news.victim.example>"}),
        (f"<mailto:leave@shop.example?subject={'x' * 5000}>", {}),
        (LEAVE, {"Authentication_Results": "mx.vale.example; dkim=none"}),
        # Signed by somebody who is not the receiving host's word.
        ("<mailto:x@esp.example>", {"Authentication_Results": "evil.example; dkim=pass header.d=esp.example"}),
    ],
)  # fmt: skip
async def test_a_mail_that_might_reach_somebody_else_is_not_proposed(
    assistant: Desk, way: str, more: dict[str, str]
) -> None:
    """Copies, several recipients, added headers, strangers, the user's own side, what cannot be shown, no signature."""
    _, card = await mailings(assistant, way=way, **more)
    assert not is_leaving(card)
    assert await assistant.drafts() == []


@pytest.mark.parametrize("known", ["ben@shop.example", "BEN@shop.example"])
async def test_nobody_the_user_writes_to_gets_the_mail(assistant: Desk, known: str) -> None:
    """A correspondent at the list's own domain is a person, also under an address with a tag."""
    await assistant.house.correspondents.note(assistant.house.mailbox.name, [Address(known)])
    _, card = await mailings(assistant, way="<mailto:ben+leave@shop.example>")
    assert not is_leaving(card)
    _, card = await mailings(assistant, way="<mailto:leave@shop.example>", numbers=range(3, 4))
    assert is_leaving(card)
