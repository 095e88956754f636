"""Embeddings of OpenAI, or of a server that speaks its protocol."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from email_assistant.errors import ConfigError
from email_assistant.knowledge.embedding import DIMS, SETTING
from email_assistant.models.bounded import MAX_BYTES_OF_VECTORS, bounded_client
from email_assistant.models.failures import domain_error, understand
from email_assistant.models.settings import ModelSpec

if TYPE_CHECKING:
    from langchain_openai import OpenAIEmbeddings

RETRIES = 2
"""By the SDK; there is no other layer here."""


class OpenAIEmbedding:
    """Asks for `DIMS` numbers a text, which the models from text-embedding-3 on give.

    The texts leave this machine: they go to OpenAI, or to `OPENAI_BASE_URL`.
    """

    kind = "openai"

    def __init__(self, model: str, *, key: str | None, base_url: str | None, timeout: float) -> None:
        if not key:
            raise ConfigError(f"{SETTING} is openai:{model}, which needs OPENAI_API_KEY")
        self.name = f"openai:{model}@{DIMS}"
        self._spec = ModelSpec("openai", model, SETTING)
        self._key, self._base_url, self._timeout = key, base_url, timeout
        # An HTTP connection must not be used from another event loop.
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, OpenAIEmbeddings] = WeakKeyDictionary()

    async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text; raises `ProviderError`, `TransientError` when trying again may help."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            # Building reads certificates: files, so not in the loop.
            self._clients[loop] = await asyncio.to_thread(self._client)
        try:
            async with asyncio.timeout(self._timeout * (RETRIES + 1)):
                return await self._clients[loop].aembed_documents(list(texts))
        except Exception as error:
            failure = understand(error)
            if failure is None:
                raise
            raise domain_error(failure, self._spec) from error

    def _client(self) -> "OpenAIEmbeddings":
        from langchain_openai import OpenAIEmbeddings
        from pydantic import SecretStr

        return OpenAIEmbeddings(
            model=self._spec.model,
            dimensions=DIMS,
            openai_api_key=SecretStr(self._key),
            openai_api_base=self._base_url,
            request_timeout=self._timeout,
            max_retries=RETRIES,
            check_embedding_ctx_length=False,  # Our texts are short, and counting would download a vocabulary.
            http_async_client=bounded_client(self._timeout, MAX_BYTES_OF_VECTORS),
        )
