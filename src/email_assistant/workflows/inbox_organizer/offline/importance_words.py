"""The words by which the rules weigh a message: pressure and money, in English, German, French and Spanish."""

import re

from email_assistant.language.money import SIGN


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


NO_HURRY = _any(
    r"\b(?:not|isn't|nothing|never|no|without)\s(?:\w+\s){0,2}?(?:urgent|urgency|pressing|hurry|rush|emergency)\b",
    r"\bwhenever (?:you|it)\b|\btake your time\b|\bat your (?:leisure|convenience)\b|\bcan wait\b|\bwhen you have (?:a moment|time)\b",
    r"\b(?:kein\w{0,2}|nicht|ohne)\s(?:\w+\s){0,2}?(?:dringend\w{0,2}|eilig|eile|stress|hektik)\b|\beilt nicht\b|\bhat (?:noch )?zeit\b"
    r"|\bin (?:aller )?ruhe\b|\bwenn (?:du|sie|ihr) (?:mal )?zeit (?:hast|haben|habt)\b",
    r"\b(?:pas|rien d['e])\s?(?:\w+\s){0,2}?(?:urgente?|pressé)\b|\bprene[zd]s? (?:votre|ton) temps\b"
    r"|\bquand (?:vous|tu) (?:pouvez|pourrez|peux|pourras|aurez|auras)\b",
    r"\bno (?:es|hay|corre)\s(?:\w+\s){0,2}?(?:urgente|prisa)\b|\bsin prisas?\b|\bcuando (?:pueda|puedas|tenga|tengas)\b|\bcon calma\b",
    r"急ぎません|お手すき",
)
"""Says that it can wait."""

IF_URGENT = _any(
    r"\b(?:in|for|if)\s(?:\w+\s){0,2}?(?:urgent|emergenc(?:y|ies))(?:\s(?:cases?|matters?|issues?|requests?|help))?",
    r"\bin dringenden fällen\b|\bim notfall\b|\bbei notfällen\b|\ben cas d'urgence\b|\ben caso de (?:urgencia|emergencia)\b",
    r"\burgent care\b|\bemergency (?:exit|room|contact|number|fund)s?\b",
)
"""Speaks of urgent cases without being one."""

PRESSING = _any(
    r"\burgent(?:ly)?\b|\basap\b|\bas soon as (?:possible|you can)\b|\bimmediate(?:ly)?\b|\bright (?:away|now)\b|\bat once\b"
    r"|\bemergency\b|\bwithout delay\b|\btime[- ]critical\b|\bit can(?:no|')t wait\b",
    r"\bdringend\w{0,2}\b|\b(?:sofort|umgehend|unverzüglich|schnellstmöglich|schnellstens|baldmöglichst|eilt|eilig|notfall)\b"
    r"|\bso (?:schnell|bald|rasch) wie möglich\b",
    r"\burgente?s?\b|\burgence\b|\bd[èe]s que possible\b|\bau plus vite\b|\bimmédiatement\b|\btout de suite\b|\bsans (?:délai|attendre)\b",
    r"\burgentemente\b|\burgencia\b|\blo antes posible\b|\bcuanto antes\b|\binmediat(?:o|amente)\b|\bahora mismo\b|\bemergencia\b",
    r"至急|緊急|大至急|早急に",
)
"""Says that it is urgent."""

CHASING = _any(
    r"\b(?:second|2nd|third|final|last|friendly|gentle) (?:reminder|notice|request)\b|\breminder:|^\W*reminder\b"
    r"|\bstill (?:waiting|no (?:answer|reply))\b|\bhave(?:n't| not) (?:heard|received)\b|\bfollowing up\b",
    r"\b(?:zahlungs)?erinnerung\b|\b(?:letzte |zweite )?mahnung\b|\bwarte(?:n)? (?:noch )?(?:immer )?auf\b"
    r"|\bnoch keine (?:antwort|rückmeldung)\b",
    r"\b(?:rappel|relance|mise en demeure)\b|\btoujours pas (?:reçu|de réponse)\b|\ben attente de (?:votre|ta) réponse\b",
    r"\brecordatorio\b|\baún no (?:he|hemos) recibido\b|\bsigo esperando\b|\bseguimos esperando\b|督促|リマインド",
)
"""Asks again for what was asked before."""

OVERDUE = _any(
    r"(?<!long )(?<!not )\boverdue\b|\bpast due\b|\bmissed (?:the |your )?(?:deadline|payment)\b",
    r"\büberfällig\w{0,2}\b|\b(?:zahlungserinnerung|mahnung)\b|\bin verzug\b|\bfrist (?:ist )?(?:abgelaufen|verstrichen)\b",
    r"\bimpayée?s?\b|\ben retard de paiement\b|\bmise en demeure\b|\bimpagad[oa]s?\b|\bvencid[oa]s?\b|\bpago atrasado\b",
)
"""Says that a deadline is over."""

MONEY_DUE = _any(
    r"\b(?:invoices?|past due|overdue|outstanding (?:balance|amount)|amount due|final notice|payment (?:is |was )?(?:due|failed|declined)"
    r"|penalt(?:y|ies)|late fee|wire transfer|bank transfer|transfer the)\b",
    r"\b\w{0,20}rechnung(?:en)?\b|\b(?:mahnung|zahlungserinnerung|mahngebühr|überweisung|überweisen|säumniszuschlag|lastschrift)\b",
    r"\b(?:factures?|impayée?s?|virement|pénalité|prélèvement)\b|\b(?:facturas?|transferencia|impagad[oa]s?|recargo|multa)\b|請求書|振込",
)
"""Money that is to be paid."""

MONEY = _any(
    r"\b(?:payments?|pay|paid|salary|wages?|payroll|loan|mortgage|rent|deposit|tax(?:es)?|insurance|contract|fees?|bank account|credit card"
    r"|(?:unusual|suspicious) (?:payment|transaction)|purchase order|refund|compensation|court|lawsuit|legal action)\b",
    r"\b(?:zahlung|bezahlen|zahlen|gehalt|lohn|kredit|miete|kaution|steuern?|finanzamt|steuerbescheid|versicherung|vertrag|erstattung|kartenzahlung"
    r"|konto|gebühr(?:en)?|gericht|gutschrift)\b",
    r"\b(?:paiement|payer|salaire|prêt|loyer|caution|impôts?|assurance|contrat|remboursement|amende|frais|tribunal)\b",
    r"\b(?:pagos?|pagar|salario|sueldo|nómina|préstamo|hipoteca|alquiler|fianza|impuestos?|hacienda|seguro|contrato|reembolso|juzgado)\b|支払|契約",
)
"""Matters of money."""

PRICES = _any(
    r"\b(?:price[sd]?|quotes?|quotation|costs?|budget|estimate|offer|receipt|discount|subscription|expenses?)\b",
    r"\b(?:preise?|gruppenpreis|angebot|kosten(?:voranschlag)?|budget|quittung|beleg|spesen)\b",
    r"\b(?:prix|devis|coûts?|coûter|tarifs?|reçu)\b|\b(?:precios?|presupuesto|costes?|cuesta|tarifas?|recibo)\b|見積|価格",
)
"""Prices and costs, with nothing to be paid yet."""

ADVERTISING = _any(
    r"\b(?:up to )?\d{1,2} ?% (?:off|discount|rabatt|de réduction|de descuento|weniger|günstiger)"
    r"|\b(?:flash|summer|winter|final|clearance) sale\b",
    r"\b(?:sale|deal|offer|deals|offers|savings) (?:ends?|expires?|of the (?:day|week))\b"
    r"|\blast chance\b|\b(?:promo|coupon|discount|voucher) ?codes?\b",
    r"\bexclusive (?:offer|deal)s?\b|\bdon't miss (?:out|this)\b|\bfree (?:shipping|gift|trial)\b"
    r"|\b(?:increase|boost|grow|double) your (?:\w+ )?(?:revenue|sales|traffic|income|business)\b|\bsave (?:up to )?"
    rf"{SIGN}?\d{{1,4}} ?(?:%|{SIGN})",
    r"\b(?:schlussverkauf|rabattcode|gutscheincode|gratisversand|letzte chance|nur (?:noch )?heute|jetzt (?:sparen|sichern|bestellen))\b",
    r"\b(?:soldes|vente flash|code promo|livraison (?:gratuite|offerte)|dernière chance|profitez-en)\b",
    r"\b(?:rebajas|oferta (?:exclusiva|especial|limitada)|código (?:promocional|de descuento)|envío gratis|última oportunidad|aprovecha)\b",
)
"""One such phrase from a stranger makes advertising."""

ROBOT = re.compile(
    r"(?:no-?_?\.?reply|do-?_?not-?_?reply|donotreply|nicht-?antworten|ne-?pas-?repondre|no-?responder|notifications?|alerts?"
    r"|mailer-daemon|postmaster|bounces?|robot|scanner|copier|printer|fax|monitor(?:ing)?|newsletters?|news|marketing|promo(?:tions?)?|offers?|deals)(?:[+._-].*)?",
    re.IGNORECASE,
)
"""The part before the "@" of addresses that programs write from."""
