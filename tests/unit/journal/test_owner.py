"""A database is about one mailbox: others are refused, a moved one is known again, one that is gone is not made anew."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from email_assistant.adapters.maildir_beside import FILE
from email_assistant.adapters.maildir_folder import Incoming
from email_assistant.app.accounts import AccountDeps, account_deps, local_mailbox
from email_assistant.app.journal import journal_deps
from email_assistant.errors import AccessError, ConfigError
from email_assistant.journal.mailboxes import Cursors
from email_assistant.journal.records import MailRecord
from email_assistant.mail.mailbox import MailQuery
from email_assistant.settings import Settings, load_settings

Made = Callable[..., AccountDeps]
RAW = b"From: ana@petrova.example\nSubject: Shelf\n\nHow much?\n"


@pytest.fixture
def made(tmp_path: Path, database_url: str) -> Made:
    """What a process would build for somebody's mailbox, on one database."""

    def make(who: str, **more: str) -> AccountDeps:
        settings = {
            "DATABASE_URL": database_url,
            "EMAIL_ASSISTANT_DATA_DIR": str(tmp_path / who),
            "EMAIL_ASSISTANT_EMAIL": f"{who}@example.com",
        }
        return _account(load_settings(settings | more, tmp_path))

    return make


def _account(settings: Settings, *, looks: bool = False) -> AccountDeps:
    return account_deps(journal_deps(settings, looks=looks))


async def _open(deps: AccountDeps, mail: str = "") -> None:
    """Open it, with a mail of the mailbox on record when it is named."""
    try:
        await deps.database.open()
        if mail:
            await deps.mail_log.claim(MailRecord(deps.mailbox.name, mail, "email_assistant", "t", "r"))
    finally:
        await deps.database.close()


async def test_a_second_mailbox_is_refused_and_sees_nothing(made: Made) -> None:
    """The line names both, the database and what to do; nothing was made for the second one."""
    await _open(made("ana"), mail="1")
    with pytest.raises(
        ConfigError, match=r"belongs to maildir:.*/ana/mailbox, not to maildir:.*/ben/mailbox"
    ) as told:
        await made("ben").mail_log.count_by_status()
    assert ("EMAIL_ASSISTANT_DATA_DIR" if "sqlite" in made("ana").database.url else "DATABASE_URL") in str(
        told.value
    )
    assert "\n" not in str(told.value)
    await _open(made("ana"))


async def test_an_owner_without_mail_gives_way_and_a_look_claims_nothing(made: Made) -> None:
    """Who looked, or started once, before the settings were right is not kept out of their own mailbox."""
    looked = made("ana")
    looked = _account(looked.settings, looks=True)
    await _open(looked)
    assert not (looked.settings.data_path / "mailbox" / FILE).exists()
    ben = made("ben")
    await Cursors(ben.database, ben.clock).set(ben.mailbox.name, "1")  # Looked at, and nothing was there.
    await ben.database.close()
    await _open(made("ana"), mail="1")
    with pytest.raises(ConfigError, match=r"belongs to maildir:.*/ana/mailbox, not to"):
        await _open(made("ben"))


@pytest.mark.parametrize("looks", [True, False])
async def test_a_mistyped_maildir_is_refused_and_not_made(made: Made, tmp_path: Path, looks: bool) -> None:
    """By a look, too; the line says how to make one."""
    (tmp_path / "Mail").mkdir()
    for name in ("Maildri", "Mail"):
        settings = made("ana", EMAIL_ASSISTANT_MAILBOX=f"maildir:{tmp_path / name}").settings
        deps = _account(settings, looks=looks)
        with pytest.raises(ConfigError, match=f"no such Maildir: .*/{name} .*: mkdir -p .*/{name}/cur"):
            await deps.mailbox.inbox(MailQuery())
        assert not (tmp_path / "Maildri").exists()
        assert not list((tmp_path / "Mail").iterdir())
    (tmp_path / "Mail" / "cur").mkdir()
    assert await _account(settings, looks=looks).mailbox.inbox(MailQuery()) == []


async def test_an_account_is_no_mailbox_of_this_machine(made: Made) -> None:
    """Whatever its adapter: a Google account on the database of a local mailbox, and one on another's."""
    await _open(made("ana", EMAIL_ASSISTANT_MAILBOX="gmail"), mail="1")
    for other in (made("ana"), made("ben", EMAIL_ASSISTANT_MAILBOX="gmail")):
        with pytest.raises(ConfigError, match=r"belongs to gmail:ana@example\.com"):
            await _open(other)
    await _open(made("ana", EMAIL_ASSISTANT_MAILBOX="gmail"))


async def test_a_mailbox_that_its_owner_moved_is_known_again(made: Made, tmp_path: Path) -> None:
    """By what lies in it, not by where it is; another one in its old place is not."""
    await _open(made("ana"), mail="1")
    shutil.move(tmp_path / "ana" / "mailbox", tmp_path / "elsewhere")
    await _open(made("ana", EMAIL_ASSISTANT_MAILBOX=f"maildir:{tmp_path / 'elsewhere'}"))
    (tmp_path / "ana" / "mailbox" / "cur").mkdir(parents=True)
    (tmp_path / "ana" / "mailbox" / FILE).write_text("another\n")
    with pytest.raises(ConfigError, match=r"belongs to maildir:.*/elsewhere, not to"):
        await _open(made("ana"))


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("is_mounted_on", [True, False])
async def test_a_mailbox_that_is_gone_is_an_error_until_it_is_back(
    made: Made, tmp_path: Path, is_known: bool, is_mounted_on: bool
) -> None:
    """For a new process and for one that has it open; an unmounted disk leaves an empty folder, and nothing is made there."""
    folder, deps = tmp_path / "ana" / "mailbox", made("ana")
    await local_mailbox(deps).take_in([Incoming(RAW, "one", datetime(2026, 11, 20, tzinfo=UTC))])
    await Cursors(deps.database, deps.clock).set(deps.mailbox.name, "1")
    if not is_known:
        async with deps.database.begin() as connection:
            await connection.execute(text("DELETE FROM owner"))
    shutil.move(folder, tmp_path / "unmounted")
    if is_mounted_on:
        folder.mkdir()
    for each in (made("ana"), *([deps] if is_known else [])):
        for look in (
            lambda each=each: each.mailbox.inbox(MailQuery()),
            lambda each=each: each.mailbox.draft("x"),
        ):
            with pytest.raises(
                AccessError, match=f"the mailbox that was in {folder} is gone: mount its disk"
            ):
                await look()
        await each.database.close() if each is not deps else None
    assert not folder.exists() or not list(folder.iterdir())
    if is_mounted_on:
        folder.rmdir()
    shutil.move(tmp_path / "unmounted", folder)
    for each in (made("ana"), deps):
        assert await each.mailbox.inbox(MailQuery()) == ["one"]
        await each.database.close()
