"""The embedding that the setting names, by a provider's model that LangChain's `init_embeddings` knows."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from email_assistant.errors import ConfigError
from email_assistant.knowledge.embedding import DIMS, SETTING, Embedding
from email_assistant.knowledge.lexical import LexicalEmbedding
from email_assistant.models.bounded import MAX_BYTES_OF_VECTORS, bounded_client
from email_assistant.models.chat import unusable
from email_assistant.models.failures import domain_error, understand
from email_assistant.models.settings import ModelSpec

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

RETRIES = 2
"""By the provider's library; there is no other layer here."""
_DIMENSIONS = {"openai": "dimensions", "ollama": "dimensions", "google_genai": "output_dimensionality"}
"""How a provider is asked for `DIMS` numbers; another one's model has to give no more by itself."""


class ProviderEmbedding:
    """A model of OpenAI's (or of a server that speaks its protocol) is reached as the settings say, another by its provider's
    own environment variables.

    The texts leave this process: they go to the provider, or to `OPENAI_BASE_URL`.
    """

    kind = "provider"

    def __init__(self, spec: ModelSpec, *, key: str | None, base_url: str | None, timeout: float) -> None:
        """`key` and `base_url` are OpenAI's; `timeout` is in seconds for one attempt. Raises `ConfigError` without the key."""
        if spec.provider == "openai" and not key:
            raise ConfigError(f"{spec.setting} is {spec}, which needs OPENAI_API_KEY")
        self.name = f"{spec}@{DIMS}"
        self._spec = spec
        self._key, self._base_url, self._timeout = key, base_url, timeout
        # An HTTP connection must not be used from another event loop.
        self._models: WeakKeyDictionary[asyncio.AbstractEventLoop, Embeddings] = WeakKeyDictionary()

    async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text; raises `ConfigError`, `ProviderError`, `TransientError` when trying again may help."""
        loop = asyncio.get_running_loop()
        if loop not in self._models:
            # Building imports the provider's package and reads certificates: files, so not in the loop.
            self._models[loop] = await asyncio.to_thread(self._built)
        try:
            async with asyncio.timeout(self._timeout * (RETRIES + 1)):
                return await self._models[loop].aembed_documents(list(texts))
        except Exception as error:
            failure = understand(error)
            if failure is None:
                raise
            raise domain_error(failure, self._spec) from error

    def _built(self) -> "Embeddings":
        from langchain.embeddings import init_embeddings

        try:
            return init_embeddings(self._spec.model, provider=self._spec.provider, **self._options())
        except (
            Exception
        ) as error:  # Providers' constructors raise all kinds of errors, each a matter of set-up.
            raise unusable(self._spec, error) from error

    def _options(self) -> dict[str, Any]:
        provider = self._spec.provider
        options: dict[str, Any] = {_DIMENSIONS[provider]: DIMS} if provider in _DIMENSIONS else {}
        if provider != "openai":
            return options
        return (
            options
            | {
                "api_key": self._key,
                "base_url": self._base_url,
                "timeout": self._timeout,
                "max_retries": RETRIES,
                "check_embedding_ctx_length": False,  # Our texts are short, and counting would download a vocabulary.
                "http_async_client": bounded_client(self._timeout, MAX_BYTES_OF_VECTORS),
            }
        )


def embedding_of(
    setting: str, *, openai_key: str | None = None, openai_base_url: str | None = None, timeout: float = 60.0
) -> Embedding:
    """`lexical` or `provider:model`; raises `ConfigError` for anything else, and for OpenAI's without a key."""
    if setting == "lexical":
        return LexicalEmbedding()
    provider, _, model = setting.partition(":")
    if not provider or not model or setting.split() != [setting]:
        raise ConfigError(
            f"{SETTING} is {setting!r}; write lexical or provider:model, like openai:text-embedding-3-small"
        )
    spec = ModelSpec(provider, model, SETTING)
    return ProviderEmbedding(spec, key=openai_key, base_url=openai_base_url, timeout=timeout)
