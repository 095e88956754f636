"""Whether a message wishes a meeting that there is moved or called off, in English, German, French and Spanish.

Only the wish is recognised here. Which meeting is meant is for the calendar to say, and what a new time is for the reader of times.
"""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from email_assistant.language.days import find_days
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline import words
from email_assistant.models.offline.injection import orders_an_assistant
from email_assistant.models.offline.meeting import PAST, MeetingRequest, meeting_request
from email_assistant.models.offline.reading import body_words, sentences

Wish = Literal["move", "cancel"]
MOVE: Wish = "move"
CANCEL: Wish = "cancel"
_SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_MAX_SENTENCES = 60
_MAX_SENTENCE = 500


@dataclass(frozen=True, slots=True)
class MeetingChange:
    """What is wished."""

    wish: Wish
    request: MeetingRequest | None = None
    """The new time that the message names for a move, as far as it can be read."""


@dataclass(frozen=True, slots=True)
class _Forms:
    """How one language says it. A form is the whole of a person's wish: a verb alone is none ("to cancel, call …")."""

    move: re.Pattern[str]
    cancel: re.Pattern[str]
    new_time: re.Pattern[str]
    """Where the sentence that wishes a move names the new time."""
    asked: str
    """A question for a meeting at a time, which the reader of times understands."""


def _form(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


_EN_MOVED = r"(?:move|reschedule|postpone|shift|push back)"
_EN_WANTS = (
    r"(?:(?:can|could|may|might|shall|should) we|(?:can|could|would) you|(?:I|we) (?:need|have|would like"
    r"|want) to|I'd like to|possible to|(?:I|we) must)"
)
_DE_MOVED = r"(?:verschieben|verlegen|umlegen)"
_DE_WANTS = (
    r"(?:(?:können|könnten|sollen|müssen) (?:wir|Sie)|(?:kannst|könntest) du|(?:ich|wir) (?:muss|müssen"
    r"|müssten?|möchten?|würden?)|muss ich|müssen wir|möchte ich)"
)
_FR_MOVED = r"(?:déplacer|reporter|décaler)"
_FR_WANTS = (
    r"(?:(?:pouvons|pourrions)[- ]nous|(?:peut|pourrait)[- ]on|(?:pouvez|pourriez)[- ]vous|(?:je"
    r"|nous) (?:dois|devons|souhaite|souhaitons|voudrais|voudrions)|est-il possible de"
    r"|serait-il possible de|il faut)"
)
_ES_MOVED = r"(?:mover|cambiar|aplazar|posponer|trasladar)"
_ES_WANTS = (
    r"(?:podemos|podríamos|puedes|podrías|puede|podría|tengo que|tenemos que|debo|debemos|necesito"
    r"|necesitamos|me gustaría|quisiera|es posible|sería posible)"
)

_FORMS: tuple[_Forms, ...] = (
    _Forms(
        move=_form(rf"\b{_EN_WANTS}\b[^.?!]{{0,40}}?\b{_EN_MOVED}\b", rf"\bplease {_EN_MOVED}\b"),
        cancel=_form(
            r"\b(?:I|we)(?:'m afraid| am afraid|'m sorry| am sorry)?(?:,? but)?(?: (?:I"
            r"|we))? (?:unfortunately )?(?:must|have to|need to|will have to)"
            r"(?: unfortunately)? (?:cancel|call off)\b",
            r"\b(?:I|we)(?: unfortunately)? (?:can't|cannot|can not|won't be able to|am unable to) (?:make (?:it"
            r"|our|the)|come|attend)\b",
            r"\bplease cancel (?:our|the|my|this)\b",
            r"\b(?:our|the) (?:meeting|call|appointment|visit|viewing|lunch|interview)\b[^.?!]{0,40}? (?:is"
            r"|has to be|must be|needs to be) (?:cancell?ed|called off)\b",
        ),
        new_time=_form(rf"\b{_EN_MOVED}\b.*?\b(?:to|until|till)\b(?P<new>.+)"),
        asked="Could we meet on {}?",
    ),
    _Forms(
        move=_form(
            rf"\b{_DE_WANTS}\b[^.?!]{{0,120}}?\b{_DE_MOVED}\b", rf"\bbitte\b[^.?!]{{0,80}}?\b{_DE_MOVED}\b"
        ),
        cancel=_form(
            r"\b(?:muss|müssen)\b[^.?!]{0,100}?\b(?:absagen|stornieren)\b",
            r"\b(?:ich|wir) (?:sage|sagen)\b[^.?!]{0,80}?\bab\b",
            r"\b(?:termin|treffen|besprechung|gespräch|telefonat|besuch)\b[^.?!]{0,60}?\b(?:fällt"
            r"|muss)(?: leider)? (?:aus|ausfallen)\b",
            r"\b(?:ich|wir) (?:kann|können)\b[^.?!]{0,60}?\bnicht (?:kommen|teilnehmen|dabei sein)\b",
        ),
        new_time=_form(rf"\bauf\b(?P<new>.+?)\b{_DE_MOVED}\b"),
        asked="Können wir uns treffen am {}?",
    ),
    _Forms(
        move=_form(rf"\b{_FR_WANTS}\b[^.?!]{{0,60}}?\b{_FR_MOVED}\b", rf"\bmerci de {_FR_MOVED}\b"),
        cancel=_form(
            r"\b(?:je dois|nous devons|je suis obligée? d['e]|nous sommes obligés d['e])\b[^.?!]{0,40}?\bannuler\b",
            r"\b(?:je ne pourrai|nous ne pourrons|je ne peux|nous ne pouvons) (?:malheureusement )?pas (?:venir"
            r"|être là|assister|participer)\b",
            r"\b(?:rendez-vous|réunion|visite|entretien)\b[^.?!]{0,40}? (?:est|doit être) annulée?\b",
        ),
        new_time=_form(rf"\b{_FR_MOVED}\b.*?\b(?:au|à|pour)\b(?P<new>.+)"),
        asked="Pouvons-nous nous voir {} ?",
    ),
    _Forms(
        move=_form(rf"\b{_ES_WANTS}\b[^.?!]{{0,60}}?\b{_ES_MOVED}\b"),
        cancel=_form(
            r"\b(?:tengo que|tenemos que|debo|debemos|necesito|me veo obligad[oa] a)\b[^.?!]{0,40}?\b(?:cancelar"
            r"|anular)\b",
            r"\bno (?:podré|podremos|puedo|podemos) (?:ir|asistir|acudir|llegar)\b",
            r"\b(?:reunión|cita|llamada|visita)\b[^.?!]{0,40}? (?:queda|está) (?:cancelad[oa]|anulad[oa])\b",
        ),
        new_time=_form(rf"\b{_ES_MOVED}\b.*?\b(?:al|para el|para|a)\b(?P<new>.+)"),
        asked="¿Podemos reunirnos el {}?",
    ),
)
"""English, German, French, Spanish."""
_NOT_MEANT = _form(
    r"\b(?:if|unless|in case|whether) \w+|\b(?:no need|not? (?:have|need|want|wish) to|don't (?:have|need"
    r"|want) to|never)\b|\bhad to\b",
    r"\b(?:falls|wenn|sofern|nicht (?:absagen|verschieben|verlegen)|keinesfalls)\b|\b(?:musste|mussten)\b",
    r"\b(?:si (?:vous|tu|jamais)|au cas où|sans avoir à|pas besoin)\b|\bai dû\b",
    r"\b(?:si (?:usted|tiene|tienes|necesita|desea)|en caso de|sin necesidad)\b|\btuve que\b",
)
"""A condition, a denial, or what was: nobody wishes it now."""
_OTHER_THINGS = _form(
    r"\b(?:subscription|order|contract|account|membership|insurance|policy|flight|ticket|booking"
    r"|reservation|payment|invoice|money|deadline|house|office)s?\b",
    r"\b(?:abo|abonnement|bestellung|vertrag|konto|mitgliedschaft|versicherung|flug|buchung|reservierung"
    r"|zahlung|rechnung)\b",
    r"\b(?:commande|contrat|compte|adhésion|assurance|vol|réservation|paiement|facture)\b",
    r"\b(?:suscripción|pedido|contrato|cuenta|seguro|vuelo|reserva|pago|factura|contraseña)\b",
)
"""What else is moved and cancelled."""
_SOME_THING = _form(
    r"\b(?:the|my|your|our|an?|den|die|das|dem|eine?n?|unser\w*|mein\w*|ihr\w*|les?|la|une?|mon|ma|notre"
    r"|votre|el|l[ao]s|una?|mi|su|nuestr\w+) \w"
)
_RELATIVE = _form(
    r"\b(?:today|tonight|tomorrow|next|this|coming|later|earlier|heute|morgen|übermorgen|nächste\w*|kommende\w*|diese\w*)\b",
    r"\b(?:aujourd'hui|demain|prochaine?|cette?|suivante?|hoy|mañana|próxim[oa]|est[ea]|siguiente|que viene)\b",
)
"""What is meant from the day on which it was written."""
_INSTEAD = _form(r"\b(?:instead|stattdessen|à la place|en su lugar)\b")


def change_wanted(
    conversation: Conversation, *, now: datetime, timezone: str, about: datetime | None = None
) -> MeetingChange | None:
    """The change that the current message wishes, or None, also where that is not understood.

    A message that cannot come and asks for another time wishes a move. `timezone` is the user's IANA zone; `about` is when the meeting
    is: a weekday without a date is one of that week ("can we move Thursday to Friday?"). May read time zone data.
    """
    message = conversation.current
    if message.calendars or orders_an_assistant(message):
        return None
    said = [each[:_MAX_SENTENCE] for each in sentences(body_words(message))[:_MAX_SENTENCES]]
    # The forms of one language are no words of another, and short mail does not say which it is in.
    for forms in _FORMS:
        if found := _Reader(conversation, now, timezone, forms, about).wish(said):
            return found
    return None


def wishes_change(message: Message) -> bool:
    """Whether the message by itself wishes that a meeting is moved or called off."""
    return change_wanted(Conversation(message), now=message.date or _SOME_DAY, timezone="UTC") is not None


@dataclass(frozen=True, slots=True)
class _Reader:
    conversation: Conversation
    now: datetime
    timezone: str
    forms: _Forms
    about: datetime | None

    def wish(self, said: list[str]) -> MeetingChange | None:
        """What these sentences wish in this language."""
        moved = next((number for number, each in enumerate(said) if self._says(self.forms.move, each)), None)
        if moved is not None:
            return MeetingChange(MOVE, self._new_time(said, moved))
        gone = next((number for number, each in enumerate(said) if self._says(self.forms.cancel, each)), None)
        return None if gone is None else self._instead(said[:gone] + said[gone + 1 :])

    def _instead(self, rest: list[str]) -> MeetingChange | None:
        """Of somebody who cannot come, and says this besides."""
        if not any(words.QUESTION.search(each) or words.REQUEST.search(each) for each in rest):
            return MeetingChange(CANCEL)
        # Whoever asks for something besides may want another time, or something else: only the first is understood.
        request = self._named_in(rest)
        return MeetingChange(MOVE, request) if request else None

    def _says(self, form: re.Pattern[str], sentence: str) -> bool:
        meant = form.search(sentence) and not any(
            each.search(sentence) for each in (_NOT_MEANT, _OTHER_THINGS, PAST)
        )
        return bool(meant) and self._is_of_meeting(sentence)

    def _is_of_meeting(self, sentence: str) -> bool:
        """Whether what is moved or called off is a meeting, or its day, or not named at all."""
        found = self.forms.new_time.search(sentence)
        rest = f"{sentence[: found.start('new')]} {sentence[found.end('new') :]}" if found else sentence
        days, _ = find_days(rest, self.now.date(), day_first=False)
        return bool(words.MEETING.search(rest) or days or not _SOME_THING.search(rest))

    def _new_time(self, said: list[str], at: int) -> MeetingRequest | None:
        """What the sentence says behind its "to", else what those after it name."""
        found = self.forms.new_time.search(said[at])
        request = self._read(found["new"]) if found else None
        return request or self._named_in(said[at + 1 :])

    def _named_in(self, said: list[str]) -> MeetingRequest | None:
        """The first sentence that names a time."""
        return next((request for each in said if (request := self._read(each))), None)

    def _read(self, text: str) -> MeetingRequest | None:
        """A time, by the reader of times; it is asked about these words alone, so that the old time is not taken for the new."""
        asked = self.forms.asked.format(_INSTEAD.sub("", text).strip(" ?!.,:"))
        found = self._asked(asked, self.conversation.current.date)
        if self.about is None or _RELATIVE.search(text):
            return found
        # Read as if it were written on the day before that week: a weekday is another one then, and a date is not.
        sunday = self.about - timedelta(days=self.about.astimezone(ZoneInfo(self.timezone)).isoweekday())
        there = self._asked(asked, sunday)
        return there if there and (found is None or _are_weeks_apart(found, there)) else found

    def _asked(self, text: str, written: datetime | None) -> MeetingRequest | None:
        current: Message = replace(self.conversation.current, subject="", text=text, quoted="", date=written)
        alone = Conversation(current, self.conversation.earlier)
        request = meeting_request(alone, now=self.now, timezone=self.timezone)
        return request if request and (request.proposed or request.day_hints) else None


def _are_weeks_apart(one: MeetingRequest, other: MeetingRequest) -> bool:
    first, second = (min([*(each.date() for each in r.proposed), *r.day_hints]) for r in (one, other))
    return (second - first).days % 7 == 0
