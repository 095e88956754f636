"""The organizer broken off before each write of its state, and gone on with: the same effects, each once."""

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from langgraph.types import Command
from pytest_httpserver import HTTPServer
from sqlalchemy import select

from email_assistant.journal.records import MailStatus
from email_assistant.journal.tables import OUTBOX, REVIEWS
from email_assistant.mail.email_input import to_email_input
from email_assistant.mail.message import Conversation, Message
from email_assistant.workflows.inbox_organizer.services import OrganizerServices
from email_assistant.workflows.inbox_organizer.unsubscribing.one_click import OneClick
from eval.workbench import config_for
from tests.servers.model_server import Answer, ModelServer, running_model_server, tool_call
from tests.support.breaking import BreakingSaver, BrokenOffError
from tests.support.desk import Desk, mail, organizer

WORK, NEWS, OFFERS = "Professional/Work", "Newsletters/Subscriptions", "Marketing/Promotions"
BOSS = "The Boss <boss@board.example>"
URGENT = "Could you pay the 4,000 euro? It is due today, please answer immediately."
MEETING = "Could we meet on Thursday 26 November 2026 at 10:00?"
LIST = {"sender": "Shop <news@shop.example>", "List_Id": "<news.shop.example>"}
ACCEPT, IGNORE = {"type": "accept", "args": None}, {"type": "ignore", "args": None}
MAX_TURNS = 40
MIN_BREAKS = 5
SHORT = ["card corrected", "list left", "list kept", "everything"]
"""Of these kinds the short form takes one each; together they have every effect."""


def said(text: str) -> dict[str, Any]:
    """The human's words."""
    return {"type": "response", "args": text}


def says(confidence: float, category: str = WORK, when: str = "CategoryAnswer") -> Answer:
    """The model's category, however often it is asked."""
    fields = {"reasoning": "So it seems.", "category": category, "confidence": confidence, "key_phrases": []}
    return tool_call("CategoryAnswer", fields, when=when, repeat=True)


def replies(body: str = "It is paid.", when: str = "ReplyAnswer") -> Answer:
    """The model's reply."""
    return tool_call("ReplyAnswer", {"body": body}, when=when, repeat=True)


def meets(start: str = "10:00", when: str = "EventAnswer") -> Answer:
    """What the model reads of the meeting."""
    fields = {
        "reasoning": "A time is proposed.", "is_event": True, "title": "Visit", "start": f"2026-11-26T{start}",
        "end": "2026-11-26T11:45", "confidence": 0.9,
    }  # fmt: skip
    return tool_call("EventAnswer", fields, when=when, repeat=True)


NOTED = tool_call(
    "NoteAnswer",
    {
        "worth_noting": True,
        "title": "The quote",
        "summary": "It is 4,000 euro.",
        "key_points": [],
        "links": [],
    },
    when="NoteAnswer",
    repeat=True,
)
IDLE = tool_call(
    "NoteAnswer",
    {"worth_noting": False, "title": "", "summary": "", "key_points": [], "links": []},
    when="NoteAnswer",
    repeat=True,
)


@dataclass(frozen=True)
class Kind:
    """A mail, what the model says about it, and how each card that comes is answered."""

    model: Sequence[Answer]
    answers: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    """The answer to a card, by the end or beginning of its title."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Of the mail."""
    of_list: bool = False
    """Whether two mails of the list came before."""


CARD = "Label as "
KINDS = {
    "label": Kind([says(0.9), IDLE]),
    "card accepted": Kind([says(0.75), IDLE], {CARD: ACCEPT}),
    "card ignored": Kind([says(0.75), IDLE], {CARD: IGNORE}),
    "card corrected": Kind([says(0.75, OFFERS)], {CARD: {"type": "edit", "args": {"category": NEWS}}}, LIST),
    "card sent back": Kind(
        [says(0.9, NEWS, when="every week"), says(0.75, OFFERS)],
        {f"{CARD}{OFFERS}": said("I read this every week."), f"{CARD}{NEWS}": ACCEPT},
        LIST,
    ),
    "note": Kind([says(0.9), NOTED], {}, {"sender": BOSS, "body": "Could you look at the quote?"}),
    "event accepted": Kind([says(0.9), meets(), IDLE], {"Schedule": ACCEPT}, {"body": MEETING}),
    "event sent back": Kind(
        [says(0.9), meets("11:00", when="an hour later"), meets(), IDLE],
        {"(draft 2)": ACCEPT, "Schedule": said("Make it an hour later.")},
        {"body": f"{MEETING} Or at 11:00?"},
    ),
    "reply accepted": Kind([says(0.9), replies(), IDLE], {"Send": ACCEPT}, {"sender": BOSS, "body": URGENT}),
    "reply edited": Kind(
        [says(0.9), replies(), IDLE],
        {"Send": {"type": "edit", "args": {"body": "It was paid."}}},
        {"sender": BOSS, "body": URGENT},
    ),
    "reply sent back": Kind(
        [says(0.9), replies("Tomorrow.", when="Not today"), replies(), IDLE],
        {"(draft 2)": ACCEPT, "Send": said("Not today.")},
        {"sender": BOSS, "body": URGENT},
    ),
    "reply ignored": Kind([says(0.9), replies(), IDLE], {"Send": IGNORE}, {"sender": BOSS, "body": URGENT}),
    "list left": Kind([says(0.9, NEWS)], {"Unsubscribe": ACCEPT}, LIST, of_list=True),
    "list kept": Kind([says(0.9, NEWS)], {"Unsubscribe": IGNORE}, LIST, of_list=True),
    "everything": Kind(
        [says(0.75), meets(), replies(), NOTED],
        {CARD: ACCEPT, "Schedule": ACCEPT, "Send": ACCEPT},
        {"sender": BOSS, "body": f"{URGENT} {MEETING}"},
    ),
}


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """A scripted model server."""
    with running_model_server() as server:
        yield server


@dataclass
class Attempt:
    """One mail, dealt with by processes of which the first may die."""

    desk: Desk
    saver: BreakingSaver
    kind: Kind
    message: Message
    answered: set[str] = field(default_factory=set)
    """The cards that came."""

    async def finish(self) -> None:
        """Do as the server and a person do until the mail is settled; a process that died is followed by another."""
        for _ in range(MAX_TURNS):
            try:
                if not await self._go_on():
                    return
            except BrokenOffError:
                self.saver.mended()
        raise AssertionError("the mail is not settled")

    async def _go_on(self) -> bool:
        graph, house, config = self.desk.graph, self.desk.house, config_for(self.message)
        record = await house.mail_log.get(house.mailbox.name, self.message.id, "inbox_organizer")
        if record and record.status is MailStatus.done:
            return False
        state = await graph.aget_state(config)
        outcome = str(state.values.get("outcome", ""))
        if record and outcome and not state.next:
            # Only the last checkpoint is missing; that is for recovery to find.
            await house.mail_log.set_status(
                record.mailbox, record.message_id, record.graph, MailStatus.done, outcome=outcome
            )
            return True
        if state.interrupts:
            work: Any = Command(resume=[self._answer(state.interrupts[0].value[0]["action_request"])])
        elif state.created_at is None:
            work = {"email_input": to_email_input(Conversation(self.message))}
        else:
            work = None
        await graph.ainvoke(work, config, durability="sync")
        return True

    def _answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        title = request["action"]
        key, answer = next(
            each for each in self.kind.answers.items() if title.startswith(each[0]) or title.endswith(each[0])
        )
        self.answered.add(key)
        if answer["type"] == "accept":
            return answer | {"args": {"action": title}}
        if answer["type"] != "edit":
            return answer
        return answer | {"args": {"action": title, "args": request["args"] | answer["args"]}}


def built(folder: Path, model: ModelServer, server: HTTPServer, saver: BreakingSaver) -> Desk:
    """An organizer on the folder, as another process would build it."""
    desk = organizer(
        folder,
        EMAIL_ASSISTANT_MODEL_FAST="openai:fast",
        EMAIL_ASSISTANT_MODEL_STRONG="openai:strong",
        OPENAI_API_KEY="none",
        OPENAI_BASE_URL=model.base_url,
        EMAIL_ASSISTANT_VIPS="board.example",
        EMAIL_ASSISTANT_VAULT=str(folder / "vault"),
    )
    allow = frozenset({f"{server.host}:{server.port}"})
    own = OrganizerServices.of(desk.house)
    vars(own)["unsubscribing"] = replace(own.unsubscribing, unsubscriber=OneClick(allow=allow), allow=allow)
    desk.graph = desk.house.graph("inbox_organizer", checkpointer=saver, store=desk.store)
    return desk


@dataclass
class Bench:
    """One kind of mail, dealt with over and over from the same beginning."""

    folder: Path
    model: ModelServer
    server: HTTPServer
    """Where lists are left."""
    kind: Kind
    message_id: str = ""

    @property
    def work(self) -> Path:
        """Where the mailbox is in every attempt: its name is its path."""
        return self.folder / "work"

    async def prepare(self) -> None:
        """Deliver the mail, deal with what comes before it, and keep a copy of that state."""
        self.model.script(*self.kind.model)
        desk = built(self.work, self.model, self.server, BreakingSaver())
        fields: dict[str, Any] = dict(self.kind.fields)
        if self.kind.of_list:
            fields |= {
                "List_Unsubscribe": f"<{self.server.url_for('/leave')}>",
                "List_Unsubscribe_Post": "List-Unsubscribe=One-Click",
                "body": "The newsletter of this week.",
            }
            for number in range(2):
                before = mail(**fields, message_id=f"<before-{number}@shop.example>")
                await desk.start(await desk.receive(before))
        self.message_id = (await desk.receive(mail(**fields))).id
        await desk.house.database.open()
        await desk.house.models.close()
        shutil.copytree(self.work, self.folder / "kept")

    async def attempt(self, saver: BreakingSaver) -> dict[str, Any]:
        """Deal with the mail; what came of it."""
        shutil.rmtree(self.work)
        shutil.copytree(self.folder / "kept", self.work)
        self.server.clear_log()
        self.model.script(*self.kind.model)
        desk = built(self.work, self.model, self.server, saver)
        attempt = Attempt(desk, saver, self.kind, await desk.house.mailbox.fetch(self.message_id))
        await attempt.finish()
        assert saver.break_at or saver.broken_at or attempt.answered == set(self.kind.answers)
        found = await effects(attempt, self.work, self.server)
        await desk.house.models.close()
        return found


async def effects(attempt: Attempt, folder: Path, server: HTTPServer) -> dict[str, Any]:
    """Everything that happened outside the run, and what the records say of it."""
    desk, house, message = attempt.desk, attempt.desk.house, attempt.message
    record = await house.mail_log.get(house.mailbox.name, message.id, "inbox_organizer")
    assert record is not None
    async with house.database.read() as connection:
        outbox = (await connection.execute(select(OUTBOX.c.kind, OUTBOX.c.status))).all()
        reviews = (await connection.execute(select(REVIEWS.c.title, REVIEWS.c.decision))).all()
    calendar = house.settings.calendar_path
    hints = await OrganizerServices.of(house).category_hints.all(house.mailbox.name)
    lists = await OrganizerServices.of(house).unsubscribing.subscriptions.all(house.mailbox.name)
    return {
        "status": (record.status.value, record.outcome),
        "labels": sorted(await house.mailbox.labels(message.id)),
        "sent": [(m["To"], m["In-Reply-To"], m.get_payload()) for m in await desk.sent()],
        "drafts": [m["In-Reply-To"] for m in await desk.drafts()],
        "events": sorted(
            line
            for line in (calendar.read_text() if calendar and calendar.exists() else "").splitlines()
            if line.startswith(("SUMMARY", "DTSTART"))
        ),
        "notes": {
            str(p.relative_to(folder)): p.read_text() for p in sorted((folder / "vault").rglob("*.md"))
        },
        "left": [(request.method, request.path) for request, _ in server.log],
        "lists": [(each.list_key, each.messages, each.state.value) for each in lists],
        "hints": [(hint.key, hint.category, hint.agreeing) for hint in hints],
        "outbox": sorted(tuple(row) for row in outbox),
        "cards": sorted(tuple(row) for row in reviews),
    }


def asked(model: ModelServer) -> Counter[str]:
    """How often the model was asked for each kind of answer; learning is the person's affair."""
    names = (body["tools"][0]["function"]["name"] for body in model.bodies)
    return Counter(name for name in names if name.endswith("Answer"))


async def compared(bench: Bench, every: str) -> int:
    """Break off before each write whose name begins so; returns how many there were."""
    bench.server.expect_request("/leave").respond_with_data("ok")
    await bench.prepare()
    whole = BreakingSaver()
    expected = await bench.attempt(whole)
    calls, table = asked(bench.model), []
    assert expected["status"][0] == "done"
    chosen = [each for each in enumerate(whole.written, start=1) if each[1].startswith(every)]
    for number, what in chosen:
        saver = BreakingSaver(number)
        found = await bench.attempt(saver)
        assert saver.broken_at, "the break was never reached"
        differing = {key: value for key, value in found.items() if value != expected[key]}
        more = {key: times for key, times in asked(bench.model).items() if times > calls[key] + 1}
        if differing or more:
            table.append(f"broken off before write {number} ({what}): {differing} {more or ''}")
    assert not table, "\n".join([f"unbroken: {expected} {dict(calls)}", *table])
    return len(chosen)


@pytest.mark.parametrize("name", SHORT)
async def test_what_a_node_did_and_nobody_recorded_is_not_done_twice(
    model: ModelServer, tmp_path: Path, httpserver: HTTPServer, name: str
) -> None:
    """Broken off before each node's result, it comes to the same effects; no answer on record is asked for again."""
    assert await compared(Bench(tmp_path, model, httpserver, KINDS[name]), "result") > MIN_BREAKS


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", KINDS)
async def test_broken_off_before_any_write_it_comes_to_the_same(
    model: ModelServer,
    tmp_path: Path,
    httpserver: HTTPServer,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    """The long form: every kind, before every write."""
    breaks = await compared(Bench(tmp_path, model, httpserver, KINDS[name]), "")
    with capsys.disabled():
        print(f"\norganizer, {name}: broken off {breaks} times, each time the effects of the unbroken run")
