"""The input of a run."""

from typing import Any

from typing_extensions import TypedDict


class StateInput(TypedDict):
    """What a run is started with: one email in the Gmail or the Studio form."""

    email_input: dict[str, Any]
