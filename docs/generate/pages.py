"""Every file that is made from the code, by its path in the repository."""

from docs.generate.floors_picture import floors_picture
from docs.generate.settings_page import settings_page
from email_assistant.cli.server_note import server_config_text


def pages() -> dict[str, str]:
    """The texts as they have to stand in the repository."""
    return {
        "docs/settings.md": settings_page(),
        "docs/pictures/floors.svg": floors_picture(),
        "langgraph.json": server_config_text(),
    }
