"""Sentence embeddings of a BERT model like all-MiniLM-L6-v2, computed with numpy from weights in a folder of the user's.

The folder holds `model.safetensors`, `tokenizer.json` and `config.json` as such models are published (mean pooling, vectors of
length 1). numpy, safetensors and tokenizers come with the extra `minilm`.
"""

import asyncio
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from email_assistant.errors import ConfigError
from email_assistant.knowledge.embedding import DIMS, SETTING

MAX_TOKENS = 256
BATCH = 32
FILES = ("config.json", "tokenizer.json", "model.safetensors")


class MiniLmEmbedding:
    """Reads the weights on first use, in a thread."""

    kind = "minilm"

    def __init__(self, folder: Path) -> None:
        missing = [name for name in FILES if not (folder / name).is_file()]
        if missing:
            raise ConfigError(
                f"{SETTING} is minilm:{folder}, where {', '.join(missing)} is missing; name the folder of the model's files"
            )
        self.name = "minilm:" + "-".join(folder.resolve().name.split())
        self._folder = folder
        self._lock = threading.Lock()
        self._model: _Bert | None = None

    async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text; raises `ConfigError` when the files or packages cannot be used."""
        return await asyncio.to_thread(self._vectors, texts)

    def _vectors(self, texts: Sequence[str]) -> list[list[float]]:
        with self._lock:
            if self._model is None:
                self._model = _opened(self._folder)
            batches = [texts[at : at + BATCH] for at in range(0, len(texts), BATCH)]
            return [vector for batch in batches for vector in self._model.encode(batch)]


def _opened(folder: Path) -> "_Bert":
    try:
        return _Bert(folder)
    except ImportError as error:
        raise ConfigError(
            f"{SETTING} is minilm:…, which needs another package ({error.name}): pip install 'email-assistant[minilm]'"
        ) from error
    except (
        Exception
    ) as error:  # Each of three readers has errors of its own for a file that is not what it says.
        reason = " ".join(str(error).split())[:150]
        raise ConfigError(
            f"{SETTING}: the model in {folder} cannot be read ({type(error).__name__}: {reason})"
        ) from error


class _Bert:
    """The encoder: embeddings, layers of attention and feed-forward, mean over the tokens."""

    def __init__(self, folder: Path) -> None:
        import numpy
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self._np: Any = numpy
        self._layers = int(config["num_hidden_layers"])
        self._heads = int(config["num_attention_heads"])
        self._epsilon = float(config.get("layer_norm_eps", 1e-12))
        self._w: dict[str, Any] = {
            name.removeprefix("bert."): weights.astype(numpy.float32)
            for name, weights in load_file(folder / "model.safetensors").items()
        }
        positions = len(self._w["embeddings.position_embeddings.weight"])
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(min(MAX_TOKENS, positions))
        self._tokenizer.enable_padding()
        if int(config["hidden_size"]) > DIMS:
            raise ValueError(f"its vectors have {config['hidden_size']} numbers, the store takes {DIMS}")

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors of length 1."""
        np = self._np
        encoded = self._tokenizer.encode_batch(list(texts))
        ids = np.array([one.ids for one in encoded], dtype=np.int64)
        mask = np.array([one.attention_mask for one in encoded], dtype=np.float32)
        if ids.shape[1] == 0:
            return [[0.0] for _ in texts]
        states = self._embedded(ids)
        bias = (1 - mask)[:, None, None, :] * -1e9
        for layer in range(self._layers):
            states = self._layer(states, bias, f"encoder.layer.{layer}.")
        means = (states * mask[:, :, None]).sum(1) / np.maximum(mask.sum(1, keepdims=True), 1)
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        return [[float(x) for x in row] for row in means / np.maximum(lengths, 1e-12)]

    def _embedded(self, ids: Any) -> Any:
        w = self._w
        states = w["embeddings.word_embeddings.weight"][ids]
        states = states + w["embeddings.position_embeddings.weight"][: ids.shape[1]]
        return self._normed(states + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")

    def _layer(self, states: Any, bias: Any, prefix: str) -> Any:
        np = self._np
        rows, tokens, width = states.shape

        def head(name: str) -> Any:
            flat = self._linear(states, f"{prefix}attention.self.{name}")
            return flat.reshape(rows, tokens, self._heads, width // self._heads).transpose(0, 2, 1, 3)

        query, key, value = head("query"), head("key"), head("value")
        scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(width // self._heads) + bias
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        context = (scores @ value).transpose(0, 2, 1, 3).reshape(rows, tokens, width)
        states = self._normed(
            states + self._linear(context, prefix + "attention.output.dense"),
            prefix + "attention.output.LayerNorm",
        )
        inner = self._linear(states, prefix + "intermediate.dense")
        inner = inner * 0.5 * (1 + self._erf(inner / np.sqrt(2)))  # GELU
        return self._normed(
            states + self._linear(inner, prefix + "output.dense"), prefix + "output.LayerNorm"
        )

    def _linear(self, states: Any, name: str) -> Any:
        return states @ self._w[name + ".weight"].T + self._w[name + ".bias"]

    def _normed(self, states: Any, name: str) -> Any:
        centred = states - states.mean(-1, keepdims=True)
        spread = self._np.sqrt((centred**2).mean(-1, keepdims=True) + self._epsilon)
        return centred / spread * self._w[name + ".weight"] + self._w[name + ".bias"]

    def _erf(self, x: Any) -> Any:
        """The error function to 1.5e-7 (Abramowitz and Stegun 7.1.26), which numpy lacks."""
        np = self._np
        sign, x = np.sign(x), np.abs(x)
        t = 1 / (1 + 0.3275911 * x)
        series = (
            (((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592
        ) * t
        return sign * (1 - series * np.exp(-x * x))
