"""What may leave unattended: a rule that one can read (docs/adr/0032).

A reply leaves by itself only if nothing asks for a person anyway: both confidences are high, every figure in it is checked, it is no
complaint (`policy`), the receiving host vouches for the sender, and its card would warn of nothing (`kit/reply`). And only if, besides,

- a model wrote it, not a rule;
- the user has written to the sender before;
- nothing in the mail was hidden from a reader's eyes, or odd otherwise;
- nothing in the reply is borrowed: no figure, date or promise that the user has not written in this very conversation, no name but the
  sender's in the greeting and the user's below, no six words in a row of the mail, of past mail, of the contacts or of the calendar;
- a second reading, a call of its own, finds nothing in it that commits the user, and nothing that the conversation does not say.
"""

import re
from collections.abc import Iterator, Sequence

from email_assistant.errors import ProviderError
from email_assistant.facts.fact import Source
from email_assistant.facts.names import names
from email_assistant.language.folding import fold
from email_assistant.mail.text import clean
from email_assistant.models.runner import Models
from email_assistant.tools.tool import User
from email_assistant.workflows.kit.conversations import conversation_of
from email_assistant.workflows.kit.senders import Senders
from email_assistant.workflows.reply_pipeline.calls import SECOND_READING, SecondReadingInput
from email_assistant.workflows.reply_pipeline.state import WorkState

BY_RULE = "Rules wrote it, not a model."
STRANGER = "You have not written to the sender before."
UNREAD = "It was not read a second time: the model gave no usable answer."
RUN = 6
"""So many words in a row, within a sentence, are somebody's; fewer are everybody's."""
MAX_QUOTED = 200
"""Characters that a reason quotes."""
_WORD = re.compile(r"\w+")
_BETWEEN_SENTENCES = re.compile(r"[.!?…]+(?!\w)|\n\s*\n")


async def not_alone(
    state: WorkState, body: str, held: Sequence[str], *, models: Models, senders: Senders, user: User
) -> list[str]:
    """Why the reply may not leave by itself, one plain sentence each; none when it may.

    `body` is its text, `held` is what asks for a person anyway. The second reading costs a call, so it is asked for only when nothing
    else is in the way.
    """
    conversation = conversation_of(state.get("email_input"))
    current = conversation.current
    known = await senders.known(current)
    reasons = [
        (bool(state.get("offline", True)), BY_RULE),
        (known.sender is None, STRANGER),
        (bool(current.notes), f"There is something odd about the mail: {' '.join(current.notes)}"),
        (bool(state.get("borrowed")), _told(state.get("borrowed") or [])),
    ]
    told = [text for holds, text in reasons if holds]
    if held or told:
        return told
    return await _second_reading(SecondReadingInput(conversation, user, body), models)


async def _second_reading(inputs: SecondReadingInput, models: Models) -> list[str]:
    """What another reader has against it; no answer counts as an objection."""
    try:
        read = await models.run(SECOND_READING, inputs)
    except ProviderError:
        return [UNREAD]
    reasons = [
        (read.commits, f"A second reading finds that it may commit you: {_short(read.why)}"),
        (
            read.reveals,
            f"A second reading finds that it tells what the conversation does not say: {_short(read.why)}",
        ),
    ]
    return [text for holds, text in reasons if holds]


def repeated(draft: str, ours: Sequence[Source], others: Sequence[Source]) -> tuple[str, ...]:
    """Of each sentence that repeats others' words, the first `RUN` of them as they stand there; what is ours, too, is nobody else's."""
    said = {run for source in ours for run, _ in _runs(source.text)}
    taken = {run for source in others for run, _ in _runs(source.text)} - said
    told: dict[str, None] = {}
    for sentence in _BETWEEN_SENTENCES.split(clean(draft)[0]):
        told.update(dict.fromkeys([words for run, words in _runs(sentence) if run in taken][:1]))
    return tuple(told)


def in_sentences(draft: str) -> tuple[str, ...]:
    """The names that stand in a sentence: a greeting and a signature are none."""
    text = fold(clean(draft)[0])
    return tuple(text[name.start : name.end] for name in names(text) if _is_sentence(text, name.start))


def _is_sentence(text: str, at: int) -> bool:
    """Whether the line around a place says something: a greeting is short and goes on, a name below stands alone."""
    before, after = text[:at].rpartition("\n")[2], text[at:].partition("\n")[0]
    line = f"{before}{after}".rstrip()
    return len(_WORD.findall(line)) >= RUN or line.endswith((".", "?", "…"))


def _runs(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each run of words within a sentence, in lower case, and as it stands there."""
    for sentence in _BETWEEN_SENTENCES.split(fold(clean(text)[0])):
        words = list(_WORD.finditer(sentence))
        for at in range(len(words) - RUN + 1):
            run = words[at : at + RUN]
            told = sentence[run[0].start() : run[-1].end()]
            yield tuple(word.group().lower() for word in run), " ".join(told.split())


def _told(borrowed: Sequence[str]) -> str:
    """One reason for all of it, with the words of the first."""
    more = f" and {len(borrowed) - 1} more" if len(borrowed) > 1 else ""
    first = _short(borrowed[0]) if borrowed else ""
    return f"It repeats the mail, or what was found in past mail, your contacts or your calendar: “{first}”{more}"


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= MAX_QUOTED else f"{plain[: MAX_QUOTED - 1]}…"
