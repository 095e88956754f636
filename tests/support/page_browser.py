"""A browser for the review page, and what must never be seen in one."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.servers.npm import MissingProgramError, installed

CHROMIUM = shutil.which("chromium")
EXPECT_SECONDS = 60
"""No promise of the page's: a machine may have other work."""
STOOD = """() => {
    const at = new URL(location.href).searchParams.get('open'), on = document.querySelector('#pane article');
    return !at || (on?.dataset.at === at ? on.dataset.stood : document.querySelector('#pane [data-gone]'));
}"""
VIEWS = {"light": (1280, 900, "light"), "dark": (1280, 900, "dark"), "phone": (390, 844, "light")}


@contextmanager
def browser() -> Iterator[Browser]:
    """Chromium without a window; without the program the test is skipped, loudly."""
    if CHROMIUM is None:
        pytest.skip("NOT TESTED in a browser: there is no chromium, so nobody has looked at the review page")
    expect.set_options(timeout=EXPECT_SECONDS * 1000)
    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@dataclass
class Tab:
    """One tab, and what it has told."""

    page: Page
    origin: str
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def press(self, *keys: str) -> None:
        """One key after another; one that answers or puts off the open card when that has stood for a moment."""
        for key in keys:
            if key in {"a", "d", "i", "l", "s", "Control+Enter"}:
                self.stood()
            self.page.keyboard.press(key)

    def stood(self) -> None:
        """What is open takes keys for answers."""
        self.page.wait_for_function(STOOD)

    def flaws(self) -> dict[str, Any]:
        """What must not be: rules of accessibility that are broken, what sticks out, errors, and requests to others."""
        self.page.evaluate(_axe())
        found = self.page.evaluate(
            "axe.run(document, {resultTypes: ['violations'], rules: {'target-size': {enabled: true}}})"
        )
        violations = [
            f"{each['id']}: {node['target']} {node['failureSummary'][:200]}"
            for each in found["violations"]
            for node in each["nodes"][:3]
        ]
        wide = self.page.evaluate(
            """() => [document.documentElement, ...document.querySelectorAll('#pane, #list, .in, .acts > div')]
            .filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.id || each.className || each.tagName)"""
        )
        told = {"axe": violations, "overflow": wide, "errors": self.errors, "foreign": self.foreign}
        return {name: each for name, each in told.items() if each}


def _axe() -> str:
    try:
        return (installed() / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    except MissingProgramError as error:
        pytest.skip(f"NOT TESTED: {error}")


@contextmanager
def tab(started: Browser, url: str, view: str = "light") -> Iterator[Tab]:
    """A tab on the page, of one of the `VIEWS`."""
    width, height, scheme = VIEWS[view]
    context = started.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        reduced_motion="reduce",
        locale="en-GB",
    )  # type: ignore[arg-type]
    page = context.new_page()
    made = Tab(page, url)
    page.on("console", lambda told: made.errors.append(told.text) if told.type == "error" else None)
    page.on("pageerror", lambda error: made.errors.append(str(error)))
    page.on(
        "request",
        lambda asked: None if asked.url.startswith((url, "data:")) else made.foreign.append(asked.url),
    )
    page.goto(f"{url}/review")
    try:
        yield made
    finally:
        context.close()


def shown(value: Any) -> str:
    """For a message."""
    return json.dumps(value, indent=1, ensure_ascii=False)
