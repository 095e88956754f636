"""The scorecard as runs in LangSmith: a project for each scorecard, a run for each suite, a feedback score for each figure.

Nothing is uploaded unless LANGSMITH_API_KEY is set; the data are the project's own, nobody's mail.
"""

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

from eval.scorecard import Measured, Scorecard

if TYPE_CHECKING:  # Slow to import, and seldom needed.
    from langsmith import Client
    from langsmith.schemas import TracerSession

KEY = "LANGSMITH_API_KEY"


def upload(card: Scorecard) -> str:
    """Upload when there is a key; says what was done in a line, "" without a key. A failure is told, never raised."""
    if not os.environ.get(KEY):
        return ""
    try:
        return f"LangSmith: {_uploaded(card)} suites are in the project {_project(card)}"
    except Exception as error:  # noqa: BLE001 - its client raises all kinds; the scorecard stands without it.
        return f"LangSmith: not uploaded ({type(error).__name__}: {' '.join(str(error).split())[:200]}); check {KEY} and LANGSMITH_ENDPOINT"


def _uploaded(card: Scorecard) -> int:
    from langsmith import Client

    client = Client(auto_batch_tracing=False)
    project = client.create_project(_project(card), description=card.verdict)
    for one in card.suites:
        _run(client, project, one)
    return len(card.suites)


def _run(client: "Client", project: "TracerSession", one: Measured) -> None:
    run_id, now = uuid4(), datetime.now(UTC)
    figures = one.report.figures if one.report else ()
    client.create_run(
        one.name,
        inputs={"suite": one.title, "command": one.command, "answers": one.answers},
        run_type="chain",
        id=run_id,
        project_name=project.name,
        start_time=now - timedelta(seconds=one.seconds),
        end_time=now,
        outputs={"figures": {f.name: f.value for f in figures}, "failures": one.failures},
        error="; ".join(one.failures)[:1_000] or None,
    )
    for figure in figures:
        client.create_feedback(
            run_id, session_id=project.id, key=figure.name, score=figure.value, comment=figure.told()
        )


def _project(card: Scorecard) -> str:
    return f"email_assistant scorecard {card.at}"
