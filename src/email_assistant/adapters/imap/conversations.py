"""Which conversation each message belongs to, by the Message-IDs that it names; names outlive restarts.

A conversation is named after the root that its first message knew of, so that it has the same name when all that is on record is lost. A
message that joins two conversations makes them one, which has the older name; the other name still finds it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Named:
    """A conversation's name, and its place in the order of naming."""

    thread: str
    place: int


@dataclass
class Ties:
    """What is known of some keys, and what becomes of it."""

    known: dict[str, Named]
    """By key."""
    last: int
    """The place of the conversation that was named last."""
    added: dict[str, Named] = field(default_factory=dict)
    joined: dict[str, Named] = field(default_factory=dict)
    """By the name that gave way."""

    def add(self, own: str, root: str, references: Iterable[str]) -> None:
        """Take in a message by its key, its root's and those that it builds on."""
        keys = list(dict.fromkeys([own, root, *references]))
        found = sorted({self.known[key] for key in keys if key in self.known}, key=lambda each: each.place)
        if found:
            name = found[0]
        else:
            self.last += 1
            name = Named(root, self.last)
        for other in found[1:]:
            self._join(other, name)
        for key in keys:
            if key not in self.known:
                self.added[key] = self.known[key] = name

    def _join(self, other: Named, name: Named) -> None:
        self.joined[other.thread] = name
        for known in (self.known, self.added, self.joined):
            for key, each in known.items():
                if each == other:
                    known[key] = name


def keys_in(messages: Iterable[tuple[str, str, Sequence[str]]]) -> list[str]:
    """All keys of messages that are to be added."""
    return list(dict.fromkeys(key for own, root, refs in messages for key in (own, root, *refs)))


def of_rows(rows: Iterable[tuple[str, str, int]]) -> Mapping[str, Named]:
    """By key, of rows with key, name and place."""
    return {key: Named(thread, place) for key, thread, place in rows}
