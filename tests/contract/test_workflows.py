"""The promises of `WorkflowContract`, over all five graphs."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import ClassVar

import pytest

from eval.workbench import Graph
from tests.contract.workflow_calendar_contract import SchedulingContract
from tests.contract.workflow_contract import WorkflowContract
from tests.contract.workflow_one_card_contract import OneMeetingContract
from tests.contract.workflow_undelivered_contract import UndeliveredContract
from tests.support.workflows import WORKFLOWS, Bench, Workflow


class _OfOneGraph(WorkflowContract):
    """Opens the graph that the class names."""

    graph: ClassVar[Graph]

    @pytest.fixture
    def workflow(self) -> Workflow:
        """The graph and its mail."""
        return WORKFLOWS[self.graph]

    @pytest.fixture
    async def bench(self, workflow: Workflow, tmp_path: Path) -> AsyncIterator[Bench]:
        """An assistant of the graph."""
        made = await workflow.open(tmp_path)
        yield made
        await made.close()


class TestEmailAssistant(SchedulingContract, OneMeetingContract, UndeliveredContract, _OfOneGraph):
    """`email_assistant`."""

    graph = "email_assistant"


class TestInboxOrganizer(SchedulingContract, OneMeetingContract, _OfOneGraph):
    """`inbox_organizer`."""

    graph = "inbox_organizer"


class TestReplyPipeline(UndeliveredContract, _OfOneGraph):
    """`reply_pipeline`."""

    graph = "reply_pipeline"


class TestOrderDesk(UndeliveredContract, _OfOneGraph):
    """`order_desk`."""

    graph = "order_desk"


class TestClaimsDesk(UndeliveredContract, _OfOneGraph):
    """`claims_desk`."""

    graph = "claims_desk"


def test_every_graph_that_schedules_keeps_the_promises_about_time() -> None:
    """By its class here; no other graph claims to."""
    classes = [each for each in _OfOneGraph.__subclasses__() if each.__module__ == __name__]
    keeps = {each.graph for each in classes if issubclass(each, SchedulingContract)}
    assert keeps == {graph for graph, workflow in WORKFLOWS.items() if workflow.schedules}
