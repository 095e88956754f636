"""How a suite is to be run: who answers, on which half, how often, and whether answers are recorded or replayed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from email_assistant.errors import ConfigError
from email_assistant.models.chat import ChatModels
from email_assistant.models.runner import Models
from email_assistant.models.settings import OFFLINE, STRONG_SETTING, ModelSettings
from email_assistant.models.usage import ModelUsage, Recorder
from email_assistant.settings import load_settings

if TYPE_CHECKING:
    from eval.recording import Recording


@dataclass(frozen=True)
class Setup:
    """What the command line asked for."""

    model: str = OFFLINE
    """`provider:model` for both tiers, or `offline` for the rules."""
    split: str = "all"
    """`dev`, `test` or `all`; `locked` for data that are counted on request only."""
    repeats: int = 1
    """How often each case is run; rules say the same every time."""
    record: Path | None = None
    """Where the model's answers are written."""
    replay: Path | None = None
    """Where answers are read from in place of asking the model."""
    count: int | None = None
    """How many cases a suite makes that makes as many as it is asked for."""

    used: list[ModelUsage] = field(default_factory=list)
    """Every call of the models that were made, failed ones included."""

    @property
    def answers(self) -> str:
        """Who answers, for reports."""
        if self.model == OFFLINE:
            return "offline rules"
        return f"{self.model}, replayed from a recording" if self.replay else self.model

    def models(self, record: Recorder | None = None) -> Models:
        """What answers; `record` is told of every call. The key and the address come from the user's settings."""

        def used(usage: ModelUsage) -> None:
            self.used.append(usage)
            if record is not None:
                record(usage)

        made = Models(self._settings(), used)
        if self._recording is not None:
            from eval.recording import RecordedChatModels

            object.__setattr__(made, "_chat_models", RecordedChatModels(made.settings, self._recording))
        return made

    @cached_property
    def _recording(self) -> "Recording | None":
        """One for all models of the setup: a suite may make them anew for each case."""
        from eval.recording import Replayer, recorder

        if self.replay is not None:
            return Replayer(self.replay)
        return recorder(self.record, self.model) if self.record is not None else None

    async def check(self) -> None:
        """Raises `ConfigError` when the model cannot even be built: for want of a key, say, or of a package."""
        settings = self._settings()
        try:
            spec = settings.spec("strong")
            if spec is not None and self.replay is None:
                await ChatModels(settings).get(spec)
        except ConfigError as error:
            # Both tiers are what the option says, whatever the settings are.
            raise ConfigError(str(error).replace(STRONG_SETTING, "--model")) from error

    @property
    def failed_calls(self) -> list[str]:
        """What failed, told once for all of it: figures of a model that could not be asked are none."""
        missing = getattr(vars(self).get("_recording"), "missing", 0)
        failed = [one for one in self.used if one.error]
        told = [f"{missing} requests have no answer in {self.replay}; record again"] if missing else []
        if failed and self.model != OFFLINE:
            told.append(
                f"{len(failed)} of {len(self.used)} calls of the model failed, the first with: {failed[0].error}"
            )
        return told

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
