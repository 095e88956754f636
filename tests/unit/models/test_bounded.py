"""Answers that are too long are given up while they are read, and told as a failure of the model."""

import gzip
from collections.abc import Iterator
from typing import Any

from langchain_core.messages import HumanMessage
from pytest_httpserver import HTTPServer
from werkzeug import Response

from email_assistant.models.chat import MAX_BYTES, MAX_CHARACTERS
from tests.servers.model_server import tool_call
from tests.unit.models.sorting import ACT, SORT, SURE, Bench, Mail

MAIL = Mail("Please sign today.")
PIECE = b" " * 100_000


class Flood:
    """A response without an end, and how much of it was taken."""

    def __init__(self, most: int) -> None:
        self.sent, self.most = 0, most

    def __call__(self, _: Any) -> Response:
        """The response."""
        return Response(self._pieces(), content_type="application/json")

    def _pieces(self) -> Iterator[bytes]:
        while self.sent < self.most:
            self.sent += len(PIECE)
            yield PIECE


async def test_a_flood_is_given_up(bench: Bench, httpserver: HTTPServer) -> None:
    """Of 400 megabytes a few are read; it is asked once more, as after any answer that cannot be read."""
    flood = Flood(400_000_000)
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(flood)
    models = bench.with_settings(openai_base_url=httpserver.url_for("/v1"))
    assert (await models.run(SORT, MAIL)).confidence == 0.5
    assert f"gave an answer of more than {MAX_BYTES} bytes" in models.note("fast")
    assert len(httpserver.log) <= 2
    assert flood.sent < 60_000_000
    await models.close()


async def test_a_packed_answer_is_not_unpacked(bench: Bench, httpserver: HTTPServer) -> None:
    """It was asked for a plain one; what a few packed bytes become has no bound."""
    packed = gzip.compress(b" " * 50_000_000)
    httpserver.expect_request("/v1/chat/completions").respond_with_data(
        packed, headers={"content-encoding": "gzip"}, content_type="application/json"
    )
    models = bench.with_settings(openai_base_url=httpserver.url_for("/v1"))
    await models.run(SORT, MAIL)
    assert "gave a packed answer" in models.note("fast")
    assert httpserver.log[0][0].headers["accept-encoding"] == "identity"
    await models.close()


async def test_a_long_text_is_no_letter(bench: Bench) -> None:
    """It is neither cut nor taken: the model is asked again, then the rule speaks and the failure is told."""
    long = {"content": "x" * (MAX_CHARACTERS + 1)}
    bench.server.script(long, long)
    assert (await bench.models().turn(ACT, MAIL, [HumanMessage("Go on")], [])).tool_calls
    assert f"more than {MAX_CHARACTERS} characters" in bench.models().note("strong")
    bench.server.script(long, tool_call("Verdict", SURE))
    assert (await bench.models().run(SORT, MAIL)).category == "urgent"
