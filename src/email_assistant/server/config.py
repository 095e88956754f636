"""The LangGraph server's configuration as data: the checkout's langgraph.json is this, and so is what `serve` starts with."""

import json
from typing import Any

from email_assistant.knowledge.embedding import DIMS
from email_assistant.workflow_registry import NAMES

SERVER = "email_assistant.server.app"
EMBEDDING = "email_assistant.server.store_index.py:embed"
ORIGINS = ("https://dev.agentinbox.ai", "https://agentinbox.ai", "https://smith.langchain.com")
"""Web pages that people answer cards on: Agent Inbox and LangGraph Studio."""
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
HEADERS = (
    "content-type", "x-api-key", "x-auth-scheme", "authorization", "langchain-project", "langgraph-assistant-id",
)  # fmt: skip
"""What those pages send."""


def server_config() -> dict[str, Any]:
    """The configuration in the form of langgraph.json."""
    return {
        "dependencies": ["."],
        "graphs": {graph: f"{SERVER}:{graph}" for graph in (*NAMES, "ingest")},
        "checkpointer": {"path": f"{SERVER}.checkpointer"},
        "http": {
            "app": f"{SERVER}:app",
            "disable_webhooks": True,
            "cors": {
                "allow_origins": [*ORIGINS],
                "allow_methods": [*METHODS],
                "allow_headers": [*HEADERS],
                "expose_headers": ["content-location", "x-pagination-total"],
                "allow_credentials": False,
            },
        },
        "store": {"index": {"embed": EMBEDDING, "dims": DIMS, "fields": ["text"]}},
        "auth": {"path": f"{SERVER}:auth", "disable_studio_auth": True},
    }


def server_config_text() -> str:
    """The same as a file, `langgraph.json`."""
    return json.dumps(server_config(), indent=2) + "\n"
