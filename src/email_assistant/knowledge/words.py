"""Words for the lexical embedding: which ones say little, and which ones of business mail mean the same.

These are fixed rules in English, German, French, Spanish and Italian, written down once and not learned from any mailbox.
"""

from functools import lru_cache

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


@lru_cache(1)
def same_meaning() -> dict[str, str]:
    """For each word of the table the meaning it stands for."""
    return {word: meaning for meaning, words in _SAME.items() for word in words.split()}
