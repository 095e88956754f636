"""The calls of a model's turn: which are open, and what becomes of the state when one is answered or its action decided; labelled edges."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Literal, TypeAlias, cast

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.graph import StateGraph
from langgraph.types import Command

from email_assistant.kit.conversations import conversation_of
from email_assistant.kit.observer import PERFORMED
from email_assistant.kit.response.state import AssistantWork
from email_assistant.kit.review_loop import lesson_of_edit, lesson_of_words
from email_assistant.mail.email_input import is_own
from email_assistant.memory.lesson import Lesson
from email_assistant.review.action import EDIT, RESPONSE, Action, Decision
from email_assistant.review.kinds import declared, kind_of, kind_or_unknown
from email_assistant.review.pending import put
from email_assistant.tools.inquiries import QUESTION
from email_assistant.tools.tool import Done

OF_CODE = ("ask_", "rule_")
"""How the ids of calls begin that no model made."""
Onward: TypeAlias = Literal["prepare", "llm_call", "say_nothing_was_done", "mark_as_read_node"]


def unanswered(messages: list[AnyMessage]) -> list[dict[str, Any]]:
    """Tool calls of the last model turn that have no ToolMessage yet, in order."""
    turn = next((i for i in range(len(messages) - 1, -1, -1) if isinstance(messages[i], AIMessage)), None)
    if turn is None:
        return []
    last = messages[turn]
    answered = {m.tool_call_id for m in messages[turn + 1 :] if isinstance(m, ToolMessage)}
    calls = last.tool_calls if isinstance(last, AIMessage) else []
    return [dict(call) for call in calls if call["id"] not in answered]


def not_finished(call: dict[str, Any]) -> ToolMessage:
    """The answer to a `Done` that came too early."""
    return ToolMessage("Not finished: see the other answers.", tool_call_id=call["id"], name=call["name"])


def since_mail(messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    """What was said since the newest mail came, it included."""
    starts = [
        i for i, m in enumerate(messages) if isinstance(m, HumanMessage) and "email_id" in m.additional_kwargs
    ]
    return messages[starts[-1] :] if starts else messages


def said_about(kind: str, messages: Sequence[BaseMessage]) -> tuple[str, ...]:
    """The person's words about proposals of this kind, and about the mail itself, the oldest first."""
    about = kind_or_unknown(kind).lesson
    others = {each.name for each in declared() if each.lesson and each.lesson != about}
    return tuple(
        str(m.additional_kwargs["feedback"])
        for m in since_mail(messages)
        if "feedback" in m.additional_kwargs and m.name not in others
    )


def lookups_in(messages: Sequence[BaseMessage]) -> list[str]:
    """What the model was told besides mail: by tools, of what was done, and by the person."""
    return [
        str(m.text)
        for m in messages
        if (isinstance(m, ToolMessage) and m.status != "error")
        or (isinstance(m, HumanMessage) and "feedback" in m.additional_kwargs)
    ]


def is_asked_by_model(action: Action, messages: Sequence[BaseMessage]) -> bool:
    """Whether a model worded this question; what code asks ("What should it do?") names nothing that could be known."""
    asked = (action.tool_call_id, QUESTION.name, dict(action.args))
    calls = [call for m in messages if isinstance(m, AIMessage) for call in m.tool_calls]
    is_of_a_call = asked in [(call["id"], call["name"], call["args"]) for call in calls]
    return is_of_a_call and not action.tool_call_id.startswith(OF_CODE)


def open_calls(messages: list[AnyMessage]) -> list[dict[str, Any]]:
    """Open calls but for `Done`, which is answered last."""
    return [call for call in unanswered(messages) if call["name"] != "Done"]


def next_node(state: AssistantWork, update: Mapping[str, Any] | None = None) -> Onward:
    """Where the work goes with nothing under review, when `update` has been taken in."""
    now = cast(AssistantWork, {**state, **(update or {}), "messages": said(state, update)})
    messages = now["messages"]
    if open_calls(messages):
        return "prepare"
    return end_of(now) if unanswered(messages) and not _went_wrong(messages) else "llm_call"


def end_of(state: AssistantWork) -> Literal["say_nothing_was_done", "mark_as_read_node"]:
    """Where `Done` leads: nobody's words, and no mail that seemed to need a reply, come to nothing unseen."""
    after_words = (state.get("decision") or {}).get("type") == RESPONSE
    return "say_nothing_was_done" if after_words or not state.get("outcome") else "mark_as_read_node"


def said(state: AssistantWork, update: Mapping[str, Any] | None) -> list[AnyMessage]:
    """The messages with those of an update."""
    return [*state["messages"], *(update or {}).get("messages", ())]


def _went_wrong(messages: list[AnyMessage]) -> bool:
    """Whether a call of the last turn went wrong, so that its `Done` came too early."""
    for message in reversed(messages):
        if isinstance(message, AIMessage):
            return False
        if isinstance(message, ToolMessage) and message.status == "error":
            return True
    return False


def answer_to(action: Action, text: str) -> ToolMessage:
    """The answer to the call that an action came from."""
    return ToolMessage(text, tool_call_id=action.tool_call_id, name=action.kind)


def close_others(messages: list[AnyMessage], action: Action, text: str) -> list[ToolMessage]:
    """Answers for the other open calls of the turn."""
    rest = [c for c in unanswered(messages) if c["id"] != action.tool_call_id]
    return [not_performed(c["id"], c["name"], text) for c in rest]


def not_performed(call_id: str, name: str, text: str) -> ToolMessage:
    """The answer to a call that was neither done nor tried: on no record of what was."""
    return ToolMessage(text, tool_call_id=call_id, name=name, additional_kwargs={PERFORMED: False})


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
    update: dict[str, Any] = {
        "messages": [message],
        "corrections": corrections,
        "facts": [*(state.get("facts") or []), *(facts or [])],
    }
    if outcome:
        update |= {"outcome": outcome, "decision": None}  # Words that led to it were heeded.
    return Command(goto=next_node(state, update), update=update)


def done_before(state: AssistantWork, call: dict[str, Any], result: Done) -> Command[Any]:
    """The call's work was done by a run that this one has no memory of; what became of the message is the same."""
    outcome = kind_of(call["name"]).outcome if result.performed else ""
    return answered(call, result.text, state=state, outcome=outcome)


def performed(state: AssistantWork, action: Action, decision: Decision, result: Done) -> Command[Any]:
    """An approved action was performed; a reply that was written for another meeting is written anew."""
    messages: list[AnyMessage] = [answer_to(action, result.text)]
    has_reply = bool(open_calls([*state["messages"], *messages]))
    # The edit may lie further back: it is asked about once more where the new time is taken.
    changed = (state.get("proposed") or action.args) != action.args
    if has_reply and kind_of(action.kind).draws == "event" and (decision.type == EDIT or changed):
        messages += close_others(
            state["messages"], action, "Not performed: the user changed the meeting. Write it anew."
        )
    update = {
        "messages": messages,
        "pending": None,
        "previous": None,
        "outcome": kind_of(action.kind).outcome,
        "lesson": (lesson := lesson_of_edit(state, action)),
    }
    return Command(goto="learn" if lesson else next_node(state, update), update=update)


def sent_back(state: AssistantWork, action: Action, decision: Decision, text: str) -> Command[Any]:
    """Feedback goes to the model; what else it proposed in that turn is for it to propose again."""
    answer = not_performed(action.tool_call_id, action.kind, text)
    answer.additional_kwargs["feedback"] = decision.text
    lesson = lesson_of_words(action, decision)
    update = {
        "messages": [
            answer,
            *close_others(state["messages"], action, "Not performed: the user answered another call first."),
        ],
        "pending": None,
        "previous": state.get("pending") if kind_of(action.kind).draws == "letter" else state.get("previous"),
        "lesson": lesson,
        "corrections": 0,
    }
    return Command(goto="learn" if lesson else next_node(state, update), update=update)


def dismissed(state: AssistantWork, action: Action, decision: Decision) -> Command[Any]:
    """The human dismissed the action, or has seen to it: the work on the message ends."""
    sender = conversation_of(state["email_input"]).current.sender.key
    text = "Not performed: the user dismissed this and the work on the message ends."
    lesson = Lesson("triage_preferences", "dismissed", action.id, sender=sender)
    update = {
        "messages": [
            not_performed(action.tool_call_id, action.kind, text),
            *close_others(state["messages"], action, text),
        ],
        "pending": None,
        "outcome": "dismissed",
        "lesson": None if decision.seen or is_own(state["email_input"]) else lesson.as_json(),
    }
    return Command(goto="learn", update=update)


def should_continue(
    state: AssistantWork,
) -> Literal["prepare", "say_nothing_was_done", "mark_as_read_node"]:
    """After a model turn: to its first call but `Done`, else finish."""
    return "prepare" if open_calls(state["messages"]) else end_of(state)


def after_response(
    state: AssistantWork,
) -> Literal["triage_interrupt_handler", "mark_as_read_node", "__end__"]:
    """A notification waits to be shown, or the work is done, and settled unless it was dismissed."""
    if state.get("pending"):
        return "triage_interrupt_handler"
    return "__end__" if state.get("settled") else "mark_as_read_node"


def add_labelled(
    graph: StateGraph[Any, Any, Any, Any],
    source: str,
    router: Callable[[Any], str | list[str]],
    labels: Mapping[str, str],
) -> None:
    """Conditional edges from `source` to what the router names; `labels`: each goal → the word for it, no word twice."""

    @wraps(router)
    def word(state: Any) -> str | list[str]:
        goal = router(state)
        return labels[goal] if isinstance(goal, str) else [labels[each] for each in goal]

    graph.add_conditional_edges(source, word, {label: goal for goal, label in labels.items()})
