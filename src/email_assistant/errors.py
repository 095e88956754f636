"""The tree of domain errors, sorted by who must act.

A subclass says who mends it: the person who configures (`ConfigError`), the caller
(`InputError`), nobody yet because it may pass by itself (`TransientError`), or a person
looking at the provider (`ProviderError`). Anything else that is raised is a bug and propagates.

Each also is a built-in error: the LangGraph server tells the message of those only, and hides all others'.
"""


class EmailAssistantError(Exception):
    """Base of every error this package raises on purpose; its text is one line a user can act on."""


class ConfigError(EmailAssistantError, RuntimeError):
    """A setting is missing or wrong; the text names the setting and how to mend it."""


class InputError(EmailAssistantError, ValueError):
    """The caller's input is wrong; the text names the field."""


class NotFoundError(EmailAssistantError, RuntimeError):
    """A message, draft or event that was named does not exist."""


class ProviderError(EmailAssistantError, RuntimeError):
    """A mailbox, calendar or model answered with an error that retrying will not mend."""


class TransientError(ProviderError):
    """A provider's error that may pass by itself (time-out, rate limit, connection lost)."""


class UnsettledError(TransientError):
    """It takes a while until a provider can tell whether something happened; asking again then does no harm."""


class UncertainError(ProviderError):
    """Nobody can tell whether something happened, and asking again will not help: a person has to find out."""

    @property
    def reason(self) -> str:
        """Why, without what it is about."""
        return str(self)


class AccessError(ProviderError):
    """A provider does not let us in: no valid credentials, no quota, no such model. Nothing mends it but a person."""


class ConflictError(ProviderError):
    """A provider has something of that id already."""


class CursorExpiredError(ProviderError):
    """A mailbox no longer knows what has changed since a cursor."""
