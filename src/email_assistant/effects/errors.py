"""What can go wrong with an effect besides the provider's own errors."""

from email_assistant.errors import EmailAssistantError, ProviderError


class ActionChangedError(EmailAssistantError):
    """An action id came back with other content than is on record: what was approved is what is done."""


class UnresolvedEffectError(ProviderError):
    """Nobody can tell whether the effect happened; a person must look before it is repeated."""
