"""Taking back what was done at once, where its kind can be: nothing that others have seen."""

from email_assistant.app.container import Container
from email_assistant.journal.held_answers import AnswerState, HeldAnswer
from email_assistant.review.action import ACCEPT, EDIT
from email_assistant.review.kinds import kind_or_unknown


async def taken_back(built: Container, answer: HeldAnswer) -> str:
    """What was undone, for a person; "" when this cannot be."""
    shown, undo = answer.shown, kind_or_unknown(str(answer.shown.get("kind"))).undo
    if undo is None or answer.state is not AnswerState.done or shown.get("type") not in {ACCEPT, EDIT}:
        return ""
    for record in await built.mail_log.by_run_thread(answer.run_thread_id):
        if record.claimed_at is None or record.claimed_at <= answer.given_at:
            return await undo(built.mailbox, record.message_id, answer.answer["args"]["args"])
    return ""
