"""Whom a message is from: signs that it is not from whom it seems to be, and proof that the user has sent it.

Mail of a web site's form: who asks is whom the form names, in Reply-To or among its fields, and not the program that sends.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import structlog

from email_assistant.errors import NotFoundError, ProviderError
from email_assistant.mail.address import Address, parse_addresses, unique
from email_assistant.mail.conversation import delivery_report, is_of_daemon
from email_assistant.mail.domains import (
    FREE_MAIL,
    IMITATED,
    MAX_NAME,
    SERVICES,
    domain_skeleton,
    imitated,
    is_disguised,
    name_skeleton,
    names_a_person,
    organisation,
    registered,
)
from email_assistant.mail.headers import bulk_of, failed_methods, is_no_reply, list_domains, vouched_by
from email_assistant.mail.mailbox import Mailbox
from email_assistant.mail.message import Message

MAX_READ = 20_000
"""Characters of a form's text that are read."""
_MAX_NAME = 4
_FIELD = re.compile(r"[^\W\d_][^:|\t\n]{0,39}(?:[:|\t]|[ ]{2})[ \t]{0,9}(\S.{0,254})")


def by_form(message: Message) -> Message:
    """The message with whom its form names as the sender, and the form's address as `form`; any other as it is.

    Forms send from the user's own address, from one that nobody reads, or from one of the user's house, and none of the marks of
    lists and programs is on them. Whom Reply-To names must stand in the text as well, as forms show what was filled in.
    """
    bulk, sender = bulk_of(message), message.sender
    if not sender.email or message.calendars or bulk.to_many or bulk.is_automatic or is_of_daemon(message):
        return message
    is_unread = is_no_reply(sender) or any(sender.key == each.key for each in message.to)
    if not is_unread and not message.reply_to:
        return message
    homes = {registered(each.domain) for each in message.to} - FREE_MAIL
    text = "\n".join((message.text, message.quoted, message.signature))[:MAX_READ]
    if not is_unread and registered(sender.domain) not in homes:
        names = {each.key: each for each in _named(text)}
        return replace(
            message,
            reply_to=tuple(each if each.name else names.get(each.key, each) for each in message.reply_to),
        )
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


MAX_DOMAINS = 20
"""Domains of one message's sender and Reply-To that are looked at."""
MAX_TOLD = 3
"""Addresses that replies would go to which are told one by one."""
_ADDRESS_IN_NAME = re.compile(r"[^\s<>\"'(),;:@]{1,64}@[^\s<>\"'(),;:@]{1,253}")
_TRACES = ("authentication-results", "received-spf", "return-path")
_NO_REPLY = re.compile(r"(?:.*[._-])?(?:no|do-?not)-?reply", re.IGNORECASE)
_ICLOUD = frozenset(["apple.com", "icloud.com"])
"""Whence iCloud sends its users' calendar mail, each time with the user's own address in Reply-To."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Sought:
    """What to look up among the correspondents before a message is judged."""

    address: str
    """The sender's `Address.key`, or ""."""
    name: str
    """Skeleton of the sender's name, "" when it does not tell a person."""
    domains: tuple[str, ...]
    """Skeletons of the domains that the message comes from or wants its answer at."""


@dataclass(frozen=True, slots=True)
class KnownSender:
    """What is known of a message's sender from the people the user has written to."""

    namesakes: tuple[Address, ...] = ()
    """Addresses whose name has the sender's skeleton, the one written to last first."""
    domains: tuple[str, ...] = ()
    """Registered domains that look like those of the message, the one known for longest first."""
    sender: Address | None = None
    """The sender's own entry, when the user has written there."""


STRANGER = KnownSender()


def sought(message: Message) -> Sought:
    """What `KnownSender` is needed to judge the message."""
    name = message.sender.name
    domains = tuple(dict.fromkeys(domain_skeleton(domain) for domain in _domains(message)))
    return Sought(message.sender.key, name_skeleton(name) if names_a_person(name) else "", domains)


def sender_warnings(
    message: Message, *, own: frozenset[str], name: str = "", host: str = "", known: KnownSender = STRANGER
) -> tuple[str, ...]:
    """One plain sentence for each sign that the sender is not who it seems; () for an ordinary message.

    `own` holds the user's addresses as `Address.key`s, `name` is the user's, `host` the authserv-id of the host
    that receives the user's mail ("" when unknown; see `failed_methods`). May read a file: call it in a thread.
    """
    by_headers = header_warnings(message, own=own, host=host)
    if not message.sender.email:
        return by_headers
    failed = bool(failed_methods(as_sent(message), host=host))
    found = [
        _own_name(message.sender, own, name, failed=failed),
        _namesake(message, own, known, failed=failed),
        *(_look_alike(domain, own, known) for domain in _domains(message)),
        _named_by_a_form(message, own, host, known),
    ]
    return tuple(dict.fromkeys(warning for warning in (*by_headers, *found) if warning))


def header_warnings(message: Message, *, own: frozenset[str], host: str = "") -> tuple[str, ...]:
    """Those of the `sender_warnings` that the message's headers alone give, without comparing names and domains.

    Mailing lists, which change Reply-To and break signatures by design, are not warned about for that alone.
    """
    if not message.sender.email:
        # Some mail systems report under no address at all.
        return () if delivery_report(message) else ("The message has no readable sender address.",)
    # A form is answered elsewhere by design; whom it names is told as the sender.
    by_form, message = message.form is not None, as_sent(message)
    failed = failed_methods(message, host=host)
    found = [
        _claims_own(message.sender, own, failed=bool(failed)),
        _other_address(message),
        *([] if by_form or _relayed(message, host) else _other_reply_to(message, own)),
        f"The mail may not come from that address: its check failed ({', '.join(failed)})." if failed else "",
    ]
    return tuple(dict.fromkeys(warning for warning in found if warning))


def _named_by_a_form(message: Message, own: frozenset[str], host: str, known: KnownSender) -> str:
    """Warn of a form that names somebody the user has written to, unless it is one of the user's house: anybody may fill in a name."""
    if message.form is None or known.sender is None:
        return ""
    is_ours = is_same_house(message.form.domain, {Address(each).domain for each in own})
    if (is_ours or message.form.key in own) and vouched_by(as_sent(message), host=host):
        return ""
    return f"A form at {message.form.domain} says that it is from {message.sender.email}, and nobody vouches for that."


def calendar_sender(message: Message, *, host: str = "") -> Address:
    """Whom calendar mail is from: From, or of a calendar's no-reply address the one of its users whom Reply-To names.

    An address without email when a check of the sender failed: then it is from nobody who is known. May read a file.
    """
    if failed_methods(message, host=host):
        return Address("")
    return _relayed(message, host) or message.sender


def _relayed(message: Message, host: str) -> Address | None:
    """For whom a calendar's no-reply address wrote: iCloud's, or one of the user's own house (Nextcloud). Where nobody is known who
    could vouch, it is believed like any From."""
    sender, to = message.sender, message.reply_to
    if not message.calendars or len(to) != 1 or not _NO_REPLY.fullmatch(sender.email.rpartition("@")[0]):
        return None
    if registered(sender.domain) not in _ICLOUD and not is_same_house(sender.domain, {to[0].domain}):
        return None
    return to[0] if (vouched_by(message, host=host) if host else not failed_methods(message)) else None


def is_sent(message: Message, own: frozenset[str]) -> bool:
    """Whether the user wrote this message of a mailbox.

    A message that says it is the user's but has traces of a delivery (RFC 5321 §4.4) came from outside, where
    anybody may have written it.
    """
    return message.sender.key in own and not any(trace in message.headers for trace in _TRACES)


@dataclass(frozen=True)
class Authorship:
    """Proves by the mailbox which messages the user has written: what lies among its sent messages was sent from there.

    A sender's address can be forged, and so can a conversation that somebody quotes. Checks that a mail passed where
    it was received prove its domain at best, and not every mailbox has them.
    """

    mailbox: Mailbox
    own: frozenset[str]
    """The user's addresses, as `Address.key`s."""

    async def sent(self, message_id: str) -> Message | None:
        """The message that the mailbox has under this id, when the user has sent it.

        None for any other, and when the mailbox cannot tell for now.
        """
        try:
            message = await self.mailbox.fetch(message_id)
            if message.sender.key not in self.own or not message.message_id:
                return None
            # Another message may bear the same Message-ID, which its sender chooses.
            in_sent = await self.mailbox.find_sent(message.message_id) == message.id
        except NotFoundError:
            return None
        except ProviderError as error:
            log.warning("authorship_not_proven", reason=type(error).__name__)
            return None
        return message if in_sent else None


def written_to(messages: Iterable[Message], own: frozenset[str]) -> tuple[Address, ...]:
    """Whom the user has written to in these messages of a mailbox."""
    mine = [message for message in messages if is_sent(message, own)]
    return unique(a for m in mine for a in (*m.to, *m.cc) if a.key not in own)


def _is_list(message: Message) -> bool:
    return "list-id" in message.headers


def _domains(message: Message) -> list[str]:
    """Of the sender and of Reply-To, each once."""
    found = (address.domain for address in (message.sender, *message.reply_to))
    return list(dict.fromkeys(domain for domain in found if domain))[:MAX_DOMAINS]


def _in_name(sender: Address) -> list[str]:
    """Addresses that stand in the sender's display name."""
    return [a.rstrip(".").lower() for a in _ADDRESS_IN_NAME.findall(sender.name[:MAX_NAME]) if "." in a]


def _claims_own(sender: Address, own: frozenset[str], *, failed: bool) -> str:
    if sender.key in own:
        claim = "The message claims to come from your own address, but it did not pass the checks."
        return claim if failed else ""
    named = not own.isdisjoint(_in_name(sender))
    return (
        "The sender's name shows your own address, but the message comes from another one." if named else ""
    )


def _own_name(sender: Address, own: frozenset[str], name: str, *, failed: bool) -> str:
    mine = name_skeleton(name)
    homes = {Address(address).domain for address in own}
    if not mine or name_skeleton(sender.name) != mine or sender.key in own:
        return ""
    if is_same_house(sender.domain, homes) or _is_service(sender, failed=failed):
        return ""
    return f"The sender's name is your own, but the message comes from {sender.email}."


def _other_address(message: Message) -> str:
    sender = message.sender
    others = [
        named
        for named in _in_name(sender)
        if organisation(named.rpartition("@")[2]) != organisation(sender.domain)
    ]
    if not others or (_is_list(message) and " via " in sender.name):
        return ""
    return f"The sender's name shows {others[0]}, but the message comes from {sender.email}."


def _namesake(message: Message, own: frozenset[str], known: KnownSender, *, failed: bool) -> str:
    """Warn of a known person's name on an address that person was never written to at."""
    sender, namesakes = message.sender, known.namesakes
    if not namesakes or sender.key in own or any(one.key == sender.key for one in namesakes):
        return ""
    if is_same_house(sender.domain, {one.domain for one in namesakes}):
        return ""
    if _is_acquainted(message, known) or _is_service(sender, failed=failed):
        return ""
    known_as = namesakes[0].email
    return f"You know this name as {known_as}, but the message comes from {sender.email}."


def _is_acquainted(message: Message, known: KnownSender) -> bool:
    """Whether the user has written to the sender under a name that goes with this one, or to the list it posts for."""
    if known.sender is None:
        return False
    words = set(name_skeleton(known.sender.name).split())
    goes = not words or bool(words & set(name_skeleton(message.sender.name).split()))
    return goes or (_is_list(message) and organisation(message.sender.domain) in list_domains(message))


def is_same_house(domain: str, others: Iterable[str]) -> bool:
    """Whether a domain belongs to the organisation of one of the others; a provider open to all is none."""
    mine = registered(domain)
    return mine not in FREE_MAIL and any(registered(other) == mine for other in others)


def _is_service(sender: Address, *, failed: bool) -> bool:
    return registered(sender.domain) in SERVICES and not failed


def _other_reply_to(message: Message, own: frozenset[str]) -> list[str]:
    sender = organisation(message.sender.domain)
    listed = list_domains(message) | {organisation(a.domain) for a in (*message.to, *message.cc)}
    others = [
        address
        for address in message.reply_to
        if organisation(address.domain) != sender
        and address.key not in own
        and not (_is_list(message) and organisation(address.domain) in listed)
    ]
    further = len(others) - MAX_TOLD
    return [
        f"Replies would go to {address.email}, not to the sender's domain {message.sender.domain}."
        for address in others[:MAX_TOLD]
    ] + (
        [f"Replies would go to {further} further addresses outside the sender's domain."]
        if further > 0
        else []
    )


def _look_alike(domain: str, own: frozenset[str], known: KnownSender) -> str:
    mine = registered(domain)
    homes = [Address(address).domain for address in sorted(own) if "@" in address]
    if mine in {*map(registered, homes), *IMITATED}:
        return ""
    # Of two correspondents' domains that look alike, the one known for longer is the genuine one.
    before = known.domains[: known.domains.index(mine)] if mine in known.domains else known.domains
    genuine = imitated(domain, [*homes, *before, *IMITATED])
    if genuine:
        return f"The domain {domain} looks like {genuine}, but is another one."
    if is_disguised(domain):
        return f"The domain {domain} is written with letters that imitate others."
    return ""
