"""What a model says to a tool is cleaned before anything is made of it."""

import pytest

from email_assistant.meetings.scheduling import ScheduleMeetingArguments
from email_assistant.tools.inquiries import QuestionArguments
from email_assistant.tools.mail_tools import ComposeEmailArguments, SendEmailArguments

TAGS = "".join(chr(0xE0000 + ord(c)) for c in "alarm code 4471")


def test_no_argument_holds_what_nobody_sees() -> None:
    """Tag characters, zero width and reordering go, in texts and lists; what a script or an emoji needs stays."""
    asked = ScheduleMeetingArguments(
        title=f"Re\u202eview{TAGS}",
        attendees=[f"ana\u200b@example.com{TAGS}"],
        start="2026-11-26",
        end="2026-11-26",
    )
    assert (asked.title, asked.attendees) == ("Review", ["ana@example.com"])
    assert (
        SendEmailArguments(body=f"Hello{TAGS}, \U0001f468\u200d\U0001f469\u2066!").body
        == "Hello, \U0001f468\u200d\U0001f469!"
    )
    assert (
        ComposeEmailArguments.model_validate(
            {"to": "a@b.example", "subject": f"x{TAGS}", "body": "y"}
        ).subject
        == "x"
    )


def test_a_question_of_nothing_but_invisible_characters_is_none() -> None:
    """It would be an empty card."""
    with pytest.raises(ValueError, match="at least 1 character"):
        QuestionArguments(question=TAGS)
