"""The limit on what libraries write into our logs: nothing that comes from mail, models or addresses."""

import logging

SILENT = ("extraction", "langmem")
"""They quote what a model has written, in errors: `extraction` is trustcall's."""
QUIET = (
    "httpx", "httpx2", "httpcore", "httpcore2", "openai", "openai._base_client", "anthropic", "googleapiclient", "google.auth",
    "urllib3", "requests_oauthlib", "oauthlib", "langchain_openai", "aiosqlite", "sqlalchemy.engine", "markdown_it", "pypdf",
)  # fmt: skip
"""They tell addresses with their queries, headers, bodies or parameters, below the level of warnings."""


def quiet_libraries() -> None:
    """Set their levels; whatever level our own log has."""
    for name in SILENT:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
