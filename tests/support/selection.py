"""Which test runs when: what `make check` leaves to `make test`, and that to `make test-all`, told by path, fixture and name.

`make check` runs what starts no program and takes no seconds; `make test` besides every contract over each workflow (each promise of it
over two of them), one walk of each surface and of each adapter, one row of kills, and a sample of hostile mails; `make test-all`
everything.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SLOW = (
    "tests/architecture/test_removable_workflows.py",
    "tests/contract/test_google_calendar.py",
    "tests/contract/test_google_calendar_answers.py",
    "tests/contract/test_ics_calendar.py",
    "tests/contract/test_maildir_mailbox.py",
    "tests/e2e",
    "tests/graphs/test_claims_identities.py",
    "tests/graphs/test_forged_calendar_mail.py",
    "tests/property",
    "tests/servers",
    "tests/soak",
    "tests/architecture/test_imports.py",
    "tests/architecture/test_reading_paths.py",
    "tests/architecture/test_types.py",
    "tests/unit/adapters/test_gmail_listing.py",
    "tests/unit/adapters/test_gmail_query.py",
    "tests/unit/adapters/test_gmail_reading.py",
    "tests/unit/adapters/test_maildir_index.py",
    "tests/unit/adapters/test_one_click.py",
    "tests/unit/calendars/test_itip_text.py",
    "tests/unit/calendars/test_many_files.py",
    "tests/unit/cli/test_account_add.py",
    "tests/unit/cli/test_account_servers.py",
    "tests/unit/cli/test_commands.py",
    "tests/unit/cli/test_failing_told.py",
    "tests/unit/cli/test_gmail_auth.py",
    "tests/unit/cli/test_starting.py",
    "tests/unit/eval_",
    "tests/unit/ingest",
    "tests/unit/journal/test_customers.py",
    "tests/unit/journal/test_database.py",
    "tests/unit/journal/test_orders_crowd.py",
    "tests/unit/page/test_page_scripts.py",
    "tests/unit/shop/test_resolution_properties.py",
    "tests/unit/tools/test_refunding.py",
    "tests/unit/tools/test_taken_times.py",
)
"""Files and folders that talk to running servers, start processes of their own or take long."""
PROGRAMS = {
    "postgres_url",
    "fresh_postgres",
    "google",
    "stand_in",
    "model_server",
    "model",
    "server",
    "browser",
}
"""Fixtures that start a program: PostgreSQL, a stand-in on node, a browser."""
LONG = re.compile(
    r"hostile|linear_time|time_grows|_long_|large|largest|enormous|_race|processes|killed|very_many|monstrous|deep_nesting|deeply|deep_"
    r"|one_moment|any_order",
    re.IGNORECASE,
)
"""Names of tests that bring much of something, or many at once."""
LONGEST = ("tests/architecture/test_types.py", "tests/e2e/", "tests/soak/", "tests/unit/eval_/")
"""Where tests take tens of seconds."""
CONTRACT = "tests/contract/test_workflows.py"
FIRST = "TestEmailAssistant"
"""In `make test` it goes through all of the contract, the others through each promise in turn; of a promise's variants each
goes through another."""
AGAIN = tuple(
    f"tests/graphs/test_{name}.py"
    for name in (
        "assistant",
        "claims_desk",
        "claims_identities",
        "on_record_otherwise",
        "once",
        "order_desk",
        "organizer",
        "organizer_leaving",
        "repeated_answers",
        "replays",
        "reply_pipeline",
        "sample_cards",
    )
)
"""Files that hold of one graph, in whole mails, much of what the contract holds of all; and the cards of the samples."""
FEW_CASES = 1
"""So many of a table of cases `make test` goes through with whole mails."""
WALKS = (
    "tests/architecture/test_types.py",
    "tests/contract/test_caldav_calendar.py",
    "tests/contract/test_effects.py",
    "tests/contract/test_ics_calendar.py",
    "tests/contract/test_imap_mailbox.py",
    "tests/contract/test_maildir_mailbox.py",
    "tests/contract/test_surfaces.py",
    "tests/e2e/test_cli.py::test_review_takes_every_answer",
    "tests/e2e/test_google.py::test_from_the_inbox_to_an_approved_reply_and_meeting",
    "tests/e2e/test_imap.py",
    "tests/e2e/test_ingest.py::test_what_the_user_answers_in_the_mailbox_needs_no_card",
    "tests/e2e/test_looks_served.py::test_a_local_mailbox_that_is_gone_for_a_while",
    "tests/e2e/test_page_answers.py::test_an_accept_sends_what_was_shown",
    "tests/e2e/test_page_keys.py::test_an_answer_carries_what_was_shown",
    "tests/e2e/test_readme.py",
    "tests/unit/calendars/test_itip_text.py",
    "tests/unit/eval_/test_crash_suite.py::test_a_sample_of_kills_leaves_everything_as_it_would_have_been[assistant]",
    "tests/unit/eval_/test_safety_suite.py::test_a_sample_of_all_families",
    "tests/unit/tools/test_taken_times.py",
)
"""What is slow and in `make test` all the same: files, or beginnings of their tests."""
MOST_CASES = 4
"""So many of a table of cases `make check` goes through; `make test` goes through all."""


def is_left_out(file: Path, asked: str) -> bool:
    """Whether none of the file's tests can be among those asked for by their marks, so that it is not even imported."""
    path = file.relative_to(ROOT).as_posix()
    is_slow = _is_within(path, SLOW) or path in AGAIN
    if "not slow" in asked:
        return is_slow
    return "not whole" in asked and is_slow and not any(each.startswith(path) for each in WALKS)


def long_first(items: list[pytest.Item]) -> None:
    """Tests that take tens of seconds go first, so that no worker is left with one at the end."""
    items.sort(key=lambda item: not _path(item).startswith(LONGEST))


def mark(items: Sequence[pytest.Item]) -> None:
    """Mark what `make check` leaves out as `slow`, and what `make test` leaves out as `whole`, too."""
    walked, cases = _walked_contract(items), Counter[str]()
    for item in sorted(items, key=lambda each: each.nodeid):
        cases[_function(item)] += 1
        number, path = cases[_function(item)], _path(item)
        is_again = path in AGAIN or (path.startswith("tests/graphs/") and number > FEW_CASES)
        if number > MOST_CASES or is_again:
            item.add_marker(pytest.mark.slow)
        if is_again:
            item.add_marker(pytest.mark.whole)
        if _is_slow(item):
            item.add_marker(pytest.mark.slow)
            if not _is_walked(item, walked) or _is_on_a_program(item):
                item.add_marker(pytest.mark.whole)


def _walked_contract(items: Iterable[pytest.Item]) -> set[str]:
    """The tests of the contract that `make test` runs: each promise over two workflows, a variant each, and what is of none."""
    walked = set[str]()
    promises: dict[str, dict[str, list[str]]] = {}
    for item in items:
        if _path(item) == CONTRACT:
            _, *workflow, name = item.nodeid.split("::")
            if not workflow:
                walked.add(item.nodeid)
                continue
            variants = promises.setdefault(name.partition("[")[0], {}).setdefault(workflow[0], [])
            variants.append(item.nodeid)
    for number, promise in enumerate(sorted(promises)):
        of = sorted(promises[promise], key=lambda each: (each != FIRST, each))
        for place in {0, 1 + number % (len(of) - 1) if of[1:] else 0}:
            same = sorted(promises[promise][of[place]])
            walked.add(same[place % len(same)])
    return walked


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _is_within(path: str, places: Iterable[str]) -> bool:
    return any(path == each or path.startswith(f"{each}/") for each in places)


def _path(item: pytest.Item) -> str:
    return item.path.relative_to(ROOT).as_posix()


def _is_walked(item: pytest.Item, walked_contract: set[str]) -> bool:
    path = _path(item)
    if path == CONTRACT:
        return item.nodeid in walked_contract
    if LONG.search(item.nodeid):
        return False
    return any(path == each or f"{path}::{item.name}".startswith(each) for each in WALKS)


def _is_slow(item: pytest.Item) -> bool:
    path = _path(item)
    if _is_within(path, SLOW) or LONG.search(item.nodeid):
        return True
    return (
        path == CONTRACT or bool(PROGRAMS & set(getattr(item, "fixturenames", ()))) or _is_on_a_program(item)
    )


def _is_on_a_program(item: pytest.Item) -> bool:
    """Whether it is that of a row of tests which is on PostgreSQL, or on the stand-in for Google."""
    callspec = getattr(item, "callspec", None)
    return callspec is not None and not {"postgres", "google"}.isdisjoint(_words(callspec.params.values()))


def _words(values: Iterable[object]) -> list[str]:
    return [value for value in values if isinstance(value, str)]
