"""The catalogue's entry of a product, as a model is told it and a draft is checked against it."""

from dataclasses import dataclass

from email_assistant.workflows.order_desk.shop.product import Product


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A product as it may be told."""

    product: Product
    currency: str
    certain: bool = True
    """False: it is only one of those that may be meant."""

    @property
    def text(self) -> str:
        """The entry in lines, for a model."""
        p = self.product
        lines = [
            f"{p.id}: {p.name} ({p.category})" + ("" if self.certain else " - may be meant, is not certain"),
            f"Description: {p.description}",
            f"Price: {p.price:.2f} {self.currency}",
            f"In stock: {p.stock}",
            f"Seasons: {', '.join(p.seasons)}",
            *([f"Offer: {p.promotion.text}"] if p.promotion else []),
        ]
        return "\n".join(lines)
