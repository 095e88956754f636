"""Names of months, days and holidays, and the words around them, in seven languages and Japanese."""

import re

_MONTH_NAMES = (
    "january jan januar jänner janvier janv enero ene gennaio januari janeiro",
    "february feb februar février févr febrero febbraio februari fevereiro", "march mar märz mars marzo maart março",
    "april apr avril avr abril abr aprile", "may mai mayo maggio mei maio", "june jun juni juin junio giugno junho",
    "july jul juli juillet juil julio luglio julho", "august aug août agosto ago augustus",
    "september sept sep septembre septiembre setiembre settembre setembro",
    "october oct oktober okt octobre octubre ottobre outubro", "november nov novembre noviembre novembro",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro",
)  # fmt: skip
MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}

_WEEKDAY_NAMES = (
    "monday mon montag lundi lunes lunedì lunedi maandag segunda-feira 月",
    "tuesday tues tue dienstag mardi martes martedì martedi dinsdag terça-feira terca-feira 火",
    "wednesday wed mittwoch mercredi miércoles miercoles mercoledì mercoledi woensdag quarta-feira 水",
    "thursday thurs thur thu donnerstag jeudi jueves giovedì giovedi donderdag quinta-feira 木",
    "friday fri freitag vendredi viernes venerdì venerdi vrijdag sexta-feira 金",
    "saturday sat samstag sonnabend samedi sábado sabado sabato zaterdag 土",
    "sunday sun sonntag dimanche domingo domenica zondag 日",
)  # fmt: skip
WEEKDAYS = {name: number for number, names in enumerate(_WEEKDAY_NAMES) for name in names.split()}
"""Weekdays by their name in lower case, Monday is 0."""
FULL_WEEKDAYS = tuple(name for name in WEEKDAYS if len(name) > 4 and name not in {"thurs"})
"""Names that are no abbreviations, which would also be other words."""

SHORT_WEEKDAYS = {
    "segunda": 0, "terça": 1, "terca": 1, "quarta": 2, "quinta": 3, "sexta": 4,
    "mo": 0, "di": 1, "mi": 2, "do": 3, "fr": 4, "sa": 5, "so": 6,
    "lun": 0, "mer": 2, "jeu": 3, "ven": 4, "sam": 5, "mié": 2, "jue": 3, "vie": 4, "gio": 3, "wo": 2, "vr": 4, "za": 5,
}  # fmt: skip
"""Short names that are also other words; what stands beside them shows that they are days (`named_days`)."""

HOLIDAYS = tuple(
    (re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), month, day)
    for pattern, month, day in (
        (r"christmas eve|heilig(?:er )?abend|heiligabend|(?:la )?veille de noël|(?:la )?nochebuena|(?:la )?vigilia di natale|kerstavond"
         r"|véspera de natal", 12, 24),
        (r"christmas day|(?:(?:am |dem )?(?:ersten|1\.)|erster) weihnachts(?:feier)?tag|(?:le )?jour de noël|día de navidad"
         r"|giorno di natale|(?:eerste|1e) kerstdag|dia de natal", 12, 25),
        (r"boxing day|st\.? stephen's day|(?:(?:am |dem )?(?:zweiten|2\.)|zweiter) weihnachts(?:feier)?tag|lendemain de noël"
         r"|santo stefano|(?:tweede|2e) kerstdag", 12, 26),
        (r"new year'?s eve|(?<!sankt )silvester(?:abend)?|(?:la )?saint-sylvestre|nochevieja|(?:notte di )?san silvestro"
         r"|vigilia di capodanno|oud(?:ejaars(?:dag|avond)|jaar)|véspera (?:de|do) ano[ -]novo", 12, 31),
        (r"new year'?s day|(?<!frohes )(?<!gutes )neujahr(?:stag)?|(?:le )?(?:jour|premier) de l'an|(?:día de )año nuevo|capodanno"
         r"|nieuwjaarsdag|dia de ano[ -]novo", 1, 1),
        (r"epiphany|dreikönig(?:e|stag)|heilige drei könige|épiphanie|día de reyes|epifania|befana|driekoningen|dia de reis", 1, 6),
        (r"may day|tag der arbeit|fête du travail|día del trabajo|festa del lavoro|dag van de arbeid|dia do trabalhador", 5, 1),
        (r"ferragosto", 8, 15),
        (r"all saints'? day|allerheiligen|(?:la )?toussaint|día de todos los santos|ognissanti|dia de todos os santos", 11, 1),
        (r"nikolaus(?:tag)?|saint-nicolas", 12, 6),
        (r"sinterklaasavond|pakjesavond", 12, 5),
    )
)  # fmt: skip
"""Holidays that are the same day every year: pattern, month, day."""

DAYS_AHEAD = tuple(
    (re.compile(pattern, re.IGNORECASE), ahead)
    for pattern, ahead in (
        (r"\bday after tomorrow\b|\bübermorgen\b|\baprès-demain\b|\bpasado mañana\b|\bdopodomani\b|\bovermorgen\b"
         r"|\bdepois de amanhã\b|明後日", 2),
        (r"(?<!after )\btomorrow\b|(?<!guten )(?<!am )(?<!goede )\bmorgen(?:früh|abend|nachmittag|middag|avond|ochtend)?\b"
         r"|(?<!après-)\bdemain\b"
         r"|(?<!pasado )(?<!la )(?<!esta )(?<!buena )\bmañana\b|\bdomani\b|(?<!depois de )\bamanhã\b|明日", 1),
        (r"\btoday\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b|\bce (?:soir|matin)\b|\bcet après-midi\b"
         r"|\besta (?:tarde|noche|mañana|noite|manhã)\b|\bquesta (?:sera|mattina)\b|\bstamattina\b|\bheute\b|\baujourd'hui\b"
         r"|\bhoy\b|\boggi\b|\bvandaag\b|\bhoje\b"
         r"|\bvan(?:ochtend|middag|avond)\b|\bstasera\b|今日|本日", 0),
        (r"(?<!before )\byesterday\b|(?<!vor)\bgestern\b|(?<!avant-)\bhier soir\b|\bayer\b|(?<!l'altro )\bieri\b|(?<!eer)\bgisteren\b"
         r"|(?<!ante)\bontem\b", -1),
        (r"\bday before yesterday\b|\bvorgestern\b|\bavant-hier\b|\banteayer\b|\bl'altro ieri\b|\beergisteren\b|\banteontem\b", -2),
    )
)  # fmt: skip
THIS_WEEK = re.compile(
    r"\bthis week\b|\bdiese[rn]? woche\b|\bcette semaine\b|\besta semana\b|\bquesta settimana\b|\bdeze week\b|今週",
    re.IGNORECASE,
)
WEEKS_AHEAD = tuple(
    (re.compile(pattern, re.IGNORECASE), ahead)
    for pattern, ahead in (
        (r"\bweek after next\b|\bübernächste[nr]? woche\b|再来週", 2),
        (r"(?<!after )\bnext week\b|\b(?:nächste[nr]?|kommende[nr]?) woche\b|\bsemaine prochaine\b"
         r"|\b(?:la )?próxima semana\b|\b(?:la )?semana que viene\b|\b(?:prossima settimana|settimana prossima)\b|\bvolgende week\b"
         r"|\bkomende week\b|\bsemana que vem\b|(?<!再)来週", 1),
        (THIS_WEEK.pattern, 0),
        (r"\blast week\b|\bletzte[nr]? woche\b|\bla semaine dernière\b|\bla semana pasada\b|\bsettimana scorsa\b"
         r"|\b(?:vorige|afgelopen) week\b|\bsemana passada\b", -1),
    )
)  # fmt: skip
SIGNS_AHEAD = (
    "tomorrow", "morgen", "demain", "mañana", "domani", "amanhã", "明", "today", "tonight", "this ", "ce ", "cet ", "esta ",
    "questa ", "stamattina", "heute", "aujourd", "hoy", "oggi", "stasera",
    "vandaag", "vano", "vanm", "vana", "hoje", "今", "本日", "yesterday", "gestern", "hier", "ayer", "ieri", "gisteren", "ontem", "week",
    "woche", "semaine", "semana", "settimana", "週",
)  # fmt: skip
"""One of these, in lower case, stands in every text that names a day or a week so; most texts have none and need no closer look."""
NEXT_BEFORE = re.compile(
    r"(?:\bnext|\bnächste[nrsm]?|\bvolgende|\bel próximo|\bpróxim[ao]|\bprossim[oa]|来週の?)\s?$",
    re.IGNORECASE,
)
NEXT_AFTER = re.compile(r"\s(?:prochaine?|prossim[oa])\b", re.IGNORECASE)
COMING_BEFORE = re.compile(
    r"\b(?:this|coming|diese[nrsm]?|kommende[nrsm]?|ce|este|questo|deze|komende|aanstaande|esta|nesta|neste)\s$",
    re.IGNORECASE,
)
COMING_AFTER = re.compile(r"\s(?:que viene|que vem|coming)\b|,?\sa\.s\.", re.IGNORECASE)
LAST_BEFORE = re.compile(
    r"(?:\bblack|\bgood|\blast|\bpast|\bletzte[nrsm]?|\bvorige[nrsm]?|\bvergangene[nrsm]?|\bafgelopen|\bel pasado|先週の?)\s$",
    re.IGNORECASE,
)
LAST_AFTER = re.compile(r"\s(?:dernier|pasado|scors[oa]|passad[oa]|jl\.|letztens)(?!\w)", re.IGNORECASE)
OF_WEEK = re.compile(
    r"[\s,]{0,2}(?:(?:of|in|on|in der|der|am|de|di|della?|da|em|na|no|van|le|el|op|of the|della|de la|a|の)\s){0,2}(?:la\s|the\s|a\s)?の?",
    re.IGNORECASE,
)
"""What may stand between a weekday and its week: "next week, on Tuesday", "am Dienstag nächster Woche"."""
WEEK_ON = tuple(
    (re.compile(pattern, re.IGNORECASE), weeks)
    for pattern, weeks in (
        (
            r"\s(?:week|in acht tagen|en huit|a otto|en ocho(?: días)?|over acht dagen|a oito)\b(?!\s(?:of|after)\b)",
            1,
        ),
        (
            r"\s(?:fortnight|in vierzehn tagen|en quinze|a quindici|en quince(?: días)?|over veertien dagen|a quinze)\b",
            2,
        ),
    )
)
"""Behind a day: so many weeks on ("Thursday week", "jeudi en quinze")."""
_WEEKS, _DAYS = (
    r"(?:weeks?|wochen?|semaines?|semanas?|settiman[ae]|weken)",
    r"(?:days?|tage?n?|jours?|días?|dias?|giorn[io]|dag(?:en)?)",
)
_COUNT = rf"(?P<count>\d{{1,2}}|[^\W\d_]+)\s(?:(?P<week>{_WEEKS})|(?P<day>{_DAYS}))\b"
LATER = re.compile(
    rf"\b(?:in|dans|dentro de|de (?:hoy|aquí) a|fra|tra|daqui a|em|en(?=\s\S+\s(?:semanas?|días?)\b)"
    rf"|over(?=\s(?:een\s|\S+\s(?:weken|dagen)\b)))\s{_COUNT}",
    re.IGNORECASE,
)
"""In so many weeks or days."""
LATER_THAN = re.compile(rf"\b{_COUNT}\s(?:from|on|after)?\s?$", re.IGNORECASE)
"""Before a day: so many weeks or days after it ("two weeks from Thursday", "a week today")."""
WEEK_LONG = frozenset({8, 15})
"""Numbers of days by which some count a week or two, and some just that many days."""
OTHER_OF_MONTH = re.compile(
    r"(?<![:.h\d/])(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?\s?(?:(?P<to>-|–|to|bis|à|au|al|tot|t/m|até|through)|and|or|und|oder|et|ou|y"
    r"|o|e|en|of|&|/)\s?$",
    re.IGNORECASE,
)
"""Right before a date: another day of its month, or the first of several."""
DEADLINE_BEFORE = re.compile(
    r"\b(?:by|before|until|till|bis(?: zum| spätestens)?|vor dem|avant(?: le)?|antes del?|hasta(?: el)?|than|since|seit"
    r"|entro|prima di|fino a|vóór|uiterlijk|até|antes d[eao])"
    r"(?:\s(?:the|end of|next))?\s?$",
    re.IGNORECASE,
)
WEEK_OF_BEFORE = re.compile(
    r"\b(?:week (?:of|commencing|beginning|starting)|woche (?:vom|ab)|semaine du|semana del)(?:\s(?:the|dem))?\s?$",
    re.IGNORECASE,
)
