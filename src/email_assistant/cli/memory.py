"""`memory`: see, edit and restore what was learned."""

from typing import Annotated, Any

import httpx
import typer

from email_assistant.app import Container
from email_assistant.cli.answering import edit_text
from email_assistant.cli.console import (
    JsonOption,
    UrlOption,
    client_for,
    complain,
    container,
    print_json,
    run_async,
    say,
)
from email_assistant.cli.server_note import running_url
from email_assistant.journal.revisions import Revision
from email_assistant.memory.profiles import KEY, NAMESPACE, PROFILES, ProfileName

app = typer.Typer(help="The preference profiles: show, history, edit, restore.", no_args_is_help=True)
ProfileArgument = Annotated[
    ProfileName, typer.Argument(metavar="PROFILE", help=f"One of {', '.join(PROFILES)}.")
]


@app.command()
def show(as_json: JsonOption = False) -> None:
    """Print the three profiles as they are now."""
    profiles = run_async(_read(container()))
    if as_json:
        print_json({name: _public(r) for name, r in profiles.items()})
        return
    for name, profile in profiles.items():
        say(f"{name} (revision {profile.revision})", "bold")
        say(profile.content + "\n")


async def _read(built: Container) -> dict[ProfileName, Revision]:
    return {name: await built.profiles.read(name, None) for name in PROFILES}


@app.command()
def history(profile: ProfileArgument, as_json: JsonOption = False) -> None:
    """Print every revision of a profile, oldest first."""
    revisions = run_async(_history(container(), profile))
    if as_json:
        print_json(
            [
                {"revision": r.revision, "origin": r.origin, "created_at": r.created_at, "content": r.content}
                for r in revisions
            ]
        )
        return
    for r in revisions:
        say(f"revision {r.revision}, {r.created_at:%Y-%m-%d %H:%M} UTC, {r.origin}", "bold")
        say(r.content + "\n")


async def _history(built: Container, profile: ProfileName) -> list[Revision]:
    await built.profiles.read(profile, None)  # Writes the first revision of a new profile.
    return await built.profiles.history(profile)


@app.command()
def edit(
    profile: ProfileArgument,
    text: Annotated[str | None, typer.Option(help="The new text; $EDITOR opens when left out.")] = None,
    url: UrlOption = None,
) -> None:
    """Change a profile by hand; the old text stays in its history."""
    built = container()
    current = run_async(built.profiles.read(profile, None)).content
    new = text if text is not None else edit_text(current)
    if new is None or new.strip() == current.strip():
        say("Nothing was changed.")
        return
    written = run_async(built.profiles.write(profile, new.strip(), origin="edited by hand"))
    _tell(built, url, written)


@app.command()
def restore(
    profile: ProfileArgument,
    revision: Annotated[int, typer.Argument(help="The revision's number, from `memory history`.", min=1)],
    url: UrlOption = None,
) -> None:
    """Make an old revision the newest one."""
    built = container()
    _tell(built, url, run_async(built.profiles.restore(profile, revision)))


def _tell(built: Container, url: str | None, written: Revision) -> None:
    """Say what was written, and show it to the server of this data folder when one runs.

    A server that is not told reads the new revision by itself when it next needs it.
    """
    say(f"{written.profile} is now revision {written.revision}.")
    if url or running_url(built.settings.data_path):
        run_async(_show_to_server(built, url, written))


async def _show_to_server(built: Container, url: str | None, written: Revision) -> None:
    client = client_for(built, url)
    value = _public(written) | {"updated_at": written.created_at.isoformat()}
    try:
        await client.store.put_item([NAMESPACE, written.profile], KEY, value, index=False)
    except httpx.HTTPError as error:
        complain(
            f"it is kept, but the server was not told ({type(error).__name__}); it reads it when next needed"
        )


def _public(revision: Revision) -> dict[str, Any]:
    """A profile as the store shows it."""
    return {"content": revision.content, "revision": revision.revision, "updated_at": revision.created_at}
