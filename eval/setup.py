"""How a suite is to be run: who answers, on which half, how often, and whether answers are recorded or replayed."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from email_assistant.models.runner import Models
from email_assistant.models.settings import OFFLINE, ModelSettings
from email_assistant.models.usage import Recorder
from email_assistant.settings import load_settings


@dataclass(frozen=True, slots=True)
class Setup:
    """What the command line asked for."""

    model: str = OFFLINE
    """`provider:model` for both tiers, or `offline` for the rules."""
    split: str = "all"
    """`dev`, `test` or `all`."""
    repeats: int = 1
    """How often each case is run; rules say the same every time."""
    record: Path | None = None
    """Where the model's answers are written."""
    replay: Path | None = None
    """Where answers are read from in place of asking the model."""
    judge: str | None = None
    """`provider:model` that judges drafts, besides the scorers."""
    count: int | None = None
    """How many cases a suite makes that makes as many as it is asked for."""

    @property
    def answers(self) -> str:
        """Who answers, for reports."""
        if self.model == OFFLINE:
            return "offline rules"
        return f"{self.model}, replayed from a recording" if self.replay else self.model

    def models(self, record: Recorder | None = None) -> Models:
        """What answers; `record` is told of every call. The key and the address come from the user's settings."""
        made = Models(self._settings(), record)
        if self.record or self.replay:
            from eval.recording import RecordedChatModels, recorder, replayer

            answers = replayer(self.replay) if self.replay else recorder(self.record, self.model)
            object.__setattr__(made, "_chat_models", RecordedChatModels(made.settings, answers))
        return made

    def _settings(self) -> ModelSettings:
        if self.model == OFFLINE:
            return ModelSettings(fast=OFFLINE, strong=OFFLINE)
        s = load_settings()
        key = s.openai_api_key.get_secret_value() if s.openai_api_key else None
        return ModelSettings(
            fast=self.model,
            strong=self.model,
            openai_api_key=key,
            openai_base_url=s.openai_base_url,
            timeout_seconds=s.model_timeout,
        )


def desk_settings(folder: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Settings of an assistant in a folder that is nobody's."""
    return {
        "EMAIL_ASSISTANT_DATA_DIR": str(folder),
        "EMAIL_ASSISTANT_EMAIL": "robin@vale.example",
        "EMAIL_ASSISTANT_NAME": "Robin Vale",
        "EMAIL_ASSISTANT_TIMEZONE": "Europe/Berlin",
        "EMAIL_ASSISTANT_NOW": "2026-11-20T08:00:00+00:00",
        "EMAIL_ASSISTANT_MODEL_FAST": OFFLINE,
        "EMAIL_ASSISTANT_MODEL_STRONG": OFFLINE,
    } | dict(more or {})
