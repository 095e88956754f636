"""A hostile mail's card, from end to end: rendered as Agent Inbox renders it, nothing in it acts."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tests.support.desk import desk, mail
from tests.support.scripted import Script, calls

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script></summary></details>```\n````\n[x](javascript:alert(3)) ![p](http://evil.example/p.png)"


class Elements(HTMLParser):
    """Collects the elements and their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember an element."""
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("triage", ["respond", "notify"])
async def test_nothing_of_a_hostile_mail_acts_on_the_card(tmp_path: Path, triage: str) -> None:
    """Every header and the body attack the page: no script, image, event or live link survives rendering."""
    script = Script(triage=triage, turns=[calls(("send_email", {"body": HOSTILE}), ("Done", {}))])
    assistant = desk(tmp_path, script)
    flat = " ".join(HOSTILE.split())
    raw = mail(HOSTILE, sender="NAME <eve@evil.example>", subject=flat)
    message = await assistant.receive(raw.replace(b"NAME", f'"{flat}"'.encode()))
    assert message.sender.name.startswith("<img")
    card = await assistant.start(message)
    assert card is not None
    for tag, attributes in elements(card):
        assert tag in {"p", "ul", "li", "strong", "h4", "pre", "code", "details", "summary"}, tag
        assert set(attributes) <= {"class"}
    assert "\n" not in card["action_request"]["action"]


def elements(card: dict[str, Any]) -> list[tuple[str, dict[str, str | None]]]:
    """What the card's description becomes with raw HTML and autolinks on, as the page has them."""
    html = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(card["description"])
    parser = Elements()
    parser.feed(html)
    assert not re.search(r"(?<![\w`/])www\.", re.sub(r"<code.*?</code>", "", html, flags=re.DOTALL))
    return parser.found
