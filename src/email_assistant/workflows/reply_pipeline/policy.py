"""When a reply needs a person."""

from email_assistant.review.risk import Sender
from email_assistant.workflows.kit.senders import sender
from email_assistant.workflows.reply_pipeline.calls import SURE
from email_assistant.workflows.reply_pipeline.state import WorkState

MAX_TOLD = 3
MAX_WORDS = 200
"""Characters of a sentence."""


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
    told = [text for holds, text in reasons if holds]
    return told + _commitments(state.get("commitments") or []) + _borrowed(state.get("borrowed") or [])


def _commitments(sentences: list[str]) -> list[str]:
    """A reason for each of the first sentences that may commit the user, with its words."""
    told = [
        f"It may commit you, and nothing of yours says so: “{_short(sentence)}”"
        for sentence in sentences[:MAX_TOLD]
    ]
    more = len(sentences) - MAX_TOLD
    return [*told, f"{more} more sentence{'' if more == 1 else 's'} may commit you."] if more > 0 else told


def _borrowed(sentences: list[str]) -> list[str]:
    """One reason for all of them, with the words of the first: who asks may not be who was told."""
    if not sentences:
        return []
    more = f" and {len(sentences) - 1} more" if len(sentences) > 1 else ""
    return [f"You have told it to somebody else, or noted it for yourself: “{_short(sentences[0])}”{more}"]


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= MAX_WORDS else f"{sentence[: MAX_WORDS - 1]}…"
