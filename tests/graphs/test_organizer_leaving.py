"""Leaving mailings from a card, against a list's server on the loopback."""

from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from email_assistant.mail.message import Message
from email_assistant.workflows.inbox_organizer.records.subscriptions import SubscriptionState
from email_assistant.workflows.inbox_organizer.unsubscribing.unsubscribing import Unsubscribing
from tests.support.desk import Desk, mail
from tests.support.mailings import ACCEPT, IGNORE, leaving_desk, mailings, state_of
from tests.support.surfaces import as_waiting, unlike


@pytest.fixture
def assistant(tmp_path: Path, httpserver: HTTPServer) -> Desk:
    """An organizer with the offline rules, which may speak to the list's server."""
    return leaving_desk(tmp_path, httpserver)


async def three(
    assistant: Desk,
    server: HTTPServer,
    name: str = "news",
    *,
    numbers: range = range(3),
    one_click: bool = True,
    **more: str,
) -> tuple[Message, Any]:
    """Three mails of a list (or those with these numbers) that can be left with one click; the last one and its card."""
    post = {} if one_click else {"List_Unsubscribe_Post": ""}
    way = f"<{server.url_for(f'/leave/{name}?token=secret')}>"
    return await mailings(assistant, name, way=way, numbers=numbers, **(post | more))


def calls(server: HTTPServer) -> list[tuple[str, str]]:
    """What the server was asked."""
    return [(request.method, request.path) for request, _ in server.log]


async def test_what_is_never_answered_can_be_left_with_one_click(
    assistant: Desk, httpserver: HTTPServer
) -> None:
    """The third mail brings the card; nothing is sent before it is accepted, then one POST, once."""
    httpserver.expect_request("/leave/news").respond_with_data("ok")
    message, card = await three(assistant, httpserver)
    assert card is not None
    assert card["action_request"]["action"] == "Unsubscribe from Weekly news"
    assert "3 messages since 19 Nov 2026, none answered" in card["description"]
    assert f"the request goes to {httpserver.host}" in card["description"].replace("`", "")
    assert (calls(httpserver), await state_of(assistant)) == ([], "recommended")
    assert await assistant.answer(message, ACCEPT) is None
    assert calls(httpserver) == [("POST", "/leave/news")]
    assert httpserver.log[0][0].get_data() == b"List-Unsubscribe=One-Click"
    assert await state_of(assistant) == "unsubscribed"


async def test_a_list_whose_server_is_busy_is_asked_again(assistant: Desk, httpserver: HTTPServer) -> None:
    """The card comes back with the problem in its first line, and accepting it tries once more."""
    httpserver.expect_ordered_request("/leave/news").respond_with_data("", status=503)
    httpserver.expect_ordered_request("/leave/news").respond_with_data("ok")
    message, _ = await three(assistant, httpserver)
    card = await assistant.answer(message, ACCEPT)
    assert card is not None
    assert card["description"].startswith("Not everything worked: Weekly news: ")
    assert await assistant.answer(message, ACCEPT) is None
    assert (len(calls(httpserver)), await state_of(assistant)) == (2, "unsubscribed")


@pytest.mark.parametrize(
    ("one_click", "more"),
    [
        (False, {}),
        (True, {"Authentication_Results": "mx.vale.example; dkim=fail header.d=shop.example; dmarc=fail"}),
    ],
)
async def test_what_has_no_safe_way_out_is_not_proposed(
    assistant: Desk, httpserver: HTTPServer, one_click: bool, more: dict[str, str]
) -> None:
    """A mere link is never fetched, and a sender in doubt never answered."""
    _, card = await three(assistant, httpserver, one_click=one_click, **more)
    assert card is None or not card["action_request"]["action"].startswith("Unsubscribe")
    assert calls(httpserver) == []


async def test_a_list_that_was_answered_is_not_proposed(assistant: Desk, httpserver: HTTPServer) -> None:
    """Whoever is written to is wanted."""
    own = mail(
        "Thank you!", sender="Robin Vale <robin@vale.example>", message_id="<own@vale.example>", minutes=1
    )
    await assistant.receive(own)
    _, card = await three(assistant, httpserver, In_Reply_To="<own@vale.example>")
    assert card is None or not card["action_request"]["action"].startswith("Unsubscribe")


async def test_several_lists_are_left_from_one_card(assistant: Desk, httpserver: HTTPServer) -> None:
    """A list that is taken off the card is kept; a key that was never on it is asked again."""
    httpserver.expect_request("/leave/news").respond_with_data("ok")
    subscriptions = Unsubscribing.of(assistant.house).subscriptions
    first, _ = await three(assistant, httpserver)
    name, key = assistant.house.mailbox.name, "news.shop.example"
    await assistant.answer(first, IGNORE)
    (news,) = [s.list_key for s in await subscriptions.all(name) if key in s.list_key]
    _, card = await three(assistant, httpserver, "offers", numbers=range(2))
    assert card is None
    # The user has thought better of it: both lists are due with the next mail.
    await subscriptions.move(name, news, SubscriptionState.active, expected=SubscriptionState.kept)
    message, card = await three(assistant, httpserver, "offers", numbers=range(2, 3))
    assert card is not None
    request = card["action_request"]
    assert request["action"] == "Unsubscribe from 2 lists"
    assert unlike(as_waiting(card, "inbox_organizer")) == {}
    stranger = request | {"args": {"lists": "stranger"}}
    again = await assistant.answer(message, [{"type": "edit", "args": stranger}])
    assert again is not None
    assert "this card has no list 'stranger'" in again["description"].splitlines()[0]
    assert (
        await assistant.answer(message, [{"type": "edit", "args": request | {"args": {"lists": news}}}])
        is None
    )
    assert calls(httpserver) == [("POST", "/leave/news")]
    assert (await state_of(assistant), await state_of(assistant, "offers")) == ("unsubscribed", "kept")


async def test_a_list_that_wants_a_mail_is_named_on_the_card(assistant: Desk, httpserver: HTTPServer) -> None:
    """With its address, for the user to write to; by itself it makes no card, and accepting one writes no mail."""
    by_mail = "<mailto:leave-17@lists.shop.example?subject=off>"
    _, card = await mailings(assistant, "letters", way=by_mail)
    assert card is None
    httpserver.expect_request("/leave/news").respond_with_data("ok")
    message, card = await three(assistant, httpserver)
    assert card is not None
    assert card["action_request"]["args"] == {"lists": "news.shop.example"}
    assert "write to leave-17@lists.shop.example" in card["description"].replace("`", "")
    assert await assistant.answer(message, ACCEPT) is None
    assert calls(httpserver) == [("POST", "/leave/news")]
    assert (await assistant.drafts(), await assistant.sent()) == ([], [])
    assert await state_of(assistant, "letters") == "active"
