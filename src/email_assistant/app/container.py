"""The container: everything that settings decide, the graphs included."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from email_assistant.app.ingesting import Ingesting
from email_assistant.settings import load_settings
from email_assistant.workflow_registry import workflow

if TYPE_CHECKING:  # Slow to import; each is imported where it is built.
    from email_assistant.ingest.ingestion import Builder
    from email_assistant.kit.observed import MailOf
    from email_assistant.kit.observer import JournalObserver

T = TypeVar("T")


@dataclass(frozen=True)
class Container(Ingesting):
    """Everything that settings decide, the graphs included, built when it is asked for."""

    _own: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    def own(self, build: Callable[[Container], T]) -> T:
        """What `build` makes of this container, made once: a workflow's own services."""
        if build not in self._own:
            self._own[build] = build(self)
        made: T = self._own[build]
        return made

    def graph(self, name: str, **compile_options: Any) -> Any:
        """The compiled graph of the workflow of that name, observed by the journal; `compile_options` as of `StateGraph.compile`."""
        return workflow(name).build(self, **compile_options)

    def observer(
        self, graph: str, *, snapshots: bool = False, mail_of: MailOf | None = None
    ) -> JournalObserver:
        """The journal's observer for a graph, of whose inputs `mail_of` reads the mail; with `snapshots` it keeps whole states."""
        from email_assistant.kit.mail_status import MailStatusKeeper
        from email_assistant.kit.observed import new_mail
        from email_assistant.kit.observer import JournalObserver

        keeper = MailStatusKeeper(self.mail_log, self.mailbox.name)
        return JournalObserver(graph, self.trace, keeper, snapshots=snapshots, mail_of=mail_of or new_mail)

    def ingest(self, builder: Builder, **compile_options: Any) -> Any:
        """The compiled `ingest` graph, observed by the journal."""
        from email_assistant.ingest.graph import IngestNodes, ingest_graph

        compiled = ingest_graph(IngestNodes(builder)).compile(name="ingest", **compile_options)
        return compiled.with_config({"callbacks": [self.observer("ingest")]})


def container(*, is_server: bool = False) -> Container:
    """The house that the environment and the settings files describe."""
    return Container(load_settings(), is_server=is_server)
