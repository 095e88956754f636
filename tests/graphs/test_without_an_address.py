"""A user who has not said who they are: nobody can be answered, and every place says which setting is missing."""

from pathlib import Path

import pytest

from email_assistant.errors import ConfigError
from email_assistant.mail.address import Address
from email_assistant.tools.tool import User
from tests.support.desk import desk, mail

SETTING = "EMAIL_ASSISTANT_EMAIL is not set"


async def test_the_card_names_the_setting(tmp_path: Path) -> None:
    """The reply that cannot be written is a question that says why; nothing is drafted."""
    assistant = desk(tmp_path, None, EMAIL_ASSISTANT_EMAIL="")
    card = await assistant.start(await assistant.receive(mail()))
    assert card is not None
    assert card["action_request"]["action"].startswith(f"Question: {SETTING}")
    assert await assistant.drafts() == []


def test_no_mail_is_written_in_nobodys_name() -> None:
    """It is a matter of set-up, so that a mail waits for the setting and is not given up."""
    with pytest.raises(ConfigError, match=SETTING):
        _ = User(Address(""), "UTC").sender


def test_the_settings_say_it(tmp_path: Path) -> None:
    """`serve`, `ingest` and the server's log take the line from here."""
    house = desk(tmp_path, None, EMAIL_ASSISTANT_EMAIL="").house
    assert house.settings.missing_person.startswith(SETTING)
    assert desk(tmp_path).house.settings.missing_person == ""
