"""Phrases that tell how many: everything, a few, pairs, ranges. All but `in_digits` are for folded text."""

import re

from email_assistant.language.number_words import languages_of

_F = re.IGNORECASE
_W = r"(?:[\w']{1,20} )"

EVERYTHING = re.compile(
    r"\b(?:"
    rf"all (?:available|remaining|your stock|of your stock)|all {_W}{{0,5}}?(?:remaining|left|leftovers?|you (?:still )?have)|"
    rf"every {_W}{{0,5}}?(?:left|remaining|you (?:still )?have)|every last|everything {_W}{{0,2}}?(?:left|remaining|have|got)|"
    rf"whatever {_W}{{0,5}}?(?:left|remains|remaining|have|got)|the rest of (?:the|your) stock|"
    r"(?:the|your) (?:whole|entire|remaining|complete) (?:stock|inventory)|as many as (?:you have|possible)|"
    rf"alle[ns]? {_W}{{0,2}}?(?:verbleibend|restlich|ubrig|vorhanden|verfugbar|vorratig)\w*|"
    rf"alles?,? (?:was|die) {_W}{{0,4}}?(?:haben|habt|hast|da ist|da sind|ubrig)|"
    r"(?:ganzen?|gesamten?|kompletten?) (?:rest|lager)?bestand|restbestand|"
    rf"(?:tout|tous|toutes) (?:ce|ceux|celles) {_W}{{1,5}}?(?:rest\w+|avez)|tou(?:te)?s les {_W}{{0,3}}?restant\w*|"
    r"tout (?:le|votre) stock|"
    rf"tod[oa]s? l[oa]s? {_W}?que {_W}{{0,3}}?(?:qued\w+|teng\w+|tien\w+|hay\w*)|todo (?:el|su) (?:stock|inventario)|"
    rf"tod[oa]s l?[oa]s {_W}{{0,3}}?restantes|"
    rf"tutt[oie] (?:quell[oie]|gli|i|le) {_W}?che {_W}{{0,3}}?(?:rest\w+|riman\w+|avet\w+)|"
    rf"tutt[ie] (?:gli|i|le) {_W}{{0,3}}?(?:rimanent|restant)\w+|tutto (?:lo|il) (?:stock|magazzino)|"
    rf"alle {_W}{{0,2}}?(?:resterende|overgebleven|overige|beschikbare)|alles?,? (?:wat|die) {_W}{{0,4}}?(?:hebt|hebben|heeft|over)|"
    rf"hele voorraad|(?:tudo|todos|todas) (?:o|os|as) que {_W}{{0,3}}?(?:rest\w+|sobr\w+|tem|tiver\w*)|todo o (?:estoque|stock)"
    r")\b"
)  # fmt: skip
"""All that remain. A bare "all" or "all of them" is none: it points at goods that were named before."""
ALL_BUT = re.compile(
    r"\b(?:all|everything|every|alles?|tous|toutes|tout|tod[oa]s?|tutt[oie]|tudo)\b(?:[ ,]{1,2}[\w']{1,20}){0,8}?[ ,]{1,2}"
    r"(?:but (?:a|the|one|two|three|four|five|six|[0-9]+)|except|excluding|bis auf|ausser|sauf|"
    r"excepto|salvo|tranne|eccetto|behalve|exceto)\b"
)
VAGUE = re.compile(
    r"\b(?:a few|several|a handful|a lot of|lots of|dozens of|hundreds of|thousands of|einige|mehrere|e(?:in|en) paar|dutzende|"
    r"quelques|plusieurs|une (?:dizaine|quinzaine|vingtaine|trentaine|centaine)|algun[oa]s|vari[oa]s|unas? cuant[oa]s|una decena|"
    r"alcun[ie]|qualche|parecchi[ee]?|una decina|una ventina|enkele|verscheidene|meerdere|algumas|alguns|uma dezena)\b"
)
PAIR = re.compile(r"[ -](?P<word>pairs?|paare?n?|paires?|par|pares|paio|paia|paren)\b")
PAIRED_GOODS = re.compile(
    r"(?:footwear|eyewear|shoes?|boots?|socks?|gloves?|trousers|pants|jeans|chinos|(?:sun)?glasses|earrings?|sandals?|sneakers?|trainers|slippers?|"
    r"leggings|shorts|tights|stockings?|mittens?|skis?|loafers?|heels|headphones|scissors|"
    r"schuhe?n?|stiefeln?|stiefeletten?|socken|strumpfe|handschuhe?n?|hosen?|brillen?|ohrringe?n?|sandalen|pantoffeln|skier|"
    r"chaussures?|bottes?|bottines?|chaussettes?|gants?|pantalons?|lunettes|boucles d'oreilles|sandales?|baskets|chaussons|"
    r"zapat(?:os?|illas?)|botas|botines|calcetines|guantes|pantalon(?:es)?|vaqueros|gafas|pendientes|sandalias|"
    r"scarpe|stivali|calz(?:e|ini)|guanti|pantaloni|occhiali|orecchini|sandali|"
    r"schoenen|laarzen|sokken|handschoenen|broek(?:en)?|oorbellen|slippers|"
    r"sapatos?|tenis|meias|luvas|calcas|oculos|brincos|sandalias)\b"
)
"""Goods that are sold by the pair: also at the end of a German or Dutch compound."""
EXPLICIT_BEFORE = re.compile(
    r"(?:(?<![\w])(?:qty|quantity|amount|menge|anzahl|stuckzahl|quantite|qte|cantidad|cant\.|quantita|qta|aantal|quantidade|qtd)"
    r"\s?[:=.]?\s?(?:of\s)?|(?<!\w)[x×]\s?)$"
)
EXPLICIT_AFTER = re.compile(
    r"\s?[x×](?!\w)|\s?(?:pcs?|pieces|units?|stk|stuck|stucke|pieces?|unites?|piezas?|unidades|unidad|pezzi|pezzo|stuks?|pecas?|"
    r"copies|items)\b"
)
_RANGE = re.compile(r"\s?(?:-|–|—|~|to|or|till|until|bis|oder|a|ou|o|u|tot)\s?")
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre|tra|fra|tussen)\s$")
_AND = re.compile(r"\s(?:and|und|et|y|e|en)\s")
_COUPLE = re.compile(r"\b(?:a\s)?couple(?=\sof\b)|\ba\scouple\b", _F)
_GERMAN_PAIR = re.compile(r"\b[Ee]in(?:en|em)?\sPaar\b")


def in_digits(text: str) -> str:
    """The text with "a couple" in digits. "ein Paar" is a pair, while "ein paar" stays "a few"."""
    return _GERMAN_PAIR.sub("a pair", _COUPLE.sub("2", text))


def is_range(text: str, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Whether two numbers, by where they stand in a folded text, are the ends of a range: "two to four"."""
    between = text[first[1] : second[0]]
    if len(between) > 8:
        return False
    if _RANGE.fullmatch(between):
        return True
    if between == " of ":
        return "nl" in languages_of(text[first[0] : first[1]])
    return bool(_AND.fullmatch(between) and _BETWEEN.search(text[max(0, first[0] - 10) : first[0]]))
