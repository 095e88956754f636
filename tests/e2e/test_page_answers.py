"""Answers from the review page, over HTTP on the served graph, each with its effect outside."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.e2e.conftest import SETTINGS, Served, Thread
from tests.e2e.test_answers import notification, reply, respond
from tests.e2e.test_ingest import close_answered, send_by_hand
from tests.support.desk import mail
from tests.support.page_client import PageClient

pytestmark = pytest.mark.xdist_group("served")
HOLD = int(SETTINGS["EMAIL_ASSISTANT_HOLD_SECONDS"])


@pytest.fixture
def page(served: Served) -> PageClient:
    """The page of the served assistant."""
    return PageClient(served.server.url)


def _named(thread: Thread, kind: str, **more: Any) -> dict[str, Any]:
    return PageClient(thread.served.server.url).card(thread.thread_id) | {"type": kind} | more


def test_an_accept_sends_what_was_shown(served: Served, page: PageClient) -> None:
    """Exactly one reply is in Sent."""
    thread = served.begin(reply())
    (result,) = page.answer(_named(thread, "accept"))
    assert result["state"] == "done"
    assert (len(served.sent(thread.header)), thread.status) == (1, "idle")


def test_an_edit_sends_the_edit(served: Served, page: PageClient) -> None:
    """The fields that were not changed are those of the card."""
    thread = served.begin(reply())
    (result,) = page.answer(_named(thread, "edit", args={"body": "It is 130 euro."}))
    (sent,) = served.sent(thread.header)
    assert (result["state"], "It is 130 euro." in sent.get_payload()) == ("done", True)


def test_what_was_not_shown_is_not_done(served: Served, page: PageClient) -> None:
    """The digest is of another card: it says which one waits, and accepting that one counts."""
    thread = served.begin(reply(), reply("120."))
    seen = _named(thread, "accept")
    thread.answer(respond("Shorter, please."))
    (result,) = page.answer(seen)
    now = page.card(thread.thread_id)
    assert (result["state"], {name: result["card"][name] for name in now}) == ("changed", now)
    assert served.sent(thread.header) == []
    (result,) = page.answer(seen | now)
    assert (result["state"], len(served.sent(thread.header))) == ("done", 1)


@pytest.mark.parametrize("is_looked_at", [False, True])
def test_a_mail_that_is_answered_on_the_phone_during_the_hold_gets_no_second_reply(
    served: Served, page: PageClient, is_looked_at: bool
) -> None:
    """What was held asks again with the user's own words; when the look comes first, the card is gone, and nothing is sent."""
    thread = served.begin(reply())
    held = _named(thread, "accept")
    assert page.check(held)[0]["state"] == "held"
    own = mail(
        "90 euro.", sender="Robin Vale <robin@vale.example>", message_id=f"<phone{thread.header[1:]}",
        reply_to_id=thread.header,
    )  # fmt: skip
    send_by_hand(served.folder, own)
    if is_looked_at:
        assert close_answered(served, thread.header) == 1
    (result,) = page.answer(held)
    assert len(served.sent(thread.header)) == 1
    assert thread.status == ("idle" if is_looked_at else "interrupted"), result
    if not is_looked_at:
        first = thread.card["description"].splitlines()[0]
        assert first.startswith("You answered this on ")
        assert "“90 euro.”" in first


def test_a_gap_is_never_sent(served: Served, page: PageClient) -> None:
    """Neither by accepting nor by an edit that leaves it, however often; filled, it is."""
    thread = served.begin(reply("It is [confirm: the price] euro."))
    for _ in range(3):
        for answer in (
            _named(thread, "accept"),
            _named(thread, "edit", args={"body": "About [confirm: price]."}),
        ):
            (result,) = page.answer(answer)
            assert result["state"] == "gap"
    assert served.sent(thread.header) == []
    (result,) = page.answer(_named(thread, "edit", args={"body": "It is 120 euro."}))
    assert (result["state"], len(served.sent(thread.header))) == ("done", 1)


def test_many_answers_each_report_their_own_outcome(served: Served, page: PageClient) -> None:
    """One that does not count stops none of the others, and nothing is rolled back."""
    sent, put_aside, left = served.begin(reply()), notification(served), served.begin(reply())
    given = [
        _named(sent, "accept"),
        _named(put_aside, "ignore"),
        _named(put_aside, "accept"),
        _named(left, "accept") | {"digest": "0" * 64},
    ]
    states = [each["state"] for each in page.answer(*given)]
    assert states[:2] == ["done", "done"]
    assert states[2:] == ["not_taken", "changed"]
    assert (len(served.sent(sent.header)), put_aside.status, left.status) == (1, "idle", "interrupted")
    page.answer(_named(left, "ignore"))


def test_an_answer_to_a_card_that_is_gone_is_told_so(served: Served, page: PageClient) -> None:
    """Somebody accepted it in Agent Inbox meanwhile: it is sent once."""
    thread = served.begin(reply())
    seen = _named(thread, "accept")
    thread.answer([{"type": "accept", "args": thread.echo()}])
    (result,) = page.answer(seen)
    assert (result["state"], len(served.sent(thread.header))) == ("elsewhere", 1)


def test_an_answer_that_is_given_again_is_told_what_became_of_the_first(
    served: Served, page: PageClient
) -> None:
    """By its id, at one moment or later; what was sent is sent once, and cannot be taken back."""
    thread = served.begin(reply())
    answer = _named(thread, "accept", id="a" * 32)
    assert page.became(answer).status_code == 404
    with ThreadPoolExecutor(4) as pool:
        told = [found["state"] for (found,) in pool.map(page.answer, [answer] * 4)]
    assert told == ["done"] * 4
    assert [page.answer(answer)[0]["state"], page.became(answer).json()["state"]] == ["done", "done"]
    assert (len(served.sent(thread.header)), page.undo(answer)["state"]) == (1, "too_late")
    thread = served.begin(reply())
    refused = _named(thread, "edit", args={"to": "not an address"}, id="b" * 32)
    assert page.answer(refused)[0]["state"] == "not_taken"
    thread.answer([{"type": "ignore", "args": thread.echo()}])
    assert page.became(refused).json()["state"] == "elsewhere"


def test_what_is_only_checked_is_neither_done_nor_learned(served: Served, page: PageClient) -> None:
    """An answer of any kind is held by the page for as long as it is told; after that the new draft is there when the answer is."""
    thread = served.begin(reply(), reply("120."))
    card, heard = thread.card, len(served.model.requests)
    learned = [served.profile(name) for name in ("triage_preferences", "response_preferences")]
    words = _named(thread, "response", text="Shorter, please.")
    told = page.check(_named(thread, "accept"), _named(thread, "ignore"), words)
    assert [(each["state"], each["hold"]) for each in told] == [("held", HOLD)] * 3
    assert (thread.card, len(served.model.requests), served.sent(thread.header)) == (card, heard, [])
    assert [served.profile(name) for name in ("triage_preferences", "response_preferences")] == learned
    (result,) = page.answer(words)
    assert (result["state"], result["card"]) == ("done", result["card"] | page.card(thread.thread_id))
    assert result["past"] == "Ana Petrova: told the assistant; a new draft comes"
    assert thread.title.endswith("(draft 2)")
    (result,) = page.answer(_named(thread, "ignore"))
    assert (result["state"], thread.status) == ("done", "idle")


def test_who_answers_elsewhere_meanwhile_wins(served: Served, page: PageClient) -> None:
    """In Agent Inbox, by ignoring, by accepting, or by words that bring another draft: one act, and the page is told."""
    for kind, number in (("ignore", 0), ("accept", 1)):
        thread = served.begin(reply())
        held = _named(thread, "accept")
        thread.answer([{"type": kind, "args": thread.echo()}])
        (result,) = page.answer(held)
        assert (result["state"], len(served.sent(thread.header))) == ("elsewhere", number)
    thread = served.begin(reply(), reply("120."))
    held = _named(thread, "accept")
    thread.answer(respond("Shorter, please."))
    (result,) = page.answer(held)
    assert (result["state"], served.sent(thread.header)) == ("changed", [])
    assert result["card"]["title"] == thread.title
    page.answer(_named(thread, "ignore"))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "https://agentinbox.ai"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "none"}, 403),
        ({"sec-fetch-site": "same-origin"}, 200),
    ],
)
def test_only_the_page_itself_may_answer(
    served: Served, page: PageClient, headers: dict[str, str], status: int
) -> None:
    """No other site, no form, no link, and no program that does not say who it is."""
    given = [{"id": "a" * 32, "thread": "t", "interrupt": "i", "digest": "d", "type": "accept"}]
    answer = httpx.post(f"{served.server.url}/review/answers", json=given, headers=headers)
    assert answer.status_code == status


def test_every_response_has_the_headers(served: Served, page: PageClient) -> None:
    """Refusals, too: nothing of another origin is loaded, nothing frames it, nothing is kept."""
    for answer in (
        httpx.get(f"{served.server.url}/review"),
        httpx.post(f"{served.server.url}/review/answers"),
    ):
        headers = answer.headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; ")
        assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")
