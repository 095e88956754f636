"""Triage by rule: what a message needs, and which rule said so."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Literal

from email_assistant.language.text import READ, language_of
from email_assistant.mail.conversation import is_of_daemon
from email_assistant.mail.domains import IMITATED, is_of_authority, registered
from email_assistant.mail.headers import bulk_of, is_no_reply
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline import words
from email_assistant.models.offline.meeting import offers_a_time
from email_assistant.models.offline.meeting_change import wishes_change
from email_assistant.models.offline.offers import answer_to_offer
from email_assistant.models.offline.preferences import DISMISSALS_TO_ASK, history_of
from email_assistant.models.offline.reading import (
    body_words,
    calls,
    cancels,
    has_name,
    orders_an_assistant,
    own_words,
    sells,
    sentences,
)

_HOST = re.compile(r"https?://(?:[^\s/@<>]{1,100}@)?([\w.-]{3,253})", re.IGNORECASE)
_BRANDS = frozenset(domain.partition(".")[0] for domain in IMITATED)
_MAX_READ = 20_000
_MAX_LINKS = 50


def lure(message: Message) -> str:
    """What makes a message a lure, in one sentence; "" for any other.

    It leads to another host than its sender's and presses, and calls itself a house whose domain is another one or wants the
    key to an account. May read a file: call it in a thread.
    """
    home = registered(message.sender.domain)
    text = "\n".join((message.subject, message.text, message.quoted, message.signature))[:_MAX_READ]
    led = [registered(host.rstrip(".")) for host in _HOST.findall(text)[:_MAX_LINKS]]
    led = [host for host in led if host != home]
    text = " ".join(text.split())
    wants_key, presses = words.LURE.search(text), words.ULTIMATUM.search(text)
    if not led or not (wants_key or presses):
        return ""
    named = _BRANDS.intersection(re.findall(r"[^\W\d_]+", message.sender.name[:200].casefold()))
    brand = next((each for each in sorted(named) if home.partition(".")[0] != each), "")
    if brand and not any(host.partition(".")[0] == brand for host in led):
        return f"It calls itself {message.sender.name}, but comes from {home} and leads to {led[0]}."
    if wants_key and presses:
        return f"It comes from {home}, presses, and leads to {led[0]}."
    return ""


Classification = Literal["ignore", "respond", "notify"]
_POSTSCRIPT = re.compile(r"\W*p\.? ?s\.?\W", re.IGNORECASE)
_FAILED_CHECK = re.compile(r"\b(?:spf|dkim|dmarc)\s*=\s*fail\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TriageRule:
    """A verdict and, in one plain sentence, the rule behind it."""

    classification: Classification
    reasoning: str
    asks: bool = False
    """Whether it wants something of the user, or is something to look at closely: nothing that was learned hides that."""
    offers_silence: bool = False
    """Whether the user is asked if such mail of its sender is to be hidden."""


@dataclass(frozen=True, slots=True)
class _Case:
    """What the rules look at."""

    conversation: Conversation
    preferences: str
    own: frozenset[str]
    text: str
    called: frozenset[str] = frozenset()

    @property
    def message(self) -> Message:
        return self.conversation.current

    def header(self, name: str) -> str:
        return self.message.headers.get(name, "").strip().lower()

    def has(self, pattern: re.Pattern[str]) -> bool:
        return pattern.search(self.text) is not None

    @property
    def user_took_part(self) -> bool:
        return self.conversation.has_part_of(self.own)


def triage(
    conversation: Conversation, *, preferences: str, own: frozenset[str], called: frozenset[str] = frozenset()
) -> TriageRule:
    """What the current message needs; the first rule that applies decides.

    `preferences` is the triage profile, of which the lines that learning wrote count; `own` are the user's
    addresses in lower case, `called` the names by which others call the user.
    """
    case = _Case(conversation, preferences, own, " ".join(own_words(conversation.current).split()), called)
    for rule in _RULES:
        verdict = rule(case)
        if verdict:
            return verdict
    if (language_of(case.text) or "en") not in READ:
        return notify("The built-in rules do not read its language, so it is only shown.", asks=True)
    return notify("Nothing in it asks you for an answer, so it is only shown.")


def silenced(
    verdict: TriageRule, conversation: Conversation, *, preferences: str, own: frozenset[str]
) -> TriageRule:
    """The verdict of a model or of the rules, once what the user did with the sender's mail so far counts.

    Nobody is hidden before the user was asked and agreed, and never what asks something of the user, nor what comes from an
    authority. What a model would ignore although it asks is shown, where its sender is named in the profile. For somebody the
    user has written to this is not asked.
    """
    sender, rule = conversation.current.sender, triage(conversation, preferences=preferences, own=own)
    is_learned_of = bool(sender.key) and sender.key in preferences.lower()
    if is_learned_of and verdict.classification == "ignore" and rule.classification == "respond":
        why = f"{rule.reasoning} The model would have ignored it: {verdict.reasoning}"
        return replace(rule, classification="notify", reasoning=why)
    if verdict.classification != "notify" or rule.asks:
        return verdict
    history = history_of(sender.key, preferences)
    if history.dismissed < DISMISSALS_TO_ASK or is_of_authority(sender.domain):
        return verdict
    if history.hidden:
        return _ignore(f"It asks nothing of you, and you hid such mail of {sender.key}.")
    return replace(verdict, offers_silence=True)


def _alone(message: Message) -> _Case:
    """The message without its conversation, and without what the user wants."""
    return _Case(Conversation(message), "", frozenset(), " ".join(own_words(message).split()))


def unanswerable(conversation: Conversation, *, own: frozenset[str], in_doubt: bool) -> TriageRule | None:
    """What becomes of mail that a desk drafts no answer to: mail of programs, mailings, scams; None for all other.

    Programs' mail and mailings are known by their headers (RFC 3834, RFC 2919, RFC 2369), or say that nobody reads answers; other
    words tell nothing, for a customer may write like an advertisement. A form on a web site sends from a no-reply address and names the
    customer in Reply-To.
    """
    case = _Case(conversation, "", own, " ".join(own_words(conversation.current).split()))
    bulk = bulk_of(case.message)
    for rule in (_bounce, _automatic_reply):
        if verdict := rule(case):
            return verdict
    goes_on = bulk.to_many and case.user_took_part
    form = not bulk.to_many and not bulk.is_automatic and _reply_to_a_person(case.message)
    if bulk.one_way and not goes_on and not form:
        return _machine(case) or _ignore("It is a mailing: nobody waits for an answer.")
    return not_drafted(case.message, in_doubt=in_doubt)


def not_drafted(message: Message, *, in_doubt: bool) -> TriageRule | None:
    """Mail that no graph drafts an answer to, whatever a model says: nobody reads that, or it is a lure; None for all other."""
    case = _alone(message)
    if in_doubt and (case.has(words.NEW_BANK_DETAILS) or case.has(words.LURE) or lure(message)):
        return notify(
            "The sender is in doubt, and wants money or access: check by another way before you answer."
        )
    # What stands in quotation marks is somebody else's: a notice that the sender cannot answer.
    below = re.sub(r"[\"“„«][^\"“”»]{1,300}[\"“”»]", " ", f"{message.text}\n{message.signature}")
    if message.form is None and not _reply_to_a_person(message) and words.UNATTENDED.search(below):
        return notify("It says that nobody reads answers to it.", asks=True)
    return None


def goes_with(message: Message, asked: Message) -> bool:
    """Whether a later message leaves standing what an earlier one asked, and asks nothing itself: thanks, a word, a postscript."""
    case = _alone(message)
    if orders_an_assistant(message) or cancels(case.text) or case.has(words.NO_REPLY_NEEDED):
        return False
    is_postscript = message.sender.key == asked.sender.key and _POSTSCRIPT.match(message.text)
    return bool(is_postscript) or not asks(message)


def asks(message: Message) -> bool:
    """Whether it wants something of its readers, or names a time for a meeting."""
    case = _alone(message)
    return bool(_asks(case) or _offers_a_time(case))


def _reply_to_a_person(message: Message) -> bool:
    return any(not is_no_reply(one) for one in message.reply_to)


def _bounce(case: _Case) -> TriageRule | None:
    """A report that mail was not delivered (RFC 3464)."""
    if is_of_daemon(case.message):
        return notify("It reports on the delivery of a mail.")
    return None


def _ignore(why: str) -> TriageRule:
    return TriageRule("ignore", why)


def notify(why: str, *, asks: bool = False) -> TriageRule:
    """The verdict that it is shown."""
    return TriageRule("notify", why, asks)


def _respond(why: str) -> TriageRule:
    return TriageRule("respond", why, asks=True)


def _orders(case: _Case) -> TriageRule | None:
    if orders_an_assistant(case.message):
        return notify(
            "It contains instructions aimed at an assistant; they are not followed, only shown to you.",
            asks=True,
        )
    return None


def _own(case: _Case) -> TriageRule | None:
    if case.message.sender.key not in case.own:
        return None
    if _FAILED_CHECK.search(case.header("authentication-results")):
        return notify(
            "It claims to be from you, but the sender's identity could not be confirmed.", asks=True
        )
    if is_note_to_self(case.message, case.own):
        return notify("It is a note to yourself.")
    return _ignore("You wrote this message yourself.")


def is_note_to_self(message: Message, own: frozenset[str]) -> bool:
    """Whether the user alone gets what the user wrote."""
    people = {each.key for each in (message.sender, *message.to, *message.cc)}
    return bool(message.to) and people <= own and not message.sent


def _asked_before(case: _Case) -> TriageRule | None:
    sender = case.message.sender.key
    if history_of(sender, case.preferences).asked_reply:
        return _respond(f"You asked for a reply to {sender} before.")
    return None


def is_automatic_reply(message: Message) -> bool:
    """Whether a program answers for its sender, as out of office (RFC 3834)."""
    headers = message.headers
    replied = headers.get("auto-submitted", "").strip().lower().startswith("auto-replied")
    marked = headers.get("precedence", "").strip().lower() == "auto_reply"
    return replied or marked or words.AUTOMATIC_REPLY.search(message.subject) is not None


def _automatic_reply(case: _Case) -> TriageRule | None:
    return _ignore("It is an automatic reply.") if is_automatic_reply(case.message) else None


def _machine(case: _Case) -> TriageRule | None:
    """Mail that a program wrote (RFC 3834 §5): warnings and demands are shown, the rest is not."""
    if not is_no_reply(case.message.sender) and case.header("auto-submitted") in {"", "no"}:
        return None
    is_mailing = bool(case.header("list-unsubscribe")) or _is_marketing(case)
    if words.ALERT.search(case.message.subject) or (case.has(words.ALERT) and not is_mailing):
        return notify("It is an automatic message that warns of something.")
    if not is_mailing and (case.has(words.REQUEST) or case.has(words.DEADLINE)):
        return notify("It is an automatic message that wants something of you.", asks=True)
    return _ignore("It is an automatic notification that asks for nothing.")


def _bulk(case: _Case) -> TriageRule | None:
    """List mail (RFC 2919, RFC 2369), unless it goes on with something the user wrote."""
    if case.user_took_part or (
        bulk_of(case.message).is_discussion and asks_by_name(case.message, case.called)
    ):
        return None
    if (case.header("list-id") or case.header("list-unsubscribe")) and not (
        is_personal_letter(case.message, case.own, case.called)
    ):
        return _ignore("It went to a mailing list, not to you personally.")
    if case.header("precedence") in {"bulk", "list", "junk"}:
        return _ignore("It is marked as a bulk mailing.")
    if _is_marketing(case):
        return _ignore("It reads like advertising.")
    return None


def is_personal_letter(message: Message, own: frozenset[str], called: Collection[str]) -> bool:
    """Whether a mail with a list's marks asks the user by name and sells nothing: a list in Cc, a letter by a customers' mail program."""
    people = {each.key for each in (*message.to, *message.cc)}
    is_letter = calls(message, called) and not sells(message) and not is_no_reply(message.sender)
    return bool(is_letter and people & own and _asks(_alone(message)))


def asks_by_name(message: Message, called: Collection[str]) -> bool:
    """Whether a sentence of it asks something of the user by name, see `has_name`."""
    asking = (
        each
        for each in sentences(body_words(message))
        if words.QUESTION.search(each) or words.REQUEST.search(each)
    )
    return any(has_name(each, called) for each in asking)


def _is_marketing(case: _Case) -> bool:
    return sum(case.has(pattern) for pattern in words.MARKETING) >= 2


def _money(case: _Case) -> TriageRule | None:
    if case.has(words.NEW_BANK_DETAILS):
        return notify(
            "It speaks of new bank details or gift cards; check by another way before you answer or pay.",
            asks=True,
        )
    return None


def _needs_no_reply(case: _Case) -> TriageRule | None:
    return notify("It says that no reply is needed.") if case.has(words.NO_REPLY_NEEDED) else None


def _only_copied(case: _Case) -> TriageRule | None:
    """The user stands in Cc alone, and the text does not name them."""
    to, cc = case.message.to, case.message.cc
    copied = [address for address in cc if address.key in case.own]
    if not copied or any(address.key in case.own for address in to):
        return None
    names = {
        part.lower()
        for address in copied
        for part in [*address.name.split()[:1], address.email.split("@")[0]]
    }
    if any(re.search(rf"\b{re.escape(name)}\b", body_words(case.message), re.IGNORECASE) for name in names):
        return None
    return notify("You are only in copy, and nothing in it is put to you by name.")


def _changes_meeting(case: _Case) -> TriageRule | None:
    """Of a conversation that the user has written in: there may be a meeting that it is about."""
    if case.user_took_part and wishes_change(case.message):
        return _respond("It wishes to move a meeting, or to call it off.")
    return None


def _answers_offer(case: _Case) -> TriageRule | None:
    return _respond("It answers times that you offered.") if answer_to_offer(case.conversation) else None


def _asks(case: _Case) -> TriageRule | None:
    question, request = case.has(words.QUESTION), case.has(words.REQUEST)
    if not (question or request or case.has(words.DEADLINE)):
        return None
    if case.has(words.DEADLINE):
        return _respond("It names a deadline for something you are to do.")
    if case.has(words.MEETING) and not cancels(case.text):
        return _respond("It asks about a meeting or a call.")
    return _respond("It asks you a question." if question else "It asks you to do something.")


def _offers_a_time(case: _Case) -> TriageRule | None:
    return _respond("It names a time for a meeting.") if offers_a_time(case.message) else None


def _informs(case: _Case) -> TriageRule | None:
    if cancels(case.text):
        return notify("It cancels something and asks for nothing.")
    if case.has(words.FOR_INFORMATION):
        return notify("It is for your information.")
    if not body_words(case.message).strip():
        files = len(case.message.attachments)
        return notify("It has no text, only an attachment." if files else "It has no text, only a subject.")
    return None


# Instructions to an assistant come before everything that could ignore or answer the message.
_RULES: tuple[Callable[[_Case], TriageRule | None], ...] = (
    _orders, _own, _asked_before, _automatic_reply, _machine, _bulk, _money, _answers_offer, _needs_no_reply, _only_copied,
    _changes_meeting, _asks, _offers_a_time, _informs,
)  # fmt: skip
