"""Commitments without a verb of granting: assurances, admissions, agreements, and what is to happen at a named time.

Each form commits by itself, whatever its subject, and a negation is part of what it promises ("nobody will see it", "it
won't get dearer"). What the other party said, wishes, thanks, requests and what is only possible are none.
"""

# ruff: noqa: E501 - a form is easier to read in one line

import re
from collections.abc import Iterator

_OUR = r"(?:my|our|mein\w*|unser\w*|mon|ma|mes|notre|nos|mi|mis|nuestr\w+)"
# Each form with what commits, in English, German, French, Spanish.
_FORMS = {
    "assure": r"\b(?:please )?(?:consider|regard) (?:it|this|that|the|your|yourself)\b|\b(?:count|rely|depend) on (?:it|us|me|that|the|our|my)\b"
    r"|\brest assured\b|\bnever mind (?:the|about)\b|\byou have my\b|\bcomptez sur\b|\bcuente con\b|\bverlassen sie sich\b|\bseien sie versichert\b"
    r"|\b(?:this|that|it|there|the [\w ]{1,30}|your [\w ]{1,30}|they) (?:won't|will not|will never|shall not|is not going to|never) "
    r"(?:ever )?(?:happen|occur|recur|repeat|fail|break|fade|cost|rise|increase|change|go up|get |be (?:any |a )?(?:charge|cost|fee|problem|delay|extra))"
    r"|\b(?:passiert|kommt|wird) (?:\w+ ){0,3}(?:nicht|nie) (?:wieder|mehr)\b|\bne se (?:re)?produira\b|\bno volverá a\b|\bno se repetirá\b"
    r"|\bstand(?:s|ing)? (?:behind|by) (?:the|our|it|this|that|what|every)\b|\bfor life\b|\blebenslang|\bà vie\b|\bde por vida\b",
    "expect": r"^\W*(?:you (?:can|may) |please |so )?expect (?:the|a|an|it|your|our|my|him|her|them|us|to (?:hear|receive|get))\b",
    "receive": r"\byou (?:get|receive)\b|\byou(?:'ll| will| shall) (?:get|have|hear|receive|be (?:paid|called|contacted|notified|informed|given|sent))\b(?! to| any| the (?:choice|option))"
    r"|\byou(?:'re| are) (?:now |also )?(?:exempt|hired|covered|entitled|insured|on the list|in the clear|free to)\b|\byou(?:'ve| have) (?:got|won|been (?:given|granted|chosen|selected|hired))\b"
    r"|\byou (?:may|can) (?:keep|return|cancel|exchange|have|send \w+ back|bring \w+ back|still)\b|\b(?:is|are) (?:all )?yours\b|(?<!get )(?<!getting )\bback (?:to|on|into|in) (?:you|your)\b"
    r"|\bgehört (?:ihnen|dir)\b|\b(?:est|sont) à vous\b|\b(?:es|son) (?:suy|tuy)[oa]s?\b|\b(?:bekommen|erhalten|kriegen) (?:sie|du)\b|\bsie (?:bekommen|erhalten|kriegen|dürfen)\b"
    r"|\bvous (?:recevr\w+|aurez|serez|touchez|pouvez garder)\b|\b(?:recibirá|tendrá|obtendrá|cobrará|puede quedarse)\b|\ble (?:devolv|abon|hac|mant|env|mand|reembols|regal|descont|cambi)\w+",
    "free": r"\b(?:pay nothing|nothing to pay|needn't pay|need not pay|half price|exempt|no further (?:cost|charge)s?|(?:at|on) (?:our|my) (?:own )?(?:cost|expense|account)|on us|\d+ ?% off)\b"
    r"|\bknock\w* .{1,30}\boff\b|\btake (?:another |an extra )?(?:\d|[£$€])\S* ?\S* off\b|\bauf unsere (?:kosten|rechnung)\b|\b(?:gehen|geht|gehn) auf (?:uns|mich)\b|\bzu unseren lasten\b|\bübernehmen wir\b"
    r"|\bwir übernehmen\b|\bà (?:nos|notre) (?:frais|charge)\b|\b(?:est|sont|vous est|vous sont) offerte?s?\b|\b(?:de|por) nuestra cuenta\b|\ba nuestro cargo\b|\bsin cargo\b|\bprozent (?:nachlass|rabatt)\b",
    "hold": r"\b(?:stands?|holds?|runs?|applies) (?:until|till|through|for)\b|\b(?:remains?|stays?|is|are|keep\w*) (?:\w+ ){0,4}?(?:valid|unchanged|fixed|frozen|in force|the same|as it is|as they are|open (?:until|till))\b"
    r"|\block(?:ing|ed)? in\b|\bkeep(?:ing)? (?:the|your|to the) (?:old|current|same|present|price|rate|offer|fee)\b|\bbleib\w* (?:\w+ ){0,4}?(?:gleich|gültig|bestehen|unverändert|stabil|dabei)\b|\bgilt (?:noch )?bis\b"
    r"|\brest\w* (?:\w+ ){0,3}?(?:valable|inchangé|le même|la même|garanti)\w*|\b(?:est|sont) (?:garanti|valable|maintenu)\w*|\bmanten(?:emos|go|dremos)\b|\bsigue (?:siendo )?válid|\bbend the rules\b|\b(?:make|making|made) an exception\b"
    r"|\bmachen (?:wir )?(?:\w+ ){0,3}eine ausnahme\b|\bfais\w+ une exception\b|\bhac\w+ una excepción\b",
    "confidential": r"\bconfidential|\bbetween (?:us|ourselves|you and me)\b|\bsafe with (?:me|us)\b|\bin (?:strict )?confidence\b|\b(?:erased|deleted|wiped|destroyed|purged)\b|\b(?:nobody|no one) (?:\w+ ){0,5}(?:will|'ll|is going to|gets to)\b"
    r"|\b(?:I|we)(?:'ll| will)? (?:never|not|don't|do not|won't) (?:ever )?(?:share|sell|pass|give|tell|disclose|reveal|forward|publish|use|show|keep|store|hand)\b|\bvertraulich|\bbleibt unter uns\b|\bstillschweigen\b|\bgelöscht\b|\bgeben .{1,40}\bnicht weiter\b"
    r"|\bconfidentiel|\bentre nous\b|\beffacée?s?\b|\bconfidencial|\bentre nosotros\b|\bborrad[oa]s?\b",
    "admit": rf"\b{_OUR} (?:own |entire |fault)*(?:fault|mistake|error|negligence|oversight|blame|schuld|fehler|versehen|faute|erreur|culpa)\b|\b(?:accept|take|taking|admit|acknowledge|assume|bear)\w* (?:\w+ ){{0,2}}?(?:responsib|liab|blame|fault|guilt|negligen)"
    rf"|\b(?:we|I|{_OUR} [\w ]{{1,30}}) (?:are|am|were|was|is|'re|have been|had been) (?:\w+ ){{0,2}}?(?:liable|responsible|negligent|to blame|at fault|careless|defective|faulty|unsafe|in breach|in the wrong)\b|\b{_OUR} (?:insurance|insurer|versicherung|assurance|seguro) (?:pay|cover|will|zahl|übernimm|paie|couvr|cubr|pag)"
    r"|\b(?:haften|hafte|haftet|haftung)\b|\b(?:fehler|schuld|versehen|verantwortung) (?:\w+ ){0,4}?(?:bei|von) (?:uns|mir)\b|\breconnai\w+|\bnotre (?:\w+ )?(?:responsabilité|faute)\b|\b(?:culpa|error|responsabilidad) (?:\w+ ){0,2}?(?:nuestr|mí)|\basum(?:imos|o|iremos)\b",
    "agree": r"\b(?:have|got|it's|is) a deal\b|\b(?:I|we)(?: hereby| gladly| happily| fully)? (?:accept|agree|undertake|commit|consent)\b(?! that)|\b(?:purchase order|hereby)\b|\b(?:got|have|gets?) the (?:job|position|post|role|contract|place|part)\b"
    r"|\bhiermit\b|\bnehmen? (?:wir |ich )?(?:ihr|dein|das|den)\w* (?:angebot|auftrag|bestellung|vorschlag) (?:\w+ )?an\b|\beinverstanden\b|\bstimmen? (?:wir |ich )?.{1,30}\bzu\b|\bsie haben (?:die stelle|den job|den zuschlag)\b"
    r"|\b(?:nous|j')\s?accept\w+|\bnous (?:sommes )?d'accord\b|\bpar la présente\b|\bacept(?:amos|o)\b|\bestamos de acuerdo\b|\bpor la presente\b|\bvous accord\w+|\bvous (?:offr|rembours|renvo|rappel|livr|garant|promet|assur)\w+",
}  # fmt: skip
_DEED = re.compile(
    r"\b(?:I|we)(?:'ve| have)? (?:already |just |now |also )?(?P<v>taken|raised|put|made (?:sure|an|a )|given|spoken|brought|set|written|arranged|booked|flagged|escalated|handed|changed|cancelled|canceled|"
    r"issued|credited|unlocked|removed|upgraded|started|ordered|instructed|told|asked for|seen to|took care|saw to)\b"
    r"|\b(?:I'm|we're|I am|we are) (?:now |already |currently |happily )?(?!writ|look|check|ask|hop|wait|think|wonder|try|go|consider|repl|sorry|work|contact|answer|hav|be|miss)[a-z]{2,14}ing\b(?! to (?:hear|see|know))"
    r"|\b(?:has|have) (?:now |already |just )?been (?:\w+ly |already |now )?(?!received|delayed|damaged|disappoint|promis|told|mention|noted|waiting|frustrat|lost|able|a |in |no |very )(?:[a-z]{2,14}ed|set|put|sent|paid|made|given|taken|undone|drawn|written)\b"
    r"|\b(?:is|are) (?:now |already |hereby )?(?:cancelled|canceled|booked|set aside|reserved|settled|sorted|taken care of|approved|confirmed|unlocked|on (?:its|their|the) way|in the post|with (?:the|our))\b|\bgoes? (?:straight |directly )?(?:to|back|out)\b",
    re.IGNORECASE,
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tag\w*|mittwoch|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
_WHEN = re.compile(
    rf"\b(?:today|tonight|tomorrow|overnight|at once|right away|immediately|shortly|(?:this|next) (?:morning|afternoon|evening|week|month|{_DAY})|(?:by|before|until|on|from) (?:{_DAY})|by (?:noon|the \w+|close|end|christmas|easter|then|\d)"
    rf"|before (?:noon|the \w+|close|christmas|easter)|on the \d\w*|within (?:\w+ ){{1,3}}?(?:minutes?|hours?|days?|weeks?|months?)|in (?:\w+ ){{1,2}}?(?:minutes|hours?|days|weeks?)|until (?:\w+ )?\w+|(?:{_DAY}) at\b"
    rf"|morgen|heute|übermorgen|sofort|umgehend|(?:am|bis|ab|zum) (?:{_DAY}|mittag|morgen|monatsende|jahresende|ende)|(?:diese|nächste)[nr]? (?:woche|monat|{_DAY})|binnen \w+|innerhalb (?:von )?\w+|in (?:\w+ ){{1,2}}?(?:tagen|stunden|wochen)"
    rf"|aujourd'hui|demain|ce soir|cet après-midi|cette semaine|sous \w+ (?:jours|heures|semaines)|d'ici|dans (?:la journée|les \w+|\w+ (?:jours|heures))|(?:chez vous )?(?:{_DAY})"
    rf"|mañana|hoy|esta (?:tarde|noche|semana|mañana)|el (?:{_DAY})|antes de|en \w+ (?:días|horas)|la semana que viene)\b",
    re.IGNORECASE,
)
# Who or what is spoken of as on its way: at the beginning of the clause, or after a first word of time.
_SPOKEN_OF = re.compile(
    rf"^\W*(?:(?:{_DAY}|am \w+|tomorrow|today|morgen|heute|demain|aujourd'hui|mañana|hoy)\W+(?:at \w+ )?)?"
    r"(?:(?:the|a|an|your|my|our|this|someone|somebody|everything|it|one of|i(?:'ll|'m)?|we(?:'ll|'re)?|see you|works?|suits?"
    r"|der|die|das|den|dem|ein|eine|einen|ich|wir|mein\w*|unser\w*|ihr|ihre|steht|kommt|geht|le|la|les|un|une|je|nous|mon|ma|notre|votre|vos|el|los|las|mi|nuestr\w+|su|sale|le llam\w+|me pon\w+)\b)",
    re.IGNORECASE,
)
_NO_COMMITMENT = re.compile(
    r"\b(?:you(?:r [\w ]{1,20})?|he|she|they) (?:also |\w+ )?(?:ask\w*|writ\w+|wrote|say|says|said|tell|told|offer\w*|hop(?:e|ing)|mention\w*|claim\w*|suggest\w*|promis\w+|state\w*|propos\w+|point\w* out)\b"
    r"|\baccording to\b|\bas you (?:say|write|wrote|said|mention|told|suggest)|\bI (?:understand|see) that\b|\bI understand\b|\b(?:thank|thanks|sorry|regret|glad to hear|hope|wish|appreciate|congratulations|best of luck|look forward|regards)\b|\b(?:would|could|might|perhaps|maybe|whether|should|seems?|too early)\b"
    r"|\b(?:cannot|can't|unable|not able|not (?:yet )?(?:decided|sure|certain|clear|know|in a position)|don't know|no decision|still open|remains to be|question (?:is|for|of)|not been)\b|^\W*(?:please|kindly|bitte|veuillez|merci|por favor|let (?:me|us) know|tell (?:me|us)|nobody here|no [a-z]+ (?:has|have))\b(?! (?:consider|regard|expect|rest|note that|be assured))"
    r"|\b(?:dank|danke|laut|ob|würde|könnte|müsste|sollte|leider|schreiben sie|sie schreiben|tut mir leid|nicht (?:zusagen|sagen|garantieren|versprechen)|freue mich|hoffe|möchten sie)\b"
    r"|\b(?:merci|selon|d'après|pourrait|devrait|serait|désolée?|espère|dans l'attente|je ne sais|ne pouvons|ne peux|vous écrivez|vous dites|souhait\w+)\b"
    r"|\b(?:gracias|según|podría|tendría|sería|siento|espero|quedo a|no sé|no podemos|no puedo|usted (?:escribe|dice)|lamenta\w+)\b",
    re.IGNORECASE,
)
_PATTERNS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _FORMS.items()}
_TIMED = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b|\b\d\d?[:.h]\d\d\b|{_WHEN.pattern}|\b(?:{_DAY})\b", re.IGNORECASE
)


def assured(clause: str) -> tuple[int, frozenset[str]] | None:
    """Where a clause begins to commit, and to what; None when it does not."""
    if _NO_COMMITMENT.search(clause):
        return None
    found = {name: match.start() for name, pattern in _PATTERNS.items() if (match := pattern.search(clause))}
    if deed := _DEED.search(clause):
        found["done"] = deed.start()
    if _SPOKEN_OF.match(clause) and (when := _WHEN.search(clause)):
        found["schedule"] = min(when.start(), len(clause) - len(clause.lstrip()))
    return (min(found.values()), frozenset(found)) if found else None


def assurances_in(sentence: str) -> Iterator[str]:
    """What a sentence of a source of ours grants of these."""
    for name, pattern in _PATTERNS.items():
        if pattern.search(sentence):
            yield name
    if _DEED.search(sentence):
        yield "done"
    if _TIMED.search(sentence):
        yield "schedule"
