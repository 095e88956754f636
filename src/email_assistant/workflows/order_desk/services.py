"""The order desk's own services, over the core's."""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self

from email_assistant.app.container import Container
from email_assistant.workflows.order_desk.records.catalogue import Catalogue
from email_assistant.workflows.order_desk.records.orders import Orders

if TYPE_CHECKING:  # Graphs are slow to import; commands do without.
    from email_assistant.workflows.order_desk.catalogue_index import CatalogueIndex
    from email_assistant.workflows.order_desk.dependencies import OrderDependencies


@dataclass(frozen=True)
class OrderDeskServices:
    """What the shop works with, built when it is asked for."""

    core: Container

    @classmethod
    def of(cls, core: Container) -> Self:
        """Those of these settings, the same every time."""
        return core.own(cls)

    @cached_property
    def catalogue(self) -> Catalogue:
        """What the shop sells."""
        return Catalogue(self.core.database, self.core.clock)

    @cached_property
    def orders(self) -> Orders:
        """What was taken from the stock, and for whom."""
        return Orders(self.core.database, self.core.clock)

    @cached_property
    def catalogue_index(self) -> "CatalogueIndex":
        """The catalogue, and the index that resolves what customers call its products."""
        from email_assistant.workflows.order_desk.catalogue_index import CatalogueIndex

        return CatalogueIndex(self.catalogue, self.core.embedder)

    def dependencies(self) -> "OrderDependencies":
        """The dependencies of the graph."""
        from email_assistant.workflows.order_desk.dependencies import OrderDependencies
        from email_assistant.workflows.order_desk.grounding import OrderFactCheck

        core = self.core
        return OrderDependencies.of(
            core,
            "order_desk",
            catalogue_index=self.catalogue_index,
            orders=self.orders,
            checker=OrderFactCheck(core.user, core.agenda_clock),
            currency=core.settings.currency,
            hold=core.settings.order_approval,
        )

    def graph(self, *, asks: bool = True, **compile_options: Any) -> Any:
        """The compiled graph, observed by the journal; with `asks` False it ends when the reply is written."""
        from email_assistant.workflows.order_desk.graph import order_graph
        from email_assistant.workflows.order_desk.state import mail_of

        drawing, reading = order_graph(self.dependencies(), asks=asks), partial(mail_of, user=self.core.user)
        return self.core.compiled(drawing, "order_desk", snapshots=True, mail_of=reading, **compile_options)
