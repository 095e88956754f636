"""From text to vector: which embedding the setting names, and the one function that the store calls.

The store has a fixed number of dimensions, so every embedding gives vectors of `DIMS` numbers: shorter ones get zeros at
their end, which leaves cosines as they are. A vector means something only beside vectors of the same embedding. The texts
that this package stores and asks with therefore begin with a line that names their embedding, and a server that is set to
another one refuses them instead of mixing.
"""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self
from weakref import WeakKeyDictionary

from email_assistant.errors import ConfigError
from email_assistant.knowledge.similarity import vector_of
from email_assistant.models.chat import MAX_BYTES_OF_VECTORS, bounded_client, unusable
from email_assistant.models.failures import domain_error, understand
from email_assistant.models.settings import ModelSpec
from email_assistant.settings import Settings

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

SETTING = "EMAIL_ASSISTANT_EMBEDDING"
DIMS = 512
"""As `store.index.dims` of langgraph.json."""
CACHED = 256
"""Vectors that are kept for a moment: a text is embedded before the store asks for it."""
RETRIES = 2
"""By the provider's library; there is no other layer here."""
_DIMENSIONS = {"openai": "dimensions", "ollama": "dimensions", "google_genai": "output_dimensionality"}
"""How a provider is asked for `DIMS` numbers; another one's model has to give no more by itself."""

_MARK = re.compile(r"\[(\S{1,200}) (\S{1,100})\]\n")


class Embedding(Protocol):
    """Makes vectors of at most `DIMS` numbers."""

    @property
    def name(self) -> str:
        """What tells its vectors from others': a word without spaces."""

    @property
    def kind(self) -> str:
        """Whose curve makes scores of its cosines (`similarity.py`): `lexical`, or `provider` for every model of a provider."""

    async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text. Raises `ConfigError` or `ProviderError`."""


class LexicalEmbedding:
    """The default embedding. Its number goes up when its vectors change, so that old ones are made anew."""

    name = "lexical-1"
    kind = "lexical"

    async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text."""
        return [vector_of(text, DIMS) for text in texts]


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
        # Providers' constructors raise all kinds of errors, each a matter of set-up.
        except Exception as error:
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


def marked(name: str, key: str, text: str) -> str:
    """The text as the store gets it: named, and unlike any other.

    The in-memory store fails when two items of one moment have the same text ("Thanks!"), and with them fails whatever else was
    written in that moment; the key in the first line keeps them apart.
    """
    return f"[{name} {key}]\n{text}"


def unmarked(text: str) -> str:
    """The text without that line."""
    return _MARK.sub("", text, count=1) if _MARK.match(text) else text


@dataclass
class Embedder:
    """An embedding as the store uses it."""

    embedding: Embedding
    embeds_here: bool = True
    """Whether the store calls this process's embedder, not a server's elsewhere."""
    _known: "OrderedDict[str, list[float]]" = field(default_factory=OrderedDict, repr=False)

    @classmethod
    def of(cls, settings: Settings, *, embeds_here: bool) -> Self:
        """The one that settings name; raises `ConfigError` when it is not there."""
        key = settings.openai_api_key
        embedding = embedding_of(
            settings.embedding,
            openai_key=key.get_secret_value() if key else None,
            openai_base_url=settings.openai_base_url,
            timeout=settings.model_timeout,
        )
        return cls(embedding, embeds_here=embeds_here)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector of `DIMS` numbers for each text, in order.

        Raises `ConfigError` for a text that was marked for another embedding, and what `Embedding.vectors` does.
        """
        for text in texts:
            self._check(text)
        plain = [unmarked(text) for text in texts]
        known = {text: self._known[text] for text in plain if text in self._known}
        missing = list(dict.fromkeys(text for text in plain if text not in known))
        vectors = await self.embedding.vectors(missing) if missing else []
        name = self.embedding.name
        fresh = {text: padded(vector, name) for text, vector in zip(missing, vectors, strict=True)}
        self._known.update(fresh)
        while len(self._known) > CACHED:
            self._known.popitem(last=False)
        known |= fresh
        return [known[text] for text in plain]

    async def warm(self, texts: Sequence[str]) -> None:
        """Embed before the store does: an embedding that fails inside the store fails everybody's writes of that moment."""
        if self.embeds_here:
            await self.embed(texts)

    def _check(self, text: str) -> None:
        match = _MARK.match(text)
        if match and match[1] != self.embedding.name:
            raise ConfigError(
                f"{SETTING}: this server embeds by {self.embedding.name}, and was asked for {match[1]}; "
                "give the command and the server the same setting"
            )


def padded(vector: Sequence[float], name: str) -> list[float]:
    """The vector with zeros up to `DIMS`; raises `ConfigError` when it is longer."""
    if len(vector) > DIMS:
        raise ConfigError(
            f"{SETTING}: {name} gives vectors of {len(vector)} numbers and the store takes {DIMS}; choose a model that "
            "can be asked for fewer"
        )
    return [*vector, *[0.0] * (DIMS - len(vector))]


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
