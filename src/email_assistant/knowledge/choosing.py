"""The embedding that the setting names."""

from email_assistant.errors import ConfigError
from email_assistant.knowledge.embedding import SETTING, Embedding
from email_assistant.knowledge.lexical import LexicalEmbedding
from email_assistant.knowledge.provider_embedding import ProviderEmbedding
from email_assistant.models.settings import ModelSpec


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
