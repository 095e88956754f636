"""Catalogue, orders and models of the order desk's nodes, and its side of the common reply."""

import traceback
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, ClassVar, TypeVar
from zoneinfo import ZoneInfo

import structlog
from langgraph.store.base import BaseStore

from email_assistant.clock import Clock
from email_assistant.errors import EmailAssistantError, InputError
from email_assistant.kit.reply.reply_workflow import reply_turn
from email_assistant.kit.senders import Senders
from email_assistant.memory.learner import Learner
from email_assistant.memory.profiles import Profiles
from email_assistant.models.runner import Models
from email_assistant.tools.drafts import Drafts
from email_assistant.tools.invitations import InvitationDesk
from email_assistant.tools.mail_tools import SendEmail
from email_assistant.tools.tool import Turn, User
from email_assistant.workflows.order_desk.catalogue_index import CatalogueIndex
from email_assistant.workflows.order_desk.facts import OrderFactCheck
from email_assistant.workflows.order_desk.records.order_record import OrderState
from email_assistant.workflows.order_desk.records.orders import Orders
from email_assistant.workflows.order_desk.releasing import Releasing
from email_assistant.workflows.order_desk.state import AGENTS, OrderWork
from email_assistant.workflows.order_desk.summary import card_lines

T = TypeVar("T")

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class OrderDependencies:
    """What the nodes work with, built from the container."""

    models: Models
    senders: Senders
    profiles: Profiles
    learner: Learner
    catalogue_index: CatalogueIndex
    orders: Orders
    send_email: SendEmail
    drafts: Drafts
    user: User
    clock: Clock
    checker: OrderFactCheck
    currency: str
    """ISO 4217."""
    hold: bool
    """Whether stock waits for the approval of the reply."""
    invitations: InvitationDesk
    graph: ClassVar[str] = "order_desk"

    @property
    def today(self) -> date:
        """The shop's."""
        return self.clock.now().astimezone(ZoneInfo(self.user.timezone)).date()

    def turn(self, state: OrderWork, thread_id: str, revision: int = 1) -> Turn:
        """What a tool may know, from the state."""
        return reply_turn(state, thread_id, revision, self.user, "order_desk", is_checked=True)

    def review_reasons(self, state: OrderWork) -> list[str]:
        """Always: the reply says what is sold and for how much."""
        return ["A person approves what the order desk writes.", *_trouble(state)]

    def card_lines(self, state: OrderWork) -> Sequence[str]:
        """The orders and what is not certain."""
        return tuple(card_lines(state, self.currency))

    def headline(self, state: OrderWork) -> str:
        """Whose mail it is, and what it wants."""
        intent = (state.get("classifier") or {}).get("primary_intent", "mail")
        return f"{{who}} {{wants}} ({intent})"

    async def blocking_reason(self, state: OrderWork) -> str:
        """What a person has given back by hand must not be told as sold."""
        for order_id in state.get("open_orders") or []:
            record = await self.orders.get(order_id)
            if record is None or record.state is OrderState.released:
                return f"Order {order_id} was given back meanwhile, so this reply is wrong. Ignore it, and take the mail up again."
        return ""

    async def sent(self, state: OrderWork, store: BaseStore | None) -> dict[str, Any]:
        """What was held is sold."""
        errors = []
        for order_id in state.get("open_orders") or []:
            try:
                await self.orders.confirm(order_id)
            except InputError as error:  # given back in this very moment; the reply is out
                errors.append(str(error))
        return {"open_orders": [], **({"error": "; ".join(errors)} if errors else {})}

    async def rejected(self, state: OrderWork) -> dict[str, Any]:
        """What was held is for sale again; what a person has sold by hand stays sold."""
        return await Releasing(self.orders)(state)


async def attempt(agent: str, work: Callable[[], Awaitable[T]]) -> tuple[T | None, dict[str, str | None]]:
    """What the agent's work comes to, and the update of `errors`: one that fails stops no other."""
    try:
        return await work(), {agent: None}
    except EmailAssistantError as error:
        told = " ".join(str(error).split())[:500] or type(error).__name__
    except Exception as error:  # noqa: BLE001 - a bug of one agent must not keep the customer from a reply
        # The place, and not the text: a validation error quotes the mail.
        told = f"it failed unexpectedly ({type(error).__name__} at {_place(error)})"
    log.warning("agent_failed", agent=agent, detail=told[:200])
    return None, {agent: told}


def _place(error: Exception) -> str:
    """File and line where it was raised, of ours where there is one."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "email_assistant" in frame.filename] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "an unknown place"


def fresh_errors() -> dict[str, Any]:
    """Takes back the errors of an earlier message."""
    return dict.fromkeys(AGENTS)


def _trouble(state: OrderWork) -> Iterator[str]:
    for agent, told in (state.get("errors") or {}).items():
        yield f"The {agent} failed: {told}"
    if state.get("sender_warnings"):
        yield "The sender is in doubt."
    composed = state.get("composer") or {}
    if gaps := composed.get("gaps"):
        yield f"Nothing supports what stands in {len(gaps)} place{'' if len(gaps) == 1 else 's'} of the reply."
    for left_out in composed.get("missing") or []:
        yield f"The reply does not say: {left_out}"
    for order_id in composed.get("untold") or []:
        yield f"The reply does not tell order {order_id}, which was never worked out; sending it sells that, too."
