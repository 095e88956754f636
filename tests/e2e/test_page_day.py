"""What was done today without a person, what is in the way of a meeting, and what failed, on the served graph."""

from typing import Any

import pytest

from tests.e2e.conftest import Served
from tests.e2e.test_answers import IGNORE, meeting, reply, respond
from tests.e2e.test_cut_off_answers import until
from tests.servers.model_server import tool_calls
from tests.support.page_client import PageClient

pytestmark = pytest.mark.xdist_group("served")


@pytest.fixture
def page(served: Served) -> PageClient:
    """The page of the served assistant."""
    return PageClient(served.server.url)


def _done(page: PageClient) -> dict[str, dict[str, Any]]:
    """What was done unasked, by subject."""
    return {mail["subject"]: mail for mail in page.call("GET", "digest").json()["done"]}


def test_what_was_ignored_unasked_can_be_brought_back(served: Served, page: PageClient) -> None:
    """As a notification, once, which is told as learned; what a person has decided is not in the list."""
    asked = served.begin(reply())
    asked.answer(IGNORE)
    thread = served.begin(
        body="Our spring sale begins on Monday: 20% off everything.",
        List_Unsubscribe="<mailto:leave@example.com>",
        List_Id="sale.example.com",
        Precedence="bulk",
    )
    assert thread.status == "idle"
    subject = f"Question {thread.header.rpartition('-')[2].partition('@')[0]}"
    mail = _done(page)[subject]
    assert (mail["outcome"], mail["who"], mail["can_come_back"]) == ("ignored", "Ana Petrova", True)
    assert not [each for each in _done(page).values() if each["subject"] == asked.header]
    back = page.call("POST", f"mails/{mail['key']}/reopen", {})
    assert back.json() == {"thread": thread.thread_id}
    until(lambda: thread.status == "interrupted")
    assert thread.title.startswith("Notify: Ana Petrova")
    assert "You brought it back." in thread.card["description"]
    assert page.call("POST", f"mails/{mail['key']}/reopen", {}).status_code == 422
    assert subject not in _done(page)
    assert page.call("POST", "mails/0/reopen", {}).status_code == 404
    learned = [each["line"] for each in page.call("GET", "digest").json()["learned"]]
    sender = f"ana{subject.removeprefix('Question ')}@example.com"
    assert learned.count(f"- Mail from {sender}: you brought it back") == 1
    thread.answer(IGNORE)


def test_what_was_learned_today_can_be_forgotten(served: Served, page: PageClient) -> None:
    """The line goes from the profile, and its history keeps it."""
    thread = served.begin(reply(), reply("120."))
    thread.answer(respond("Never write more than one line, please."))
    learned = page.call("GET", "digest").json()["learned"]
    (line,) = [each for each in learned if "more than one line" in each["line"]]
    assert [each for each in learned if each["line"].startswith("#")] == []
    assert page.call("POST", "learned/forget", line).status_code == 204
    assert line["line"] not in str(page.call("GET", "digest").json()["learned"])
    assert page.call("POST", "learned/forget", line).status_code == 422
    thread.answer(IGNORE)


def test_a_meeting_that_collides_by_now_is_asked_about(served: Served, page: PageClient) -> None:
    """The day shows both; who is sure is asked by the graph once more, which nothing gets around."""
    first, second = (served.begin(meeting(title)) for title in ("Strip one", "Strip two"))
    day = page.call("GET", "day/2026-11-26").json()
    waiting = [each["thread"] for each in day["waiting"]]  # Others of this server may wait for that day, too.
    assert [each for each in waiting if each in {first.thread_id, second.thread_id}] == [
        first.thread_id,
        second.thread_id,
    ]
    accept = {"type": "accept"}
    (result,) = page.answer(page.card(first.thread_id) | accept)
    assert result["state"] == "done"
    (result,) = page.answer(page.card(second.thread_id) | accept)
    assert (result["state"], [each["title"] for each in result["with"]]) == ("collides", ["Strip one"])
    day = page.call("GET", "day/2026-11-26").json()
    assert "Strip one" in [each["title"] for each in day["busy"]]
    (result,) = page.answer(page.card(second.thread_id) | accept | {"sure": True})
    assert (result["state"], served.event("Strip two")) == ("not_taken", None)
    args = {"start": "2026-11-27T10:00:00+01:00", "end": "2026-11-27T10:30:00+01:00"}
    (result,) = page.answer(page.card(second.thread_id) | {"type": "edit", "args": args})
    assert result["state"] == "done"
    assert served.event("Strip two").start.isoformat() == args["start"]
    assert page.call("GET", "day/tomorrow").status_code == 422


def test_what_failed_is_told_by_cause_and_tried_again(served: Served, page: PageClient) -> None:
    """The model answers in no form that can be read: one cause; when it answers, the mail comes to its card."""
    thread = served.begin(
        {"error": {"message": "no such model", "type": "invalid_request_error"}, "status": 404}
    )
    assert thread.status == "error"
    told = page.call("GET", "failures").json()
    assert (told["number"], told["causes"][0]["number"]) == (1, 1)
    served.model.script(tool_calls(("send_email", {"body": "It is 120 euro."}), ("Done", {})))
    until(lambda: page.call("POST", "failures/retry", {}).json() and thread.status == "interrupted")
    assert page.call("GET", "failures").json()["number"] == 0
    thread.answer(IGNORE)
