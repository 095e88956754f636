"""What the card of a label says."""

from email_assistant.mail.message import Conversation
from email_assistant.review.action import Action
from email_assistant.review.card import markdown
from email_assistant.review.card_view import CardContext, card_view
from email_assistant.workflows.inbox_organizer.labelling import LABEL
from tests.unit.review.test_card import hostile_message


def test_a_label_card_tells_the_categories() -> None:
    """The field is typed, so its choices stand on the card."""
    action = Action("1", "c", LABEL.name, "Label", {"category": "Work"}, options=("Work", "News"))
    assert "- **Categories:** Work; News" in markdown(
        card_view(action, CardContext(Conversation(hostile_message()), "UTC"))
    )
