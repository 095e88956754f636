"""Which graph owns which mail."""

from collections.abc import Sequence
from dataclasses import dataclass

from email_assistant.mail.address import Address
from email_assistant.mail.message import Message
from email_assistant.workflow_registry import answering


@dataclass(frozen=True)
class Ownership:
    """One answering graph a conversation, by the address that its mail was sent to.

    A conversation stays with the graph that its first mail belongs to: what goes on in it is often sent to the user's own
    address, because that is where answers come from.
    """

    default: str
    """Owns what no rule names."""
    rules: tuple[tuple[str, str], ...] = ()
    """An address, or a domain as "@shop.example", in lower case, and the graph that owns mail to it; the first that fits counts."""
    follows: bool = False
    """Whether this is the division of the settings, and not one graph that was named for a look at all mail."""

    @property
    def graphs(self) -> tuple[str, ...]:
        """All owners, each once; the default first."""
        return tuple(dict.fromkeys((self.default, *(graph for _, graph in self.rules))))

    @property
    def dealt_with_by(self) -> tuple[str, ...]:
        """The graphs that have dealt with a mail when it is on record for them: a mail that one has answered changes no owner."""
        answers = self.follows and not answering().isdisjoint(self.graphs)
        return tuple(sorted({*self.graphs, *(answering() if answers else ())}))

    def owner(self, messages: Sequence[Message], own: frozenset[str]) -> str:
        """The graph that deals with a conversation (oldest message first); the user's own messages, whoever wrote them, tell nothing."""
        received = [message for message in messages if message.sender.key not in own] or messages
        found = (self._rule(address) for message in received for address in (*message.to, *message.cc))
        return next((graph for graph in found if graph), self.default)

    def _rule(self, address: Address) -> str:
        fits = {address.key, f"@{address.domain}"}
        return next((graph for where, graph in self.rules if where in fits), "")
