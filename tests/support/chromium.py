"""A headless Chromium that opens local pages, steered over pipes (Chrome DevTools Protocol)."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROGRAM = shutil.which("chromium")


@dataclass
class Chromium:
    """One tab."""

    to: int
    answers: Any
    session: str = ""
    number: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)
    """What the tab has told by itself: log entries, exceptions, requests."""

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask, and read up to the answer."""
        self.number += 1
        asked = {"id": self.number, "method": method, "params": params}
        whose = {"sessionId": self.session} if self.session else {}
        os.write(self.to, json.dumps(asked | whose).encode() + b"\0")
        while True:
            told = self._read()
            if told.get("id") == self.number:
                assert "error" not in told, told
                return dict(told["result"])
            self.events.append(told)

    def open(self, path: Path, *, width: int, scheme: str) -> None:
        """Show the page at this width, "light" or "dark", up to the end of its loading."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        while not any(told.get("method") == "Page.loadEventFired" for told in self.events):
            self.events.append(self._read())

    def value(self, expression: str) -> Any:
        """What an expression gives in the page."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def methods(self) -> set[str]:
        """The kinds of events since the page was opened."""
        return {str(told.get("method")) for told in self.events}

    def _read(self) -> dict[str, Any]:
        told = bytearray()
        while (byte := self.answers.read(1)) != b"\0":
            assert byte, "Chromium has gone"
            told += byte
        return dict(json.loads(told))


@contextmanager
def running_chromium(folder: Path) -> Iterator[Chromium]:
    """A browser with a profile of its own in the folder; ended at the end."""
    assert PROGRAM is not None
    (our_read, its_write), (its_read, our_write) = os.pipe(), os.pipe()
    # It reads from 3 and writes to 4; the shell puts them there, whatever numbers they have here.
    steer = f'exec "$0" "$@" 3<&{its_read} 4>&{its_write}'
    options = [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--remote-debugging-pipe", f"--user-data-dir={folder}", "about:blank",
    ]  # fmt: skip
    process = subprocess.Popen(
        ["/bin/bash", "-c", steer, PROGRAM, *options],
        pass_fds=(its_read, its_write),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(its_read)
    os.close(its_write)
    with open(our_read, "rb") as answers:
        try:
            tab = Chromium(our_write, answers)
            target = tab.call("Target.createTarget", url="about:blank")["targetId"]
            session = tab.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            tab.session = session
            for domain in ("Page", "Runtime", "Log", "Network"):
                tab.call(f"{domain}.enable")
            yield tab
        finally:
            process.terminate()
            process.wait(10)
            os.close(our_write)
