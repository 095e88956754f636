"""`memory`: see, edit and restore what was learned."""

import contextlib
from typing import Annotated, Any

import httpx
import typer

from email_assistant.bootstrap import House
from email_assistant.cli.console import client_for, house, out, print_json, run_async
from email_assistant.cli.editor import edit_text
from email_assistant.cli.ingest import JsonOption, UrlOption
from email_assistant.errors import InputError
from email_assistant.memory.profiles import KEY, NAMESPACE, PROFILES, ProfileName, Profiles

app = typer.Typer(help="The preference profiles: show, history, edit, restore.", no_args_is_help=True)
ProfileArgument = Annotated[str, typer.Argument(help=f"One of {', '.join(PROFILES)}.")]


@app.command()
def show(as_json: JsonOption = False) -> None:
    """Print the three profiles as they are now."""
    built = house()

    async def read() -> dict[str, Any]:
        found = {name: await built.profiles.read(name, None) for name in PROFILES}
        await built.database.close()
        return {
            n: {"content": r.content, "revision": r.revision, "updated_at": r.created_at}
            for n, r in found.items()
        }

    profiles = run_async(read())
    if as_json:
        print_json(profiles)
        return
    for name, profile in profiles.items():
        out.print(f"{name} (revision {profile['revision']})", style="bold")
        out.print(profile["content"] + "\n", markup=False)


@app.command()
def history(profile: ProfileArgument, as_json: JsonOption = False) -> None:
    """Print every revision of a profile, oldest first."""
    name, built = _named(profile), house()

    async def read() -> list[dict[str, Any]]:
        revisions = await built.profiles.history(name)
        await built.database.close()
        return [
            {"revision": r.revision, "origin": r.origin, "created_at": r.created_at, "content": r.content}
            for r in revisions
        ]

    revisions = run_async(read())
    if as_json:
        print_json(revisions)
        return
    for r in revisions:
        out.print(
            f"revision {r['revision']}, {r['created_at']:%Y-%m-%d %H:%M} UTC, {r['origin']}", style="bold"
        )
        out.print(r["content"] + "\n", markup=False)


@app.command()
def edit(
    profile: ProfileArgument,
    text: Annotated[str | None, typer.Option(help="The new text; $EDITOR opens when left out.")] = None,
    url: UrlOption = None,
) -> None:
    """Change a profile by hand; the old text stays in its history."""
    name, built = _named(profile), house()
    current = run_async(built.profiles.read(name, None)).content
    new = text if text is not None else edit_text(current)
    if new is None or new.strip() == current.strip():
        out.print("Nothing was changed.")
        return
    run_async(_change(built, url, built.profiles, name, content=new.strip(), number=None))


@app.command()
def restore(
    profile: ProfileArgument,
    revision: Annotated[int, typer.Argument(help="The revision's number, from `memory history`.", min=1)],
    url: UrlOption = None,
) -> None:
    """Make an old revision the newest one."""
    name, built = _named(profile), house()
    run_async(_change(built, url, built.profiles, name, content=None, number=revision))


async def _change(
    built: House,
    url: str | None,
    profiles: Profiles,
    name: ProfileName,
    *,
    content: str | None,
    number: int | None,
) -> None:
    if content is not None:
        written = await profiles.write(name, content, origin="edited by hand")
    else:
        written = await profiles.restore(name, number or 0)
    out.print(f"{name} is now revision {written.revision}.")
    value = {
        "content": written.content,
        "revision": written.revision,
        "updated_at": written.created_at.isoformat(),
    }
    with contextlib.suppress(
        httpx.TransportError
    ):  # No server runs: it reads the new revision when it starts.
        await client_for(built, url).store.put_item([NAMESPACE, name], KEY, value)
    await built.database.close()


def _named(profile: str) -> ProfileName:
    if profile not in PROFILES:
        raise InputError(f"there is no profile {profile!r}; choose one of {', '.join(PROFILES)}")
    return profile
