"""The keys of what is done for a message: once for each of them, whichever run thread deals with it."""

import hashlib

from email_assistant.effects.subjects import Doer, bounded
from email_assistant.kit.conversations import conversation_of
from email_assistant.workflows.claims_desk.records.refunds import RefundLedger
from email_assistant.workflows.claims_desk.state import ClaimWork

REFUND = "refund"


def effect_key(state: ClaimWork, thread_id: str, what: str) -> str:
    """The same however often the run is repeated, and of mail on every run thread; of a chat, its thread's own."""
    key = state["message_key"]
    if key.startswith(("mail:", "chat:")):
        return f"{key}:{what}"
    return f"{thread_id}:{key}:{what}"  # Taken up when every key had its run thread in it.


def doer(state: ClaimWork, thread_id: str) -> Doer:
    """Whose effects those of this run are, in a chat as well."""
    return Doer(bounded(thread_id), "claims_desk", state.get("round") or 0)


async def refund_key(state: ClaimWork, thread_id: str, ledger: RefundLedger) -> str:
    """The refund's; where one is on record for the message under a key with a run thread in it, that one."""
    key = effect_key(state, thread_id, REFUND)
    message_id = conversation_of(state.get("email_input")).current.id if key.startswith("mail:") else ""
    if not message_id:
        return key
    ending = f":{hashlib.sha256(message_id.encode()).hexdigest()[:24]}:{REFUND}"
    return await ledger.key_ending(state["tenant_id"], ending) or key
