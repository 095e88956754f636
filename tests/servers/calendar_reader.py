"""What ical.js, a reader that shares nothing with ours, understands of a scheduling message."""

import json
import subprocess
from typing import Any

from tests.servers import npm


def understood(text: str) -> dict[str, Any]:
    """{"method", "events"} as `read_calendar.mjs` tells them."""
    done = subprocess.run(
        [npm.node(), "read_calendar.mjs"],
        cwd=npm.installed(),
        input=text.encode(),
        capture_output=True,
        timeout=30,
        check=True,
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told
