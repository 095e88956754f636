"""The compiled graphs, observed by the journal."""

from typing import Any

from langgraph.graph import StateGraph

from email_assistant.app.accounts import AccountDeps
from email_assistant.app.assistant import AppDeps
from email_assistant.ingest.ingestion import Builder
from email_assistant.ingest.look import IngestNodes, ingest_graph
from email_assistant.kit.conversations import MailStatusKeeper
from email_assistant.kit.observer import JournalObserver, MailOf, new_mail
from email_assistant.workflow_registry import workflow


def graph_of(deps: AppDeps, name: str, **compile_options: Any) -> Any:
    """The graph of the workflow of that name; `compile_options` as of `StateGraph.compile`."""
    return workflow(name).build(deps, **compile_options)


def ingest_graph_of(deps: AccountDeps, builder: Builder, **compile_options: Any) -> Any:
    """The graph `ingest`."""
    drawing = ingest_graph(IngestNodes(builder, deps.settings.data_path))
    return observed(deps, drawing, "ingest", **compile_options)


def observed(
    deps: AccountDeps,
    drawing: StateGraph[Any, Any, Any, Any],
    name: str,
    *,
    snapshots: bool = False,
    mail_of: MailOf | None = None,
    **compile_options: Any,
) -> Any:
    """The drawing compiled as the graph of that name; see `observer`, and `StateGraph.compile` for `compile_options`."""
    watching = observer(deps, name, snapshots=snapshots, mail_of=mail_of)
    return drawing.compile(name=name, **compile_options).with_config({"callbacks": [watching]})


def observer(
    deps: AccountDeps, graph: str, *, snapshots: bool = False, mail_of: MailOf | None = None
) -> JournalObserver:
    """The journal's observer for a graph, of whose inputs `mail_of` reads the mail; with `snapshots` it keeps whole states."""
    keeper = MailStatusKeeper(deps.mail_log, deps.mailbox.name)
    return JournalObserver(graph, deps.trace, keeper, snapshots=snapshots, mail_of=mail_of or new_mail)
