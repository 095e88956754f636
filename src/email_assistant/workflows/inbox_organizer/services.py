"""The organizer's own services, over the core's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:  # Graphs are slow to import; commands do without.
    from email_assistant.app.container import Container
    from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
    from email_assistant.workflows.inbox_organizer.notes.obsidian import ObsidianVault
    from email_assistant.workflows.inbox_organizer.records.hints import CategoryHints
    from email_assistant.workflows.inbox_organizer.records.subscriptions import Subscriptions
    from email_assistant.workflows.inbox_organizer.unsubscribing.requests import Mailings
    from email_assistant.workflows.inbox_organizer.unsubscribing.unsubscribing import Unsubscribing


@dataclass(frozen=True)
class OrganizerServices:
    """The organizer's parts, each built when it is asked for."""

    core: Container

    @classmethod
    def of(cls, core: Container) -> Self:
        """Those of these settings, the same every time."""
        return core.own(cls)

    @cached_property
    def category_hints(self) -> CategoryHints:
        """The corrections of categories."""
        from email_assistant.workflows.inbox_organizer.records.hints import CategoryHints

        return CategoryHints(self.core.database, self.core.clock)

    @cached_property
    def subscriptions(self) -> Subscriptions:
        """The mailings that come in."""
        from email_assistant.workflows.inbox_organizer.records.subscriptions import Subscriptions

        return Subscriptions(self.core.database, self.core.clock)

    @cached_property
    def unsubscribing(self) -> Unsubscribing:
        """Leaving mailings."""
        from email_assistant.workflows.inbox_organizer.unsubscribing.one_click import OneClick
        from email_assistant.workflows.inbox_organizer.unsubscribing.unsubscribing import Unsubscribing

        core = self.core
        return Unsubscribing(
            core.mailbox,
            self.subscriptions,
            core.outbox,
            OneClick(),
            core.settings.receiving_host,
        )

    @property
    def mailings(self) -> Mailings:
        """The mailings by what became of them."""
        from email_assistant.workflows.inbox_organizer.unsubscribing.requests import Mailings

        return Mailings(self.core.mailbox, self.subscriptions, self.core.outbox)

    @cached_property
    def vault(self) -> ObsidianVault | None:
        """The vault that notes go to, when one is configured."""
        path = self.core.settings.vault
        if path is None:
            return None
        from email_assistant.workflows.inbox_organizer.notes.obsidian import ObsidianVault

        return ObsidianVault(path.expanduser(), self.core.settings.timezone)

    def dependencies(self) -> OrganizerDependencies:
        """The dependencies of the graph."""
        from email_assistant.tools.mail_tools import SendEmail
        from email_assistant.tools.tool import Toolbox
        from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
        from email_assistant.workflows.inbox_organizer.labelling import Labelling
        from email_assistant.workflows.inbox_organizer.offline.category import CATEGORIES

        core = self.core
        return OrganizerDependencies.of(
            core,
            "inbox_organizer",
            hints=self.category_hints,
            labelling=Labelling(core.mailbox, core.settings.category_names or CATEGORIES),
            toolbox=Toolbox((SendEmail(core.sending), core.schedule_meeting), own=(core.cancel_meeting,)),
            meetings=core.schedule_meeting.own_meetings,
            unsubscribing=self.unsubscribing,
            vault=self.vault,
            vips=core.settings.vip_list,
        )

    def graph(self, **compile_options: Any) -> Any:
        """The compiled graph, observed by the journal."""
        from email_assistant.workflows.inbox_organizer.graph import organizer_graph

        return self.core.compiled(organizer_graph(self.dependencies()), "inbox_organizer", **compile_options)
