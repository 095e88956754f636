"""The words by which deadlines are found, in English, German, French, Spanish and Japanese."""

import re


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


AT_ONCE = _any(
    r"\b(?:immediately|right (?:away|now)|at once|without delay)\b|\b(?:sofort|umgehend|unverzüglich|auf der stelle)\b",
    r"\b(?:immédiatement|tout de suite|sans (?:délai|attendre))\b|\b(?:inmediatamente|de inmediato|ahora mismo)\b|至急|今すぐ",
)
"""Asks for something now, where it asks for something."""

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
