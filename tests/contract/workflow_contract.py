"""What every graph that answers mail must do, whatever else it does.

A test class inherits from `WorkflowContract` and names its workflow. Each promise stands once, in the mixin of its subject.
"""

from tests.contract.workflow_approval_contract import ApprovalContract


class WorkflowContract(ApprovalContract):
    """All promises."""
