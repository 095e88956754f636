"""The gaps that the offline rules leave in a reply, and what of the mail each of them answers."""

import re
from dataclasses import replace

from email_assistant.mail.message import Message
from email_assistant.mail.text import one_line
from email_assistant.models.offline import words
from email_assistant.models.offline.reading import body_words, sentences

WHOLE = "[confirm: your reply, in the language of the mail; offline rules write English only]"
OFFER = "[confirm: what you offer to do about it]"
ORDERED = "[confirm: availability, price and delivery date]"
TIME = "[confirm: a time that suits you]"
ANSWER = "[confirm: your answer to the question]"
DOING = "[confirm: what you will do, and by when]"
SAYING = "[confirm: what you want to say]"

MAX_GAPS = 3
MAX_QUESTIONS = 20
_MAX_SENTENCE = 300
_MAX_READ = 12_000
_ITEM = re.compile(r"^\s*(?:[-*•·–]|\d{1,2}[.)])\s+")
_NUMBERED = re.compile(r"\[confirm: your answer to question (?P<number>\d{1,2})\]")
_PATTERNS = {
    OFFER: (words.REQUEST, words.COMPLAINT),
    ORDERED: (words.ORDER,),
    TIME: (words.MEETING,),
    DOING: (words.DEADLINE, words.REQUEST),
}


def gaps_for(message: Message, text: str, is_complaint: bool) -> str:
    """What only the user can say, by what the message asks for; `text` are its own words."""
    if is_complaint:
        return OFFER
    if words.ORDER.search(text):
        return ORDERED
    if words.MEETING.search(text) and not words.cancels(text):
        return TIME
    questions = len(words.QUESTION.findall(body_words(message)))
    if questions == 1:
        return ANSWER
    if questions:
        numbers = range(1, min(questions, MAX_GAPS) + 1)
        return "\n".join(f"[confirm: your answer to question {number}]" for number in numbers)
    asks = words.REQUEST.search(text) or words.DEADLINE.search(text)
    return DOING if asks else SAYING


def questions_of(message: Message) -> tuple[str, ...]:
    """The sentences of the text that ask something, in order, a line each; at most `MAX_QUESTIONS`."""
    asking = [
        _sentence(sentence)
        for sentence in sentences(body_words(message))
        for _ in words.QUESTION.findall(sentence)
    ]
    return tuple(asking[:MAX_QUESTIONS])


def sentence_with(message: Message, *patterns: re.Pattern[str]) -> str:
    """The first sentence of the text with the first pattern that any has, as a line; "" without one."""
    said = sentences(body_words(message))
    found = (each for pattern in patterns for each in said if pattern.search(each))
    return _sentence(next(found, ""))


def beginning(message: Message) -> Message:
    """The message with as much of its text as is looked at for what it wants: as its card shows."""
    return replace(message, text=message.text[:_MAX_READ])


def asked_in(gap: str, message: Message) -> str:
    """What of the message is to be answered in this gap, in its own words; "" of a gap that these rules did not leave, or about nothing."""
    message = beginning(message)
    questions = questions_of(message)
    if numbered := _NUMBERED.fullmatch(gap):
        return questions[number - 1] if (number := int(numbered["number"])) <= len(questions) else ""
    if gap == ANSWER:
        return questions[0] if questions else ""
    if gap == WHOLE:
        return _sentence(" ".join(questions[:MAX_GAPS]))
    return sentence_with(message, *_PATTERNS.get(gap, ()))


def _sentence(text: str) -> str:
    """As a line, without the mark of a list's item before it."""
    return one_line(_ITEM.sub("", text), limit=_MAX_SENTENCE)
