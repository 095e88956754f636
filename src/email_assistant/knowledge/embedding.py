"""From text to vector: which embedding the setting names, and the one function that the store calls.

The store has a fixed number of dimensions, so every embedding gives vectors of `DIMS` numbers: shorter ones get zeros at
their end, which leaves cosines as they are. A vector means something only beside vectors of the same embedding. The texts
that this package stores and asks with therefore begin with a line that names their embedding, and a server that is set to
another one refuses them instead of mixing.
"""

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from email_assistant.errors import ConfigError

SETTING = "EMAIL_ASSISTANT_EMBEDDING"
DIMS = 512
"""As `store.index.dims` of langgraph.json."""
CACHED = 256
"""Vectors that are kept for a moment: a text is embedded before the store asks for it."""

_MARK = re.compile(r"\[(\S{1,200}) (\S{1,100})\]\n")


class Embedding(Protocol):
    """Makes vectors of at most `DIMS` numbers."""

    @property
    def name(self) -> str:
        """What tells its vectors from others': a word without spaces."""
        ...

    @property
    def kind(self) -> str:
        """Whose curve makes scores of its cosines (`score.py`): `lexical`, or `provider` for every model of a provider."""
        ...

    async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text. Raises `ConfigError` or `ProviderError`."""
        ...


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
    _known: "OrderedDict[str, list[float]]" = field(default_factory=OrderedDict, repr=False)

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
