"""A mail that was dealt with unasked is brought before a person after all."""

from dataclasses import replace

from email_assistant.errors import InputError
from email_assistant.ingest.starter import Starter, run_thread_id
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord, MailStatus
from email_assistant.mail.email_input import REOPENED
from email_assistant.workflow_registry import NAMES

SETTLED = frozenset({MailStatus.done, MailStatus.ignored})


async def bring_back(mail_log: MailLog, starter: Starter, record: MailRecord) -> str:
    """Let the first workflow show the mail, whichever one has settled it; the run thread that its card will wait on.

    What was done stays done. Raises `InputError` for a mail that somebody is at work on, and for one that the journal has lost.
    """
    if record.status not in SETTLED:
        raise InputError("This mail is being dealt with.")
    if record.email_input is None:
        raise InputError("The journal does not have this mail any more: look into the mailbox.")
    shown = await _of_first(mail_log, record, {**record.email_input, REOPENED: True})
    if not await mail_log.claim(shown):
        await mail_log.reopen(shown)
    await starter.begin([shown])
    return shown.run_thread_id


async def _of_first(mail_log: MailLog, record: MailRecord, email_input: dict[str, object]) -> MailRecord:
    graph = NAMES[0]
    known = await mail_log.get(record.mailbox, record.message_id, graph)
    if known is not None and known.status not in SETTLED | {MailStatus.superseded}:
        raise InputError("This mail is being dealt with.")
    usual = run_thread_id(record.mail_thread_id)
    taken = (await mail_log.graphs_on([usual])).get(usual, frozenset({graph}))
    thread = usual if graph in taken else run_thread_id(record.mail_thread_id, graph)
    return replace(
        known or record,
        graph=graph,
        run_thread_id=known.run_thread_id if known else thread,
        status=MailStatus.claimed,
        outcome="",
        reason="",
        attempts=0,
        email_input=email_input,
    )
