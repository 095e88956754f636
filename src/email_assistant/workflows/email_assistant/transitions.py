"""What becomes of the state when a call is answered or an action decided: each function is one transition of the graph."""

from typing import Any, Literal

from langchain_core.messages import ToolMessage
from langgraph.types import Command

from email_assistant.memory.lesson import Lesson
from email_assistant.review.action import EDIT, Action, Decision
from email_assistant.review.kinds import kind_of
from email_assistant.review.pending import put
from email_assistant.tools.tool import Done
from email_assistant.workflows.email_assistant.state import AssistantWork
from email_assistant.workflows.email_assistant.turns import answer_to, close_others
from email_assistant.workflows.kit import lessons
from email_assistant.workflows.kit.conversations import conversation_of


def proposed(state: AssistantWork, action: Action, goto: str) -> Command[Any]:
    """An action was resolved: put it before the human (or perform it)."""
    return Command(goto=goto, update=put(state, action) | {"corrections": 0})


def answered(
    call: dict[str, Any],
    text: str,
    *,
    state: AssistantWork,
    error: bool = False,
    facts: list[str] | None = None,
    corrections: int = 0,
    outcome: str = "",
) -> Command[Any]:
    """A call was answered without the human: by a look-up, with what is wrong with it, or because it was done before."""
    status: Literal["error", "success"] = "error" if error else "success"
    message = ToolMessage(text, tool_call_id=call["id"], name=call["name"], status=status)
    update = {
        "messages": [message],
        "corrections": corrections,
        "facts": [*(state.get("facts") or []), *(facts or [])],
    }
    if outcome:
        update |= {"outcome": outcome, "decision": None}  # Words that led to it were heeded.
    return Command(goto="interrupt_handler", update=update)


def done_before(state: AssistantWork, call: dict[str, Any], result: Done) -> Command[Any]:
    """The call's work was done by a run that this one has no memory of; what became of the message is the same."""
    outcome = kind_of(call["name"]).outcome if result.performed else ""
    return answered(call, result.text, state=state, outcome=outcome)


def performed(state: AssistantWork, action: Action, decision: Decision, result: Done) -> Command[Any]:
    """An approved action was performed; a reply that was written for another meeting is written anew."""
    messages = [answer_to(action, result.text)]
    # The edit may lie further back: it is asked about once more where the new time is taken.
    changed = (state.get("proposed") or action.args) != action.args
    if action.kind == "schedule_meeting" and (decision.type == EDIT or changed):
        messages += close_others(
            state["messages"], action, "Not performed: the user changed the meeting. Write it anew."
        )
    update = {
        "messages": messages,
        "pending": None,
        "previous": None,
        "outcome": kind_of(action.kind).outcome,
        "lesson": (lesson := lessons.of_performed(state, action)),
    }
    return Command(goto="learn" if lesson else "interrupt_handler", update=update)


def sent_back(state: AssistantWork, action: Action, decision: Decision, text: str) -> Command[Any]:
    """Feedback goes to the model; what else it proposed in that turn is for it to propose again."""
    answer = answer_to(action, text)
    answer.additional_kwargs["feedback"] = decision.text
    lesson = lessons.of_words(action, decision)
    update = {
        "messages": [
            answer,
            *close_others(state["messages"], action, "Not performed: the user answered another call first."),
        ],
        "pending": None,
        "previous": state.get("pending") if "draft_id" in action.facts else state.get("previous"),
        "lesson": lesson,
        "corrections": 0,
    }
    return Command(goto="learn" if lesson else "interrupt_handler", update=update)


def dismissed(state: AssistantWork, action: Action) -> Command[Any]:
    """The human dismissed the action: the work on the message ends."""
    sender = conversation_of(state["email_input"]).current.sender.key
    text = "Not performed: the user dismissed this and the work on the message ends."
    lesson = Lesson("triage_preferences", "dismissed", action.id, sender=sender)
    update = {
        "messages": [answer_to(action, text), *close_others(state["messages"], action, text)],
        "pending": None,
        "outcome": "dismissed",
        "lesson": lesson.as_json(),
    }
    return Command(goto="learn", update=update)
