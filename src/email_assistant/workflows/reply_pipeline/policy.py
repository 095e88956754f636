"""When a reply needs a person."""

from email_assistant.kit.senders import sender
from email_assistant.review.risk import Sender
from email_assistant.workflows.reply_pipeline.calls import SURE
from email_assistant.workflows.reply_pipeline.state import WorkState


def review_reasons(state: WorkState) -> list[str]:
    """Why the reply is not approved by its confidence alone, one plain sentence each; none when it is."""
    confidence, written = float(state.get("confidence", 0)), float(state.get("generation_confidence", 0))
    gaps = state.get("gaps") or []
    reasons = [
        (confidence < SURE, f"What the mail wants is only {100 * confidence:.0f}% sure."),
        (written < SURE, f"The writer is only {100 * written:.0f}% sure of the reply."),
        (
            bool(gaps),
            f"Nothing supports what stands in {len(gaps)} place{'' if len(gaps) == 1 else 's'} of the reply.",
        ),
        (state.get("classification") == "complaint", "It is a complaint: a person answers those."),
        (state.get("classification") == "spam", "It may be spam."),
        (sender(state.get("sender_warnings")) is Sender.IN_DOUBT, "The sender is in doubt."),
        (bool(state.get("feedback")), "You have sent an earlier draft back."),
    ]
    return [text for holds, text in reasons if holds]
