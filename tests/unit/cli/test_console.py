"""What is printed cannot act on the terminal, and what breaks becomes one line."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.cli.console import client_for, complain, print_json, run_async, visible
from email_assistant.errors import ProviderError

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egro.live\x08\r\x7f\u2066\U000e0041\ud800"


def test_what_acts_is_written_out() -> None:
    """As the escapes that JSON has."""
    assert visible(HOSTILE) == (
        r"\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egro.live\b\r\u007f\u2066\udb40\udc41\ud800"
    )
    assert visible("a\r\nb") == "a\nb"


@given(st.text())
def test_what_is_visible_stays_so(text: str) -> None:
    """Doing it again changes nothing, so it may be done wherever text is printed."""
    assert visible(visible(text)) == visible(text)


def test_a_complaint_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever the error's text holds."""
    complain("first\nsecond\r\n\x1b[31mthird " + "x" * 300)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("email-assistant: first second \\u001b[31mthird xxx")


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_says_the_same_and_cannot_act(value: Any) -> None:
    """It reads back equal, and holds no character that acts."""
    with pytest.MonkeyPatch.context() as patch:
        written: list[str] = []
        patch.setattr("sys.stdout.write", written.append, raising=True)
        print_json(value)
    text = "".join(written)
    assert json.loads(text) == value
    assert text == visible(text)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (httpx.ConnectError("refused"), "start it with `make run`"),
        (httpx.RemoteProtocolError("what"), "is it an email_assistant server"),
        (ExceptionGroup("several", [ExceptionGroup("more", [httpx.ConnectError("refused")])]), "make run"),
    ],
)
def test_a_server_that_fails_is_one_line(error: Exception, words: str) -> None:
    """Also out of a group of tasks."""

    async def work() -> None:
        raise error

    with pytest.raises(ProviderError, match="server") as told:
        run_async(work())
    assert words in str(told.value)


@pytest.mark.parametrize(("code", "words"), [(401, "EMAIL_ASSISTANT_API_TOKEN"), (500, "500")])
def test_an_answer_that_is_an_error_is_one_line(code: int, words: str) -> None:
    """With the setting or option to look at."""
    request = httpx.Request("POST", "http://127.0.0.1:9/threads/search")
    error = httpx.HTTPStatusError("no", request=request, response=httpx.Response(code, request=request))

    async def work() -> None:
        raise error

    with pytest.raises(ProviderError) as told:
        run_async(work())
    assert words in str(told.value)


async def test_no_request_meets_the_end_of_an_idle_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that ends a connection as the next request comes is asked anew: nobody is told that it broke."""
    usual: Any = httpx.AsyncClient.__init__.__kwdefaults__
    monkeypatch.setattr(usual["limits"], "max_keepalive_connections", 20)  # What tests do without.
    asked: list[bytes] = []

    async def answer_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}")
        await writer.drain()
        await reader.read(1)
        writer.transport.abort()

    server = await asyncio.start_server(answer_once, "127.0.0.1", 0)
    built: Any = SimpleNamespace(settings=SimpleNamespace(api_token=None))
    async with server:
        client = client_for(built, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        for _ in range(3):
            assert await client.threads.get("t") == {}
    assert len(asked) == 3
