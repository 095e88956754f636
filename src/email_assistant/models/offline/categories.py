"""Categories by rule: words and headers that speak for one, weighed against each other.

A stand-in for a language model, in English, German, Spanish and French: it knows the standard categories by their words and
any other one by its name alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline.reading import own_words

IMPORTANT = "Important"
FRIENDS = "Personal/Friends"
FAMILY = "Personal/Family"
RECRUITERS = "Professional/Recruiters"
WORK = "Professional/Work"
ORDERS = "Purchases/Orders"
NEWSLETTERS = "Newsletters/Subscriptions"
PROMOTIONS = "Marketing/Promotions"
CATEGORIES = (IMPORTANT, FRIENDS, FAMILY, RECRUITERS, WORK, ORDERS, NEWSLETTERS, PROMOTIONS)

MAX_TEXT = 20_000
"""Characters of a message that are looked at."""
_PHRASES = 5


def _words(*parts: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(parts)})\b", re.IGNORECASE)


_SIGNS: dict[str, re.Pattern[str]] = {
    IMPORTANT: _words(
        "security alert", "suspicious (?:sign-?in|activity)", "password (?:was )?(?:reset|changed)", "verification code",
        "account (?:was )?(?:locked|suspended)", "final notice", "court", "tax (?:office|return|assessment)", "overdue",
        "bank (?:details|statement)", "insurance claim", "sicherheitswarnung", "mahnung", "finanzamt", "steuerbescheid",
        "kontoauszug", "aviso de seguridad", "hacienda", "último aviso", "alerte de sécurité", "mise en demeure", "impôts",
    ),
    FRIENDS: _words(
        "party", "birthday", "weekend", "beers?", "dinner", "catch up", "hang out", "movie", "football", "trip", "cheers",
        "geburtstag", "wochenende", "grillen", "kino", "feiern", "fiesta", "cumpleaños", "fin de semana", "cena",
        "anniversaire", "soirée", "ciné",
    ),
    FAMILY: _words(
        "mum", "mom", "dad", "grandma", "grandpa", "auntie?", "uncle", "sister", "brother", "kids", "love you", "family",
        "mama", "papa", "oma", "opa", "tante", "onkel", "schwester", "bruder", "familie", "mamá", "papá", "abuel[ao]",
        "tía", "herman[ao]", "familia", "maman", "mamie", "papi", "sœur", "frère", "famille", "bisous",
    ),
    RECRUITERS: _words(
        "recruiters?", "recruiting", "hiring", "job (?:opportunity|offer|opening)", "open position", "your (?:cv|résumé|resume)",
        "candidates?", "interview", "talent (?:acquisition|partner)", "salary range", "role (?:at|with)", "stellenangebot",
        "bewerbung", "lebenslauf", "vorstellungsgespräch", "oferta de empleo", "vacante", "entrevista", "candidatura",
        "offre d'emploi", "entretien", "candidature", "poste à pourvoir",
    ),
    WORK: _words(
        "meeting", "project", "deadline", "quote", "invoice", "contract", "client", "report", "presentation", "proposal",
        "budget", "site visit", "drawings?", "minutes", "agenda", "feedback on", "besprechung", "projekt", "angebot",
        "vertrag", "kunde", "bericht", "protokoll", "reunión", "proyecto", "presupuesto", "contrato", "informe",
        "réunion", "projet", "devis", "contrat", "rapport",
    ),
    ORDERS: _words(
        "order (?:no|number|confirmation|#)", "your order", "shipped", "delivery", "tracking", "receipt", "parcel", "package",
        "refund", "payment received", "booking confirmation", "bestellung", "versandt", "lieferung", "sendung", "quittung",
        "paket", "rechnung zu ihrer bestellung", "pedido", "envío", "recibo", "paquete", "commande", "expédiée?", "livraison",
        "colis", "reçu",
    ),
    NEWSLETTERS: _words(
        "newsletter", "digest", "this week in", "issue (?:no|#)", "weekly", "monthly", "read online", "view in browser", "edition",
        "our blog", "podcast", "wöchentlich", "ausgabe", "im browser", "boletín", "edición", "ver en el navegador",
        "lettre d'information", "numéro", "voir en ligne",
    ),
    PROMOTIONS: _words(
        r"\d+ ?% off", "sale", "discount", "coupon", "voucher", "special offer", "free shipping", "deal", "limited time", "save up",
        "last chance", "shop now", "rabatt", "angebote", "gutschein", "nur noch heute", "sparen", "jetzt kaufen", "oferta",
        "descuento", "rebajas", "cupón", "soldes", "promo(?:tion)?", "réduction", "offre spéciale",
    ),
}  # fmt: skip
_MANY = frozenset({NEWSLETTERS, PROMOTIONS})
_PEOPLE = frozenset({FRIENDS, FAMILY, WORK, RECRUITERS})


@dataclass(frozen=True, slots=True)
class CategoryRule:
    """A category and, in one plain sentence, what spoke for it."""

    category: str
    confidence: float
    """0 to 1: high when one category alone is spoken for, low when several are, or none."""
    reasoning: str
    key_phrases: tuple[str, ...] = ()


def categorize(
    conversation: Conversation,
    *,
    categories: Sequence[str],
    own: frozenset[str],
    is_correspondent: bool = False,
    feedback: str = "",
) -> CategoryRule:
    """The category of the current message, one of `categories`; what the user says in `feedback` decides."""
    named = _named(feedback, categories)
    if named:
        return CategoryRule(named, 0.95, "You said so.")
    message = conversation.current
    text = f"{message.subject}\n{message.subject}\n{own_words(message)[:MAX_TEXT]}"
    to_many = _is_to_many(message)
    answered = any(earlier.sender.key in own for earlier in conversation.earlier)
    found = {each: _matches(each, text) for each in categories}
    scores = {
        each: len(found[each]) * _weight(each, to_many=to_many, personal=is_correspondent or answered)
        + (1.0 if to_many and each == NEWSLETTERS else 0.0)
        for each in categories
    }
    best = max(categories, key=lambda each: scores[each])
    rest = sum(score for each, score in scores.items() if each != best)
    phrases = tuple(dict.fromkeys(match.lower() for match in found[best]))[:_PHRASES]
    if not scores[best]:
        fallback = next((each for each in (WORK, FRIENDS) if each in categories), categories[0])
        return CategoryRule(fallback, 0.3, "Nothing in it tells where it belongs.")
    confidence = min(
        0.95, 0.45 + 0.5 * scores[best] / (scores[best] + 2 * rest) - (0.15 if scores[best] < 2 else 0.0)
    )
    why = f"Words for {best} stand in it." if phrases else "It was sent to a list of subscribers."
    return CategoryRule(best, round(confidence, 2), why, phrases)


def _named(feedback: str, categories: Sequence[str]) -> str | None:
    """The category that the words name, whole or by the part after its slash."""
    said = feedback.casefold()
    whole = [each for each in categories if each.casefold() in said]
    part = [each for each in categories if _words(re.escape(each.rpartition("/")[2])).search(said)]
    found = whole or part
    return found[0] if len(found) == 1 else None


def _matches(category: str, text: str) -> list[str]:
    signs = _SIGNS.get(category) or _words(re.escape(category.rpartition("/")[2]))
    return [match.group() for match in signs.finditer(text)]


def _weight(category: str, *, to_many: bool, personal: bool) -> float:
    if category in _MANY:
        return 1.5 if to_many else 0.4
    if category in _PEOPLE:
        return 0.3 if to_many else (1.5 if personal else 1.0)
    return 1.0


def _is_to_many(message: Message) -> bool:
    headers = message.headers
    bulk = headers.get("precedence", "").strip().lower() in {"bulk", "list", "junk"}
    return bool(headers.get("list-id") or headers.get("list-unsubscribe") or bulk)
