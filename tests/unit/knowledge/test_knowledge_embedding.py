"""What stands between the store and an embedding, and OpenAI's embedding against a loopback server."""

import asyncio
import importlib
import json
from collections.abc import Sequence

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from email_assistant.errors import ConfigError, ProviderError, TransientError
from email_assistant.knowledge.embedding import (
    DIMS,
    Embedder,
    Embedding,
    LexicalEmbedding,
    embedding_of,
    marked,
)
from email_assistant.server import app as platform
from tests.support.dev_server import ROOT


class Counting(LexicalEmbedding):
    """Three numbers a text, and what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """The text's length, thrice."""
        self.asked += texts
        return [[float(len(text))] * 3 for text in texts]


async def test_texts_of_another_embedding_are_refused() -> None:
    """A command and a server with different settings must not mix vectors; the line names the setting."""
    with pytest.raises(ConfigError, match=r"EMAIL_ASSISTANT_EMBEDDING.*lexical-1.*openai:x@512"):
        await Embedder(Counting()).embed(["fine", marked("openai:x@512", "m-1", "text")])


@pytest.mark.parametrize("setting", ["", "openai:", ":x", "word2vec", "Lexical", "openai:a b"])
def test_a_wrong_setting_is_told(setting: str) -> None:
    """With what may be written."""
    with pytest.raises(ConfigError, match=r"EMAIL_ASSISTANT_EMBEDDING is .*write lexical or provider:model"):
        embedding_of(setting)


async def test_what_an_embedding_lacks_is_told() -> None:
    """A key, a package, or a provider that LangChain knows: one line that names the setting."""
    with pytest.raises(ConfigError, match="needs OPENAI_API_KEY"):
        embedding_of("openai:text-embedding-3-small")
    with pytest.raises(ConfigError, match=r"EMAIL_ASSISTANT_EMBEDDING is ollama:all-minilm.*\.\[ollama\]"):
        await embedding_of("ollama:all-minilm").vectors(["text"])
    with pytest.raises(ConfigError, match=r"EMAIL_ASSISTANT_EMBEDDING is nobody:x.*not supported") as caught:
        await embedding_of("nobody:x").vectors(["text"])
    assert "\n" not in str(caught.value)


def answers(request: Request) -> Response:
    """As OpenAI's server: vectors of the wished length, the text's length in front."""
    body = request.get_json()
    data = [
        {
            "object": "embedding",
            "index": at,
            "embedding": [float(len(text)), *[0.0] * (body["dimensions"] - 1)],
        }
        for at, text in enumerate(body["input"])
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    answer = {"object": "list", "data": data, "model": body["model"], "usage": usage}
    return Response(json.dumps(answer), content_type="application/json")


def openai_at(server: HTTPServer) -> Embedding:
    """The embedding with that server behind it."""
    base_url = server.url_for("/v1")
    return embedding_of(
        "openai:text-embedding-3-small", openai_key="key", openai_base_url=base_url, timeout=5
    )


def test_openai_is_asked_for_the_stores_dimensions(httpserver: HTTPServer) -> None:
    """Texts go as text to OPENAI_BASE_URL, with the key; one embedding serves several event loops."""
    httpserver.expect_request("/v1/embeddings", headers={"Authorization": "Bearer key"}).respond_with_handler(
        answers
    )
    embedding = openai_at(httpserver)
    for _ in range(2):
        vectors = asyncio.run(Embedder(embedding).embed(["abc", "ab"]))
        assert [(vector[0], len(vector)) for vector in vectors] == [(3, DIMS), (2, DIMS)]
    body = httpserver.log[0][0].get_json()
    assert (body["input"], body["model"], body["dimensions"]) == (
        ["abc", "ab"],
        "text-embedding-3-small",
        DIMS,
    )
    assert embedding.name == f"openai:text-embedding-3-small@{DIMS}"


@pytest.mark.parametrize(
    ("status", "error", "line"),
    [
        (401, ProviderError, "OPENAI_API_KEY"),
        (503, TransientError, "cannot be reached at the moment"),
    ],
)
async def test_openais_failures_are_one_line(
    httpserver: HTTPServer, status: int, error: type[Exception], line: str
) -> None:
    """Who must act is in it; no text of a mail is."""
    httpserver.expect_request("/v1/embeddings").respond_with_json(
        {"error": {"message": "no"}}, status, headers={"retry-after-ms": "1"}
    )
    with pytest.raises(error, match=line) as caught:
        await openai_at(httpserver).vectors(["the text of a mail"])
    assert "\n" not in str(caught.value)
    assert "text of a mail" not in str(caught.value)


def test_langgraph_json_names_this_embedding() -> None:
    """With as many dimensions, over the field that items have, by the name under which the server imports it."""
    index = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["store"]["index"]
    module, _, name = index["embed"].rpartition(":")
    assert getattr(importlib.import_module(module), name) is platform.embed
    assert (index["dims"], index["fields"]) == (DIMS, ["text"])
