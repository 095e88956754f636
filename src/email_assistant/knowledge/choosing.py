"""The embedding that the setting names."""

from pathlib import Path

from email_assistant.errors import ConfigError
from email_assistant.knowledge.embedding import SETTING, Embedding
from email_assistant.knowledge.lexical import LexicalEmbedding
from email_assistant.knowledge.minilm import MiniLmEmbedding
from email_assistant.knowledge.openai_embedding import OpenAIEmbedding


def embedding_of(
    setting: str, *, openai_key: str | None = None, openai_base_url: str | None = None, timeout: float = 60.0
) -> Embedding:
    """`lexical`, `openai:MODEL` or `minilm:FOLDER`; raises `ConfigError` for anything else and for what it lacks."""
    kind, _, rest = setting.partition(":")
    if setting == "lexical":
        return LexicalEmbedding()
    if kind == "openai" and rest:
        return OpenAIEmbedding(rest, key=openai_key, base_url=openai_base_url, timeout=timeout)
    if kind == "minilm" and rest:
        return MiniLmEmbedding(Path(rest).expanduser())
    raise ConfigError(f"{SETTING} is {setting!r}; write lexical, openai:MODEL or minilm:FOLDER")
