"""What readers that share nothing with ours understand: of a scheduling message ical.js, of a mail postal-mime."""

import json
import subprocess
from typing import Any

from tests.servers import npm


def understood(text: str) -> dict[str, Any]:
    """{"method", "events"} as `read_calendar.mjs` tells them."""
    return _read("read_calendar.mjs", text.encode())


def opened(raw: bytes) -> dict[str, Any]:
    """{"from", "to", "cc", "subject", "id", "text", "calendar"} as `read_mail.mjs` tells them; "calendar" is the text of the part."""
    return _read("read_mail.mjs", raw)


def _read(script: str, raw: bytes) -> dict[str, Any]:
    done = subprocess.run(
        [npm.node(), script], cwd=npm.installed(), input=raw, capture_output=True, timeout=30, check=True
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told
