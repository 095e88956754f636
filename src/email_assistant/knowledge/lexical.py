"""The lexical embedding: words, their meanings by a fixed table, and their pieces, hashed into a vector.

It needs no model, no key and no network, and gives the same vector in every process and release of Python. It finds mail that
shares words, inflections, misspellings or listed synonyms (English, German, French, Spanish, Italian; written down once and not
learned from any mailbox); it does not understand sentences.
"""

import math
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from email_assistant.knowledge.embedding import DIMS

_FILLER = (
    # English
    """a an the and or but if then than so as at by for from in into of off on onto out over to up with without about
    after again all also am any are be been before being below between both can could did do does doing done down each
    few further get got had has have having he her here hers him his how i it its just let me more most my no nor not
    now only other our ours own same she should some such that their them there these they this those through too
    under until us very was we were what when where which while who whom why will would you your yours am is re fwd
    hi hello hey dear thanks thank thx please kindly regards best wishes cheers sincerely yours many much morning
    afternoon day evening mail email message wrote sent know like want need looking forward hear soon may might must
    one two make made well really good great still back way think sure yes since because however really bit lot
    able possible question questions ask asking tell told say said see come coming going give take
    """
    # German
    """der die das den dem des ein eine einen einem einer eines und oder aber wenn dann als so an auf aus bei bis durch
    für gegen hinter in ins im mit nach neben ohne seit über um unter vom von vor zu zum zur zwischen ich du er sie es
    wir ihr mich dich sich uns euch ihnen ihm mein meine meinen meinem meiner dein ihre ihren ihrem ihrer unser unsere
    unseren unserem bin bist ist sind war waren sein habe hast hat haben hatte hätte werde wird werden wurde würde
    kann können könnte könnten muss müssen soll sollte will wollen möchte möchten darf nicht kein keine auch nur noch
    schon sehr mehr hier da dort was wer wie wo wann warum welche welcher welches dass ob weil denn doch mal bitte
    danke vielen dank hallo guten tag moin liebe lieber sehr geehrte geehrter damen herren grüße grüßen gruß freundliche
    freundlichen beste viele gerne gern wäre gibt geht machen frage fragen man etwas
    """
    # French, Spanish, Italian
    """le la les un une des du de et ou mais si dans en par pour avec sans sur sous je tu il elle nous vous ils elles me
    te se mon ma mes votre vos notre nos est sont était être avoir ai avez ont que qui quoi quand comment pourquoi ce
    cette ces ne pas plus très bien bonjour bonsoir merci cordialement madame monsieur au aux peut pouvez pourriez
    voudrais el los las una unos unas y o pero con sin por para sobre yo tú usted ustedes nosotros mi mis su sus
    nuestro es son era ser estar está tiene tengo tienen hay qué quién cuándo cómo no muy más hola buenos días gracias
    saludos quisiera puede pueden podría il lo gli uno e ed ma con senza per su io lei noi voi loro mio sua vostro è
    sono ho ha hanno che chi come dove quando non molto buongiorno salve grazie saluti vorrei può potete del della di
    """
)
FILLER = frozenset(_FILLER.split())
"""Words that stand in any letter."""

_SAME: dict[str, str] = {
    "price": "price prices cost costs charge charges fee fees rate rates expensive cheap quote quotation estimate preis "
    "preise kosten kostet kostenvoranschlag angebot gebühr prix tarif tarifs devis coût coûte combien precio precios "
    "cuesta coste presupuesto cuánto prezzo prezzi costo costa preventivo quanto",
    "invoice": "invoice invoices bill bills receipt receipts rechnung rechnungen beleg quittung facture factures factura "
    "facturas fattura ricevuta",
    "pay": "pay paid paying payment payments transfer card cash paypal bezahlen bezahlt zahlen zahlung überweisung karte "
    "payer paiement virement carte pagar pago transferencia tarjeta pagare pagamento bonifico",
    "deliver": "deliver delivered delivery deliveries ship shipped shipping shipment parcel package courier post "
    "lieferung liefern geliefert lieferzeit versand versenden verschicken paket livraison livrer colis expédition "
    "envío enviar entrega paquete consegna spedizione spedire pacco",
    "damaged": "damaged damage broken broke crack cracked scratched scratch dented defective faulty smashed beschädigt "
    "kaputt defekt gebrochen zerkratzt schaden riss endommagé cassé abîmé défectueux dañado roto rota averiado "
    "danneggiato rotto difettoso",
    "return": "return returns returned refund refunded exchange swap rückgabe zurückgeben umtausch umtauschen erstattung "
    "retour rembourser remboursement échanger échange devolver devolución reembolso cambiar reso rimborso restituire",
    "cancel": "cancel cancelled canceled cancellation stornieren storno stornierung absagen absage annuler annulation "
    "cancelar cancelación anular annullare disdire",
    "guarantee": "guarantee warranty guaranteed garantie gewährleistung garantía garanzia",
    "repair": "repair repairs repaired fix fixed mend service servicing maintenance reparatur reparieren reparaturen "
    "wartung inspektion réparer réparation entretien révision reparar reparación arreglar mantenimiento riparare "
    "riparazione manutenzione",
    "hours": "open opening opened closed hours öffnungszeiten geöffnet offen geschlossen ouvert ouverture horaires fermé "
    "abierto horario cerrado aperto orari chiuso",
    "rent": "rent rental renting hire hiring borrow lend loan mieten miete vermietung verleih leihen ausleihen louer "
    "location loueur alquilar alquiler noleggio noleggiare affittare",
    "deposit": "deposit kaution pfand anzahlung caution acompte fianza depósito cauzione deposito",
    "book": "book booking booked reserve reservation appointment slot buchen buchung reservieren reservierung termin "
    "réserver réservation rendez reservar reserva cita prenotare prenotazione appuntamento",
    "discount": "discount discounts rebate reduction voucher coupon rabatt nachlass gutschein gutscheine skonto réduction "
    "remise bon descuento cupón vale sconto buono",
    "job": "job jobs vacancy vacancies position apprenticeship internship intern apply application cv career hiring "
    "stelle bewerbung bewerben ausbildung praktikum lebenslauf emploi stage candidature trabajo empleo prácticas lavoro "
    "tirocinio candidatura",
    "order": "order orders ordered ordering purchase bestellen bestellung bestellt commande commander pedido pedir "
    "encargar ordine ordinare",
    "size": "size sizes sizing large small measure measurement größe groß klein maße taille mesure talla tamaño medida "
    "taglia misura",
    "stolen": "stolen theft thief stole gestohlen diebstahl geklaut volé vol robado robada robo rubato furto",
    "course": "course courses class classes workshop workshops training lesson lessons kurs kurse schulung lehrgang "
    "cours formation atelier curso clase taller corso lezione",
    "late": "late delay delayed overdue waiting wait verspätet verspätung verzögert warten retard retardé tarde retraso "
    "ritardo",
    "address": "address directions location parking park adresse anfahrt wegbeschreibung parken parkplatz stationnement "
    "parking dirección aparcar indirizzo parcheggio",
    "complaint": "complaint complain disappointed unhappy beschwerde reklamation enttäuscht réclamation déçu queja "
    "reclamación reclamo",
    "available": "available availability stock lager vorrätig verfügbar lieferbar disponible stock disponibile",
    "holiday": "holiday holidays vacation vacations christmas easter ferien urlaub feiertag weihnachten ostern vacances "
    "congés noël vacaciones navidad ferie vacanze natale",
    "lost": "lost lose missing misplaced verloren verlegt perdu perdue égaré perdido perdida perso smarrito",
}

MAX_WORDS = 400
"""Words of a text that are looked at, from its beginning."""
MAX_READ = 10_000
"""Characters of a text that are looked at."""
MAX_WORD = 40
"""Longer words (links, keys, base64) say nothing that another mail would repeat; characters."""

_FILLER_WEIGHT = 0.02
_NUMBER_WEIGHT = 0.5
_MEANING_WEIGHT = 0.9
_PIECES_WEIGHT = 0.7
_SIZES = (3, 4)
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{1,40}|[^\W_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_ENDINGS = (
    "ings", "ing", "edly", "ments", "ment", "ungen", "ung", "ations", "ation", "ies", "ers", "ern", "est", "ed",
    "er", "en", "em", "es", "s", "e", "n", "y",
)  # fmt: skip


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, at most `MAX_WORDS`; scripts without spaces give pairs of characters."""
    found: list[str] = []
    for piece in unicodedata.normalize("NFKC", text[:MAX_READ]).lower().split():
        for word in _WORD.findall(piece) if not _is_link(piece) else ():
            if _UNSPACED.match(word):
                found += [word[i : i + 2] for i in range(max(1, len(word) - 1))]
            elif len(word) <= MAX_WORD:
                found.append(word)
        if len(found) >= MAX_WORDS:
            break
    return found[:MAX_WORDS]


@lru_cache(256)  # A query is compared with each candidate, and the same candidates come again.
def terms_of(text: str) -> frozenset[str]:
    """What a text is about: its words without endings, or the meanings they stand for; words that say little left out."""
    telling = (word for word in words_of(text) if word not in FILLER and len(word) > 1)
    return frozenset(same_meaning().get(word) or _stem(_plain(word)) for word in telling)


def _is_link(piece: str) -> bool:
    return "://" in piece or piece.startswith("www.") or "@" in piece


def vector_of(text: str, dims: int) -> list[float]:
    """The text's vector of length 1, or of zeros when it has no words."""
    weights = Counter(words_of(text))
    vector = [0.0] * dims
    for word, count in weights.items():
        often = 1 + math.log(count)
        for place, weight in _features(word, dims):
            vector[place] += often * weight
    length = math.sqrt(sum(x * x for x in vector))
    # Rounded, so that equal numbers are one object each: ten thousand vectors have to fit into a server's memory.
    return [_shared(round(x / length, 3)) for x in vector] if length else vector


@lru_cache(4096)
def _shared(number: float) -> float:
    return number


@lru_cache(50_000)
def _features(word: str, dims: int) -> tuple[tuple[int, float], ...]:
    """Where a word counts in the vector, and how much."""
    if word in FILLER or len(word) < 2:
        return (_place(f"w:{word}", dims, _FILLER_WEIGHT),)
    plain = _plain(word)
    weight = _NUMBER_WEIGHT if plain.isdigit() else 1.0
    found = [_place(f"w:{_stem(plain)}", dims, weight)]
    if meaning := same_meaning().get(word):
        found.append(_place(f"m:{meaning}", dims, _MEANING_WEIGHT))
    if not plain.isdigit() and len(plain) > 3:
        pieces = _pieces(plain)
        each = _PIECES_WEIGHT / math.sqrt(len(pieces))
        found += [_place(f"p:{piece}", dims, each) for piece in pieces]
    return tuple(found)


def _place(feature: str, dims: int, weight: float) -> tuple[int, float]:
    number = zlib.crc32(feature.encode("utf-8", "replace")) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
    return (number >> 20) % dims, weight if number >> 63 else -weight


def _plain(word: str) -> str:
    """Without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))


def _stem(word: str) -> str:
    ending = next((e for e in _ENDINGS if word.endswith(e) and len(word) - len(e) >= 4), "")
    return word[: len(word) - len(ending)]


def _pieces(word: str) -> list[str]:
    marked = f"<{word}>"
    return [marked[i : i + size] for size in _SIZES for i in range(len(marked) - size + 1)]


class LexicalEmbedding:
    """The default embedding. Its number goes up when its vectors change, so that old ones are made anew."""

    name = "lexical-1"
    kind = "lexical"

    async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text."""
        return [vector_of(text, DIMS) for text in texts]


@lru_cache(1)
def same_meaning() -> dict[str, str]:
    """For each word of the table the meaning it stands for."""
    return {word: meaning for meaning, words in _SAME.items() for word in words.split()}
