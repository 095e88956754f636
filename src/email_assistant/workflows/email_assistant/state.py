"""The input of a run."""

from typing_extensions import TypedDict

from email_assistant.mail.email_input import EmailInput


class StateInput(TypedDict):
    """What a run is started with: one email in the Gmail or the Studio form."""

    email_input: EmailInput
