"""Mail of a web site's form: who asks is whom the form names, in Reply-To or among its fields, and not the program that sends."""

import re
from collections.abc import Iterator
from dataclasses import replace

from email_assistant.mail.address import Address, parse_addresses
from email_assistant.mail.delivery import is_of_daemon
from email_assistant.mail.domains import FREE_MAIL, registered
from email_assistant.mail.headers import bulk_of, is_no_reply
from email_assistant.mail.message import Message

MAX_READ = 20_000
"""Characters of a form's text that are read."""
_MAX_NAME = 4
_FIELD = re.compile(r"[^\W\d_][^:|\t\n]{0,39}[:|\t][ \t]{0,9}(\S.{0,254})")


def by_form(message: Message) -> Message:
    """The message with whom its form names as the sender, and the form's address as `form`; any other as it is.

    Forms send from the user's own address, from one that nobody reads, or from one of the user's house, and none of the marks of
    lists and programs is on them. Whom Reply-To names must stand in the text as well, as forms show what was filled in.
    """
    bulk, sender = bulk_of(message), message.sender
    if not sender.email or message.calendars or bulk.to_many or bulk.is_automatic or is_of_daemon(message):
        return message
    is_unread = is_no_reply(sender) or any(sender.key == each.key for each in message.to)
    homes = {registered(each.domain) for each in message.to} - FREE_MAIL
    if not is_unread and registered(sender.domain) not in homes:
        return message
    text = "\n".join((message.text, message.quoted, message.signature))[:MAX_READ]
    taken = {each.key for each in (sender, *message.to, *message.cc)}
    answered = [each for each in message.reply_to if each.key not in taken and not is_no_reply(each)]
    if len(answered) == 1:
        shown = answered[0].key in text.lower() or (len(answered[0].name) > 1 and answered[0].name in text)
        asks = answered[0] if shown and answered[0].name != sender.name else None
    else:
        asks = _filled_in(text, taken) if is_unread and not message.reply_to else None
    return replace(message, sender=asks, reply_to=(), form=sender) if asks else message


def as_sent(message: Message) -> Message:
    """The message as its headers have it: from the form, for an answer to whom that names."""
    if message.form is None:
        return message
    return replace(message, sender=message.form, reply_to=(message.sender,), form=None)


def _filled_in(text: str, taken: set[str]) -> Address | None:
    """The one person whose name stands in a field, and whose address in the next."""
    found = {each.key: each for each in _named(text) if each.key not in taken and not is_no_reply(each)}
    return next(iter(found.values())) if len(found) == 1 else None


def _named(text: str) -> Iterator[Address]:
    before = None
    for line in filter(None, (each.strip(" \t|*") for each in text.splitlines())):
        field = _FIELD.fullmatch(line)
        value = field[1].strip() if field else ""
        addresses = parse_addresses(value) if "@" in value else ()
        if len(addresses) == 1 and value in {addresses[0].email, f"<{addresses[0].email}>"} and before:
            yield Address(addresses[0].email, before)
        words = value.split()
        before = value if 0 < len(words) <= _MAX_NAME and all(each[0].isalpha() for each in words) else None
