"""The words of clock times and parts of the day, in English, German, French, Spanish, Italian, Dutch and Portuguese."""

import re

_H = r"(?P<h>\d{1,2}|[^\W\d_]+)"
_M = r"(?P<m>\d{1,2}|[^\W\d_]+(?:-[^\W\d_]+)?)"

SPOKEN = tuple(
    (re.compile(rf"(?<![\w:.,])(?:{pattern})(?![\w'’])", re.IGNORECASE), languages, minutes)
    for languages, pattern, minutes in (
        ("en", rf"half past {_H}(?: o'clock)?", 30),
        ("en", rf"at half {_H}(?: o'clock)?", 30),
        ("en", rf"half {_H}(?: o'clock)?", 30),
        ("en", rf"(?:a )?quarter (?:past|after) {_H}", 15),
        ("en", rf"(?:a )?quarter (?:to|of|before|til) {_H}", -15),
        ("en", rf"{_M} (?:minutes )?(?:past|after) {_H}", 1),
        ("en", rf"{_M} (?:minutes )?(?:to|before) {_H}", -1),
        ("en", rf"{_H} o'clock", 0),
        ("en", rf"(?:at|around) {_H} {_M}", 1),
        ("en", rf"(?:at|around|about|by|or) {_H}", 0),
        ("de", rf"{_M} (?:minuten )?vor halb {_H}", -31),
        ("de", rf"{_M} (?:minuten )?nach halb {_H}", -29),
        ("de", rf"halb {_H}(?: uhr)?", -30),
        ("de", rf"(?:dreiviertel|drei viertel|3/4) {_H}", -15),
        ("de", rf"viertel nach {_H}", 15),
        ("de", rf"viertel vor {_H}", -15),
        ("de", rf"viertel {_H}", -45),
        ("de", rf"{_M} (?:minuten )?nach {_H}(?: uhr)?", 1),
        ("de", rf"{_M} (?:minuten )?vor {_H}(?: uhr)?", -1),
        ("de", rf"{_H} uhr(?: {_M})?", 1),
        ("de", rf"(?:um|gegen|oder) {_H}", 0),
        ("fr", rf"{_H} ?h(?:eures?)? et demie?", 30),
        ("fr", rf"{_H} ?h(?:eures?)? (?:et|un) quart", 15),
        ("fr", rf"{_H} ?h(?:eures?)? moins (?:le |un )?quart", -15),
        ("fr", rf"{_H} ?h(?:eures?)? moins {_M}", -1),
        ("fr", rf"{_H} heures?(?: {_M})?", 1),
        ("es", rf"las? {_H} y media", 30),
        ("es", rf"las? {_H} y cuarto", 15),
        ("es", rf"las? {_H} menos cuarto", -15),
        ("es", rf"las? {_H} menos {_M}", -1),
        ("es", rf"las? {_H} y {_M}", 1),
        ("es", rf"(?:a|sobre|hacia|o|y) las? {_H}(?: horas)?", 0),
        ("it", rf"(?:alle |all'|ore |le |l'){_H} e mezz[ao]", 30),
        ("it", rf"(?:alle |all'|ore |le |l'){_H} e (?:un )?quarto", 15),
        ("it", rf"(?:alle |all'|ore |le |l'){_H} e tre quarti", 45),
        ("it", rf"(?:alle |all'|ore |le |l'){_H} meno (?:un )?quarto", -15),
        ("it", rf"(?:alle |all'|ore |le |l'){_H} meno {_M}", -1),
        ("it", rf"(?:alle |all'|ore |le |l'){_H} e {_M}", 1),
        ("it", rf"(?:alle(?: ore)?|per le|verso le|ore|o le|all') ?{_H}", 0),
        ("nl", rf"{_M} (?:minuten )?voor half {_H}", -31),
        ("nl", rf"{_M} (?:minuten )?over half {_H}", -29),
        ("nl", rf"(?:om|rond|tegen) half {_H}(?: uur)?", -30),
        ("nl", rf"half {_H}(?: uur)?", -30),
        ("nl", rf"kwart over {_H}", 15),
        ("nl", rf"kwart voor {_H}", -15),
        ("nl", rf"{_M} (?:minuten )?over {_H}(?: uur)?", 1),
        ("nl", rf"{_M} (?:minuten )?voor {_H}(?: uur)?", -1),
        ("nl", rf"{_H} uur(?: {_M})?", 1),
        ("nl", rf"(?:om|rond|of) {_H}", 0),
        ("pt", rf"(?:às?|as|pelas|ou) {_H} e meia", 30),
        ("pt", rf"(?:às?|as|pelas|ou) {_H} e (?:um )?quarto", 15),
        ("pt", rf"(?:às?|as|pelas|ou) {_H} menos (?:um )?quarto", -15),
        ("pt", rf"(?:um )?quarto para as? {_H}", -15),
        ("pt", rf"{_M} (?:minutos )?para as? {_H}", -1),
        ("pt", rf"(?:às?|as|pelas|ou) {_H} e {_M}", 1),
        ("pt", rf"(?:às?|pelas) {_H}(?: horas)?", 0),
    )
)  # fmt: skip
"""Ways to say a time: pattern with its hour `h` and minutes `m`, its language, and the minutes that are added to the hour. 1 and -1
stand for as many as `m` says, before or after the hour; -31 and -29 for as many before or after half an hour less. The first that fits
at a place counts."""
SPOKEN_SIGNS = re.compile(
    r"half|halb|viertel|quart|kwart|cuarto|mezz|meia|media|demi|past|o'clock|\bto\b|uhr|heure|uur|\bh\b|\bhoras|\bnach\b|\bvor\b"
    r"|\bvoor\b|\bover\b"
    r"|\bat\b|\baround\b|\bum\b|\bgegen\b|\bà\b|\ba las?\b|\blas?\b|\balle\b|\ball'|\bore\b|\bom\b|\brond\b|\bàs\b|\bas\b|\bpelas\b",
    re.IGNORECASE,
)
"""One of these stands in every time in words."""
GOES_ON = re.compile(
    r"\s(?:et (?:demie?|quart)|y (?:media|cuarto|pico|tantos)|e (?:mezz[ao]|un quarto|meia|um quarto|quarto|qualcosa)|moins|menos"
    r"|meno|and a half"
    r"|e poco|en punto y)\b",
    re.IGNORECASE,
)
"""Right behind a time: more of it, which nobody has read."""
NOON = re.compile(
    r"\b(?:at noon|noon|midday|zwölf uhr mittags|12 uhr mittags|(?<!après-)midi(?P<fr> et demie?)?|mediodía|mezzogiorno(?P<it> e mezz[ao])?"
    r"|12 uur 's middags|meio-dia(?P<pt> e meia)?)\b|正午",
    re.IGNORECASE,
)
"""Twelve o'clock, or half past where a group says so."""

MORNING = (
    r"(?:in the morning|(?:this |tomorrow )?morning|morgens|früh|vormittags?|am vormittag|du matin|matin|(?:de|por) la mañana"
    r"|di mattina|del mattino|mattina|'s (?:morgens|ochtends)|in de ochtend|ochtend|da manhã|de manhã)"
)
AFTERNOON = (
    r"(?:in the (?:afternoon|evening)|(?:this )?(?:afternoon|evening)|tonight|at night|nachmittags?|am nachmittag|abends?|am abend"
    r"|(?:de l'|l')?après-midi|du soir|soir|(?:de|por|en) la (?:tarde|noche)|esta (?:tarde|noche)"
    r"|di (?:pomeriggio|sera)|del pomeriggio|della sera|pomeriggio|sera|stasera|'s (?:middags|avonds)|in de (?:namiddag|middag|avond)"
    r"|(?:na|van)?(?:middag|avond)|da (?:tarde|noite)|[àa] (?:tarde|noite)|hoje à noite)"
)
AFTER_HOUR = (
    (re.compile(rf"[\s,]{{0,2}}{MORNING}(?!\w)", re.IGNORECASE), "am"),
    (re.compile(rf"[\s,]{{0,2}}{AFTERNOON}(?!\w)", re.IGNORECASE), "pm"),
)
BESIDE = r"(?:(?<!\w)|(?<=dag)|(?<=tag)|(?<=mittwoch)|(?<=morgen))"
"""Where a part of the day may begin: as a word, or as the end of a weekday's."""
BEFORE_HOUR = (
    (re.compile(rf"{BESIDE}(?<!guten ){MORNING}[\s,]{{0,2}}$", re.IGNORECASE), "am"),
    (re.compile(rf"{BESIDE}(?<!heiliger ){AFTERNOON}[\s,]{{0,2}}$", re.IGNORECASE), "pm"),
)
"""The part of the day beside an hour, right before it ("Thursday evening at 8") or right behind."""
