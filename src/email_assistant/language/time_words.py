"""The words around times that say whether one is offered: cannot, instead of, moved to, open from, every, after.

In English, German, French, Spanish, Italian, Dutch and Portuguese, a line each. Which days and hours are meant is for `days` and `hours`
to say; these tell what may not be taken for an offer, and what of a sentence nobody has understood.
"""

import re

from email_assistant.language.day_words import FULL_WEEKDAYS, MONTHS


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


CANNOT = _any(
    r"\b(?:not|cannot|\w+n't|unable|never|impossible|unavailable|no (?:good|longer|chance|way)|except|apart from|other than|tied up|neither"
    r"|nor)\b|\b(?:I'm|am|we're|is|are|be|will be) (?:\w+ )?(?:out|away|off|busy|booked|travell?ing|in meetings|on (?:holiday|leave"
    r"|vacation))\b",
    r"\b(?:nicht|kein\w*|nie|unmöglich|verhindert|verreist|im urlaub|abwesend|ausgebucht|belegt|verplant|auße?r|ausser|weder)\b",
    r"\bne\b|\bn'|\bpas\b|\b(?:impossible|indisponible|absente?|sauf|hormis|excepté|occupée?|prise?|en congés?|en vacances)\b",
    r"\bno (?=\w*(?:pued|pod|es posible|me|nos|est|teng|va|hay|voy|será)\w*)|\b(?:imposible|nunca|tampoco|salvo|excepto|menos el|ocupad[oa]"
    r"|fuera|de vacaciones)\b",
    r"\b(?:non|impossibile|tranne|eccetto|occupat[oa]|fuori|in ferie|neanche|nemmeno|impegnat[oa])\b",
    r"\b(?:niet|geen|onmogelijk|behalve|uitgezonderd|verhinderd|afwezig|op vakantie|bezet)\b",
    r"\b(?:não|nem|impossível|exceto|menos na|fora|de férias)\b",
    r"無理|都合が悪|できません|以外",
)
"""That the writer cannot come then."""
NOT_CANNOT = _any(
    r"\bwhy (?:not|don't)\b|\b(?:would|could|should|do|ca|wo|is)n't (?:you|we|it|that)\b|\bif (?:that is |that's |it's )?not\b"
    r"|\bif you don't mind\b"
    r"|\bnot (?:only|sure|a problem)\b|\bcan't wait\b|\b(?:do not|don't) (?:hesitate|worry)\b|\bif (?:\w+ ){0,3}(?:doesn't|does not"
    r"|isn't)\b",
    r"\b(?:warum|wieso|wenn|falls|ob) (?:\w+ ){0,2}nicht\b|\bnicht (?:wahr|nur)\b|\b(?:können|könnten|wollen|sollen) wir (?:uns )?nicht\b",
    r"\bpourquoi pas\b|\bn'(?:est-ce pas|hésite\w*)\b|\bsi (?:\w+ )?(?:ne|n')\b|\bne (?:pourr|ser)\w+-\w+ pas\b",
    r"\bpor qué no\b|\bsi no\b|\bno dude\b",
    r"\bperché non\b|\bse non\b|\bnon (?:esit\w+|so se)\b",
    r"\bwaarom niet\b|\b(?:zo|indien|als (?:\w+ ){0,2}) ?niet\b",
    r"\bpor que não\b|\bse não\b|\bnão (?:hesite|sei se)\b",
)
"""What only looks like it."""
CLAUSE_END = re.compile(
    r"[,;](?!\d)|:(?=\s)|\s[–—-]\s|[.!?](?=\s)|\s(?:but|aber|sondern|mais|pero|sino|ma|maar|mas)(?=\s)|\sand (?=(?:would|could|can"
    r"|how|I)\b)",
    re.IGNORECASE,
)

MOVES = _any(
    r"\b(?:mov(?:e|ed|ing)|reschedul\w+|postpon\w+|shift(?:ed)?|push(?:ed)?|bring (?:\w+ ){1,3}forward|chang(?:e|ed|ing)|swap)\b",
    r"\b(?:verschieben|verschoben|verschiebe|verlegen|verlegt|verlege|vorziehen|vorgezogen|umlegen|umbuchen|ändern)\b",
    r"\b(?:déplac\w+|report(?:er|ons|é\w?)|décal\w+|repouss\w+|avanc(?:er|é\w?)|chang(?:er|eons))\b",
    r"\b(?:mover|aplaz\w+|cambi(?:ar|amos)|pasar|pasamos|posponer|retrasar|adelantar|trasladar)\b",
    r"\b(?:spost\w+|rinvi\w+|rimand\w+|cambi(?:are|amo)|anticip\w+|posticip\w+)\b",
    r"\b(?:verplaats\w*|verzet(?:ten)?|verschuiven|verschuif|uitstellen|vervroegen)\b",
    r"\b(?:mudar|mudamos|adiar|remarcar|passar|transferir|reagendar|alterar|antecipar)\b",
)
MOVED_TO = re.compile(
    r"(?<!\w)(?:to|for|until|auf|zu|à|au|al|a|alla|para|naar|op|ao?|pra)\s(?:the |le |la |el |il |den |een |a )?$",
    re.IGNORECASE,
)
"""Right before the new time of a move."""
FROM_HOUR = re.compile(r"(?:from|von|de(?: las)?|dalle|van|das)\s", re.IGNORECASE)
INSTEAD_OF = _any(
    r"\b(?:instead of|rather than)\b",
    r"\b(?:an)?statt\b(?! dessen)|\banstelle\b",
    r"\bau lieu d[eu]\b|\bplutôt que\b",
    r"\ben (?:vez|lugar) de\b",
    r"\binvece d(?:i|el|ella)\b|\bal posto d(?:i|el)\b",
    r"\bin plaats van\b",
    r"\b(?:em vez|ao invés) d[eao]\b",
)
SAME_TIME = _any(
    r"\bsame (?:time|hour)\b|\bgleiche\w* (?:uhr)?zeit\b|\bselbe\w* (?:uhr)?zeit\b|\bmême heure\b|\bmisma hora\b|\bstess[ao] or(?:a|ario)\b"
    r"|\b(?:zelfde tijd|hetzelfde tijdstip)\b|\bmesm[ao] hor(?:a|ário)\b"
)

PREFERS = _any(
    r"\b(?:instead|rather|better)\b|\b(?:lieber|stattdessen|besser|eher)\b|\b(?:plutôt|à la place|mieux)\b|\b(?:mejor|en su lugar)\b"
    r"|\b(?:piuttosto|meglio|invece)\b|\b(?:liever|beter|in plaats daarvan)\b|\b(?:melhor|antes na|em vez disso)\b"
    r"|\bnow (?:takes?|taking) place\b|\b(?:findet|ist) (?:nun|jetzt|neu)\b|\b(?:désormais|finalement)\b|\b(?:ahora|finalmente)\b"
    r"|\bnu\b|\bagora\b"
)
"""Prefers one of two times; which one the words do not say for certain."""

OPENING = _any(
    r"(?<!I'm )(?<!I am )\b(?:opens?|closes?|closed)\b(?! to\b| for\b)|\b(?:opening|office|business|visiting) hours\b|\breachable\b",
    r"\b(?:geöffnet|geschlossen|besetzt|erreichbar)\b|\b(?:öffnungs|sprech|büro|geschäfts|service)zeiten\b",
    r"\b(?:ouverte?s?|fermée?s?|joignables?)\b|\bhoraires d'ouverture\b",
    r"\b(?:abiert[oa]s?|cerrad[oa]s?|abrimos|atendemos)\b|\bhorario de\b",
    r"\b(?:apert[oaie]|chius[oaie]|orari[o]? d)\b|\borari[o]? (?:di|d')",
    r"\b(?:geopend|gesloten|openingstijden|bereikbaar|openingsuren)\b",
    r"\b(?:abert[oa]s?|fechad[oa]s?|funcionamos|atendemos|horário de (?:funcionamento|atendimento|abertura))\b",
    r"営業時間",
)
"""Speaks of when a place is open."""
RECURRING = _any(
    r"\b(?:every|each|weekly|daily|monthly|fortnightly)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b",
    r"\b(?:jede[nrsm]?|wöchentlich\w*|täglich\w*|(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs)\b",
    r"\b(?:chaque|tous les|toutes les|hebdomadaire)\b",
    r"\b(?:cada|todos los|todas las|los (?:lunes|martes|miércoles|jueves|viernes)|semanal\w*)\b",
    r"\b(?:ogni|tutt[ie] (?:i|le)|settimanal[ei])\b",
    r"\b(?:elke|iedere|wekelijks\w*)\b",
    r"\b(?:tod[oa]s [oa]s|toda (?:segunda|terça|quarta|quinta|sexta)|às (?:segundas|terças|quartas|quintas|sextas))\b",
    r"毎週|毎日",
)
TRAVEL = _any(
    r"\b(?:train|flight|plane|arriv(?:e|es|ing|al)|land(?:s|ing)|depart\w*)\b|\b(?:zug|flug|ankunft|abfahrt)\b|\b(?:mon vol|train|avion)\b"
    r"|\b(?:tren|vuelo|treno|volo|trein|vlucht|comboio|voo)\b"
)
"""Speaks of when somebody is under way."""

NOT_BEFORE = re.compile(
    r"(?<!\w)(?:after|from|since|no earlier than|not before|earliest(?: at)?|nach|ab|frühestens(?: um)?|nicht vor|après|dès"
    r"|à partir de|pas avant"
    r"|después de|a partir de|desde|no antes de|dopo|a partire da(?:lle)?|non prima delle|dalle|na|vanaf|niet voor|depois das?"
    r"|a partir das?|desde as)"
    r"\s(?:um |at |the |las? |le |les |all'|alle )?$",
    re.IGNORECASE,
)
NOT_AFTER = re.compile(
    r"(?<!\w)(?:before|until|till|by|no later than|latest(?: at)?|vor|bis|spätestens(?: um)?|avant|jusqu'à|antes de|hasta"
    r"|prima delle?|fino alle?|entro"
    r"|voor|tot|uiterlijk(?: om)?|antes das?|até)\s(?:um |at |the |las? |le |les |às |as )?$",
    re.IGNORECASE,
)
"""Right before an hour that is an edge of a time."""
OR_LATER = re.compile(
    r"\s?(?:onwards?|or later|oder später|ou plus tard|o más tarde|o più tardi|of later|ou mais tarde|on(?=[,.?!]|$)|以降)",
    re.IGNORECASE,
)
OR_EARLIER = re.compile(
    r"\s?(?:or earlier|at the latest|oder früher|spätestens|au plus tard|a más tardar|al più tardi|uiterlijk|o mais tardar|まで|以前)",
    re.IGNORECASE,
)
TO_DAY = re.compile(
    r"\s?(?:-|–|to|through|till|until|bis|à|au|a|al|tot(?: en met)?|t/m|até|から)\s?(?:den |le |el |il |de )?",
    re.IGNORECASE,
)
"""Between the first and the last of several days."""

ODD_BEFORE = re.compile(
    r"\b(?:whit|ash|maundy|shrove|cyber|easter|palm|goede|witte|after|(?:after|following) (?:the|that|this)|nach(?: dem)?|après(?: le)?"
    r"|lendemain d[eu]|veille d[eu]|después del?|víspera del?|dopo|dag na|daags na|voor|depois d[eao]|véspera d[eao]"
    r"|first|second|third|fourth|last|1st|2nd|3rd|4th|other|following|erste[nr]?|zweite[nr]?|dritte[nr]?|vierte[nr]?|letzte[nr]?"
    r"|übernächste[nrsm]?"
    r"|darauffolgende[nr]?|premier|deuxième|troisième|primer|segundo|tercer|último|siguiente|primo|secondo|terzo|ultimo|eerste"
    r"|tweede|derde|laatste"
    r"|primeir[ao]|segund[ao]|terceir[ao]|últim[ao])\s$",
    re.IGNORECASE,
)
ODD_AFTER = re.compile(
    r"\s?[-–/]\s?\d{1,2}\b(?![:.h\d])|,?\s(?:saint|santo|santa|gras|de (?:pâques|pentecôte|pascua|carnaval)|dell'angelo"
    r"|after\b(?!\s(?:\d|at\b|noon|half|quarter|lunch))|before\b(?!\s(?:\d|noon|lunch))|darauf\b|danach\b|davor\b|d'après\b|suivant"
    r"|siguiente|después\b|successiv|dopo\b|daarna\b|daarop\b|erna\b|seguinte"
    r"|depois\b|of (?:the|that|this)\b(?! week| next)|in der woche|week(?:s|end)?\b|weken\b|wochen\b)",
    re.IGNORECASE,
)
"""Beside a day: it is counted from something else."""

GREETING = _any(
    r"\bgood (?:morning|afternoon|evening|day)\b|\bguten (?:morgen|tag|abend)\b|\bgoe(?:de|ie)n?\s?(?:morgen|middag|avond|dag)\b"
    r"|\b(?:buen[oa]s|bo[am]s?) (?:d[ií]as?|tardes?|noches?|noites?|dia)\b|\bhave a (?:nice|good|great|lovely) \w+\b"
    r"|\bschönes? (?:woche|wochenende|tag)\b"
)
_WORDS = "|".join(
    re.escape(name)
    for name in (
        *FULL_WEEKDAYS,
        *(name for name in MONTHS if len(name) > 3 and name not in {"mars", "march"}),
    )
)
SIGNS = re.compile(
    rf"\b(?:{_WORDS})(?:s|s?tags)?\b"
    r"|\b(?:[0-2]?\d[:.h][0-5]\d|\d{1,2}\s?(?:uhr|uur|h|[ap]\.?m\.?|o'clock))(?!\w)|\b\d{1,2}(?:[/.]\d{1,2}){1,2}\b|\b\d{1,2}(?:st"
    r"|nd|rd|th)\b(?=\s?(?:$|[,.?!;]|(?:of|at|or|and)\b))"
    r"|\b(?:christmas|easter|thanksgiving|pentecost|whitsun|weihnacht\w*|oster\w*|pfingst\w*|karfreitag|noël|pâques|pentecôte"
    r"|navidad(?:es)?|pascuas?"
    r"|semana santa|nochebuena|natale|pasqua|pasquetta|kerst\w*|pasen|pinksteren|natal|páscoa|carnaval|karneval|fasching|ramadan"
    r"|diwali|hanukkah"
    r"|new year'?s?|feiertag\w*|holidays)\b"
    r"|\b(?:half(?= past|\s\d)|quarter (?:past|to)|viertel|halb|kwart|menos cuarto|mezza|fortnight|sennight)\b",
    re.IGNORECASE,
)
"""Names a day or a time, wherever it stands."""
WEAK_SIGNS = re.compile(
    r"\b(?:weeks?|weekends?|months?|days later|(?:early |late )?mornings?|afternoons?|evenings?|tonight|lunch ?time|around lunch"
    r"|midnight|end of (?:the )?day"
    r"|wochen?|wochenende|monats?|monatsende|tagen|vormittags?|nachmittags?|mittags?|abends?|mitternacht|kalenderwoche|kw\s?\d+"
    r"|semaines?|mois|quinzaine|jours|matin(?:ée)?|après-midi|soir(?:ée)?|minuit|semanas?|mes|quincena|días|mañanas?|tardes?"
    r"|noches?|medianoche"
    r"|settiman[ae]|mes[ei]|giorni|mattin[ao]|pomeriggi?o?|sera|serata|mezzanotte|weken|maand(?:en)?|dagen|ochtend|middag|avond"
    r"|middernacht|weekeinde"
    r"|mês|meses|dias|manhã|noite|meia-noite)\b"
    r"|週|ヶ月",
    re.IGNORECASE,
)
"""Names a time in a sentence that asks for one, or beside a day or an hour."""

SUITS = _any(
    r"\b(?:would|will|could|might) (?:\w+ )?(?:work|suit|be (?:\w+ )?(?:ideal|good|great|fine|perfect|best|possible|convenient))\b"
    r"|\b(?:works?|suits?)\b|\bhow about\b|\bwhat about\b|\bfor (?:example|instance)\b|\bz\. ?b\.|\bzum beispiel\b|\bpar exemple\b"
    r"|\bpor (?:ejemplo|exemplo)\b"
    r"|\b(?:per|ad) esempio\b|\bbijvoorbeeld\b|\bsí\b|\bsì\b|\bsim\b|\bI(?:'m| am) (?:free|available)\b|\bI could (?:do|make)\b"
    r"|\bas you (?:like|prefer|wish)\b|\byour choice\b|\b(?:is|are) (?:fine|good|best) (?:for|with|by) (?:me|us)\b",
    r"\b(?:würde|wäre|passt|passen|ginge|geht bei (?:mir|uns)|klappt)\b|\bschlage\b.{0,80}\bvor\b|\bvorschlag\b|\bwie (?:wäre"
    r"|sieht)\b|\bwie (?:sie"
    r"|du) (?:mögen|möchten|magst)\b",
    r"\b(?:convien\w*|conviendrait|irait|serait|je propose|nous proposons|préfér\w+)\b|\b(?:me|nous|cela|ça) (?:me |nous )?va\b"
    r"|\bà votre (?:choix"
    r"|convenance)\b",
    r"\b(?:me|nos) (?:va|viene|vendría|iría) (?:bien|perfecto|mejor)\b|\b(?:propongo|sugiero|prefier\w+|parece)\b|\bsería\b",
    r"\b(?:andrebbe|andare|propongo|preferi\w+|potrebbe|sarebbe)\b|\bva bene\b|\binvece sì\b",
    r"\b(?:past|schikt|komt) (?:mij|me|ons|het|goed|uit)\b|\bstel(?:len)?\b.{0,80}\bvoor\b|\b(?:lukt|kan|zou)\b|\b(?:naar keuze"
    r"|wat u|zoals u) ?\w*\b|\bwel\b",
    r"\b(?:pode(?:ria)? ser|serve|convém|proponho|sugiro|prefer(?:ir|es?|em)|seria|dá jeito|por mim)\b",
)
"""Offers a time without asking."""
