"""Subjects of effects (the message, the refund), and who performs them."""

import hashlib
import json
from dataclasses import dataclass


def subject_key(what: str, *about: str) -> str:
    """`what` and a digest of what it is about: short, however long the addresses and subjects in it are."""
    return f"{what}:{hashlib.sha256(json.dumps(about).encode()).hexdigest()[:32]}"


MAX_PART = 200
"""Bytes that a part of a key may have and be told as it is."""


def bounded(part: str) -> str:
    """The part of a key as it is, or a digest of it when it is long: ids come from mail, models and callers."""
    written = part.encode(errors="replace")
    return part if len(written) <= MAX_PART else f"sha256-{hashlib.sha256(written).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Doer:
    """Who performs an effect: a graph on a run thread, in its work on one message."""

    run_thread_id: str = ""
    graph: str = ""
    """"" when it is not on record."""
    round: int = 0
    """Which message of the run thread it is at work on, from 1; 0 when it is not on record."""

    def is_run_of(self, other: "Doer") -> bool:
        """Whether both are the same graph on the same run thread."""
        same_graph = not self.graph or not other.graph or self.graph == other.graph
        return self.run_thread_id == other.run_thread_id and same_graph

    def is_work_of(self, other: "Doer") -> bool:
        """Whether both are at work on the same message of one run thread, so that the one knows what the other has done."""
        return self.is_run_of(other) and (not self.round or not other.round or self.round == other.round)


NOBODY = Doer()
