"""What every graph that answers mail must do, whatever else it does.

A test class inherits from `WorkflowContract` and names its workflow. Each promise stands once, in the mixin of its subject.
"""

from tests.contract.workflow_answers_contract import AnswersContract
from tests.contract.workflow_approval_contract import ApprovalContract
from tests.contract.workflow_crossing_contract import CrossingContract
from tests.contract.workflow_elsewhere_contract import ElsewhereContract
from tests.contract.workflow_facts_contract import FactsContract
from tests.contract.workflow_failed_contract import FailedContract
from tests.contract.workflow_finished_contract import FinishedContract
from tests.contract.workflow_incoming_contract import IncomingContract
from tests.contract.workflow_instruction_contract import InstructionContract
from tests.contract.workflow_learning_contract import LearningContract
from tests.contract.workflow_lost_contract import LostContract
from tests.contract.workflow_once_contract import OnceContract
from tests.contract.workflow_one_card_contract import OneInvitationContract
from tests.contract.workflow_one_proposes_contract import OneProposesContract
from tests.contract.workflow_person_contract import PersonContract
from tests.contract.workflow_recipients_contract import RecipientsContract
from tests.contract.workflow_self_contract import SelfContract
from tests.contract.workflow_senders_contract import SendersContract
from tests.contract.workflow_shapes_contract import ShapesContract
from tests.contract.workflow_surfaces_contract import SurfacesContract
from tests.contract.workflow_times_contract import TimesContract
from tests.contract.workflow_told_contract import ToldContract
from tests.contract.workflow_two_tabs_contract import TwoTabsContract


class WorkflowContract(
    ApprovalContract,
    AnswersContract,
    CrossingContract,
    ElsewhereContract,
    FactsContract,
    FailedContract,
    IncomingContract,
    InstructionContract,
    LearningContract,
    LostContract,
    OnceContract,
    OneInvitationContract,
    OneProposesContract,
    PersonContract,
    TimesContract,
    ToldContract,
    RecipientsContract,
    SelfContract,
    SendersContract,
    ShapesContract,
    SurfacesContract,
    FinishedContract,
    TwoTabsContract,
):
    """All promises."""
