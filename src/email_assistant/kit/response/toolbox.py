"""The tools that the response agent is offered, the same in every graph that holds it."""

from typing import Any

from email_assistant.meetings.check_calendar import CheckCalendar
from email_assistant.tools.inquiries import Finish, Question, SearchMemory
from email_assistant.tools.mail_tools import ComposeEmail, SendEmail
from email_assistant.tools.own_style import AdoptStyle
from email_assistant.tools.tool import Toolbox


def response_tools(deps: Any) -> Toolbox:
    """Those that the settings name."""
    return Toolbox(
        (
            SendEmail(deps.sending),
            ComposeEmail(deps.sending),
            deps.schedule_meeting,
            CheckCalendar(deps.calendar, deps.agenda_clock),
            SearchMemory(deps.profiles, deps.mailbox),
            Question(),
            Finish(),
        ),
        own=(deps.cancel_meeting, AdoptStyle(deps.profiles)),
    )
