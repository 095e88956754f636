"""The first fill of an untouched data folder with the sample mailbox, calendar, person and preferences."""

import os
import shutil
from pathlib import Path

import email_assistant
from email_assistant.adapters.importer import bring_in_all, read_source
from email_assistant.app import Container
from email_assistant.cli.console import container, run_async, say
from email_assistant.mail.mailbox import MailQuery
from email_assistant.memory.profiles import PROFILES
from email_assistant.settings import DATA_FILE, Settings, load_settings

UNFINISHED = ".samples-unfinished"
"""Stands in the data folder while it is filled; a fill that was interrupted is done again, each part once."""


def prepare_samples() -> None:
    """Fill the data folder when nothing is configured and nothing is in it, or go on with a fill that was interrupted."""
    settings = load_settings()
    if not _wanted(settings):
        return
    samples = samples_folder()
    say(
        f"No account is configured: trying things out with the sample mailbox in {shown(settings.data_path)}."
    )
    (settings.data_path / UNFINISHED).touch()
    run_async(_fill(container(), samples))
    if not (settings.data_path / "calendar.ics").exists():
        _copy(samples / "calendar.ics", settings.data_path / "calendar.ics")
    # The person comes last: with a person the set-up no longer counts as untouched.
    _copy(samples / "settings.toml", settings.data_path / DATA_FILE)
    (settings.data_path / UNFINISHED).unlink()


def samples_folder() -> Path:
    """Where the samples are: in the installed package, or in the checkout that it runs from."""
    package = Path(email_assistant.__file__).resolve().parent
    return next(
        folder / "samples" for folder in (package, package.parents[1]) if (folder / "samples").is_dir()
    )


def shown(path: Path) -> str:
    """The path as a user would type it here."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


def _wanted(settings: Settings) -> bool:
    default = settings.mailbox == "maildir" and settings.calendar == "ics" and settings.database_url is None
    if not default or settings.email:
        return False
    if (settings.data_path / UNFINISHED).exists():
        return True
    return not (settings.data_path / DATA_FILE).exists() and run_async(_is_empty(container()))


async def _is_empty(built: Container) -> bool:
    """Whether no mail was ever brought here; a mere look (`doctor`, `status`) may have made the folder."""
    return not await built.mailbox.inbox(MailQuery(limit=1)) and not await built.mail_log.count_by_status()


async def _fill(built: Container, samples: Path) -> None:
    # The person of the samples is settled last, and one of the mails is theirs.
    own = load_settings({"EMAIL_ASSISTANT_DATA_DIR": str(samples)}, samples).own_addresses
    async for _ in bring_in_all(built.local_mailbox, read_source(samples / "mailbox"), own):
        pass
    for name, content in _sections((samples / "preferences.md").read_text(encoding="utf-8")).items():
        for profile in PROFILES:
            if profile == name and (await built.profiles.read(profile, None)).origin == "default":
                await built.profiles.write(profile, content, origin="sample")
    await built.database.close()


def _copy(source: Path, target: Path) -> None:
    """Copy so that the target is there whole or not at all."""
    part = target.with_name(f"{target.name}.part")
    shutil.copyfile(source, part)
    part.replace(target)


def _sections(text: str) -> dict[str, str]:
    """The parts of a Markdown text under `## name` headings."""
    parts = [part.partition("\n") for part in text.split("\n## ")[1:]]
    return {name.strip(): body.strip() for name, _, body in parts}
