"""Which model stands behind a tier, and how to reach it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from email_assistant.errors import ConfigError
from email_assistant.settings import Settings

if TYPE_CHECKING:  # Slow to import, and who merely asks what is configured does without.
    from email_assistant.models.call import Tier

OFFLINE = "offline"
AUTO = "auto"
AUTO_FAST = "openai:gpt-5-mini"
AUTO_STRONG = "openai:gpt-5"
FAST_SETTING = "EMAIL_ASSISTANT_MODEL_FAST"
STRONG_SETTING = "EMAIL_ASSISTANT_MODEL_STRONG"
FALLBACK_SETTING = "EMAIL_ASSISTANT_MODEL_FALLBACK"
TIMEOUT_SECONDS = 60.0


@dataclass(frozen=True)
class ModelSpec:
    """One model to be reached: `provider` and `model` as `init_chat_model` takes them."""

    provider: str
    model: str
    setting: str
    """The setting that names it, for errors."""

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"


@dataclass(frozen=True)
class ModelSettings:
    """The models' settings, as users write them; resolved by `spec` and `fallback_spec`."""

    fast: str = AUTO
    """`provider:model`, `offline` or `auto` (OpenAI when there is a key, else offline)."""
    strong: str = AUTO
    fallback: str | None = None
    """`provider:model` asked when a model stays out of reach, or `offline`: then rules answer; None for none."""
    openai_api_key: str | None = field(default=None, repr=False)
    openai_base_url: str | None = None
    timeout_seconds: float = TIMEOUT_SECONDS
    """Longest time one attempt may take, in seconds."""

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The models' part of all settings."""
        key = settings.openai_api_key
        return cls(
            fast=settings.model_fast,
            strong=settings.model_strong,
            fallback=settings.model_fallback,
            openai_api_key=key.get_secret_value() if key else None,
            openai_base_url=settings.openai_base_url,
            timeout_seconds=settings.model_timeout,
        )

    @property
    def is_offline(self) -> bool:
        """Whether rules stand in for both tiers; raises `ConfigError` for a wrong setting."""
        return self.spec("fast") is None and self.spec("strong") is None

    def spec(self, tier: Tier) -> ModelSpec | None:
        """The tier's model, None for the offline rules; raises `ConfigError` for a wrong setting."""
        name, setting, default = {
            "fast": (self.fast, FAST_SETTING, AUTO_FAST),
            "strong": (self.strong, STRONG_SETTING, AUTO_STRONG),
        }[tier]
        if name == AUTO:
            name = default if self.openai_api_key else OFFLINE
        return None if name == OFFLINE else _parse(name, setting)

    @property
    def unused(self) -> str:
        """Why a server that is named is not asked, and how it would be; "" when it is, or none is named."""
        if not self.openai_base_url or self.openai_api_key or "openai:" in f"{self.fast} {self.strong}":
            return ""
        mend = f"set {FAST_SETTING} and {STRONG_SETTING} to openai:NAME, with a name that it knows"
        return f"OPENAI_BASE_URL is set, and nothing asks that server: {mend}"

    @property
    def fallback_spec(self) -> ModelSpec | None:
        """The fallback model, if there is one; raises `ConfigError` for what is neither `provider:model` nor `offline`."""
        return _parse(self.fallback, FALLBACK_SETTING) if self.fallback not in {None, "", OFFLINE} else None

    @property
    def falls_back_to_rules(self) -> bool:
        """Whether rules answer in the place of a model that stays out of reach."""
        return self.fallback == OFFLINE


def _parse(name: str, setting: str) -> ModelSpec:
    provider, colon, model = name.partition(":")
    if not colon or not provider.strip() or not model.strip() or name != name.strip():
        others = ", or offline" if setting == FALLBACK_SETTING else ", or offline, or auto"
        raise ConfigError(f"{setting} is {name!r}; write provider:model, like {AUTO_FAST}{others}")
    return ModelSpec(provider.strip(), model.strip(), setting)
