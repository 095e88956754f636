"""The words by which the rules weigh a message: pressure, deadlines and money, in English, German, French and Spanish."""

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

AT_ONCE = _any(
    r"\b(?:immediately|right (?:away|now)|at once|without delay)\b|\b(?:sofort|umgehend|unverzüglich|auf der stelle)\b",
    r"\b(?:immédiatement|tout de suite|sans (?:délai|attendre))\b|\b(?:inmediatamente|de inmediato|ahora mismo)\b|至急|今すぐ",
)
"""Asks for something now, where it asks for something."""

CHASING = _any(
    r"\b(?:second|2nd|third|final|last|friendly|gentle) (?:reminder|notice|request)\b|\breminder:|^\W*reminder\b"
    r"|\bstill (?:waiting|no (?:answer|reply))\b|\bhave(?:n't| not) (?:heard|received)\b|\bfollowing up\b",
    r"\b(?:zahlungs)?erinnerung\b|\b(?:letzte |zweite )?mahnung\b|\bwarte(?:n)? (?:noch )?(?:immer )?auf\b"
    r"|\bnoch keine (?:antwort|rückmeldung)\b",
    r"\b(?:rappel|relance|mise en demeure)\b|\btoujours pas (?:reçu|de réponse)\b|\ben attente de (?:votre|ta) réponse\b",
    r"\brecordatorio\b|\baún no (?:he|hemos) recibido\b|\bsigo esperando\b|\bseguimos esperando\b|督促|リマインド",
)
"""Asks again for what was asked before."""

ASKING = _any(
    r"\bplease\s(?!find\b|note\b|see\b|be aware\b|do not\b|don't\b|ignore\b|feel\b|enjoy\b|keep in mind\b|accept\b)\w"
    r"|\b(?:can|could|will|would) you\b(?! believe)|\b(?:can|could|shall|should) we\b|\bare you (?:free|available|in)\b|\blet me know\b"
    r"|\b(?:we|you)(?:'ll| will)? (?:\w+\s)?(?:need|must|have to|require|expect)\b|\bI (?:\w+\s)?(?:need|require|expect)\b"
    r"|\b(?:has|needs) to (?:be|reach|arrive|go|get|come)\b|\bneeds? (?:your|an? (?:answer|decision))\b"
    r"|\b(?:I|we) would like (?:an? |your )?(?:answer|reply|decision)\b|\bmust\b|\bwaiting for you\b"
    r"|\bwould be (?:great|good|nice|perfect|helpful|ideal)\b|\bwäre (?:super|toll|gut|prima|schön|nett)\b"
    r"|\bserait (?:bien|parfait|super)\b|\bestaría (?:bien|genial)\b|\bsería (?:genial|perfecto|ideal)\b",
    r"\bbitte\b(?! (?:nicht|beachten))|\b(?:kannst|könntest|kann|können|könnten|könntet) (?:du|sie|ihr|wir|ich)\b"
    r"|\b(?:hast|haben|hättest|hätten) (?:du|sie|ihr)\s(?:\w+\s){0,3}?zeit\b"
    r"|\b(?:brauche|brauchen|benötige|benötigen|muss|müssen|müsst|musst|erwarte|erwarten)\b",
    r"\bs['’]il (?:te|vous) pla[iî]t\b|\bsvp\b|\bstp\b|\b(?:peux|pourrais)-tu\b|\b(?:pouvez|pourriez)-vous\b|\bveuillez\b|\bmerci de\b"
    r"|\bil (?:nous |me )?faut\b|\b(?:devez|dois|doit|devons)\b|\b(?:nous avons|j'ai) besoin\b|\bes-tu libre\b",
    r"\bpor favor\b|\b(?:puedes|puede|podrías|podría|podéis|podemos)\b|\b(?:necesito|necesitamos|debe|debes|debemos)\b"
    r"|\b(?:tiene|tienes|tenemos|hay) que\b|\b¿?tienes (?:tiempo|un momento)\b",
    r"ください|下さい|お願い",
    r"^\W*(?:decide|answer|reply|respond|call|send|pay|sign|confirm|submit|approve|check|review|bring|come|pick)\b",
)
"""Asks or obliges the reader to do something."""

TO_DO = _any(
    r"\b(?:rsvp|repl(?:y|ies)|answers?|respond|response|confirm\w{0,6}|pay|paid|payments?|payable|submit\w{0,3}|submissions?|send|return"
    r"|sign|signed|signature|regist(?:er|ration)|apply|applications?|decide|decision|feedback|approv(?:e|al)|complete|book)\b",
    r"\b(?:rückmeldung|antwort|abgabe|abgeben|anmeldung|anmelden|zahlung|zahlbar|zahlen|bezahlen|überweisen|überweisung|begleichen|einreichen"
    r"|unterschreiben|unterschrift|entscheiden|entscheidung|bestätigen|zusage)\b",
    r"\b(?:réponse|répondre|paiement|payer|payable|régler|règlement|envoyer|inscription|signer|signature|décider|décision|confirmer)\b",
    r"\b(?:respuesta|responder|pago|pagar|abonar|enviar|firmar|firma|inscripción|decidir|decisión|confirmar|entregar)\b",
)
"""What deadlines are set for."""

PROMISE = _any(
    r"\b(?:I|we)(?:'ll|\swill|'m going to|\s(?:plan|hope|aim|expect) to)\b|\bwill (?:be (?:on|in|with) your?|reach you|arrive)\b",
    r"\b(?:ich|wir) (?:werden?|melden? (?:mich|uns)|bearbeiten|antworten|kümmern|schicken?|senden?|liefern?)\b"
    r"|\bje vais\b|\bnous (?:vous )?(?:allons|livrons|\w{2,20}rons)\b"
    r"|\b(?:voy|vamos) a\b|\b(?:enviaré|haré|\w{2,20}remos)\b",
)
"""Tells what the writer is going to do."""

DUE = _any(
    r"\bdue\b(?! to\b)|\bdeadline\b|\bcut-?off\b|\b(?:no|not) later than\b|\bat the latest\b|\blast day\b"
    r"|\b(?:expir(?:es?|ing|y)|runs out)\b"
    r"|\b(?:registration|applications?|submissions?|enrolment|poll|vote|voting|window|tender|bidding|sign-?up|offer|trial|subscription)"
    r"\s(?:\w+\s){0,2}?(?:ends?|closes?)\b",
    r"\bfällig\w{0,2}\b|\b\w{0,20}frist\b|\bspätestens\b|\bstichtag\b|\babgabetermin\b|\bläuft(?=\s(?:[\w.]+\s){0,4}?(?:ab|aus)\b)|\beinsendeschluss\b"
    r"|\bzahlungsziel\b",
    r"\bau plus tard\b|\bdate limite\b|\béchéance\b|\bexpire\b|\bdernier délai\b",
    r"\ba más tardar\b|\bfecha límite\b|\bvence\b|\bvencimiento\b|\bcaduca\b|\bplazo\b|までに|締め?切|期限|今日中|本日中",
)
"""Names a deadline; the day stands behind it, or else before it."""

BY = _any(
    r"\b(?:by|before|until|till|til)\b(?! the way\b)",
    r"\bbis(?: zum?| spätestens)?\b|\bvor dem\b",
    r"\bavant(?: le| la)?\b|\bd['’]ici(?: à| au| le| la)?\b|\bjusqu['’](?:à|au)\b",
    r"\bantes de(?:l| la| las)?\b|\bhasta(?: el| las?)?\b|\bpara el\b",
)
"""Words before a day that make it a deadline where something is to be done."""

WITHIN = re.compile(
    r"\b(?:within|in|in the next|over the next|innerhalb(?: von| der nächsten)?|binnen|in den nächsten|dans(?: les?| un délai de)?"
    r"|sous|en(?: menos de| un plazo de| las próximas| los próximos)?|dentro de(?: los próximos| las próximas)?)\s(?:the\snext\s)?$",
    re.IGNORECASE,
)
"""Words right before a length of time within which something is to be done."""

TERMS = re.compile(
    r"\bnet\s(?P<a>\d{1,3})\b|\b(?P<b>\d{1,3})\s(?:days?|tagen?|jours|días) net(?:to)?\b|\bzahlungsziel\W{1,2}(?P<c>\d{1,3}) tage",
    re.IGNORECASE,
)
"""Terms of payment, in days."""

TONIGHT = _any(
    r"\btonight\b|\bthis (?:noon|midday)\b|\bheute (?:abend|nacht|mittag)\b|\bce (?:soir|midi)\b|\besta (?:noche|tarde)\b"
)
"""Other ways to say today."""

END_OF_DAY = _any(
    r"\b(?:eod|cob)\b|\b(?:end|close) of (?:the |this )?(?:day|business|play)\b|\bmidnight\b"
    r"|\bfeierabend\b|\bende des tages\b|\bmitternacht\b",
    r"\bfin de (?:la )?journée\b|\bminuit\b|\bfinal(?:es)? del? día\b|\bfin del día\b|\bmedianoche\b",
)
END_OF_WEEK = _any(
    r"\beow\b|\b(?:end of (?:the |this )?week|week'?s end|the weekend)\b|\bende (?:der|dieser) woche\b"
    r"|\bwochenende\b|\bfin de (?:la|cette) semaine\b",
    r"\bfinal(?:es)? de (?:la |esta )?semana\b",
)
END_OF_MONTH = _any(
    r"\beom\b(?!\))|\b(?:end of (?:the |this )?month|month'?s end|the month is over)\b|\bende (?:des|dieses) monats\b|\bmonatsende\b",
    r"\bfin (?:du|de ce) mois\b|\b(?:final(?:es)?|fin) de(?:l| este)? mes\b",
)

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
