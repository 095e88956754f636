"""Words by which the rules tell categories of mail apart, in English, German, Spanish and French."""

import re

from email_assistant.language.money import SIGN


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{a})" for a in alternatives), re.IGNORECASE)


OFFER = _any(
    r"\d{1,2} ?% (?:off|rabatt|de (?:réduction|remise|descuento|dto))|[-−–]\d{1,2} ?%",
    r"\b(?:save|sparen sie|spare|ahorra) (?:up to )?\d+ ?%?",
    r"\d{1,2} ?% (?:auf|sur|en)\b|\b(?:up to|bis zu|hasta|jusqu'à) \d{1,2} ?%",
    r"\b(?:sale|clearance|special offer|limited time|last chance|flash deal|deals?|free shipping|"
    r"while stocks last|voucher|coupon)\b",
    r"\b(?:sonderangebot|rabatt\w*|gutschein\w*|schnäppchen|ausverkauf|schlussverkauf|versandkostenfrei|"
    r"jetzt sparen)\b",
    r"\b(?:rebajas|descuentos?|ofertas? (?:especial|exclusiva)\w*|envío gratis|cupón|última oportunidad|último día)\b",
    r"\b(?:soldes|promos?|ventes? privées?|réductions?|livraison (?:offerte|gratuite)|code promo|"
    r"dernière chance|offre spéciale)\b",
    r"\bblack friday\b|\bcyber monday\b|\b(?:you|your weekend|promo) code\b",
)
"""A lower price, for a time."""

SHOPPING = _any(
    r"\b(?:shop|buy|order|upgrade|redeem|get yours|grab yours) now\b|\bshop the\b|\bnew (?:in|arrivals?)\b",
    r"\b(?:new|spring|summer|autumn|winter) collection\b",
    r"\bcollection is here\b|\bearly access\b|\bfree trial\b|\bbook a demo\b|\bfree audit\b",
    r"\bmore (?:leads|clients)\b|\bquick call\b",
    r"\b(?:left (?:something|it|them|\w+ ){1,3}(?:behind|in your (?:cart|basket))|your (?:cart|basket))\b",
    r"\b(?:points|reward)s? (?:expire|await|ends?)\b",
    r"\bpoints\b.{0,40}\bexpire|\byou will love\b|\bmember reward\b|\bdon't miss out\b|\bdo not miss out\b",
    r"\brisk[- ]free\b|\bproven strategy\b",
    r"\b(?:jetzt (?:shoppen|kaufen|entdecken|bestellen)|zum angebot|neu eingetroffen|neue kollektion|"
    r"treuepunkte|einlösen)\b",
    r"\b(?:comprar ahora|compra ya|nueva colección|descubre|aprovecha)\b",
    r"\b(?:j'en profite|profitez|nouvelle collection|découvrez|à partir de \d)\b",
)
"""An invitation to buy."""

LETTER = _any(
    r"\b(?:newsletter(?! (?:abbestellen|abmelden))|weekly|digest|briefing|bulletin|round-?up|edition)\b",
    r"\bissue(?: no\.?)? ?#?\d+|^[^#\n]{1,60} #\d{1,4}: ",
    r"\b(?:this|the) week in\b|\bthis week'?s?\b|\brelease notes\b|\bchangelog\b|\bwhat'?s new\b",
    r"\bwhat (?:you|you may have) missed\b",
    r"\bjob alerts?\b|\bnew (?:jobs|roles|openings|posts)\b|\bothers posted\b|\bworth your time\b",
    r"\ba \w+-minute read\b|\bmost read\b",
    r"\b(?:ausgabe|rundbrief|wochenrückblick|presseschau)\b|\bnr\. ?\d+:|\bdie woche\b",
    r"\bdas thema der woche\b|\bmeistgelesen\b",
    r"\b(?:boletín|resumen (?:de la semana|semanal)|lo más leído|esta semana)\b",
    r"\b(?:la lettre|infolettre|l'essentiel|à lire aussi|le plus lu|cette semaine)\b",
)
"""Something to read that comes again and again."""

READING = _any(
    r"\b(?:read(?: it)? online|subscribers?|readers?|podcast|interview with|an essay|archive|"
    r"forward (?:it|this) to a friend)\b",
    r"\b(?:leser(?:innen)?|abonnenten|ein gespräch mit)\b|\b(?:lectores|reenvía|entrevista con)\b",
    r"\b(?:lecteurs|un entretien avec)\b",
    r"\byou (?:are receiving|receive) (?:this|these)\b.{0,60}\bsubscribed\b|\bjoin the conversation\b",
    r"\bviewed your profile\b",
)

ORDER = _any(
    r"\b(?:order|booking|reservation|purchase) (?:#|no\.?|number|confirmation|confirmed|received|is|has|"
    r"[a-z]{0,3}-?\d)",
    r"\byou (?:have |just |recently )?(?:ordered|bought|booked|purchased)\b|\byour (?:\w+ ){1,3}order\b",
    r"\byour deposit\b",
    r"\b(?:your|the) (?:(?:recent|latest) )?(?:order|parcel|package|delivery|receipt|refund|return|"
    r"booking|tickets?|invoice|reservation|purchase)\b",
    r"\b(?:thank you|thanks) for (?:your|the) (?:order|purchase|payment|booking)\b|\bshipped\b",
    r"\bout for delivery\b|\bpayment received\b",
    r"\b(?:invoice|receipt|tracking|reservation|booking reference)(?: number)? [a-z#]{0,4}-?\d",
    r"\btracking number\b|\btrack (?:your|my) \w+",
    r"\b(?:estimated|delivery) (?:delivery|date|address)\b|\b(?:e-?ticket|boarding pass|order summary)s?\b",
    r"\b(?:bestell(?:ung|bestätigung|nummer)|versandbestätigung|sendungsnummer|sendung verfolgen|"
    r"zugestellt|lieferschein)\b",
    r"\bihr(?:e)? (?:paket|bestellung|rechnung|buchung|lieferung|retoure|erstattung)\b",
    r"\bvielen dank für (?:ihre|deine) (?:bestellung|buchung)\b",
    r"\b(?:tu|su) (?:pedido|paquete|compra|reserva|factura|reembolso)\b",
    r"\bnúmero de (?:seguimiento|pedido)\b|\bgracias por (?:tu|su) (?:pedido|compra)\b",
    r"\bfactura \w{0,3}-?\d",
    r"\b(?:votre|ta) (?:commande|colis|facture|réservation|livraison|remboursement)\b",
    r"\bmerci pour votre (?:commande|achat)\b|\bsuivre (?:mon|votre) colis\b|\blivraison prévue\b",
)
"""Something bought: confirmed, sent, paid or given back."""

CHARGED = _any(
    rf"\b(?:total|subtotal|shipping|deposit|charged|paid)\b.{{0,30}}(?:{SIGN} ?\d|\d ?{SIGN})|\bcard ending in\b",
    r"\brefund\b|\bcan be collected\b",
    r"\babgebucht\b|\bvoraussichtlich(?:e|er)? (?:lieferung|am)\b|\blieferung voraussichtlich\b",
    r"\bentrega prevista\b|\bartikel:",
)

WORK = _any(
    r"\b(?:minutes of|project|deadline|budget|client|contract|quote|proposal|review|meeting|agenda|"
    r"invoice|draft|drawings|schedule|contractor|colleagues?)\b",
    r"\b(?:assigned you|commented on|build\b.{0,40}\bfailed|pull request|merge request|open the task|"
    r"task \d+|sprint|ticket #?\d+)\b",
    r"\b(?:the office|in copy|as discussed|our offer|net price|final measurements|site visit|invitation:)",
    r"\b(?:protokoll|besprechung|projekt|kunden?|vertrag|angebot für|pläne|frist|auftrag)\b",
    r"\b(?:proyecto|contrato|presupuesto|reunión|cliente)\b",
    r"\b(?:projet|contrat|devis|réunion|client|cahier des charges)\b",
)
"""Work that people do together."""

WORK_TONE = _any(
    r"\b(?:kind|best|warm) regards\b|\bdear (?:mr|ms|mrs|dr)\b",
    r"\b(?:mit freundlichen|viele|beste|freundliche) grüße\b|\bgruß\b",
    r"\b(?:un saludo|saludos|atentamente)\b|\b(?:cordialement|bien à vous)\b",
    r"\b(?:before|by) (?:monday|tuesday|wednesday|thursday|friday|the meeting)\b",
)

RECRUITING = _any(
    r"\brecruit(?:er|ers|ing|ment)\b|\btalent (?:acquisition|partner|scout)\b|\bheadhunter\b|\bhiring\b",
    r"\byour (?:cv|résumé|resume)\b|\bjob (?:offer|opportunity|opening)\b",
    r"\b(?:permanent|open|exciting|new|senior|junior) (?:role|position)\b|\bsalary\b",
    r"\byour (?:profile|background|experience)\b|\binvites you to apply\b",
    r"\b(?:role|job|position|opportunity) (?:at|in|for|that)\b",
    r"\b(?:looking for an?|fits your) (?:\w+ ){1,4}(?:role|in|experience)\b|\bnotice period\b",
    r"\b(?:personalberat\w+|stellenangebot|offene[nr]? stelle|lebenslauf|gehalt|ihr profil|mandant|"
    r"position (?:bei|als)|bewerbung)\b",
    r"\b(?:oferta de empleo|currículum|salario|tu perfil|selección de personal|vacante|puesto de)\b",
    r"\b(?:offre d'emploi|votre profil|recrut\w+|poste (?:de|à pourvoir)|salaire|votre cv)\b",
)
"""An offer of work."""

FAMILY = _any(
    r"\b(?:mum|mom|mummy|dad|daddy|grandma|grandpa|granny|grandmother|grandfather|aunt(?:ie)?|uncle|"
    r"cousin|nephew|niece)\b",
    r"\byour (?:father|mother|sister|brother|aunt|uncle|cousins?|parents|old room)\b",
    r"\b(?:the kids|hi darling|love you|my (?:dear )?(?:son|daughter))\b",
    r"\b(?:mama|papa|mutti|vati|oma|opa|omas|opas|tante|onkel|(?:deine|dein) (?:schwester|bruder|mutter|"
    r"vater|eltern)|mein schatz|kuss)\b",
    r"\b(?:mamá|papá|abuel[oa]s?|(?:tu|tus) (?:padres?|madre|herman[oa])|tía|tío|cariño|hij[oa])\b",
    r"\b(?:maman|papa|mamie|papi|papy|ta (?:sœur|soeur|mère)|ton (?:frère|père)|mon chéri|ma chérie|tata|"
    r"tonton|bisous)\b",
)

FRIEND = _any(
    r"\b(?:hugs|cheers|miss you|see you|hey|xoxo|catch up|long time no see|feel like a|beers?|party|"
    r"birthday|barbecue|bbq|hang out|pizza|no worries)\b",
    r"\b(?:photos from|the lake|guitar|dance|cake|bring whoever|moving on)\b|\bare you (?:around|free|up for)\b",
    r"\b(?:liebe grüße|lg|bis bald|na du|grillen|feiern|fete|hast du (?:am \w+ )?zeit|war das schön)\b",
    r"\b(?:un abrazo|besos|qué tal|quedamos|te apuntas|fiesta|cena en casa|qué risa)\b",
    r"\b(?:salut|coucou|bises|on se voit|une fête|ça te dit|tu es libre|on a bien ri)\b",
)

IMPORTANT = _any(
    r"\b(?:new|unusual|suspicious|unknown) (?:sign-?in|log-?in|card payment|activity|device)\b",
    r"\bpassword (?:was|has been) (?:changed|reset)\b|\bsigned in to your account\b",
    r"\b(?:action required|final reminder|overdue|legal action|penalty|court|hearing|tax(?:es)? (?:return|"
    r"office)|suspended|termination|terminate)\b",
    r"\b(?:test results|your operation|urgently|emergency|your lease|water damage|call the practice|"
    r"confirm your identity|blocked a payment|identity document)\b",
    r"\b(?:neue anmeldung|ungewöhnliche\w*|mahn(?:ung|verfahren)|überfällig|steuerbescheid|einspruch|"
    r"gesperrt|kündigung|dringend|finanzamt|vorladung)\b",
    r"\b(?:aviso de seguridad|inusual|bloqueado|declaración|fecha límite|multa|hacienda|embargo)\b",
    r"\b(?:alerte de sécurité|inhabituel\w*|bloqué|déclaration|date limite|pénalité|impôts|mise en demeure)\b",
)
"""Something bad happens when it is missed."""

UNSUBSCRIBE = _any(
    r"\bunsubscribe\b|\bmanage (?:my |your )?preferences\b",
    r"\bview (?:this )?(?:\w+ )?in (?:your |the )?browser\b|\bim browser ansehen\b|\bvoir en ligne\b",
    r"\bopt[- ]?out\b|\bno longer interested\b|\b(?:newsletter )?abbestellen\b|\babmelden:",
    r"\bdarse de baja\b|\bcancelar la suscripción\b|\bse désabonner\b",
)
"""The small print of mailings."""

SELLING_MAILBOX = _any(
    r"(?:offers?|deals?|promos?|promotions?|sales?|marketing|shop|store|angebote?|ofertas?|boutique|rewards?)(?:[+._-].*)?"
)
LETTER_MAILBOX = _any(
    r"(?:newsletters?|weekly|daily|digest|editors?|redaktion|redaccion|redaction|letters?|boletin)(?:[+._-].*)?"
)
EDITORS_MAILBOX = _any(r"(?:weekly|daily|digest|editors?|redaktion|redaccion|redaction)(?:[+._-].*)?")
ORDER_MAILBOX = _any(
    r"(?:(?:auto-?confirm|order|ship(?:ping|ment)|deliver(?:y|ies)|tracking|billing|invoices?|receipts?|bookings?|reservations?|tickets?)s?"
    r"|bestell(?:ung|ungen)|versand|rechnung(?:en)?|pedidos?|facturas?|commandes?|factures?)(?:[+._-].*)?"
)
SECURITY_MAILBOX = _any(r"(?:security|fraud|account-security|sicherheit|seguridad|securite)(?:[+._-].*)?")
JOBS_MAILBOX = _any(r"(?:jobs?|careers?|recruit(?:ing|ment)|talent|karriere|empleo|emplois?)(?:[+._-].*)?")
