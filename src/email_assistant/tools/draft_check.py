"""The checks of drafts, whatever graph writes them: facts that stand nowhere (docs/fact_check.md), and recipients not known.

Where nobody may see a draft, or a company is bound by it, its graph puts a gap in place of what nothing supports (`with_gaps`). For
all others the tool that proposes the mail tells it on the card (`found_nowhere`): a person reads the whole text there anyway, so promises,
which are theirs to make, are not told, and whose words a fact stands in makes no difference.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from email_assistant.facts.check import check
from email_assistant.facts.fact import CheckedDraft, Gap, Kind, Own, Role, Source
from email_assistant.journal.mailboxes import Correspondents
from email_assistant.mail.address import Address, format_addresses
from email_assistant.mail.message import Conversation, OutgoingMessage
from email_assistant.tools.tool import Turn, User

MAX_SOURCE = 8_000
"""Characters of a source that are read: as many as a writer gets, about."""
MAX_EARLIER = 8
MAX_GIVEN = 24_000
"""Characters of what the writer was given besides the conversation."""
MAX_TOLD = 5
MANY = 10
"""More recipients than this are told."""
MAX_NAMED = 5
_CALLED: Mapping[Kind, str] = {
    "money": "amount",
    "quantity": "figure",
    "id": "reference",
    "phone": "phone number",
    "email": "address",
}
"""Names of kinds of facts where their own do not say it."""
_BOTH_WAYS = "either way round"
"""Of a date like 03/04, in the reason of its gap."""
_NOT_TOLD: tuple[Kind, ...] = ("promise", "gap")
"""Gaps are told by the tool that sends (`tools/sending.py`)."""


async def with_gaps(
    draft: str, sources: Sequence[Source], user: User, now: datetime, own: Own | None = None
) -> CheckedDraft:
    """The draft with a gap in place of each fact and promise that no source supports; `own` is for who writes not as the user."""
    return await asyncio.to_thread(
        check, draft, sources, now=now, timezone=user.timezone, own=own or own_of(user)
    )


async def found_nowhere(draft: str, turn: Turn, now: datetime) -> tuple[str, ...]:
    """A warning for each fact of a draft that stands neither in the conversation nor in what else its writer was given."""
    given = [*mail_sources(turn.conversation), *_quoted(turn.conversation), *_newest(turn.sources)]
    sources = [replace(source, text=source.text[:MAX_SOURCE], role="ours") for source in given]
    found = await _found(draft, sources, turn.user, now)
    if any(_BOTH_WAYS in gap.reason for gap in found):
        # A draft has one way of writing 03/04: the one by which more of it stands somewhere.
        ways = [await _found(draft, sources, turn.user, now, day_first=first) for first in (True, False)]
        found = min(ways, key=len)
    more = len(found) - MAX_TOLD
    lines = dict.fromkeys(_warning(gap) for gap in found[:MAX_TOLD])
    return (*lines, *([f"{more} more facts of the text stand nowhere either."] if more > 0 else []))


async def _found(
    draft: str, sources: Sequence[Source], user: User, now: datetime, *, day_first: bool | None = None
) -> list[Gap]:
    own = replace(own_of(user), day_first=day_first)
    checked = await with_gaps(draft, sources, user, now, own)
    return [gap for gap in checked.gaps if gap.kind not in _NOT_TOLD]


def _newest(sources: Sequence[Source]) -> list[Source]:
    """The last of them, as many as fit: reading takes time in proportion to their length."""
    kept, left = [], MAX_GIVEN
    for source in reversed(sources):
        kept.append(replace(source, text=source.text[: min(MAX_SOURCE, left)]))
        left -= len(kept[-1].text)
        if left <= 0:
            break
    return kept


def own_of(user: User) -> Own:
    """The facts about the user that need no source."""
    return Own(user.address.name, user.address.email, (user.background,))


def mail_sources(conversation: Conversation, genuine: Mapping[str, str] | None = None) -> Iterator[Source]:
    """The messages. A text is ours where `genuine`, message id → text, has it; all else repeats, or is, the other party's words."""
    for message in (*conversation.earlier[-MAX_EARLIER:], conversation.current):
        words = f"{message.sender.name}\n{message.subject}"
        yield Source("the mail", words[:MAX_SOURCE], "theirs", message.date)
        role: Role = "ours" if (genuine or {}).get(message.id) == message.text else "theirs"
        yield Source("the mail", message.text[:MAX_SOURCE], role, message.date)
        yield Source("the mail", message.signature[:MAX_SOURCE], "theirs", message.date)


def _quoted(conversation: Conversation) -> Iterator[Source]:
    """People, attachments and quotes of the messages."""
    for message in (*conversation.earlier[-MAX_EARLIER:], conversation.current):
        people = format_addresses((message.sender, *message.to, *message.cc))
        attached = "\n".join(each.name for each in message.attachments)
        yield Source("the mail", f"{people}\n{attached}", "theirs", message.date)
        yield Source("the mail", message.quoted, "theirs", message.date)


def _warning(gap: Gap) -> str:
    called, quoted = _CALLED.get(gap.kind, gap.kind), " ".join(gap.quoted.split())
    if gap.reason.startswith("no source"):
        return f"The {called} {quoted} stands nowhere in the mail, nor in anything else that was read."
    return f"Look at the {called} {quoted}: {gap.reason}."


async def warnings_about_recipients(
    message: OutgoingMessage, turn: Turn, correspondents: Correspondents, mailbox: str
) -> tuple[str, ...]:
    """Plain sentences: how many they are, who is new to the conversation, and whom a mail names that the user never wrote to."""
    everybody = (*message.to, *message.cc)
    known = turn.participants()
    strangers = [a for a in everybody if a.key not in known]
    lines = [f"It goes to {len(everybody)} people."] if len(everybody) > MANY else []
    lines += [f"New recipient, not in this conversation so far: {a.email}" for a in strangers[:MANY]]
    if len(strangers) > MANY:
        lines.append(f"{len(strangers) - MANY} more new recipients, not in this conversation so far.")
    only_named = await _only_named(everybody, turn, correspondents, mailbox)
    return (
        (*lines, f"You have not written to these before, whom the mail only names: {_listed(only_named)}.")
        if only_named
        else tuple(lines)
    )


async def _only_named(
    everybody: Sequence[Address], turn: Turn, correspondents: Correspondents, mailbox: str
) -> list[Address]:
    """Those who were put into the conversation by others, have not written in it, and whom the user has never written to."""
    messages = (*turn.conversation.earlier, turn.conversation.current)
    wrote = turn.user.own | {m.sender.key for m in messages}
    named = [a for a in everybody if a.key not in wrote and a.key in turn.participants()]
    # By address alone: another name than on record does not make a stranger.
    unknown = await correspondents.unknown(mailbox, [Address(a.email) for a in named])
    return [a for a in named if a.key in unknown]


def _listed(addresses: Sequence[Address]) -> str:
    more = f" and {len(addresses) - MAX_NAMED} more" if len(addresses) > MAX_NAMED else ""
    return f"{', '.join(a.email for a in addresses[:MAX_NAMED])}{more}"
