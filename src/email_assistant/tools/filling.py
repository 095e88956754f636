"""Gaps of a letter, filled with what the user said before where the same was asked; and kept what the user puts in place of the others.

The rules are strict, for a wrong answer costs more than a gap: a question is the same when it has the same telling words and hardly others,
the same figures and the same words like who, when or not; one about the asker's own things ("my order", "this one") is theirs alone. What
names a day is no lasting fact, what looks like a secret is kept nowhere.
"""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import SequenceMatcher
from itertools import islice

import structlog
from rapidfuzz import fuzz
from rapidfuzz.utils import default_process

from email_assistant.facts.fact import Source, gaps_in, inside
from email_assistant.knowledge.similarity import FILLER, terms_in, terms_of
from email_assistant.language.days import named_days
from email_assistant.language.words import WORDS
from email_assistant.mail.message import Message
from email_assistant.mail.text import fence, one_line
from email_assistant.memory.said_facts import FORGET, MAX_ANSWER, SaidAnswer, SaidFact, SaidFacts
from email_assistant.models.offline import wanted, words
from email_assistant.models.offline.reading import orders_an_assistant
from email_assistant.review.action import Action, GapOffer
from email_assistant.tools.outgoing import AskedGap, LetterDetails
from email_assistant.tools.tool import Turn

with WORDS.section("questions") as section:
    _TURNING = section.pattern(r"\b(?:{asking}|{turning})\b")
    """Words that make another question of the same things: who, when, not, her."""
    _OF_THE_ASKER = section.pattern(r"\b(?:{own})\b")
    _SECRET = section.pattern(r"\b(?:{secret})\b")
_NUMBER = re.compile(
    r"\b[A-Z]{2}\d{2}(?:[\s./-]?[A-Z\d]){11,30}\b|(?<![+\d])\d(?:[\s./-]?\d){12,18}(?!\d)", re.IGNORECASE
)
"""An IBAN (ISO 13616), or as many digits as a payment card has (ISO/IEC 7812)."""
_FIGURE = re.compile(r"(?<![\w'’])(?:[A-Z]|\d[\d.,:/-]*)(?!\w)")
"""A number, or a letter that stands for a thing: "form B"."""
_QUOTED = re.compile(r"[“„«\"]([^“”„»\"]+)[”“»\"]")
_ONE_OFF = tuple(
    gap[:-1]
    for gap in (
        wanted.WHOLE,
        wanted.OFFER,
        wanted.ORDERED,
        wanted.TIME,
        wanted.DOING,
        wanted.SENDING,
        wanted.SAYING,
    )
)
"""How gaps begin whose answers are of one mail: when it comes, what is done about it."""
_UNNAMED = wanted.ANSWER.partition(" the ")[0]

_SAME = 92
"""How like each other, of 100, the words of two questions are, whatever their order, of which one is the other: telling words alone
are folded by meaning, and "parking" is not the "address"."""
_NEAR = 85
"""How like each other, of 100, two questions are whose answers may be the same."""
_MOST_OFFERED = 2
_CITED = 220
"""Characters of answers on the first line of a card; the letter has them whole."""
TOLD = "What the user has answered before when this was asked, in their own words:"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Filled:
    """A text with what was said before in its gaps."""

    text: str
    said: tuple[SaidFact, ...] = ()
    """What is in it, or answers what the message asks: whoever wrote the text was given it."""
    asked: tuple[AskedGap, ...] = ()
    """Each gap that asks a question, and what fills one."""
    offers: tuple[GapOffer, ...] = ()
    """What was said to others, or of nearly the same, for gaps that are left."""

    def on_card(self, action: Action, timezone: str, now: datetime) -> Action:
        """The action with what was said cited on its card, and with what to keep once it is done."""
        proposed = self.text if self.asked else ""
        letter = replace(LetterDetails.of(action), proposed=proposed, asked=self.asked, said=len(self.said))
        return replace(
            action,
            # Not among the reasons, which a page folds away: whoever sends it is to see it.
            summary="; ".join(fact.cited(timezone, now, _CITED // len(self.said)) for fact in self.said),
            reasons=(
                *action.reasons,
                *(f"To forget “{fact.answer}”: {FORGET} {fact.number}" for fact in self.said),
            ),
            details=letter.as_json(),
        )

    @property
    def sources(self) -> tuple[Source, ...]:
        """What was said, for those who look where a text's facts stand."""
        return tuple(Source("what you said", fact.answer, "ours") for fact in self.said)


@dataclass(frozen=True)
class Filling:
    """Fills gaps, and keeps what they are filled with."""

    facts: SaidFacts

    async def fill(self, text: str, turn: Turn) -> Filled:
        """Nothing for a sender in doubt, nor where the message gives an assistant orders."""
        kept = await self.facts.all()
        return await asyncio.to_thread(_filled, text, turn, kept)

    async def known_answers(self, message: Message) -> str:
        """What the user said before to what the message asks, for a model's prompt; "" for nothing.

        The questions are left out: they may be another stranger's words.
        """
        kept = await self.facts.all()
        said = await asyncio.to_thread(_asked_in, message, kept)
        return f"\n\n{TOLD}\n{fence(chr(10).join(fact.answer for fact in said))}" if said else ""

    async def keep_filled(self, action: Action) -> str:
        """Keep what the user put in place of the gaps of a letter that is out, and say so; "" when there is nothing."""
        letter = LetterDetails.of(action)
        return await self.keep(
            list(answers_in(letter.proposed, action.args["body"], letter.asked)), action.id
        )

    async def keep(self, answers: Sequence[SaidAnswer], decision_id: str) -> str:
        """Keep the lasting ones. Never raises: what was approved has happened, and nothing here may undo its run."""
        try:
            kept = await self.facts.keep(list(filter(is_lasting, answers)), is_same, decision_id)
        except Exception as error:  # noqa: BLE001 - see above
            log.warning("facts_not_kept", reason=type(error).__name__)
            return ""
        return "".join(f" {fact.kept}" for fact in kept)


def is_lasting(answer: SaidAnswer) -> bool:
    """Whether an answer is worth keeping: one short line that says something, names no day, and is no secret."""
    both = f"{answer.question}\n{answer.words}"
    return (
        0 < len(answer.words) <= MAX_ANSWER
        and 0 < len(answer.question) <= MAX_ANSWER
        and len(answer.words.splitlines()) == 1
        and (len(answer.words.split()) > 1 or any(map(str.isdigit, answer.words)))
        and not (gaps_in(both) or named_days(both) or words.MEETING.search(answer.question))
        and not (_SECRET.search(both) or _NUMBER.search(both))
        and bool(terms_of(answer.question))
    )


def is_same(fact: SaidFact, asked: SaidAnswer) -> bool:
    """Whether what is asked is the question that the fact answers, whoever was told."""
    is_like = fuzz.token_set_ratio(fact.question, asked.question, processor=default_process) >= _SAME
    return is_like and _content(fact.question) == _content(asked.question) and not _is_of_another(fact, asked)


def _is_of_another(fact: SaidFact, asked: SaidAnswer) -> bool:
    """Whether either is about the asker's own things, and the other is not theirs."""
    is_own = any(map(_OF_THE_ASKER.search, (asked.question, fact.question)))
    return is_own and fact.asker != asked.asker


def _content(question: str) -> tuple[list[str], list[str], set[str]]:
    """What a question is about and its figures, in their order, and the words that make another question of the same."""
    figures = [each.rstrip(".,:/-") for each in _FIGURE.findall(question) if each.lower() not in FILLER]
    return terms_in(question), figures, {each.lower() for each in _TURNING.findall(question)}


def answers_in(before: str, after: str, asked: Sequence[AskedGap]) -> Iterator[SaidAnswer]:
    """What stands now in places of a text, each alone in its line, where one line took the place of that line.

    A gap that was confirmed as it stands says nothing of the user's own: its words may be a stranger's.
    """
    instead, at = dict(_replaced(before.splitlines(), after.splitlines())), 0
    for number, line in enumerate(before.splitlines(keepends=True)):
        places = [each for each in asked if at <= each.start < at + len(line)]
        if len(places) == 1 and number in instead:
            start, text = places[0].start - at, places[0].text
            lead, rest, now = line[:start], line[start + len(text) :].rstrip("\r\n"), instead[number]
            put = one_line(now[len(lead) : len(now) - len(rest)])
            if now.startswith(lead) and now.endswith(rest) and put not in {"", text, one_line(inside(text))}:
                yield SaidAnswer(places[0].question, put, places[0].asker)
        at += len(line)


def with_gaps_filled(before: str, after: str) -> str:
    """The text with its lines that have gaps as they stand now, where one line took the place of each."""
    if not gaps_in(before):
        return before
    lines = before.splitlines()
    instead = dict(_replaced(lines, after.splitlines()))
    return "\n".join(instead.get(i, line) if gaps_in(line) else line for i, line in enumerate(lines))


def _replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The places of lines that one other line each has taken the place of, and that line."""
    for _, i1, i2, j1, j2 in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if i2 - i1 == j2 - j1:
            yield from zip(range(i1, i2), new[j1:j2], strict=True)


def _filled(text: str, turn: Turn, kept: Sequence[SaidFact]) -> Filled:
    message = turn.conversation.current
    if turn.is_doubted or orders_an_assistant(message):
        return Filled(text)
    filled, at, asker = "", 0, message.sender.key
    said, asked, offers = _asked_in(message, kept), [], list[GapOffer]()
    for start, end in gaps_in(text, turn.conversation.words):
        question = _question_of(text[start:end], message, is_checked=turn.is_checked)
        fact = _answering(SaidAnswer(question, "", asker), kept)
        put = fact.answer if fact else text[start:end]
        filled += text[at:start]
        if question:
            asked.append(AskedGap(len(filled), put, question, asker))
        said += [fact] if fact and fact not in said else []
        offers += [] if fact or not question else _offered(put, SaidAnswer(question, "", asker), kept, turn)
        filled, at = filled + put, end
    return Filled(filled + text[at:], tuple(said), tuple(asked), tuple(offers))


def _offered(gap: str, asked: SaidAnswer, kept: Sequence[SaidFact], turn: Turn) -> Iterator[GapOffer]:
    """The newest answers to the same question that others were told, and to questions in nearly the same words."""
    near = (
        fact
        for fact in reversed(kept)
        if fuzz.token_sort_ratio(fact.question, asked.question, processor=default_process) >= _NEAR
        and not _is_of_another(fact, asked)
    )
    for fact in islice(near, _MOST_OFFERED):
        to = f", to {fact.asker}" if fact.asker else ""
        what = "" if is_same(fact, asked) else f", asked “{fact.question}”"
        yield GapOffer(gap, fact.answer, f"{fact.said_on(turn.user.timezone)}{to}{what}")


def _question_of(gap: str, message: Message, *, is_checked: bool) -> str:
    """What a gap asks, in one line; "" of one whose answer is of this mail alone, and of one that says too little.

    Where a graph puts gaps in place of what nothing supports (`is_checked`) a gap's own text is a claim, unless it quotes a question.
    """
    if gap.startswith(_ONE_OFF):
        return ""
    if asked := wanted.asked_in(gap, message):
        return asked
    inner = inside(gap)
    quoted = _QUOTED.search(inner)
    if quoted:
        return one_line(quoted[1])
    return "" if is_checked or gap.startswith(_UNNAMED) else one_line(inner)


def _asked_in(message: Message, kept: Sequence[SaidFact]) -> list[SaidFact]:
    """The facts that answer what the message asks."""
    is_heeded = kept and not orders_an_assistant(message)
    questions = wanted.questions_of(wanted.beginning(message)) if is_heeded else ()
    answering = (_answering(SaidAnswer(each, "", message.sender.key), kept) for each in questions)
    return list(dict.fromkeys(fact for fact in answering if fact))


def _answering(asked: SaidAnswer, kept: Sequence[SaidFact]) -> SaidFact | None:
    """The newest fact that answers what is asked, and was said to whoever asks, or is for everybody."""
    holding = (fact for fact in reversed(kept) if asked.question and fact.holds_for(asked.asker))
    return next((fact for fact in holding if is_same(fact, asked)), None)
