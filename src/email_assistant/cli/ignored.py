"""What was ignored today, told at the end of `review` and of a look for mail."""

from email_assistant.app.journal import JournalDeps
from email_assistant.app.unasked import unasked_today
from email_assistant.cli.console import count, say
from email_assistant.journal.attention import mail_name, sender_and_subject
from email_assistant.journal.records import MailStatus

MAX_SHOWN = 6


async def print_ignored(deps: JournalDeps) -> None:
    """Each mail with its reason, as `unasked_today` orders them, and how to bring one back; nothing when none was ignored."""
    mails = [each for each in await unasked_today(deps) if each.outcome == MailStatus.ignored]
    if not mails:
        return
    say(
        f"\nIgnored today: {count(len(mails), 'mail')}. To see one: `email-assistant review --bring-back NUMBER`."
    )
    for mail in mails[:MAX_SHOWN]:
        who, subject = sender_and_subject(mail.email_input)
        what = f"{who} {mail.asks} · {subject}" if mail.asks else mail_name(mail.email_input)
        say(f"  {mail.key}  {what} ({mail.reason.rstrip('.')})", "yellow" if mail.asks else "")
    if len(mails) > MAX_SHOWN:
        say(f"  and {len(mails) - MAX_SHOWN} more, on the review page")
