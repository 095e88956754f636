"""The mails through the graph's own triage: each is delivered, and the run stops before anything is done with the verdict."""

import asyncio
import time
from collections.abc import Coroutine, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from email_assistant.errors import ProviderError
from email_assistant.ingest.starter import run_thread_id
from email_assistant.mail.email_input import to_email_input
from email_assistant.models.runner import Models
from email_assistant.models.usage import ModelUsage
from eval.datasets import Case
from eval.mails import received
from eval.setup import Setup
from eval.workbench import Workbench, workbench

BACKGROUND = (
    "Robin Vale runs Studio Vale, a small interior design studio with a furniture workshop in Berlin, with two colleagues, Marek and Ida."
    " The studio designs and builds rooms, furniture and lamps for homes, cafés and small hotels, and gives workshops on colour and"
    " light. Robin speaks English and German."
)
AT_ONCE = 8
"""Mails that a model is asked about at the same time; rules answer one after the other."""
AFTER_TRIAGE = ["response_agent", "triage_interrupt_handler"]
NO_ANSWER = "no answer"
Mail = tuple[Case, dict[str, Any]]
"""A case, and what the graph is started with."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What triage said about a mail in one run."""

    case: Case
    verdict: str
    """ignore, notify, respond, or `NO_ANSWER`."""
    reason: str = ""
    """The model's reason, or why there is no answer."""
    usage: Sequence[ModelUsage] = ()
    """All calls, failed ones included."""
    outside_ms: float = 0.0
    """Time without the model calls, in milliseconds: looking at the sender, the profile, the graph and its state. Mails judged at
    the same time wait for one another in it."""
    messages: int = 0
    """Messages of the conversation as triage read it."""

    @property
    def right(self) -> bool:
        """Whether it is the label."""
        return bool(self.verdict == self.case["label"])


@dataclass
class _Used:
    calls: list[ModelUsage] = field(default_factory=list)


_used: ContextVar[_Used] = ContextVar("triage_usage")


def record(usage: ModelUsage) -> None:
    """Put a call down for the mail that is being judged."""
    _used.get().calls.append(usage)


async def answered(setup: Setup, cases: Sequence[Case], models: Models | None = None) -> list[list[Answer]]:
    """Each of `setup.repeats` runs over the cases, in the cases' order; `models` stands in for those of the setup.

    An answer that is no verdict, and a model that could not be asked, is `NO_ANSWER`. Raises `ProviderError` when none of the first
    mails was answered, so that a wrong key or address costs no more than that, and `ConfigError` for wrong settings.
    """
    models = models or setup.models(record)
    at_once = 1 if models.is_offline("fast") else AT_ONCE
    async with workbench("email_assistant", models, EMAIL_ASSISTANT_BACKGROUND=BACKGROUND) as desk:
        mails = [(case, to_email_input(await received(desk.house, case))) for case in cases]
        return [await _run(desk, mails, number, at_once) for number in range(setup.repeats)]


async def _run(desk: Workbench, mails: Sequence[Mail], number: int, at_once: int) -> list[Answer]:
    gate = asyncio.Semaphore(at_once)

    async def one(case: Case, email_input: dict[str, Any]) -> Answer:
        async with gate:
            return await _triaged(desk, case, email_input, number)

    found = await _all([one(*mail) for mail in mails[:AT_ONCE]])
    if all(answer.verdict == NO_ANSWER for answer in found):
        raise ProviderError(f"none of the first {len(found)} mails was answered: {found[0].reason}")
    return [*found, *await _all([one(*mail) for mail in mails[AT_ONCE:]])]


async def _all(asked: Sequence[Coroutine[Any, Any, Answer]]) -> list[Answer]:
    """All answers, or the first error once all are done: nothing may go on in a folder that is gone."""
    found = await asyncio.gather(*asked, return_exceptions=True)
    for each in found:
        if isinstance(each, BaseException):
            raise each
    return [each for each in found if isinstance(each, Answer)]


async def _triaged(desk: Workbench, case: Case, email_input: dict[str, Any], number: int) -> Answer:
    used = _Used()
    _used.set(used)
    # A run thread for each repeat: what was said in the last one must not be read in this one.
    config = {"configurable": {"thread_id": run_thread_id(f"{case['id']}#{number}")}}
    started = time.perf_counter()
    try:
        await desk.graph.ainvoke({"email_input": email_input}, config, interrupt_before=AFTER_TRIAGE)
    except ProviderError as error:
        return Answer(case, NO_ANSWER, str(error), used.calls)
    took = (time.perf_counter() - started) * 1000
    values = (await desk.graph.aget_state(config)).values
    return Answer(
        case,
        values["classification_decision"],
        values["triage_reason"],
        used.calls,
        took - sum(each.latency_ms for each in used.calls),
        len(values["seen"]),
    )
