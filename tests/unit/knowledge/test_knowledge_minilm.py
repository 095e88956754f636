"""The reading of a MiniLM model, with small weights made up for the test: the real ones are the user's to bring.

The arithmetic is compared with a second writing of it, token by token; that the real model's weights give the published
model's vectors was not tested.
"""

import asyncio
import json
import math
from pathlib import Path
from typing import Any

import pytest

from email_assistant.errors import ConfigError
from email_assistant.knowledge.embedding import DIMS, Embedder
from email_assistant.knowledge.minilm import MiniLmEmbedding

WIDTH, HEADS, INNER, LAYERS, POSITIONS = 8, 2, 12, 2, 16
VOCABULARY = {"[PAD]": 0, "[UNK]": 1, "cargo": 2, "bike": 3, "deposit": 4, "saturday": 5, "open": 6}


def made_up(folder: Path, **config: Any) -> dict[str, Any]:
    """Write a model of that shape; returns its weights."""
    np = pytest.importorskip("numpy", reason="comes with the extra minilm")
    tokenizers = pytest.importorskip("tokenizers")
    safetensors = pytest.importorskip("safetensors.numpy")
    random = np.random.default_rng(7)

    def some(*shape: int) -> Any:
        return random.normal(0, 0.5, shape).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": some(len(VOCABULARY), WIDTH),
        "embeddings.position_embeddings.weight": some(POSITIONS, WIDTH),
        "embeddings.token_type_embeddings.weight": some(2, WIDTH),
        "embeddings.LayerNorm.weight": some(WIDTH),
        "embeddings.LayerNorm.bias": some(WIDTH),
    }
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}."
        shapes = {f"attention.self.{name}": (WIDTH, WIDTH) for name in ("query", "key", "value")}
        shapes |= {
            "attention.output.dense": (WIDTH, WIDTH),
            "intermediate.dense": (INNER, WIDTH),
            "output.dense": (WIDTH, INNER),
        }
        for name, shape in shapes.items():
            weights |= {at + name + ".weight": some(*shape), at + name + ".bias": some(shape[0])}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            weights |= {at + name + ".weight": some(WIDTH), at + name + ".bias": some(WIDTH)}
    safetensors.save_file(
        {f"bert.{name}": value for name, value in weights.items()}, folder / "model.safetensors"
    )
    model = tokenizers.models.WordLevel(VOCABULARY, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.save(str(folder / "tokenizer.json"))
    sizes = {"num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "hidden_size": WIDTH}
    (folder / "config.json").write_text(json.dumps(sizes | config))
    return weights


def by_hand(weights: dict[str, Any], ids: list[int]) -> list[float]:
    """The same encoder, one number at a time."""

    def linear(x: list[float], name: str) -> list[float]:
        rows, bias = weights[name + ".weight"].tolist(), weights[name + ".bias"].tolist()
        return [
            sum(a * b for a, b in zip(row, x, strict=True)) + c for row, c in zip(rows, bias, strict=True)
        ]

    def normed(x: list[float], name: str) -> list[float]:
        mean = sum(x) / len(x)
        spread = math.sqrt(sum((a - mean) ** 2 for a in x) / len(x) + 1e-12)
        gain, bias = weights[name + ".weight"].tolist(), weights[name + ".bias"].tolist()
        return [(a - mean) / spread * g + b for a, g, b in zip(x, gain, bias, strict=True)]

    def plus(*vectors: list[float]) -> list[float]:
        return [sum(each) for each in zip(*vectors, strict=True)]

    tables = [
        weights[f"embeddings.{n}_embeddings.weight"].tolist() for n in ("word", "position", "token_type")
    ]
    states = [
        normed(plus(tables[0][i], tables[1][at], tables[2][0]), "embeddings.LayerNorm")
        for at, i in enumerate(ids)
    ]
    size = WIDTH // HEADS
    for layer in range(LAYERS):
        p = f"encoder.layer.{layer}."
        query, key, value = (
            [linear(s, f"{p}attention.self.{n}") for s in states] for n in ("query", "key", "value")
        )
        context = []
        for q in query:
            row: list[float] = []
            for head in range(HEADS):
                part = slice(head * size, (head + 1) * size)
                weight = [
                    math.exp(sum(a * b for a, b in zip(q[part], k[part], strict=True)) / math.sqrt(size))
                    for k in key
                ]
                row += [
                    sum(w * v[part][i] for w, v in zip(weight, value, strict=True)) / sum(weight)
                    for i in range(size)
                ]
            context.append(row)
        dense, norm = p + "attention.output.dense", p + "attention.output.LayerNorm"
        states = [normed(plus(s, linear(c, dense)), norm) for s, c in zip(states, context, strict=True)]
        inner = [
            [x * 0.5 * (1 + math.erf(x / math.sqrt(2))) for x in linear(s, p + "intermediate.dense")]
            for s in states
        ]
        states = [
            normed(plus(s, linear(i, p + "output.dense")), p + "output.LayerNorm")
            for s, i in zip(states, inner, strict=True)
        ]
    mean = [sum(column) / len(states) for column in zip(*states, strict=True)]
    return [x / math.sqrt(sum(a * a for a in mean)) for x in mean]


def test_the_arithmetic_is_that_of_the_encoder(tmp_path: Path) -> None:
    """Alone, and beside a longer text that fills the batch up."""
    weights = made_up(tmp_path)
    embedding = MiniLmEmbedding(tmp_path)
    alone, beside, longer = asyncio.run(
        embedding.vectors(["Cargo bike", "cargo BIKE", "open saturday deposit bike x"])
    )
    assert alone == pytest.approx(by_hand(weights, [2, 3]), abs=1e-4)
    assert beside == pytest.approx(alone, abs=1e-5)
    assert longer == pytest.approx(by_hand(weights, [6, 5, 4, 3, 1]), abs=1e-4)


def test_long_texts_many_texts_and_none(tmp_path: Path) -> None:
    """Cut at the model's positions, in batches, and no words give no direction."""
    made_up(tmp_path)
    embedder = Embedder(MiniLmEmbedding(tmp_path))
    vectors = asyncio.run(embedder.embed(["cargo " * 10_000, *[f"bike {n}" for n in range(100)], ""]))
    assert {len(vector) for vector in vectors} == {DIMS}
    assert all(math.isfinite(x) for vector in vectors for x in vector)


def test_a_model_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    """Damaged files, a file of another format, vectors that are too long."""
    made_up(tmp_path, hidden_size=1024)
    for damage in ("", "model.safetensors", "tokenizer.json", "config.json"):
        if damage:
            (tmp_path / damage).write_bytes(b"\x00nonsense")
        with pytest.raises(
            ConfigError, match=r"EMAIL_ASSISTANT_EMBEDDING: the model in .* cannot be read"
        ) as caught:
            asyncio.run(MiniLmEmbedding(tmp_path).vectors(["text"]))
        assert "\n" not in str(caught.value)


def test_another_folder_is_another_embedding(tmp_path: Path) -> None:
    """The folder's name tells vectors apart, and is a word."""
    names = []
    for name in ("mini lm v2", "other"):
        folder = tmp_path / name
        folder.mkdir()
        for file in ("config.json", "tokenizer.json", "model.safetensors"):
            (folder / file).touch()
        names.append(MiniLmEmbedding(folder).name)
    assert names == ["minilm:mini-lm-v2", "minilm:other"]
