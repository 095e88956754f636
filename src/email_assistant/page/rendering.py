"""Templates of the page; whatever is put into them is text, and a name that is missing is an error."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from email_assistant.page.list_view import place_of
from email_assistant.page.texts import paragraphs
from email_assistant.page.words import count


def environment() -> Environment:
    """Where the templates are found and filled; reads them from disk."""
    made = Environment(
        loader=PackageLoader("email_assistant.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {"paragraphs": paragraphs, "place": place_of, "counted": count}
    return made


class Templates:
    """Fills templates."""

    def __init__(self) -> None:
        self._made = environment()

    def fill(self, name: str, **context: Any) -> str:
        """The template with this context, which is text throughout."""
        return self._made.get_template(name).render(context)
