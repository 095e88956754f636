"""Commitments: what the user's side grants, does or claims to have done, by families of verbs.

A commitment is a clause in which "I", "we", the company or "you will receive" stands with a verb of a family. It needs a
sentence of a source of ours with a word of the same family and without a negation. Questions, negated clauses and
restatements of what the other party wants are none.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from email_assistant.facts.assurances import assurances_in, assured


@dataclass(frozen=True, slots=True)
class Promise:
    """A clause that commits the user's side, and to what."""

    start: int
    end: int
    families: frozenset[str]


# Word beginnings of each family, in English, German, French, Spanish.
_FAMILIES = {
    "refund": r"refund|reimburs|money[- ]back|money (?:will be |is )?returned|back (?:on|to|in) your (?:card|account)|geld (?:\w+ ){0,2}zurück|erstatt|rückerstatt|zurückzahl|rembours|reembols|devolver",  # noqa: E501
    "credit": r"credit(?:ed)?\b(?!\s?card)|store credit|gutschrift|gutschreib|gutgeschrieben|bon d'achat|\babono\b",
    "replace": r"replac|exchang|swap|ersatz|ersetz|umtausch|tausche?n? (?:[\w-]+ ){1,6}?um\b|new one|neues gerät|austausch|ausgetauscht|remplac|échang|reemplaz|cambiar",  # noqa: E501
    "repair": r"repair|\bmend|\bfix\b|\bfixed\b|reparier|reparatur|instand|répar|reparar",
    "deliver": r"deliver|ship|dispatch|send out|arriv|\bsend(?:ing)?\b.{0,30}\b(?:parcel|package|order|item|replacement|goods)"
    r"|(?:ge|aus|nach)?liefer|verschick|versend|versand|ankommen|eintreffen|zustell|livr|expédi|entreg|enviar(?:emos)?\b|enviaremos",
    "call back": r"(?:call|phone|ring)(?: you| back)|give you a (?:call|ring)|telefonisch bei|melde mich|meldet sich|ruf\w* (?:sie|dich|euch)|anrufen|rückruf|zurückrufen|rappel|llamar",  # noqa: E501
    "cancel": r"cancel|terminat|withdraw|stornier|storno|künd|gekündigt|annul|anul",
    "extend": r"extend|another (?:day|week|month) to|more time to|extension|prolong|verläng|verlänger|prórrog",
    "discount": r"discount|reduc(?:e|tion)|\boff (?:your|the) (?:next|price|bill|order|invoice)|lower the price|cheaper|entgegenkommen|kommen ihnen\b.{0,40}\bentgegen|rabatt|nachlass|ermäßig|remise|réduction|descuent|rebaj",  # noqa: E501
    "waive": r"waiv|no charge|without charge|\bon us\b|on the house|(?:not|n't) (?:have|need) to pay|entfällt|geht auf uns|free of charge|at no (?:extra |additional )?(?:cost|charge)|for free\b|free shipping|complimentary|kostenlos|kostenfrei|gratis|unentgeltlich"  # noqa: E501
    r"|ohne aufpreis|erlassen|gratuit|sin (?:coste|cargo)",
    "guarantee": r"(?:my|our) word\b|mein wort|unser wort|guarant|warrant|\bpromis|\bassure\b|garantier|garantie|verspr|sicher ?zu|zusicher|garantiz|garantis|promet",  # noqa: E501
    "confirm": r"confirm(?!:)|booked|\breserv|bestätig|gebucht|reservier|confirm(?:er|ons|amos)",
    "compensate": r"voucher|gutschein|compensat|make it up to you|make up for|entschädig|dédommag|indemni|compens",
    "pay": r"\bpay (?:you|the|for|your)|\btransfer (?:the|you)|überweis|bezahlen wir|begleichen|verser|\bpagar",
    "approve": r"approv|\bgrant|genehmig|bewillig|\baccept(?:ed)? (?:your|the)|approuv|aprob",
    "hold": r"hold (?:the|it|them|your)|set aside|keep (?:the price|it for you)|zurückleg|reservado para",
    "upgrade": r"upgrad|hochstuf",
}  # fmt: skip
_VERBS = {
    name: re.compile(rf"(?<!\w)(?:{pattern})" if not pattern.startswith(r"\b") else pattern, re.IGNORECASE)
    for name, pattern in _FAMILIES.items()
}
_ANY = re.compile("|".join(f"(?:{pattern})" for pattern in _FAMILIES.values()), re.IGNORECASE)
_SUBJECT = re.compile(
    r"^(?:will|have)\b|\b(?:I|we)(?:'ll|'ve|'m|'re|'d)?\b|\b(?:our|the) (?:team|company|shop|warehouse|colleagues?|support|courier|driver|office|accounting)\b"  # noqa: E501
    r"|\byou(?:'ll| will| can| are going to| shall| may)\b|\byou (?:get|receive|have been|are (?:entitled|covered|booked))\b"
    r"|\b(?:it|they|your [\w ]{2,40}?|the [\w ]{2,40}?|this|that|everything|delivery|shipping|a [\w ]{2,30}?)"
    r"(?:'ll| will| is| are| has| have| was| comes?| can| shall)\b|\b(?:please )?(?:rest assured|be assured)\b|\bconsider (?:it|the)\b|\bconfirmed\b"  # noqa: E501
    r"|\b(?:ich|wir|unser(?:e|em|en)? \w+)\b|\b(?:sie|du|ihr) (?:\w+ ){0,2}?(?:erhalten|bekommen|erhältst|bekommst|können|dürfen|werden|kannst)\b"  # noqa: E501
    r"|\b(?:die|der|das|ihre?|deine?|es) (?:[\w-]+ ){0,4}?(?:wird|werden|wurde|wurden|ist|sind|kann|kommt|trifft)\b|\b(?:erhalten|bekommen|kriegen) (?:sie|du)\b|\bein(?:e|er)? (?:kolleg\w+|techniker\w*)\b|\bone of us\b"  # noqa: E501
    r"|\b(?:nous|je|j'|vous (?:recevrez|serez|pouvez)|(?:votre|la|le|les) [\w ]{2,30}? (?:vous )?(?:sera|seront|est|sont|arrivera))"
    r"|\b(?:le|la|les|lo|su|te|el|los)\b[\w\s]{0,30}?\b\w+(?:remos|ré|rá)\b|\b(?:hemos|vamos a|voy a|\w{2,20}(?:amos|emos|imos))\b",
    re.IGNORECASE,
)
_PERFORMATIVE = re.compile(
    r"\b(?:free of charge|free shipping|at no (?:extra |additional )?(?:cost|charge)|guaranteed|kostenlos|kostenfrei|kostenfreie\w*|kostenlose\w*|ohne aufpreis)\b",  # noqa: E501
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not|cannot|never|unable|no longer|without|nicht|nie|kein\w*|ne .{1,15} pas|nunca|no (?:podemos|puedo|es)|no (?:refunds?|discounts?|warranty|"  # noqa: E501
    r"guarantees?|exchanges?|returns?|replacements?|deliver\w*|extensions?|shipping|cancellations?))\b|n't\b|\bunless\b|\bausgeschlossen\b",
    re.IGNORECASE,
)
# What the other party said, wants or did: no commitment of ours.
_RESTATED = re.compile(
    r"\b(?:you|she|he|they|customer) (?:\w+ )?(?:ask\w*|request\w*|want\w*|wish\w*|wrote|writ\w*|said|mention\w*|would like|need\w*|expect\w*|demand\w*|"  # noqa: E501
    r"report\w*|describ\w*|sent|order\w*|bought|paid|cancel\w*|confirm\w*|return\w*)\b|\byour (?:request|wish|question|complaint|mail|message|claim) (?:for|about|to|of)\b"  # noqa: E501
    r"|\bthank(?:s| you) for (?:your |the |confirm\w*|cancel\w*|send\w*)|\b(?:sie|du) (?:\w+ ){0,4}?(?:möchten|wünschen|bitten|fragen|schrieben|wollen|baten|hatten)\b"  # noqa: E501
    r"|\baccording to (?:you|her|him|them)|\bas you (?:say|write|wrote|said|mention|told)|\btoo early to\b|\bmight\b|\ba question (?:for|of)\b"  # noqa: E501
    r"|\b(?:ihre|ihrer|ihren|deine) (?:anfrage|bitte|frage|wunsch|reklamation|beschwerde)\b|\bdanke für\b|\bdank für\b|\bvous (?:demand|souhait)\w*",  # noqa: E501
    re.IGNORECASE,
)
# "I will look into a refund", "I will ask whether": an intention about the matter, not its granting.
_LOOKING = re.compile(
    r"\b(?:look(?:ing)? into|check(?:ing)?|ask(?:ing)?|find(?:ing)? out|clarify|see|discuss|forward(?:ed)?|whether|if we|received|have read|understand|know|sorry|"  # noqa: E501
    r"regret|prüfe|prüfen|kläre|klären|frage nach|nachfragen|ob|verstehe|verstehen|tut (?:mir|uns) leid|bedauern|erhalten haben|vérifi\w*|comprob\w*)\b",  # noqa: E501
    re.IGNORECASE,
)
_FUTURE = re.compile(
    r"\b(?:(?:I|we)(?:'ll| will| shall| am going to| are going to|'m going to|'re going to)|(?:our|the|a|my) [\w-]{2,20} (?:will|shall))"
    r"\s(?:\w+ly |also |then |now |of course |gladly )?(?P<v>[a-z]{2,20})\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:I|we)(?:'ve| have)\s(?:already |just |now |also |since )?(?P<v>[a-z]{2,18}ed|sent|made|paid|done|put|set)\b",
    re.IGNORECASE,
)
_GERMAN_FUTURE = re.compile(r"\b(?:ich|wir) werden?\s[^.]{0,120}?(?P<v>\w{2,20}en)\s*[.!]?$", re.IGNORECASE)
# What commits to nothing but the conversation itself.
_HARMLESS_WORDS = """
be have look check ask see find read think consider discuss forward pass talk speak let get come keep
try wait need know note noted looked checked asked talked received noticed attached enclosed forwarded
passed added mentioned tried discussed considered listed answer reply write follow respond do go take
bring like love remember hear understand also gladly review reviewed prepare attach prüfen klären
schauen melden fragen weiterleiten sehen lesen überlegen besprechen haben sein können antworten
schreiben kümmern
"""
_HARMLESS = frozenset(_HARMLESS_WORDS.split())
_SENTENCE = re.compile(r"(?:[^.!?\n]|(?<=\d)[.](?=\d|\s?[a-zäöüA-Z])|[.](?=\w))+[.!?]?")
_CLAUSE = re.compile(
    r"\s(?:and|und|et|y)\s(?=(?:I|we|you|our|your|will|have|ich|wir|nous|je)\b)|,\s(?=(?:and|but|which|so|then|because|while|und|aber|denn|sondern|mais|et|pero|y)\b)|;|\s[–—]\s|\sbut\s|\saber\s"
)
_SHORT_ENOUGH = 2_000


def promises(text: str) -> Iterator[Promise]:
    """The clauses of a draft that commit the user's side, from the subject on."""
    for start, clause, is_question in _clauses(text):
        if is_question or len(clause) > _SHORT_ENOUGH:
            continue
        found = _of_a_family(clause) or _plain_future(clause) or assured(clause)
        if found:
            yield Promise(start + found[0], start + len(clause.rstrip(" .!,;")), found[1])


def _of_a_family(clause: str) -> tuple[int, frozenset[str]] | None:
    if not (_ANY.search(clause) or _PERFORMATIVE.search(clause)):
        return None
    subject = _SUBJECT.search(clause) or _PERFORMATIVE.search(clause)
    if subject is None or _negated(clause) or _RESTATED.search(clause) or _LOOKING.search(clause):
        return None
    families = frozenset(name for name, verb in _VERBS.items() if verb.search(clause, subject.start()))
    return (subject.start(), families) if families else None


def _plain_future(clause: str) -> tuple[int, frozenset[str]] | None:
    """ "I will …", "we have …": a deed in a verb of no family; sources must have that verb."""
    for pattern in (_FUTURE, _DONE, _GERMAN_FUTURE):
        match = pattern.search(clause)
        if (
            match
            and not _negated(clause)
            and not _LOOKING.search(clause)
            and match["v"].lower() not in _HARMLESS
        ):
            return match.start(), frozenset({f"verb:{_stem(match['v'])}"})
    return None


def _stem(verb: str) -> str:
    return re.sub(r"(?:ed|en|es|s|e|ing)$", "", verb.lower())[:6]


def _negated(clause: str) -> bool:
    """Whether a clause denies; what "I guarantee that it will not …" denies is what it promises."""
    found, pledged = _NEGATED.search(clause), _VERBS["guarantee"].search(clause)
    return found is not None and (pledged is None or found.start() < pledged.start())


def granted(text: str) -> frozenset[str]:
    """The families that a source of ours speaks of without a negation."""
    found: set[str] = set()
    for match in _SENTENCE.finditer(text):
        sentence = match.group()
        if len(sentence) > _SHORT_ENOUGH:
            continue
        found |= set(assurances_in(sentence))
        if _ANY.search(sentence) and not _NEGATED.search(sentence):
            found |= {name for name, verb in _VERBS.items() if name not in found and verb.search(sentence)}
    return frozenset(found)


def _clauses(text: str) -> Iterator[tuple[int, str, bool]]:
    for match in _SENTENCE.finditer(text):
        sentence, at = match.group(), 0
        is_question = sentence.endswith("?")
        for cut in _CLAUSE.finditer(sentence):
            yield match.start() + at, sentence[at : cut.start()], is_question
            at = cut.end()
        yield match.start() + at, sentence[at:], is_question
