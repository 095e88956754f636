"""What a message wants, in a line of at most twelve words that are its own: its request, its question, or else its first fact."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from email_assistant.clock import days_in_short
from email_assistant.language.text import language_of
from email_assistant.language.words import WORDS
from email_assistant.mail.conversation import base_subject
from email_assistant.mail.message import Message
from email_assistant.mail.text import one_line
from email_assistant.models.offline import words
from email_assistant.models.offline.reading import body_words, sentences

with WORDS.section("asks") as section:
    _LEAD_IN = section.pattern("{lead_in}")
    _VAGUE, _NO_FACT = section.pattern("{vague}"), section.pattern("{no_fact}")
    _AND_THEY, _THING = section.pattern("{and_they}"), section.pattern("{thing}")
    BLOCKED = section.pattern("{blocked}")
    """Says that a payment was stopped."""
    _TAIL = section.pattern("{tail}")
    _PRONOUNS = tuple((section.pattern(f"{{{key}}}"), key) for key in ("them", "the", "they"))
    _FRAMES = tuple(
        (section.pattern(rf"\b(?:{text})"), verb) for verb, text in section.table("frames").items()
    )
ASKS_YOU = "asks you to"
QUOTING = frozenset({"asks", "writes"})
"""Verbs after which the mail's own sentence stands."""
MAX_WORDS, MAX_LENGTH = 12, 62
"""So much fits into a title, with a name before it."""
MAX_TOLD = 170
"""Characters of a headline."""
MAX_SENTENCE = 300
_LEAST = 3
"""Words of what is wanted: "send it" says too little."""
_FACT = 4
"""Words of a sentence that tells something."""
_ITEM = re.compile(r"^\s*(?:[-*•·–]|\d{1,2}[.)])\s+")
_COUNTED_ITEM = re.compile(r"^\s*(?:[-*•·–]|\d{1,2}[.)]|\d+ ?[x×])\s")
_STOP = re.compile(r"(?<=[^\W\d_A-ZÄÖÜ]{3}[.!])\s+(?=[^\W\d_a-zß-ÿ])")
_ENGLISH_STOP = re.compile(rf"{_STOP.pattern}|(?<=[\d)][.!])\s+(?=[A-Z])")
"""Where a sentence ends that `sentences` does not end: "for." is short, and "12." may be a day of a month."""
_COLON = re.compile(r"^[^:?]{1,60}:\s+(?=[^\W\d_])")
_ENDS = re.compile(r"\s*(?:;|\s[-–—]\s).*")
_ADDRESS = re.compile(r"[^\s<>()\[\],;:\"]*@[^\s<>()\[\],;:\"]+")
"""Whom a title names gets the mail."""
_BESIDE_A_NAME = re.compile(rf"\s*[(<\[]\s*{_ADDRESS.pattern}\s*[)>\]]")
_EDGES = " ,.:!"
_NAME_OF_FILE = re.compile(r"\S+[/.]\w")
_ENDED = (".", "!", "?", "。", "？")
_WORD, _TAG = re.compile(r"\w+"), re.compile(r"^\[[^\]]*\]\s*")
_MORE = 5
"""Characters of " (+1)"."""
_SHARE = re.compile(r"\d ?%")
_LABELLED = re.compile(r"^\w+:\s+(?P<value>[^:?]+)\.$")
"""A choice by its name: "left: Sage 12."."""
_NUMBER = r"(?:[A-Z]|[A-Z]{0,4}-?\d[\d-]{2,})\b(?![\w'’])"
"""What tells one of several things: "form B", "invoice 2026-1184"."""
_REPEATS = 0.8
"""So much of the subject's words in a sentence make it the subject once more."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing that a sentence wants, or tells."""

    verb: str
    """What its sender does, in English: "asks", "writes", "asks you to", "needs"."""
    what: str
    sentence: str
    """As the mail has it; "" of what stands in none."""
    more: int = 0
    """So many other things of its kind stand beside it."""
    items: tuple[str, ...] = ()
    """Of the list that the sentence leads up to."""
    whole: str = ""
    """What is told of it where there is room; "" for `what`."""
    others: tuple[str, ...] = ()
    """Sentences that stand beside it, those first that `more` counts."""

    @property
    def gist(self) -> str:
        """Without who does it; what is quoted has its own verb."""
        verb, more = "" if self.verb in QUOTING else f"{self.verb} ", f" (+{self.more})" if self.more else ""
        words = MAX_WORDS - len(f"{verb}{more}".split())
        return f"{verb}{_cut(self.what, words, MAX_LENGTH - len(verb) - len(more))}{more}"

    @property
    def headline(self) -> str:
        """To stand behind a name: all of it, and as much of what stands beside it as a headline has room for."""
        begins = f"{self.verb}: " if self.verb in QUOTING else f"{self.verb} "
        said, more = (self.whole, 0) if self.items else (self.whole or self.what, self.more)
        room = MAX_TOLD - len(begins)
        if len(said) > room:
            said, more = _cut(self.what, MAX_TOLD, room), self.more
        for other in self.others if len(said) < room else ():
            longer = f"{said}{'' if said.endswith(_ENDED) else '.'} {other}"
            if len(longer) > room:
                break
            said, more = longer, max(0, more - 1)
        return f"{begins}{said}{f' (+{more})' if more else ''}"


def ask_of(message: Message, questions: Sequence[str]) -> Ask:
    """What the message wants first, by the sentence that says it; `questions` are those of `gaps.questions_of`."""
    said, english = lines_of(message), _is_english(message)
    short: list[Ask] = []
    for number, sentence in enumerate(said):
        line, before = core(sentence, message), said[:number]
        ask = _framed(sentence, line, before, said[number + 1 :]) if english else None
        if ask:
            ask = replace(ask, others=_wishes(said, sentence, message))
        elif words.QUESTION.search(sentence):
            ask = _question(line, sentence, [core(each, message) for each in before], message)
            others = tuple(each for each in questions if each != line)
            ask = replace(ask, more=max(0, len(questions) - 1), others=others)
        if ask and _length(ask.what) >= _LEAST:
            return ask
        short += [ask] if ask else []
    if not english and (wanted := next((each for each in said if words.REQUEST.search(each)), "")):
        return Ask("asks", core(wanted, message), wanted)
    return next(iter(short), None) or _fact(message)


def lines_of(message: Message) -> tuple[str, ...]:
    """The sentences of the text, or of the subject where there is none."""
    stop = _ENGLISH_STOP if _is_english(message) else _STOP
    said = sentences(body_words(message).strip() or message.subject)
    return tuple(part for sentence in said for part in stop.split(sentence))


def _is_english(message: Message) -> bool:
    return language_of(body_words(message)) in {"", "en"}


def core(sentence: str, message: Message, *, keeps_label: bool = False) -> str:
    """The sentence without what goes before it: the reader's name, words that lead up to it."""
    line = one_line(_ITEM.sub("", sentence), limit=MAX_SENTENCE)
    line = _ADDRESS.sub("(address)", _BESIDE_A_NAME.sub("", line))
    before = _COLON.match(line)
    if before and not keeps_label and len(line[before.end() :].split()) >= _FACT:
        line = line[before.end() :]
    names = {part.casefold() for each in (*message.to, *message.cc) for part in each.name.split()[:1]}
    name, comma, behind = line.partition(",")
    if comma and name.split()[-1:] and name.split()[-1].casefold() in names and len(name.split()) <= 2:
        line = behind.strip()
    line = _LEAD_IN.sub("", line)
    return line if _NAME_OF_FILE.match(line) else f"{line[:1].upper()}{line[1:]}"


def _wishes(said: Sequence[str], but: str, message: Message) -> tuple[str, ...]:
    """What the mail wants besides, and by when."""
    kinds = (words.QUESTION, words.REQUEST, words.DEADLINE)
    wishes = (each for each in said if each != but and any(kind.search(each) for kind in kinds))
    year = message.date.year if message.date else None
    return tuple(days_in_short(core(each, message), year).rstrip(" .") for each in wishes)


def _question(line: str, sentence: str, before: Sequence[str], message: Message) -> Ask:
    """A question; of one that names nothing ("Which one?") what it is about stands before it, or in the subject."""
    if not _VAGUE.search(line) or not before:
        return Ask("asks", line, sentence)
    choice = list(takewhile(bool, map(_LABELLED.match, reversed(before))))
    if len(choice) > 1:
        values = " or ".join(each["value"] for each in reversed(choice) if each)
        whole = " ".join((*before[-len(choice) :], line))
        return Ask("asks", f"{values}?", sentence, whole=whole)
    whole = f"{before[-1]} {line}" if before[-1].endswith(_ENDED) and _length(before[-1]) >= _FACT else line
    about = base_subject(message.subject)
    is_topic = 0 < len(about.split()) <= _FACT and not words.QUESTION.search(about)
    short = (
        each for each in (whole, f"{about}. {line}" if is_topic else line) if len(each) < MAX_LENGTH - _MORE
    )
    return Ask("asks", next(short, line), sentence, whole=whole)


def _framed(sentence: str, line: str, before: Sequence[str], later: Sequence[str]) -> Ask | None:
    """What an English sentence says that its writer wants."""
    found = [(match.start(), match, verb) for pattern, verb in _FRAMES if (match := pattern.search(line))]
    if not found:
        return None
    _, match, verb = min(found, key=lambda each: each[0])
    rest = line[match.end() :].strip(_EDGES + "?")
    items = () if sentence.endswith(_ENDED) else tuple(_items(later))
    items = items if sentence.endswith(":") or len(items) > 1 else ()
    for pattern, word in _PRONOUNS:
        rest = pattern.sub(word, rest)
    rest = _ENDS.sub("", rest)
    rest = _THING.sub(lambda found: _numbered(found, " ".join(before)), _AND_THEY.sub("", rest))
    if not items:
        return Ask(verb, rest, sentence) if rest else None
    begins = f"{rest}: " if rest else ""
    short = begins + ", ".join(_TAIL.sub("", each) for each in items)
    if len(f"{verb} {short}") < MAX_LENGTH:
        return Ask(verb, short, sentence, items=items, whole=begins + " · ".join(items))
    return Ask(verb, begins + items[0], sentence, len(items) - 1, items, begins + " · ".join(items))


def _numbered(thing: re.Match[str], before: str) -> str:
    """ "the form" with the one number or letter that the mail has given it: "form B"."""
    name = thing["thing"]
    named = {found[0] for found in re.finditer(rf"\b{name} {_NUMBER}", before)}
    return named.pop() if len(named) == 1 else thing[0]


def _items(said: Sequence[str]) -> Iterator[str]:
    for sentence in said:
        if not _COUNTED_ITEM.match(sentence):
            return
        yield _ADDRESS.sub("(address)", one_line(_ITEM.sub("", sentence))).strip(_EDGES)


def _fact(message: Message) -> Ask:
    """The first whole sentence, else the first line, else the subject; of a mail without text what is attached."""
    said = lines_of(message) if body_words(message).strip() else ()
    facts = [each for each in map(_alarming, said) if _states(each)] or [*said[:1]]
    if facts:
        return _described(facts, message)
    files = [each.name for each in message.attachments if each.name]
    if files:
        return Ask("sends", one_line(files[0]), "", len(files) - 1)
    return Ask(
        "writes", one_line(base_subject(message.subject)).removesuffix("(eom)").strip() or "(nothing)", ""
    )


def _states(sentence: str) -> bool:
    """Whether it is a whole sentence, or a line like "error: …", and tells more than that a program wrote it."""
    label = _COLON.match(sentence)
    is_whole = sentence.endswith(_ENDED) or (label is not None and words.ALERT.search(label[0]) is not None)
    is_about_answers = _NO_FACT.search(sentence) or words.NO_REPLY_NEEDED.search(sentence)
    return is_whole and _length(sentence) >= _FACT and not is_about_answers


def _alarming(sentence: str) -> str:
    """Of lines like "step: 4 error: …" that were joined the one that warns, else all."""
    parts = re.split(r"\s+(?=\w+:\s)", sentence)
    return next((each for each in parts[1:] if words.ALERT.match(each)), sentence)


def _described(facts: Sequence[str], message: Message) -> Ask:
    """The first fact that the subject does not tell; a share that the subject alone tells ("disk usage 91%") goes before it."""
    year = message.date.year if message.date else None
    # What stands before a colon says of what the date is, but of an error no more than the mail.
    lines = [
        days_in_short(core(each, message, keeps_label=not words.ALERT.match(each)), year).rstrip(" .")
        for each in facts
    ]
    about = _TAG.sub("", base_subject(message.subject))
    share = _SHARE.search(about)
    if share and share[0] not in " ".join(facts):
        return Ask("writes", about, facts[0], others=tuple(lines))
    known = set(_WORD.findall(about.casefold()))
    is_new = [len(known & set(_WORD.findall(each.casefold()))) < _REPEATS * len(known) for each in facts]
    first = is_new.index(True) if True in is_new and len(known) >= _FACT else 0
    return Ask("writes", lines[first], facts[first], whole=lines[0], others=tuple(lines[1:]))


def _length(text: str) -> int:
    """Words; where nothing stands between them as many as that would be elsewhere."""
    return len(text.split()) if " " in text else len(text) // 3


def _cut(text: str, words: int, length: int) -> str:
    """At most so many words and characters, up to a comma where that says enough."""
    text = _ENDS.sub("", text)
    parts = text.split()
    most = max(
        (n for n in range(1, min(words, len(parts)) + 1) if len(" ".join(parts[:n])) < length), default=0
    )
    if len(parts) <= most or not most:
        return text if len(text) <= length else f"{text[: length - 1]}…"
    comma = text.find(", ")
    if comma > 0 and len(text[:comma].split()) <= _FACT and len(text[comma + 2 :].split()) <= most:
        return text[comma + 2 :]
    # Behind a comma that ends no clause ("on Tuesday, November 24", "Ana, Bo and Ida") stands a name.
    ends = (
        n for n in range(most // 2, most + 1) if n and parts[n - 1].endswith(",") and parts[n][:1].islower()
    )
    upto = max(ends, default=0)
    return " ".join(parts[:upto]).rstrip(",") if upto else f"{' '.join(parts[:most]).rstrip(_EDGES)}…"
