"""What stands in the files of a mail: read once, when the mail is taken up, and kept with it."""

import asyncio
from dataclasses import replace

from email_assistant.errors import EmailAssistantError
from email_assistant.mail.files import kind_of_file, text_of_file
from email_assistant.mail.mailbox import Mailbox
from email_assistant.mail.message import Attachment, Message
from email_assistant.mail.pdf import UnreadableFileError

MAX_FILES = 3
"""Files that are read of one mail."""


async def with_files_read(mailbox: Mailbox, message: Message) -> Message:
    """The message with the text of its first files, or why one has none."""
    found = list(message.attachments)
    kinds = [
        (at, kind) for at, each in enumerate(found) if (kind := kind_of_file(each.name, each.content_type))
    ]
    for at, kind in kinds[:MAX_FILES]:
        found[at] = await _read(mailbox, message.id, at, found[at], kind)
    return replace(message, attachments=tuple(found)) if kinds else message


async def _read(mailbox: Mailbox, message_id: str, at: int, file: Attachment, kind: str) -> Attachment:
    try:
        data = await mailbox.attachment(message_id, at)
        return replace(file, text=await asyncio.to_thread(text_of_file, kind, data))
    except UnreadableFileError as error:
        return replace(file, unread=str(error))
    except EmailAssistantError:
        return replace(file, unread="could not be fetched")
