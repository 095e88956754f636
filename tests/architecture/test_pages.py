"""What is made from the code is what stands in the repository, and every page can be found."""

import re
from pathlib import Path

import pytest

from docs.generate.__main__ import PICTURE
from docs.generate.card_picture import card_picture
from docs.generate.pages import pages
from docs.generate.settings_page import field_docstrings
from email_assistant.settings import Settings
from tests.support.dev_server import ROOT

_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
NOT_LISTED = {"docs/index.md"}
"""The list itself."""


@pytest.mark.parametrize("path", pages())
def test_a_page_that_is_made_is_not_stale(path: str) -> None:
    """`make docs` writes it anew."""
    assert (ROOT / path).read_text(encoding="utf-8") == pages()[path], f"{path} is stale: run `make docs`"


def test_every_setting_says_what_it_means() -> None:
    """Beside its field, which is the only place."""
    assert field_docstrings(Settings).keys() == Settings.model_fields.keys()


def test_the_picture_is_of_a_real_card() -> None:
    """The sample mail comes to a card that can be accepted, and nothing is fetched to show it."""
    picture = card_picture()
    assert PICTURE.read_text(encoding="utf-8") == picture, "the picture is stale: run `make docs`"
    assert "Schedule&#160;meeting:&#160;Call&#160;about&#160;the&#160;Hudson&#160;loft" in picture
    assert "accept&#160;–&#160;do&#160;it&#160;as&#160;shown" in picture
    assert "url(http" not in picture.replace('"', "")


def documents() -> list[Path]:
    """Every page of the repository that a person reads."""
    return [
        *ROOT.glob("*.md"),
        *(page for page in ROOT.glob("docs/**/*.md") if "generate" not in page.parts),
        ROOT / "samples" / "README.md",
    ]


@pytest.mark.parametrize("page", documents(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    """Files and folders that a page names are in the repository."""
    links = [link for link in _LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]
    missing = [link for link in links if not (page.parent / link).exists()]
    assert missing == []


def test_every_page_is_in_the_index() -> None:
    """A page that the index does not link would be found by luck alone."""
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / link).resolve() for link in _LINK.findall(index.read_text(encoding="utf-8"))}
    left = [
        page.relative_to(ROOT).as_posix()
        for page in documents()
        if page.is_relative_to(ROOT / "docs") and page.resolve() not in linked
    ]
    assert sorted({*left} - NOT_LISTED) == []
