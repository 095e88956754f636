"""Jira: the contract, and what is special about a service that fails, hangs and forgets."""

import base64
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from email_assistant.clock import FixedClock
from email_assistant.errors import AccessError, InputError, ProviderError, TransientError
from email_assistant.workflows.claims_desk.http_api import MAX_ANSWER, HttpApi
from email_assistant.workflows.claims_desk.jira import JiraTickets, document, jira_api
from tests.contract.tickets_contract import DRAFT, TicketsContract
from tests.support.jira_stand_in import CUT, Answering, Jira, World, served


@pytest.fixture
def world() -> World:
    """A Jira without issues."""
    return World()


@pytest.fixture
def waits() -> list[float]:
    """How long was waited between attempts."""
    return []


@pytest.fixture
def tickets(world: World, clock: FixedClock, waits: list[float]) -> Iterator[JiraTickets]:
    """An account there."""

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    with served(Jira, world) as url:
        api = replace(jira_api(f"{url}/", "bot@example.com", "t0ken"), sleep=sleep)
        yield JiraTickets(api, "CLAIMS", "Task", clock)


class TestJiraTickets(TicketsContract):
    """The contract."""


async def test_what_jira_is_sent(tickets: JiraTickets, world: World) -> None:
    """The account's token; one paragraph a line, no marks; a label that tells nothing."""
    made = await tickets.create(DRAFT, "thread:call:1")
    ((_, headers, body),) = world.asked("POST")
    assert headers["authorization"] == "Basic " + base64.b64encode(b"bot@example.com:t0ken").decode()
    fields = body["fields"]
    assert (fields["project"], fields["issuetype"]) == ({"key": "CLAIMS"}, {"name": "Task"})
    assert fields["summary"] == "A burst pipe"
    assert fields["description"] == {
        "type": "doc",
        "version": 1,
        "content": [
            {"type": "paragraph", "content": [{"type": "text", "text": "Line one."}]},
            {"type": "paragraph", "content": []},
            {"type": "paragraph", "content": [{"type": "text", "text": "Line two."}]},
        ],
    }
    *known, label = fields["labels"]
    assert known == ["email-assistant", "complaint"]
    assert label.startswith("ea-")
    assert "thread" not in label
    assert (made.key, made.url) == ("CLAIMS-1", f"{tickets.api.url}/browse/CLAIMS-1")


def test_no_text_is_markup() -> None:
    """Whatever stands in it, a document has paragraphs of text alone; empty text has no node, which Jira would refuse."""

    def kinds(node: dict[str, Any]) -> set[str]:
        inner = [kinds(each) for each in node.get("content", [])]
        return {node["type"], *(key for key in node if key == "marks")}.union(*inner)

    hostile = "h1. x\n{code}\n<b>a</b>\n \n[~admin] !https://evil.example/x.png!\n"
    assert kinds(document(hostile)) == {"doc", "paragraph", "text"}
    assert document("") == {"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": []}]}


async def test_a_search_that_fails_is_made_again(
    tickets: JiraTickets, world: World, waits: list[float]
) -> None:
    """After a pause, three times in all; a service that asks to slow down is left alone."""
    world.fault("GET", 503)
    world.fault("GET", CUT)
    await tickets.create(DRAFT, "k")
    assert (waits, len(world.issues)) == ([1.0, 2.0], 1)
    for method in ("GET", "POST"):
        world.fault(method, 429)
        with pytest.raises(TransientError, match="slow down"):
            await tickets.create(DRAFT, "another")
    assert (len(waits), len(world.issues)) == (2, 1)


@pytest.mark.parametrize("what", [500, 503, CUT])
async def test_a_creation_whose_end_nobody_saw(tickets: JiraTickets, world: World, what: int | str) -> None:
    """Is looked for and not made again: with an issue it is returned, else the caller is told."""
    world.fault("POST", what)
    if what == CUT:
        assert (await tickets.create(DRAFT, "k")).key == "CLAIMS-1"
    else:
        with pytest.raises(TransientError, match="Jira failed"):
            await tickets.create(DRAFT, "k")
    assert (len(world.asked("POST")), len(world.issues)) == (1, int(what == CUT))


@pytest.mark.parametrize(
    ("status", "error", "told"),
    [
        (401, AccessError, "Jira refuses the credentials .status 401.: check EMAIL_ASSISTANT_JIRA_URL"),
        (302, ProviderError, "wants to lead to another address"),
        (400, ProviderError, "Jira refused the request .status 400.: a fault"),
    ],
)
async def test_refusals(
    tickets: JiraTickets, world: World, status: int, error: type[ProviderError], told: str
) -> None:
    """Say who must act, at once, whether reading or writing; the token is not told."""
    for method in ("GET", "POST"):
        world.fault(method, status, location="https://evil.example/")
        with pytest.raises(error, match=told) as refused:
            await tickets.create(DRAFT, "k")
        assert type(refused.value) is error
        assert "t0ken" not in str(refused.value)
    assert world.issues == []


async def test_jiras_own_reasons(tickets: JiraTickets) -> None:
    """They are told in one line."""
    wrong = replace(tickets, issue_type="Saga")
    with pytest.raises(ProviderError, match="issuetype: Specify a valid issue type"):
        await wrong.create(DRAFT, "k")
    with pytest.raises(
        ProviderError, match="no issue type Saga: set EMAIL_ASSISTANT_JIRA_ISSUE_TYPE to one of Task, Bug"
    ):
        await wrong.check()
    with pytest.raises(ProviderError, match=r"status 404.: No project could be found"):
        await replace(tickets, project="NONE").check()
    assert await tickets.check() == f"{tickets.api.url}: Claims Bot, project CLAIMS, issue type Task"
    with pytest.raises(InputError, match="title"):
        await tickets.create(replace(DRAFT, title=" "), "k")


class Nonsense(Answering):
    """Answers that are none."""

    answers: tuple[bytes, ...] = ()

    def act(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
        """The next one."""
        return 201 if method == "POST" else 200, self.answers[len(self.world.requests) - 1]


@pytest.mark.parametrize("search", [b"<html>", b'{"issues": [{}]}', b"[" * 99_999])
async def test_searches_that_cannot_be_read(search: bytes, clock: FixedClock) -> None:
    """Nothing is made of them: that there is no issue is not known."""
    handler = type("One", (Nonsense,), {"answers": (search,)})
    with served(handler, World()) as url, pytest.raises(TransientError, match="cannot be read"):
        await JiraTickets(jira_api(url, "", "t"), "CLAIMS", "Task", clock).create(DRAFT, "k")


async def test_a_new_issue_without_a_key(clock: FixedClock) -> None:
    """Nobody knows what was made."""
    handler = type("Two", (Nonsense,), {"answers": (b'{"issues": []}', b"{}")})
    with served(handler, World()) as url, pytest.raises(TransientError, match="new issue cannot be read"):
        await JiraTickets(jira_api(url, "", "t"), "CLAIMS", "Task", clock).create(DRAFT, "k")


async def test_an_endless_answer() -> None:
    """So much is read and no more."""
    handler = type("Long", (Nonsense,), {"answers": (b" " * (MAX_ANSWER + 1),)})
    with served(handler, World()) as url, pytest.raises(ProviderError, match="longer than"):
        await HttpApi("It", url, {}, "").ask("GET", repeatable=True)
