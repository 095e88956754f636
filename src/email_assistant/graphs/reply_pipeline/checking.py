"""Gaps that the writer has left itself."""

import re

from email_assistant.graphs.reply_pipeline.parts import Checked
from email_assistant.graphs.reply_pipeline.state import WorkState
from email_assistant.mail.message import Conversation

GAP = re.compile(r"\[confirm:[^\]\n]{0,200}\]")


class GapChecker:
    """Finds the gaps, and looks nothing up."""

    async def check(self, draft: str, state: WorkState, conversation: Conversation) -> Checked:
        """The draft as it is."""
        return Checked(draft, tuple(dict.fromkeys(GAP.findall(draft))))
