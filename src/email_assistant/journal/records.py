"""The rows, as the rest of the program sees them. Every time is aware and in UTC."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from email_assistant.journal.sql import JsonValue


class MailStatus(StrEnum):
    """Where a message is on its way."""

    claimed = "claimed"
    """Taken by one process, no run started yet."""
    processing = "processing"
    waiting_review = "waiting_review"
    done = "done"
    ignored = "ignored"
    superseded = "superseded"
    """A newer message of the conversation took its place."""
    needs_review = "needs_review"
    """A run failed; it will be tried again."""
    dead_letter = "dead_letter"
    """Every attempt failed; a person decides."""


OPEN = (MailStatus.claimed, MailStatus.processing, MailStatus.waiting_review, MailStatus.needs_review)
"""The conditions of a message that somebody is at work on, or will be: in every other one it is settled."""


@dataclass(frozen=True, slots=True)
class MailRecord:
    """One message as one graph deals with it; unique by mailbox, message id and graph."""

    mailbox: str
    message_id: str
    """The mailbox's own id of the message."""
    graph: str
    mail_thread_id: str
    run_thread_id: str
    status: MailStatus = MailStatus.claimed
    outcome: str = ""
    reason: str = ""
    attempts: int = 0
    """How many runs have failed."""
    email_input: dict[str, Any] | None = None
    """What the run was started with, so that it can be started again."""
    received_at: datetime | None = None
    claimed_at: datetime | None = None
    """Set by the claim."""
    updated_at: datetime | None = None


RUNNING, WAITING, ENDED = "running", "waiting", "ended"
"""Statuses of a run, besides "failed"; it waits when it has come to a card."""
DEFERRED = "deferred-"
"""Begins the thread of a card that no run waits for; the run thread that it is from follows."""
SUPERSEDED = "superseded"
"""The decision on a card whose conversation went on before anybody answered."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a graph."""

    run_id: str
    run_thread_id: str
    graph: str
    status: str
    started_at: datetime
    ended_at: datetime | None = None
    error: str | None = None
    trace_id: str = ""
    """The id of the run that began with the mail; runs that went on with the same mail have the same."""
    message_id: str | None = None
    """The mail this run began with; None when it went on, or had none."""
    latency_ms: float | None = None
    """How long it worked; None while it does."""


@dataclass(frozen=True, slots=True)
class Step:
    """One node's work. `position` counts from 1 within the trace."""

    run_id: str
    name: str
    position: int
    input_state: JsonValue
    """What the node had in hand; None where states are not kept."""
    output_state: JsonValue
    """What the node gave."""
    latency_ms: float
    error: str | None
    recorded_at: datetime
    step_id: str | None = None


@dataclass(frozen=True, slots=True)
class ToolExecution:
    """One tool call and its result."""

    run_id: str
    tool_call_id: str
    name: str
    params: JsonValue
    result: JsonValue
    success: bool
    error: str | None
    latency_ms: float
    recorded_at: datetime
    step_id: str | None = None
    """The step it was done in; None in records from before there were traces."""


@dataclass(frozen=True, slots=True)
class ModelCallRecord:
    """What one model call used. `cost_usd` is None when the price is unknown."""

    run_id: str
    call: str
    tier: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    cost_usd: Decimal | None
    latency_ms: float
    attempts: int
    estimated: bool
    error: str | None
    recorded_at: datetime
    step_id: str | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """One card, as it was last shown, and what was answered."""

    review_id: str
    run_id: str
    run_thread_id: str
    title: str
    card: JsonValue
    shown_count: int
    first_shown_at: datetime
    last_shown_at: datetime
    decision: str | None = None
    answer: JsonValue = None
    answers: tuple[Mapping[str, Any], ...] = ()
    """Every answer in its order: `{"decision", "answer", "decided_at"}`."""
    decided_at: datetime | None = None
    step_name: str | None = None
    """The node that asked."""


@dataclass(frozen=True, slots=True)
class RunTrace:
    """A run with everything it did, each list in the order of its recording."""

    run: Run
    steps: tuple[Step, ...]
    tools: tuple[ToolExecution, ...]
    model_calls: tuple[ModelCallRecord, ...]
    reviews: tuple[Review, ...]


OFFLINE = "offline"
"""What a model call's record has for a model when the offline rules answered."""


class OutboxStatus(StrEnum):
    """How far an effect is."""

    started = "started"
    """Begun, outcome not known yet."""
    done = "done"
    failed = "failed"
    """The provider refused it for good; nothing was done."""


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


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """One effect on record."""

    action_id: str
    kind: str
    subject_key: str
    payload: dict[str, Any]
    payload_digest: str
    status: OutboxStatus
    result: JsonValue
    reason: str
    attempts: int
    """How often it was begun."""
    started_at: datetime
    updated_at: datetime
    run_thread_id: str = ""
    """Whose effect it is; "" of those that no run thread has alone, and in some records from before it was kept."""
    graph: str = ""
    round: int = 0
    """The how-manieth message of its run thread it belongs to; 0 when it is not on record."""

    @property
    def doer(self) -> Doer:
        """Whose effect it is."""
        return Doer(self.run_thread_id, self.graph, self.round)


@dataclass(frozen=True, slots=True)
class Revision:
    """One revision of a preference profile; the first is number 1."""

    profile: str
    revision: int
    content: str
    origin: str
    decision_id: str | None
    created_at: datetime
