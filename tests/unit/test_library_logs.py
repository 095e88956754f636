"""Libraries do not write mail, model text or addresses into our log."""

import logging

import pytest

from email_assistant.privacy import QUIET, SILENT, quiet_libraries


def test_libraries_are_quiet_whatever_level_our_log_has(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """trustcall quotes the model in errors, HTTP clients tell each address with its query."""
    for name in (*SILENT, *QUIET):
        monkeypatch.setattr(logging.getLogger(name), "level", logging.NOTSET)
    caplog.set_level(logging.DEBUG)
    quiet_libraries()
    for name in SILENT:
        logging.getLogger(name).error("Could not apply patch: a secret")
        logging.getLogger(f"{name}.part").critical("a secret")
    for name in QUIET:
        logging.getLogger(name).info("GET https://gmail.example/?q=from:ana a secret")
    assert caplog.text == ""
    logging.getLogger("httpx").warning("told")
    assert "told" in caplog.text


def test_trustcall_s_log_is_called_so() -> None:
    """Were it to be renamed, it would speak again."""
    from trustcall import _base

    assert _base.logger.name in SILENT
