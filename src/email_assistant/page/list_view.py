"""The list of what waits, as the templates draw it: two lines a mail, sections with a count, bundles as one line."""

from collections.abc import Sequence
from dataclasses import dataclass

from email_assistant.page.texts import count, place_of
from email_assistant.review.card_facts import Catch
from email_assistant.review.kinds import QueueSection
from email_assistant.review.queue import Bundle, Row, bundles, minutes, sections

_STARTS: dict[str, tuple[str, str]] = {
    QueueSection.LOOK_FIRST.value: ("to look at first", "to look at first"),
    QueueSection.MONEY.value: ("about money", "about money"),
    QueueSection.WITH_A_DATE.value: ("with a date", "with a date"),
    QueueSection.MEETINGS.value: ("meeting", "meetings"),
    QueueSection.REPLIES.value: ("reply", "replies"),
}
"""What is counted, of one and of several."""


@dataclass(frozen=True, slots=True)
class ListRow:
    """Two lines: a mail, or a bundle of mails that are answered together."""

    at: str
    """Where its card is, below `/review/`."""
    kind: str
    who: str
    ask: str
    catch: tuple[Catch, ...]
    when: str
    names: str = ""
    """What else the filter finds it by."""
    number: int = 1
    """How many mails it is."""


@dataclass(frozen=True, slots=True)
class ListSection:
    """A heading with its rows."""

    name: str
    is_grave: bool
    rows: tuple[ListRow, ...]
    number: int | None
    """How many mails; None where the rows say it."""


@dataclass(frozen=True, slots=True)
class WaitingList:
    """Everything that waits."""

    sections: tuple[ListSection, ...]
    mails: int
    questions: int
    minutes: int
    """A guess at how long answering takes."""

    @property
    def rows(self) -> list[ListRow]:
        """In order."""
        return [row for section in self.sections for row in section.rows]

    def place_of(self, at: str) -> str:
        """Like "18 of 38": which mail it is; "" for what is not in the list."""
        before = 0
        for row in self.rows:
            if row.at == at:
                return f"{before + 1} of {self.mails}" if row.number == 1 else f"{row.number} of {self.mails}"
            before += row.number
        return ""


@dataclass(frozen=True, slots=True)
class StartText:
    """What to begin with, in words."""

    title: str
    questions: str
    begin: str
    then: str
    short: str


def waiting_list(rows: Sequence[Row]) -> WaitingList:
    """The list of rows that are in order."""
    together = bundles(rows)
    made = tuple(_section(section, some, together) for section, some in sections(rows).items())
    return WaitingList(made, len(rows), sum(len(row.cards) for row in rows), minutes(rows))


def start(waiting: WaitingList) -> StartText:
    """What the overview says of the list."""
    title = f"{count(waiting.mails, 'mail waits', 'mails wait')}: about {count(waiting.minutes, 'minute')}"
    more = waiting.questions - waiting.mails
    questions = f"{waiting.questions} questions on {count(waiting.mails, 'mail')}." if more > 0 else ""
    parts = [_described(section) for section in waiting.sections]
    first, later = (parts[0], parts[1:]) if parts else ("", [])
    return StartText(
        title,
        questions,
        f"Start with {first}.",
        f"Then {', '.join(later)}." if later else "",
        f"Start: {first}",
    )


def _described(section: ListSection) -> str:
    if section.number is None:
        return f"{', '.join(row.who for row in section.rows)} in one answer each"
    return count(section.number, *_STARTS[section.name])


def _section(section: QueueSection, rows: Sequence[Row], together: Sequence[Bundle]) -> ListSection:
    is_grave = section in {QueueSection.LOOK_FIRST, QueueSection.MONEY}
    if section is not QueueSection.TOGETHER:
        return ListSection(section.value, is_grave, tuple(map(list_row, rows)), len(rows))
    bundled = {bundle.group for bundle in together}
    alone = [list_row(row) for row in rows if row.group not in bundled]
    some = [_bundle(bundle, sum(row.group is bundle.group for row in rows)) for bundle in together]
    return ListSection(section.value, is_grave, (*alone, *some), None)


def list_row(row: Row) -> ListRow:
    """A mail of its own."""
    card, facts = row.card, row.card.facts
    return ListRow(
        at=place_of(card),
        kind=facts.kind,
        who=row.who or card.graph,
        ask=row.ask,
        catch=row.catch,
        when=row.when,
        # What the filter finds besides what is shown.
        names=" ".join([facts.address, *([facts.subject] if facts.subject not in row.ask else [])]),
    )


def _bundle(bundle: Bundle, mails: int) -> ListRow:
    left_out = len(bundle.items) - len(bundle.taken)
    catch = Catch(f"{left_out} left out" if left_out else "1 key")
    names = " ".join(f"{item.row.who} {item.row.ask}" for item in bundle.items)
    at = f"group/{bundle.group.value}"
    return ListRow(at, bundle.group.value, bundle.title, bundle.summary, (catch,), "", names, mails)
