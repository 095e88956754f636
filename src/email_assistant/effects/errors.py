"""Errors of effects besides the provider's own."""

from collections.abc import Sequence

from email_assistant.errors import EmailAssistantError, ProviderError
from email_assistant.journal.records import OutboxRow


class ActionChangedError(EmailAssistantError):
    """An action id came back with other content than is on record: what was approved is what is done."""


class DoneElsewhereError(EmailAssistantError):
    """Another run has done, or begun, the same kind of thing on the same subject; nothing was done now."""

    def __init__(self, rows: Sequence[OutboxRow]) -> None:
        """`rows` are what the others did, oldest first."""
        super().__init__(f"{rows[0].kind} was done or begun on the same subject by another run")
        self.rows = tuple(rows)


class UnresolvedEffectError(ProviderError):
    """Nobody can tell whether the effect happened; a person must look before it is repeated."""
