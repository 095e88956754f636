"""`memory`: see, edit and restore what was learned."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import httpx
import typer

from email_assistant.app.journal import JournalDeps
from email_assistant.cli.answering import edit_text
from email_assistant.cli.console import (
    JsonOption,
    UrlOption,
    client_for,
    complain,
    journal_deps,
    print_json,
    run_async,
    say,
)
from email_assistant.cli.server_note import running_url
from email_assistant.journal.revisions import Revision
from email_assistant.memory.profiles import FOLLOWED, KEY, NAMESPACE, PROFILES, ProfileName
from email_assistant.memory.said_facts import found

app = typer.Typer(help="The preference profiles: show, history, edit, restore; facts.", no_args_is_help=True)
facts = typer.Typer(
    help="What you said once, to be put into letters: list, edit, forget.", invoke_without_command=True
)
app.add_typer(facts, name="facts")
NumberArgument = Annotated[int, typer.Argument(help="The fact's number, from `memory facts`.", min=1)]
ProfileArgument = Annotated[
    ProfileName, typer.Argument(metavar="PROFILE", help=f"One of {', '.join(PROFILES)}.")
]


@app.command()
def show(as_json: JsonOption = False) -> None:
    """Print the three profiles as they are now."""
    profiles = run_async(_read(journal_deps()))
    if as_json:
        followed = _lines(profiles)
        print_json({name: _public(r) | {"lines": followed.get(name, {})} for name, r in profiles.items()})
        return
    lines = _lines(profiles)
    for name, profile in profiles.items():
        say(f"{name} (revision {profile.revision})", "bold")
        for line in profile.content.splitlines():
            say(line)
            if text := lines.get(name, {}).get(line):
                say(f"    {text}", "dim")
        say("")


def _lines(profiles: Mapping[ProfileName, Revision]) -> dict[ProfileName, dict[str, str]]:
    """Of each line about letters and meetings: who follows it."""
    by_name = {name: profiles[name].content.splitlines() for name in FOLLOWED}
    every = [line for lines in by_name.values() for line in lines]
    return {
        name: {line: followed(line, every) for line in lines if line.strip() and not line.startswith("#")}
        for name, lines in by_name.items()
    }


def followed(line: str, among: Sequence[str] = ()) -> str:
    """Whether rules follow a line of these, and in what, or a model alone."""
    from email_assistant.models.offline.preferences import preferences, wishes_in

    wishes = wishes_in(line, preferences(among or [line]))
    if wishes is None:
        return "only a model will follow this"
    return f"rules follow this: {'; '.join(wishes)}" if wishes else "a later line says otherwise"


async def _read(deps: JournalDeps) -> dict[ProfileName, Revision]:
    return {name: await deps.profiles.read(name, None) for name in PROFILES}


@app.command()
def history(profile: ProfileArgument, as_json: JsonOption = False) -> None:
    """Print every revision of a profile, oldest first."""
    revisions = run_async(_history(journal_deps(), profile))
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


async def _history(deps: JournalDeps, profile: ProfileName) -> list[Revision]:
    await deps.profiles.read(profile, None)  # Writes the first revision of a new profile.
    return await deps.profiles.history(profile)


@app.command()
def edit(
    profile: ProfileArgument,
    text: Annotated[str | None, typer.Option(help="The new text; $EDITOR opens when left out.")] = None,
    url: UrlOption = None,
) -> None:
    """Change a profile by hand; the old text stays in its history."""
    deps = journal_deps()
    current = run_async(deps.profiles.read(profile, None)).content
    new = text if text is not None else edit_text(current)
    if new is None or new.strip() == current.strip():
        say("Nothing was changed.")
        return
    written = run_async(deps.profiles.write(profile, new.strip(), origin="edited by hand"))
    _print_change(deps, url, written)
    for line, sentence in _lines(run_async(_read(deps))).get(profile, {}).items():
        say(f"{line}\n    {sentence}")


@app.command()
def restore(
    profile: ProfileArgument,
    revision: Annotated[int, typer.Argument(help="The revision's number, from `memory history`.", min=1)],
    url: UrlOption = None,
) -> None:
    """Make an old revision the newest one."""
    deps = journal_deps()
    _print_change(deps, url, run_async(deps.profiles.restore(profile, revision)))


@facts.callback()
def list_facts(context: typer.Context, as_json: JsonOption = False) -> None:
    """Print the facts that you said, oldest first."""
    if context.invoked_subcommand:
        return
    deps = journal_deps()
    kept = run_async(deps.said_facts.all())
    if as_json:
        print_json([{name: v for name, v in asdict(f).items() if name != "decision_id"} for f in kept])
        return
    now, zone = deps.clock.now(), deps.settings.timezone
    for fact in kept:
        say(f"{fact.number}. {fact.question}", "bold")
        say(f"   {fact.cited(zone, now)}, to {fact.asker or 'everybody'}")
    if not kept:
        say("None yet: what you put in place of a gap of a letter is kept.")


@facts.command("edit")
def edit_fact(
    number: NumberArgument,
    text: Annotated[str | None, typer.Option(help="What you say now; $EDITOR opens when left out.")] = None,
    everybody: Annotated[bool, typer.Option("--everybody", help="It is for everybody who asks.")] = False,
) -> None:
    """Say it otherwise, or to everybody; it counts from now."""
    deps = journal_deps()
    current = found(number, run_async(deps.said_facts.all()))
    new = text if text is not None else current.answer if everybody else edit_text(current.answer)
    if new is None or (new.strip() == current.answer and not everybody):
        say("Nothing was changed.")
        return
    say(run_async(deps.said_facts.edit(number, new, for_everybody=everybody)).kept)


@facts.command("forget")
def forget_fact(number: NumberArgument) -> None:
    """Use it no more."""
    run_async(journal_deps().said_facts.forget(number))
    say(f"Fact {number} is forgotten.")


def _print_change(deps: JournalDeps, url: str | None, written: Revision) -> None:
    """Say what was written, and show it to the server of this data folder when one runs.

    A server that is not told reads the new revision by itself when it next needs it.
    """
    say(f"{written.profile} is now revision {written.revision}.")
    if url or running_url(deps.settings.data_path):
        run_async(_show_to_server(deps, url, written))


async def _show_to_server(deps: JournalDeps, url: str | None, written: Revision) -> None:
    client = client_for(deps, url)
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
