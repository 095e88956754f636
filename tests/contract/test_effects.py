"""The crash contract, over every effect: whatever ends a try, the world is in the end as if nothing had, and nothing stays open.

A kill is no `Exception`, so nothing on the way takes care of it; after it everything is built anew over the same files.
"""

import shutil
from abc import ABC
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore
from pytest_httpserver import HTTPServer

import email_assistant.meetings.invitations
import email_assistant.workflows.claims_desk.graph
import email_assistant.workflows.inbox_organizer.graph
from email_assistant.adapters.ics_calendar import IcsCalendar
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.effects.once import Effect
from email_assistant.effects.outbox import Unknown
from email_assistant.effects.store import ActionChangedError, OutboxStore, UnresolvedEffectError
from email_assistant.errors import ProviderError, TransientError
from email_assistant.journal.records import OutboxRow, OutboxStatus
from email_assistant.tools.approved import ApprovedEffect
from email_assistant.tools.tool import AskAgain
from email_assistant.workflows.claims_desk.records.incidents import TicketTable
from email_assistant.workflows.claims_desk.records.refunds import RefundLedger
from tests.support.desk import Desk, house_in
from tests.support.effects import CASES, EffectCase
from tests.support.scripted import Script

Doing = Callable[..., Awaitable[Any]]


class Killed(BaseException):
    """The process died here."""


def opened(folder: Path) -> Desk:
    """Everything but a graph, built anew over the files of a folder."""
    return Desk(house_in(folder), None, InMemoryStore(), Script())


class Waiting:
    """An effect that waits to be done, and the files it will change."""

    def __init__(self, case: EffectCase, folder: Path, what: Any, wanted: object) -> None:
        self.case, self.folder, self.what, self.wanted = case, folder, what, wanted
        """`wanted` is the world as it is when nothing goes wrong."""
        self.effect = case.effect(house_in(folder))
        self.is_asked = isinstance(self.effect, ApprovedEffect)
        """Whether a person is asked again."""

    async def perform(self, what: Any = None) -> Any:
        """Do it, in a new process."""
        return await self.case.perform(house_in(self.folder), what or self.what)

    async def world(self) -> object:
        """What there is outside by now."""
        return await self.case.world(opened(self.folder))

    async def open_ends(self) -> list[OutboxRow]:
        """Effects whose end nobody saw."""
        return await house_in(self.folder).outbox.pending()

    async def last_status(self) -> OutboxStatus:
        """Of the rows of its kind; an earlier one that led to it is done."""
        return (await house_in(self.folder).outbox.of_kinds(self.effect.kind))[-1].status


INDEX = shutil.ignore_patterns("index.db*")
"""Of a mailbox: made anew where it is missing, and taken away by whoever closes it last, perhaps during a copy."""
_prepared: dict[str, tuple[Path, Any, object]] = {}
"""Of each case the files of one that waits, what is to be done, and the world when it was."""


@pytest.fixture(params=CASES)
async def case(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    tmp_path: Path,
    httpserver: HTTPServer,
) -> Waiting:
    """One of them that waits, in a copy of its files."""
    made: EffectCase = CASES[request.param](httpserver)
    if request.param not in _prepared:
        files = tmp_path_factory.mktemp("effects") / "waiting"
        what = await made.approved(opened(files))
        shutil.copytree(files, done := files.parent / "done", ignore=INDEX)
        await made.perform(house_in(done), what)
        assert await house_in(done).outbox.pending() == []
        _prepared[request.param] = files, what, await made.world(opened(done))
        httpserver.clear_log()
    files, what, wanted = _prepared[request.param]
    shutil.copytree(files, tmp_path / "files", ignore=INDEX)
    return Waiting(made, tmp_path / "files", what, wanted)


STEPS: Mapping[type[Any], tuple[str, ...]] = {
    MaildirMailbox: ("save_draft", "send_draft", "change_labels"),
    IcsCalendar: ("create", "put", "cancel", "answer"),
    OutboxStore: ("claim", "finish"),
    RefundLedger: ("reserve", "pay", "settle"),
    TicketTable: ("keep",),
}
"""What writes anything on the way."""


class Death:
    """The process dies before a step that it comes to, or after it."""

    def __init__(self, number: int, when: str, kind: str = "") -> None:
        self.left, self.when, self.kind = number, when, kind
        """With `kind` only the claim of that kind of effect is a step."""

    def step(self, owner: type[Any], name: str) -> Doing:
        """The step, of which one is the last."""
        real: Doing = getattr(owner, name)

        async def step(this: Any, *args: Any, **options: Any) -> Any:
            if self.kind and args[0].kind != self.kind:
                return await real(this, *args, **options)
            self.left -= 1
            if not self.left and self.when == "before":
                raise Killed
            result = await real(this, *args, **options)
            if not self.left:
                raise Killed
            return result

        return step


def claimed_and_lost(monkeypatch: pytest.MonkeyPatch, kind: str) -> Any:
    """Whoever begins an effect of this kind is lost before doing it."""
    monkeypatch.setattr(OutboxStore, "claim", Death(1, "after", kind).step(OutboxStore, "claim"))
    return pytest.raises(Killed)


@pytest.mark.parametrize("when", ["before", "after"])
async def test_whoever_is_killed_at_any_step_does_it_once(
    case: Waiting, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, when: str
) -> None:
    """The next process makes up what is missing, what follows it included, and nothing is done twice."""
    for number in range(1, 20):
        again = Waiting(case.case, tmp_path / str(number), case.what, case.wanted)
        shutil.copytree(case.folder, again.folder, ignore=INDEX)
        death = Death(number, when)
        with monkeypatch.context() as patched:
            for owner, names in STEPS.items():
                for name in names:
                    patched.setattr(owner, name, death.step(owner, name))
            with suppress(Killed):
                await again.perform()
        if death.left > 0:
            break
        assert not isinstance(await again.perform(), AskAgain), number
        assert await again.world() == case.wanted, number
        assert await again.open_ends() == [], number
    assert number > 2


async def test_a_provider_that_is_down_is_asked_later(case: Waiting, monkeypatch: pytest.MonkeyPatch) -> None:
    """That goes to whoever tries again, and stays begun until then."""

    async def down(self: Any, what: Any) -> Any:
        raise TransientError("busy")

    with monkeypatch.context() as patched:
        patched.setattr(type(case.effect), "do", down)
        with pytest.raises(TransientError):
            await case.perform()
    assert await case.last_status() is OutboxStatus.started
    assert not isinstance(await case.perform(), AskAgain)
    assert await case.world() == case.wanted


async def test_what_is_refused_can_be_tried_again(case: Waiting, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was not done, and is on record as failed."""

    async def refuses(self: Any, what: Any) -> Any:
        raise ProviderError("no")

    with monkeypatch.context() as patched:
        patched.setattr(type(case.effect), "do", refuses)
        with pytest.raises(ProviderError):
            await case.perform()
    assert await case.last_status() is OutboxStatus.failed
    if (
        "RefundPayment" not in type(case.case).__name__
    ):  # The ledger has given its money back: another key pays.
        assert not isinstance(await case.perform(), AskAgain)
        assert await case.world() == case.wanted


async def test_other_content_on_record_is_asked_again(case: Waiting, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was begun in another form is never done in its place; accepted once more, this one is done as another effect."""
    before = await case.world()
    intent = type(case.effect).intent

    def otherwise(self: Any, what: Any) -> Any:
        meant = intent(self, what)
        return type(meant)(
            meant.action_id, meant.kind, meant.subject_key, {**meant.payload, "x": 1}, meant.by
        )

    with monkeypatch.context() as patched:
        patched.setattr(type(case.effect), "intent", otherwise)
        with claimed_and_lost(patched, case.effect.kind):
            await case.perform()
    if not case.is_asked:
        with pytest.raises(ActionChangedError):
            await case.perform()
        assert await case.world() == before
        return
    asked = await case.perform()
    assert isinstance(asked, AskAgain)
    assert asked.action.id != case.what.id
    assert "An earlier try did not come to its end" in asked.problem
    assert await case.world() == before
    assert not isinstance(await case.perform(asked.action), AskAgain)
    assert await case.world() == case.wanted


async def test_an_end_that_nobody_can_find_out_is_asked_about(
    case: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not repeated by itself; a person may do so."""
    with monkeypatch.context() as patched, claimed_and_lost(patched, case.effect.kind):
        await case.perform()
    before = await case.world()

    async def nobody_knows(self: Any, what: Any) -> Unknown:
        return Unknown("nobody knows")

    monkeypatch.setattr(type(case.effect), "found", nobody_knows)
    if case.is_asked:
        asked = await case.perform()
        assert isinstance(asked, AskAgain)
        assert asked.action.id != case.what.id
        assert "nobody knows" in asked.problem
    else:
        with pytest.raises(UnresolvedEffectError, match="nobody knows"):
            await case.perform()
    assert await case.world() == before


def effects_of(base: type[Effect[Any, Any]]) -> Iterator[type[Effect[Any, Any]]]:
    """The effects that are declared, of the modules imported above."""
    for each in base.__subclasses__():
        yield from effects_of(each)
        if ABC not in each.__bases__ and each.__module__.startswith(email_assistant.__name__):
            yield each


def test_every_effect_keeps_the_contract(tmp_path: Path, httpserver: HTTPServer) -> None:
    """Whoever writes another one adds its case."""
    house = house_in(tmp_path)
    cases = {type(each(httpserver).effect(house)) for each in CASES.values()}
    assert cases == set(effects_of(Effect)), (
        "an EffectCase in tests/support/effects.py is missing, or one too many"
    )
