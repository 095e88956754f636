"""The scorecard's suite on orders and questions by mail; see `eval.orders`."""

from email_assistant.models.runner import Models
from eval.figures import SuiteReport
from eval.orders.measure import FIELDS, score
from eval.orders.running import cases, run_all
from eval.scored import Scored, report_of
from eval.setup import Setup


async def report(setup: Setup) -> SuiteReport:
    """The sample mails, field by field."""
    return await report_of(setup, scores, FIELDS)


async def scores(mode: str, models: Models | None) -> list[Scored]:
    """The mails with their fields."""
    all_ = cases()
    states = await run_all(mode, all_, models)
    return [
        Scored(each.mail["email_id"], each.expected["split"], score(each, states[each.mail["email_id"]]))
        for each in all_
    ]
