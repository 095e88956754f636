"""What every graph that answers mail must do, whatever else it does.

A test class inherits from `WorkflowContract` and names its workflow. Each promise stands once, in the mixin of its subject.
"""

from tests.contract.workflow_approval_contract import ApprovalContract
from tests.contract.workflow_once_contract import OnceContract


class WorkflowContract(ApprovalContract, OnceContract):
    """All promises."""
