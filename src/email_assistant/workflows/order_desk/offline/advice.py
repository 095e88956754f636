"""Answers to customers' questions from catalogue entries, by rule: what is asked is told by words, what is known is quoted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from email_assistant.workflows.order_desk.offline.letter_words import money, words_of
from email_assistant.workflows.order_desk.shop.product import SEASONS, Product


@dataclass(frozen=True, slots=True)
class Known:
    """A catalogue entry as it may be told, and in which questions it is meant."""

    product: Product
    currency: str
    certain: bool = True
    """False: it is only one of those that may be meant."""
    questions: tuple[int, ...] = ()
    """Positions of the questions that speak of it; () when the mail speaks of it elsewhere."""

    @property
    def text(self) -> str:
        """The entry in lines, for a model."""
        p = self.product
        lines = [
            f"{p.id}: {p.name} ({p.category})" + ("" if self.certain else " - may be meant, is not certain"),
            f"Description: {p.description}",
            f"Price: {p.price:.2f} {self.currency}",
            f"In stock: {p.stock}",
            f"Seasons: {', '.join(p.seasons)}",
            *([f"Offer: {p.promotion.text}"] if p.promotion else []),
        ]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Answered:
    """A question, the answer, and the products that it rests on."""

    question: str
    text: str
    product_ids: tuple[str, ...]
    is_whole: bool = True
    """False: the entry is quoted, and whether it answers the question no rule can tell."""


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


_STOCK = _any(
    r"\b(?:in stock|available|availability|left|how many (?:do|have|are)|do you (?:still |also )?(?:have|"
    r"sell|carry)|lagernd|lager|vorrätig|verfügbar|haben sie|gibt es|"
    r"en stock|disponibles?|disponíve\w+|disponibil\w*|avez-vous|tienen|queda[n]?|hay|avete|voorraad|"
    r"voorradig|beschikbaar|heeft u|hebben jullie|têm|estoque)\b"
)
_PRICE = _any(
    r"\b(?:price|prices|cost|costs|how much|kostet|kosten|preis|wie viel|wieviel|prix|coûte|combien|precio|"
    r"cuesta|cuánto|prezzo|costa|quanto|prijs|kost|hoeveel kost|preço|custa)\b"
)
_SEASON = _any(
    r"\b(?:seasons?|winter|summer|spring|autumn|fall|jahreszeit|sommer|frühling|herbst|saison|hiver|été|"
    r"printemps|automne|invierno|verano|primavera|otoño|"
    r"inverno|estate|autunno|seizoen|zomer|lente|herfst|verão|outono)\b"
)
_OFFER = _any(
    r"\b(?:offers?|discount|deal|promotion|cheaper|angebot|rabatt|promo|réduction|remise|oferta|descuento|"
    r"sconto|offerta|korting|aanbieding|desconto)\b"
)
_ELSEWHERE = _any(
    r"\b(?:deliver\w*|arriv\w*|ship\w*|post(?:age)?|by (?:mon|tues|wednes|thurs|fri|satur|sun)day|pay\w*|"
    r"invoice|return\w*|refund|exchange|opening hours|"
    r"liefer\w*|versand\w*|rechnung|zahl\w*|rückgabe|umtausch\w*|livr\w+|expédi\w+|facture|pa[iy]e\w*|"
    r"retour\w*|env[íi]\w+|entrega\w*|factura|pag\w+|"
    r"devol\w+|consegn\w+|spedi\w+|fattura|reso|lever\w*|verzend\w*|betal\w*|factuur)\b"
)
"""What no catalogue answers."""
_MOST = 3


def answers(
    questions: Sequence[str], products: Sequence[Known], language: str
) -> tuple[list[Answered], list[str]]:
    """The questions that an entry answers, and those that none does."""
    found: list[Answered] = []
    open_questions: list[str] = []
    for number, question in enumerate(questions):
        meant = _meant(number, products)
        if meant and not _ELSEWHERE.search(question):
            told = [_answer(question, known, language) for known in meant]
            whole = all(is_whole for _, is_whole in told)
            ids = tuple(known.product.id for known in meant)
            found.append(Answered(question, " ".join(text for text, _ in told), ids, whole))
        else:
            open_questions.append(question)
    return found, open_questions


def _meant(number: int, products: Sequence[Known]) -> list[Known]:
    """The products of the question, else those of the mail when they are few: "is it waterproof?"."""
    here = [known for known in products if number in known.questions and known.certain]
    elsewhere = [known for known in products if known.certain]
    named = any(number in known.questions for known in products)
    return (here or ([] if named else elsewhere if len(elsewhere) == 1 else []))[:_MOST]


def _answer(question: str, known: Known, language: str) -> tuple[str, bool]:
    """The answer, and whether it is one: a stock, price, season or offer that is asked for, else the entry quoted."""
    words, p = words_of(language), known.product
    name = {"name": p.name, "id": p.id}
    told = []
    if _STOCK.search(question):
        told.append(words.stock.format(**name, stock=p.stock) if p.stock else words.no_stock.format(**name))
    if _PRICE.search(question):
        told.append(words.price.format(**name, price=money(p.price, known.currency, language)))
    if _SEASON.search(question) and p.seasons != SEASONS:
        told.append(words.seasons.format(**name, seasons=", ".join(p.seasons)))
    if _OFFER.search(question) and p.promotion:
        told.append(p.promotion.text.rstrip(".") + ".")
    if told:
        return " ".join(told), True
    return words.catalogue.format(**name, description=p.description), False
