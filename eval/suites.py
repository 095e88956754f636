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
    """Whether it takes seconds: `make test` runs it, too."""
    headlines: tuple[str, ...] = ()
    """The figures that stand first, on top of the report and in README."""


SUITES: Mapping[str, Suite] = {
    "triage": Suite("Triage", "eval.triage.suite", takes_model=True),
    "response": Suite("Responses", "eval.response.suite", takes_model=True),
    "organizer": Suite("Sorting the inbox", "eval.organizer.suite", takes_model=True),
    "orders": Suite("Orders and questions by mail", "eval.orders.suite", takes_model=True),
    "claims": Suite("Claims", "eval.claims.suite", takes_model=True),
    "facts": Suite("Facts in drafts", "eval.facts.suite"),
    "knowledge": Suite("Similar past mail", "eval.knowledge.suite"),
    "documents": Suite("Documents", "eval.documents.suite"),
    "resolution": Suite("Which product is meant", "eval.resolution.suite"),
    "safety": Suite("Safety: mail that attacks", "eval.safety.suite"),
    "claims-attack": Suite("Safety: a model that says anything, on claims", "eval.claims.attack_suite"),
    "learning": Suite("Learning from corrections", "eval.learning.suite"),
    "crash": Suite("Crashes at every step", "eval.crash.suite"),
    "cost": Suite("Calls, tokens and card burden", "eval.cost.suite"),
}
