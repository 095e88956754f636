"""An HTML page of one file: no script, no remote content; whatever is put into it is text and stays text."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from importlib import resources
from xml.etree.ElementTree import Element, SubElement, tostring

from email_assistant.cli.console import visible


def new_page(title: str, *styles: str) -> tuple[Element, Element]:
    """An empty page with these style sheets of this folder, and its `main` element."""
    html = Element("html", {"lang": "en"})
    head = SubElement(html, "head")
    folder = resources.files(__package__)
    style = "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in styles)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    SubElement(head, "meta", {"charset": "utf-8"})
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": policy})
    SubElement(head, "meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"})
    SubElement(head, "meta", {"name": "referrer", "content": "no-referrer"})
    SubElement(head, "title").text = visible(title)
    SubElement(head, "style").text = style
    return html, SubElement(SubElement(html, "body"), "main")


def written(html: Element) -> bytes:
    """The page's bytes in UTF-8."""
    text = "<!DOCTYPE html>\n" + tostring(html, encoding="unicode", method="html") + "\n"
    return text.encode("utf-8", "backslashreplace")


def add(parent: Element, tag: str, text: str, kind: str = "") -> Element:
    """An element with a text in which nothing acts: neither markup nor direction marks and controls."""
    made = SubElement(parent, tag, {"class": kind} if kind else {})
    made.text = visible(text if tag == "pre" else " ".join(text.split()))
    return made


def add_table(
    parent: Element, head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()
) -> None:
    """A table; the columns in `numbers` are set to the right."""
    right, table = set(numbers), SubElement(parent, "table")
    heading = SubElement(SubElement(table, "thead"), "tr")
    for column, name in enumerate(head):
        add(heading, "th", name, "number" if column in right else "").set("scope", "col")
    body = SubElement(table, "tbody")
    for row in rows:
        line = SubElement(body, "tr")
        for column, value in enumerate(row):
            add(line, "td", value, "number" if column in right else "")


def add_folded(parent: Element, summary: str, text: str) -> None:
    """A text that a click or the Enter key unfolds."""
    folded = SubElement(parent, "details")
    add(folded, "summary", summary)
    add(folded, "pre", text)
