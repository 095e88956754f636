"""What of a mail a letter has to answer: its points, each as the mail has it, and the gap that the offline rules leave for it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC
from itertools import islice, pairwise
from typing import Literal

from email_assistant.language.days import named_days
from email_assistant.language.hours import find_hours
from email_assistant.language.time_words import SUITS
from email_assistant.mail.message import Message
from email_assistant.mail.text import one_line
from email_assistant.models.offline import words
from email_assistant.models.offline.asks import MAX_SENTENCE, Ask, ask_of, core, lines_of
from email_assistant.models.offline.reading import body_words, own_words

WHOLE = "[confirm: your reply, in the language of the mail]"
OFFER = "[confirm: what you offer to do about it]"
ORDERED = "[confirm: availability, price and delivery date]"
TIME = "[confirm: a time that suits you]"
ANSWER = "[confirm: your answer to the question]"
DOING = "[confirm: what you will do, and by when]"
SENDING = "[confirm: attached, or when it comes]"
SAYING = "[confirm: what you want to say]"

MAX_POINTS = 9
MAX_QUESTIONS = 20
_MAX_READ = 12_000
_LEAST = 3
"""Words of a question that says what it asks about; a shorter one is about what stands before it."""


Lead = Literal["thanks", "noted", "sorry", "sent", "ordered"]


@dataclass(frozen=True, slots=True)
class Point:
    """Something to be answered."""

    asked: str
    """The question or request as the mail has it, in one line."""
    gap: str
    """"" where the next point's gap is for this one, too."""
    lead: Lead | None = None
    """Which sentence of a letter's own opens its answer; None of a question, which is quoted before its answer."""
    day: str = ""
    """The deadline that is `noted`, as the mail writes it."""

    @property
    def answer(self) -> str:
        """How a letter answers it: what nobody is told anew by reading it is not repeated."""
        if self.lead is None:
            return f"> {self.asked}\n{self.gap}"
        if self.lead == "sent":
            return f"- {self.asked}: {self.gap}"
        return f"- {self.asked}\n{self.gap}".rstrip() if self.lead == "ordered" else self.gap


def points_of(message: Message, by: str = "") -> list[Point]:
    """What a letter has to answer, in the order of the mail; none where nothing is asked. `by` is a deadline in words."""
    message = beginning(message)
    points = islice(_points(message, by), MAX_POINTS)
    return [replace(point, asked=_quoted(point.asked)) for point in points]


def _points(message: Message, by: str) -> Iterator[Point]:
    text = " ".join(own_words(message).split())
    questions = questions_of(message)
    ask = ask_of(message, questions)
    wanted = core(ask.sentence, message) or one_line(message.subject)
    asks = words.REQUEST.search(text) or words.DEADLINE.search(text)
    if words.ORDER.search(text):
        yield from _ordered(ask, wanted, message)
    elif words.COMPLAINT.search(text):
        yield Point(wanted, OFFER, None if wanted in questions else "sorry")
    elif questions or not asks:
        pass
    elif words.MEETING.search(text) and words.REQUEST.search(text) and not words.cancels(text):
        yield Point(wanted, TIME, "thanks")
    elif ask.items:
        # The day is the same for all, and said once.
        gaps = (_until(SENDING, by), *(SENDING for _ in ask.items[1:]))
        yield from (Point(each, gap, "sent") for each, gap in zip(ask.items, gaps, strict=True))
    else:
        day = _day_of(text) if by else ""
        yield Point(wanted, _until(DOING, by), "noted" if day else "thanks", day)
    several = len(questions) > 1
    for number, question in enumerate(questions, 1):
        meets = words.MEETING.search(question) and not words.cancels(text)
        if question != wanted or not (words.ORDER.search(text) or words.COMPLAINT.search(text)):
            yield Point(question, TIME if meets else _numbered(number) if several else ANSWER)


def _ordered(ask: Ask, wanted: str, message: Message) -> Iterator[Point]:
    """What is ordered, an item each where it is a list; the days that the mail names stand in the gap behind it."""
    text = body_words(message)
    days = dict.fromkeys(one_line(text[day.start : day.end]).strip(" .,") for day in named_days(text))
    gap = f"{ORDERED[:-1]}; the mail names {_quoted(', '.join(days))}]" if days else ORDERED
    yield from (Point(each, "", "ordered") for each in ask.items[:-1])
    yield Point(*((ask.items[-1], gap, "ordered") if ask.items else (wanted, gap)))


def _day_of(text: str) -> str:
    """The one day that it names, as it is written; "" for none, or several."""
    named = [day for day in named_days(text) if day.kind != "month"]
    days = {text[day.start : day.end].strip(" .,") for day in named}
    return _quoted(days.pop()) if len(days) == 1 else ""


def _until(gap: str, by: str) -> str:
    return f"{gap[:-1]}; wanted {by}]" if by else gap


def besides_meeting(message: Message) -> list[Point]:
    """What it asks besides when to meet, and whether: what is left to be answered once its meeting was made."""
    questions = questions_of(beginning(message))
    timed = [each for each in questions if _names_time(each)]
    # Before any that names the time, the first that speaks of a meeting is the one that asks for it.
    before = questions[: questions.index(timed[0])] if timed else questions
    own = [*timed, *[each for each in before if words.MEETING.search(each)][:1]]
    # What is to be talked through in the meeting is answered there.
    lines = lines_of(beginning(message))
    own += [
        core(line, message)
        for line, after in pairwise(lines)
        if words.MEETING.search(after) and SUITS.match(after) and not words.QUESTION.search(after)
    ]
    others = [each for each in questions if each not in own and len(each.split()) >= _LEAST]
    return [
        Point(_quoted(each), _numbered(number) if len(others) > 1 else ANSWER)
        for number, each in enumerate(others, 1)
    ]


def _names_time(question: str) -> bool:
    """Whether it is about a time to meet, and wants nothing by then."""
    if words.DEADLINE.search(question):
        return False
    names_day = bool(named_days(question)) and not words.REQUEST.search(question)
    return names_day or bool(SUITS.search(question) or find_hours(question, UTC))


def questions_of(message: Message) -> tuple[str, ...]:
    """The sentences of the text that ask something, in order, a line each; at most `MAX_QUESTIONS`."""
    asking = [core(sentence, message) for sentence in lines_of(message) if words.QUESTION.search(sentence)]
    return tuple(asking[:MAX_QUESTIONS])


def beginning(message: Message) -> Message:
    """The message with as much of its text as is looked at for what it wants: as its card shows."""
    return replace(message, text=message.text[:_MAX_READ])


def asked_in(gap: str, message: Message, before: str = "") -> str:
    """What of the message is to be answered in a gap of these rules, in its own words; "" where the text `before` it says that.

    Also "" of a gap that another writer left.
    """
    message = beginning(message)
    points = points_of(message)
    asked = [
        each.asked
        for each in points
        if gap in {WHOLE, each.gap} or gap.startswith(f"{each.gap[:-1] or gap};")
    ]
    if gap == SAYING or (gap == WHOLE and not points):
        asked = [ask_of(message, questions_of(message)).gist]
    return "" if any(each in before for each in asked) else next(iter(asked), "")


def without_quotes(text: str, message: Message) -> str:
    """A letter without what it repeats of the message's points: those words are not its writer's."""
    for point in points_of(message):
        text = text.replace(point.asked, " ")
    return text


def _numbered(number: int) -> str:
    return ANSWER.replace("the question", f"question {number}")


def _quoted(text: str) -> str:
    """In one line; brackets could be taken for a gap of ours."""
    return one_line(text, limit=MAX_SENTENCE).replace("[", "(").replace("]", ")")
