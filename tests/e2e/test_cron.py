"""The schedule by which the server looks for mail itself."""

import json

import pytest

from tests.e2e.cli_support import Cli, told

pytestmark = pytest.mark.xdist_group("cli")


def test_a_schedule_is_installed_listed_replaced_and_removed(cli: Cli) -> None:
    """Ten minutes unless told otherwise; a second one for the same graph takes the first one's place."""
    assert "Nothing is scheduled: `email-assistant cron install`" in cli.run("cron", "list").stdout
    assert "*/10 * * * *" in cli.run("cron", "install").stdout
    assert "0 7-18 * * 1-5" in cli.run("cron", "install", "--schedule", "0 7-18 * * 1-5").stdout
    (only,) = json.loads(cli.run("cron", "list", "--json").stdout)
    assert (only["schedule"], only["graph_name"]) == ("0 7-18 * * 1-5", "email_assistant")
    assert only["cron_id"] in cli.run("cron", "list").stdout
    assert cli.run("cron", "remove").stdout == "Removed 1 schedule.\n"
    assert json.loads(cli.run("cron", "list", "--json").stdout) == []


def test_wrong_schedules_are_refused(cli: Cli) -> None:
    """One line says what is wrong, and nothing is installed."""
    assert cli.run("cron", "install", "--every", "0").returncode == 2
    assert "five fields" in cli.run("cron", "install", "--schedule", "often").stderr
    assert "'nobody' deals with no mail" in told(cli.run("cron", "install", "--graph-name", "nobody"))
    assert "no schedule has the id" in told(cli.run("cron", "remove", "unknown"))
    assert told(cli.run("cron", "install", "--schedule", "99 * * * *"))
    assert json.loads(cli.run("cron", "list", "--json").stdout) == []
