"""What is to be said of those who would get a mail: many, or people the user has not dealt with."""

from collections.abc import Sequence

from email_assistant.mail.address import Address
from email_assistant.mail.message import OutgoingMessage
from email_assistant.tools.sending import Sending
from email_assistant.tools.tool import Turn

MANY = 10
"""More recipients than this are told."""
_NAMED = 5


async def warnings_about_recipients(
    message: OutgoingMessage, turn: Turn, sending: Sending
) -> tuple[str, ...]:
    """Plain sentences: how many they are, who is new to the conversation, and whom a mail names that the user never wrote to."""
    everybody = (*message.to, *message.cc)
    known = turn.participants()
    strangers = [a for a in everybody if a.key not in known]
    told = [f"It goes to {len(everybody)} people."] if len(everybody) > MANY else []
    told += [f"New recipient, not in this conversation so far: {a.email}" for a in strangers[:MANY]]
    if len(strangers) > MANY:
        told.append(f"{len(strangers) - MANY} more new recipients, not in this conversation so far.")
    only_named = await _only_named(everybody, turn, sending)
    return (
        (*told, f"You have not written to these before, whom the mail only names: {_listed(only_named)}.")
        if only_named
        else tuple(told)
    )


async def _only_named(everybody: Sequence[Address], turn: Turn, sending: Sending) -> list[Address]:
    """Those who were put into the conversation by others, have not written in it, and whom the user has never written to."""
    messages = (*turn.conversation.earlier, turn.conversation.current)
    wrote = turn.user.own | {m.sender.key for m in messages}
    named = [a for a in everybody if a.key not in wrote and a.key in turn.participants()]
    # By address alone: another name than on record does not make a stranger.
    unknown = await sending.correspondents.unknown(sending.mailbox.name, [Address(a.email) for a in named])
    return [a for a in named if a.key in unknown]


def _listed(addresses: Sequence[Address]) -> str:
    more = f" and {len(addresses) - _NAMED} more" if len(addresses) > _NAMED else ""
    return f"{', '.join(a.email for a in addresses[:_NAMED])}{more}"
