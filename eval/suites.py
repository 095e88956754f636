"""The suites of the scorecard, by name. A suite is a module with `async def report(setup: Setup) -> SuiteReport`."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Suite:
    """One suite."""

    title: str
    module: str
    takes_model: bool = False
    """Whether `--model` changes who answers; other suites answer with rules or scripts."""
    quick: bool = False
    """Whether it takes less than half a minute of one core: `make test-all` measures it, too; `make soak` measures all."""
    headlines: tuple[str, ...] = ()
    """The figures that stand first, on top of the report and in README."""


SUITES: Mapping[str, Suite] = {
    "triage": Suite(
        "Triage",
        "eval.triage.suite",
        takes_model=True,
        quick=True,
        headlines=("test.accuracy", "hard.accuracy", "respond.missed"),
    ),
    "response": Suite(
        "Responses",
        "eval.response.suite",
        takes_model=True,
        headlines=("test.right", "effects.broken"),
    ),
    "organizer": Suite(
        "Sorting the inbox",
        "eval.organizer.suite",
        takes_model=True,
        headlines=("test.category.accuracy", "test.category.right-without-asking", "cards.all-per-100"),
    ),
    "orders": Suite(
        "Orders and questions by mail",
        "eval.orders.suite",
        takes_model=True,
        quick=True,
        headlines=("scripted.test.all-right", "offline.test.all-right"),
    ),
    "claims": Suite(
        "Claims",
        "eval.claims.suite",
        takes_model=True,
        quick=True,
        headlines=("scripted.test.all-right", "offline.test.all-right"),
    ),
    "facts": Suite(
        "Facts in drafts",
        "eval.facts.suite",
        quick=True,
        headlines=("test.wrong-facts-caught", "test.false-alarms"),
    ),
    "times": Suite(
        "When somebody wants to meet",
        "eval.times.suite",
        headlines=("rules.test.right", "rules.test.wrong", "scripted.test.wrong-without-a-word"),
    ),
    "knowledge": Suite(
        "Similar past mail",
        "eval.knowledge.suite",
        quick=True,
        headlines=("lexical.test.recall", "lexical.test.false-items"),
    ),
    "documents": Suite(
        "Documents",
        "eval.documents.suite",
        quick=True,
        headlines=("lexical.test.recall", "lexical.test.false-questions"),
    ),
    "resolution": Suite(
        "Which product is meant",
        "eval.resolution.suite",
        headlines=("test.resolved-rightly", "test.wrong-product"),
    ),
    "safety": Suite(
        "Safety: mail that attacks",
        "eval.safety.suite",
        headlines=("mails", "runs", "effects-without-card", "memory-writes", "cards-hiding", "cards-active"),
    ),
    "claims-attack": Suite(
        "Safety: a model that says anything, on claims",
        "eval.claims.attack_suite",
        headlines=("decisions", "broken-rules"),
    ),
    "crash": Suite(
        "Crashes at every step",
        "eval.crash.suite",
        headlines=("kills", "effects-twice", "effects-lost", "effects-unapproved", "mails-lost"),
    ),
    "cost": Suite(
        "Calls, tokens and card burden",
        "eval.cost.suite",
        headlines=("email_assistant.model-calls", "reply_pipeline.model-calls", "claims_desk.model-calls"),
    ),
}
