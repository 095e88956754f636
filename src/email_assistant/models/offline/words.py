"""The words by which the rules tell kinds of mail apart, in English, German, French, Spanish and Japanese.

Meetings are told in Italian, Dutch and Portuguese, too.
"""

import re

from email_assistant.language.money import CURRENCY


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


REQUEST = _any(
    r"\bplease\s(?!find\b|note\b|see\b|be (?:aware|advised)\b|(?:do not|don't) (?:reply|answer|respond|hesitate)\b|"
    r"ignore\b|disregard\b|feel free\b|accept (?:our|my)\b|enjoy\b|keep in mind\b)\w",
    r"\b(?:could|can|would|will) you\b(?! believe)|\bwould it be possible\b|\blet me know\b|\blet us know\b",
    r"\bI(?:'d| would) (?:like|love|need) (?:to (?:order|book|know|cancel|return|buy|ask|hear|see|meet)|an? )",
    r"\b(?:I|we) (?:need|expect|require) (?:\w+\s){0,3}?(?:from you|you to|an? (?:answer|reply|replacement|refund))\b",
    r"\blook(?:ing)? forward to (?:your|hearing)\b|\bcan we (?:meet|talk|speak)\b|\bshall we\b|\byou are invited\b",
    r"\bbitte(?:n wir)?\s(?:\w+\s){0,5}?(?:senden|schicken|bestätigen|teilen|geben|melden|prüfen|antworten|rufen"
    r"|unterschreiben|überweisen|reichen)\b(?!\sSie nicht)",
    r"\bum (?:rückmeldung|antwort|bestätigung|zusendung)\b|\b(?:könnten|können|könntest|kannst|würden|hätten) (?:sie|du)\b",
    r"\bich möchte (?:gerne? )?(?:\w+\s){0,4}?(?:bestellen|buchen|wissen|stornieren)\b",
    r"\b(?:pourriez|pouvez)-vous\b|\bpeux-tu\b|\bveuillez\b(?! trouver| noter)|\bmerci de (?!votre|ta)|"
    r"\bje (?:souhaite|voudrais)\b|\bdans l'attente de votre\b",
    r"\b(?:podría|podrías|puede|puedes|podemos)\b|\bpor favor\b|\b(?:me gustaría|quisiera|necesito)\b|"
    r"\bquedo a la espera\b",
    r"\b(?:potrebbe|potresti|può|puoi|possiamo) \w|\bper favore\b|\bvorrei\b|\bmi faccia sapere\b|\bfammi sapere\b",
    r"\b(?:zou je|zou u|kun je|kunt u|kunnen we|zullen we|graag)\b|\balstublieft\b|\blaat (?:het )?(?:me|mij|ons) weten\b",
    r"\b(?:poderia|podes|podemos|você pode|pode-me)\b|\bgostaria\b|\bpor favor\b|\bdiga-me\b",
    r"(?:ください|下さい|お願い(?:いた|致)?しま|お願い申し上げ|いただけます|頂けます|ご返信|ご連絡を|お知らせ願|教えて)",
)
QUESTION = _any(r"\?(?!\w)", r"؟", r"(?:でしょうか|ますか|ですか)(?:$|[。\s])")
MEETING = _any(
    r"\b(?:meet(?:ing)?s?|call|video ?call|phone call|zoom|appointment|catch[- ]up|viewing|site visit|visit|"
    r"get together|lunch|coffee|talk it through|talk things through|hearing|interview|demo)\b",
    r"\bare you (?:free|available)\b|\bpasst (?:es )?(?:dir|ihnen|euch)\b|\b(?:hast du|haben sie|hätten sie) zeit\b|"
    r"\bêtes-vous (?:libre|disponible)\b|\b(?:está|estás|tiene|tienes) (?:libre|disponible|tiempo)\b",
    r"\b(?:termin|treffen|besichtigung|besprechung|gespräch|telefonat|telefonieren|videokonferenz|kennenlernen|treffen wir)\b",
    r"\b(?:rendez-vous|réunion|rencontrer|nous voir|se voir|visioconférence|visio|entretien téléphonique)\b",
    r"\b(?:reunión|reunirnos|vernos|cita|llamada|videollamada|quedar|quedamos)\b",
    r"\b(?:riunione|incontr(?:o|arci|iamoci)|appuntamento|vederci|sentir(?:ci|si)|ci sentiamo|ci vediamo|chiamata|telefonata"
    r"|videochiamata|colloquio)\b",
    r"\b(?:afspraak|vergadering|bespreking|overleg|gesprek|afspreken|elkaar (?:spreken|zien|ontmoeten)|bellen|videogesprek)\b",
    r"\b(?:reunião|reunir-?nos|encontr(?:o|ar-?nos|armo-nos)|chamada|videochamada|consulta|conversa|falamos|marcar)\b",
    r"(?:打ち?合わ?せ|会議|ミーティング|面談|お会い|お電話)",
)
CANCELLATION = _any(
    r"\b(?:cancel(?:led|ling|ed)?|call(?:ed)? off|is off|can(?:no|')t make it|won't be able to make)\b",
    r"\b(?:absagen|abzusagen|abgesagt|entfällt|fällt aus|annul(?:er|é|ée)|cancelar|cancelad[ao])\b|中止|キャンセル",
    r"\b(?:annullare|annullat[ao]|disdire|disdett[ao]|afzeggen|afgezegd|annuleren|geannuleerd|desmarcar|desmarcad[ao])\b",
)
HOW_TO_CANCEL = _any(
    r"(?<![\w,]\s)\bto cancel\b[^.!?\n]*|\bif you (?:\w+ ){0,5}?cancel\b[^.!?\n]*|\byou (?:can|may) cancel\b[^.!?\n]*"
    r"|\bfree cancell?ation\b"
    r"|\bcancell?ation (?:policy|terms|fee)\b",
    r"(?<![\w,]\s)\b(?:um|zum) (?:\w+ ){0,4}?(?:abzusagen|absagen|zu stornieren)\b[^.!?\n]*"
    r"|\b(?:sollten|falls|wenn) sie (?:\w+ ){0,6}?absagen\b[^.!?\n]*",
    r"(?<![\w,]\s)\bpour (?:l'|le )?annuler\b[^.!?\n]*|(?<![\w,]\s)\bpara (?:cancelar|anular|desmarcar)(?:la|lo)?\b[^.!?\n]*",
    r"(?<![\w,]\s)\bper (?:annullare|disdire)(?:lo|la)?\b[^.!?\n]*|(?<![\w,]\s)\bom (?:\w+ ){0,3}?(?:af te zeggen|te annuleren)\b[^.!?\n]*",
)
"""Opens a sentence that says how something could be called off, which cancels nothing and asks for no call."""
OWN_APPOINTMENT = _any(
    r"\b(?:your|the) (?:upcoming |next )?(?:\w+ )?(?:appointment|booking|reservation|check-?up) (?:is|on|at|with|for|tomorrow|today"
    r"|has been|reminder|:)"
    r"|\byour (?:upcoming |next )?(?:appointment|booking|reservation|check-?up)\b|\bappointment reminder\b",
    r"\bterminerinnerung\b|\berinner\w+ (?:\w+ ){0,3}?(?:an )?ihren termin\b|\bihr(?:en|em)? (?:nächste[rn]? )?(?:\w+)?termin\b",
    r"\brappel\b.{0,40}\brendez-vous\b|\bvotre (?:prochain )?rendez-vous (?:est|du|de|le|avec|chez|demain|aura)\b",
    r"\brecordatorio\b.{0,40}\bcita\b|\b(?:su|tu) (?:próxima )?cita (?:es|del|de|está|con|el|mañana)\b",
    r"\bpromemoria\b.{0,40}\bappuntamento\b|\b(?:suo|tuo|vostro) (?:prossimo )?appuntamento (?:è|del|di|con|domani|per)\b",
    r"\bherinnering\b.{0,40}\bafspraak\b|\b(?:uw|je) (?:volgende )?afspraak (?:is|op|van|bij|met|morgen)\b",
    r"\blembrete\b.{0,40}\b(?:consulta|marcação)\b|\b(?:sua|tua) (?:próxima )?(?:consulta|marcação) (?:é|está|de|com|no|amanhã)\b",
    r"ご予約の(?:確認|お知らせ)|リマインド",
)
"""Speaks of an appointment that the reader has."""
DEADLINE = _any(
    r"\bdeadline\b|\bat the latest\b|\bby (?:the end of|end of|tomorrow|today|(?:mon|tues|wednes|thurs|fri)day)\b",
    r"\bby (?:the )?\d{1,2}(?:st|nd|rd|th|:\d\d|\s?[ap]m|\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))",
    r"\bbis (?:zum|spätestens|montag|dienstag|mittwoch|donnerstag|freitag|morgen|heute)\b|\bfrist\b",
    r"\bavant le\b|\bdate limite\b|\bantes del\b|\bfecha límite\b|までに|締め?切",
)
ALERT = _any(
    r"\b(?:alert|alarm|critical|warning|failed|failure|failing|error|down|outage|overdue|delayed|blocked|suspended|"
    r"suspicious|unusual|expires?|expired|declined|security|breach|new sign-?in|password)\b",
    r"\b(?:warnung|fehler|fehlgeschlagen|gesperrt|ungewöhnliche?|verspätet|überfällig|sicherheit\w*|läuft ab)\b",
    r"\b(?:alerte|échec|échoué|retardé|bloqué|suspect|alerta|fallo|retrasad[oa]|bloquead[oa]|sospechos[oa])\b",
    r"(?:警告|障害|エラー|遅延|不審)",
)
NO_REPLY_NEEDED = _any(
    r"\bno (?:need to (?:reply|answer|respond)|(?:reply|answer|response) (?:is )?(?:needed|necessary|required))\b",
    r"\b(?:do not|don't) (?:need|have) to (?:reply|answer|respond)\b",
    r"\bkeine antwort (?:nötig|notwendig|erforderlich)\b|\bpas besoin de répondre\b|"
    r"\bno (?:hace falta|es necesario) (?:que )?respond\w*|返信(?:は)?不要",
)
FOR_INFORMATION = _any(
    r"\bfyi\b|\bfor your information\b|\bjust so you know\b|\bheads[- ]up\b",
    r"\bzur info(?:rmation)?\b|\bzur kenntnis\w*\b|\bpour (?:votre |ta |)information\b|\bpara (?:su|tu) información\b|ご参考まで",
)
AUTOMATIC_REPLY = _any(
    r"^\W*(?:re:\s?)?(?:automatic reply|auto(?:matic)?[- ]?(?:reply|response)|out of (?:the )?office|"
    r"abwesenheitsnotiz|automatische antwort|réponse automatique|respuesta automática|自動返信|自動応答)",
)
NEW_BANK_DETAILS = _any(
    r"\b(?:new|changed|updated|different)\s(?:\w+\s)?(?:bank|account|payment)\s(?:details|account|information)\b",
    r"\b(?:our|the) (?:bank details|iban|account number) (?:has|have) changed\b|\bgift ?cards?\b",
    r"\bneue(?:n|r)? (?:bankverbindung|kontodaten|iban)\b|\bnouvelles? coordonnées bancaires\b|"
    r"\bnuev[oa]s? (?:datos bancarios|cuenta bancaria)\b|(?:振込先|口座)の?変更",
)
LURE = _any(
    rf"\b(?:pay|transfer|wire|remit|send|settle)\b[^.?!\n]{{0,60}}(?:{CURRENCY}|\b(?:money|funds|bitcoins?|invoice)\b)",
    r"\b(?:confirm|verify|update|validate|unlock|re-?activate)\s(?:\w+\s){0,3}?"
    r"(?:password|account|identity|log-?in|credentials|card|wallet|payment)\b|\bone-?time (?:code|password)\b|\bwestern union\b",
    r"\b(?:überweis\w+|zahlen Sie)\b|\b(?:passwort|kennwort|konto|zugangsdaten)\s(?:\w+\s){0,3}?(?:bestätigen|aktualisieren|prüfen)\b",
    r"\b(?:virement|transferencia)\b|\b(?:confirmez|vérifiez|confirme|verifique)\s(?:\w+\s){0,3}?"
    r"(?:mot de passe|compte|identité|contraseña|cuenta|identidad)\b",
)
"""What somebody wants who is not who they seem to be: money, or the key to an account."""
COMPLAINT = _any(
    r"\b(?:disappointed|complain\w*|unacceptable|refund|replacement|faulty|not what I (?:paid for|ordered)|"
    r"(?:arrived|delivered|came) (?:\w+ )?(?:damaged|scratched|broken))\b",
    r"\b(?:enttäuscht|beschwerde|reklamation|reklamieren|beschädigt (?:an|bei)|déçue?|réclamation|"
    r"decepcionad[oa]|reclamación)\b|(?:苦情|破損して)",
)
ORDER = _any(
    r"\b(?:to order|(?:our|my|an) order|purchase order)\b|\border:|\b(?:bestellen|bestellung)\b|"
    r"\bcommande[rz]?\b|\b(?:pedido|encargar)\b|注文"
)

# Each one alone may stand in honest mail; two different ones make advertising.
MARKETING = tuple(
    _any(p)
    for p in (
        r"\bunsubscribe\b(?! (?:me|us)\b)|\bopt[- ]?out\b|\bnewsletter abbestellen\b|\bvom newsletter abmelden\b|"
        r"\bse désabonner\b|\bdarse de baja\b|配信停止",
        r"\d ?% (?:off|rabatt|de réduction|de descuento)\b|\bspecial offer\b|\bsonderangebot\b|\boffre spéciale\b",
        r"\b(?:limited time|while stocks last|act now|offer ends|only until|last chance|nur noch heute)\b",
        r"\b(?:shop now|buy now|order now|click here|book a demo|jetzt kaufen|free trial)\b",
        r"\bview (?:this )?(?:\w+ )?in (?:your )?browser\b|\bim browser ansehen\b",
        r"\b(?:seo|more leads|lead generation|boost (?:your|their)|grow your (?:business|revenue)|backlinks?)\b",
        r"\b(?:came across|stumbled (?:up)?on|visited) your (?:website|site|profile|company)\b",
        r"\b(?:risk[- ]free|no obligation|guaranteed results|proven strategy|money[- ]back)\b",
        r"\bquick call\b|\b1[05] minutes (?:this|next) week\b",
        r"\b(?:black friday|cyber monday)\b",
        r"\b(?:you have|has) won\b|\blucky winner\b|\blottery\b|\bclaim your (?:prize|reward)\b|\bonline draw\b",
        r"\b(?:bitcoin|crypto\w*) (?:investment|opportunity|profit)|\binheritance\b|\bmillion (?:usd|dollars|euros?)\b",
        r"!!!",
    )
)


def cancels(text: str) -> bool:
    """Whether a text calls something off, and does not merely say how that could be done."""
    return CANCELLATION.search(HOW_TO_CANCEL.sub(" ", text)) is not None
