"""The clauses of a reply that commit nobody: a closed list of kinds, in English, German, French, Spanish.

What stands here passes without a person, so a form is listed only when it is harmless whatever is filled in. `…` stands
for up to twelve further words, `‥` for one to four; none of them may be one of `_OURS` or `_GIFT`.
"""

# ruff: noqa: E501 - a form is easier to read in one line

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["greeting", "sign-off", "filler", "thanks", "receipt", "regret", "request", "wish", "unknown", "restated", "according"]  # fmt: skip

_WORD = r"[\w§'&/.@+-]{1,60}"
_TITLE_WORDS = """
mr mrs ms miss dr prof sir madam all team everyone everybody there herr herrn frau damen herren zusammen
monsieur madame mademoiselle mesdames messieurs tous toutes à señor señora señores sr sra todos don doña van
von der de del la le di and und et y dear
"""
_TITLES = frozenset(_TITLE_WORDS.split())
# Our side as the one who acts, and what is to be: in none of the open ends.
_OURS = re.compile(
    r"\b(?:i|we|i'\w+|we'\w+|will|shall|won't|\w+'ll|our (?:fault|mistake|error|cost|expense|side|pleasure)|is|are|gets?|goes|comes?|hereby|done|agreed|deal|on its way|"
    r"ich|wir|unser(?:e[mnr]?)? (?:fehler|kosten|schuld|seite)|ist|sind|wird|werden|bekomm\w+|erhält|geht|"
    r"je|j'\w+|nous|on (?:vous|va|peut)|est|sont|sera|seront|va|vont|notre (?:faute|erreur)|"
    r"yo|nosotros|\w+(?:amos|emos|imos)|es|son|será\w*|va|van|nuestr\w (?:culpa|error|falta))\b",
    re.IGNORECASE,
)
_GIFT = re.compile(
    r"\b(?:free|gratis|charge[ds]?|costs?|expenses?|entitled|guarante\w+|approved?|granted?|accept(?:ed|ance)?|waive[ds]?|owe[ds]?|refund(?:ed|s)?|replace\w*|discount\w*|voucher\w*|"
    r"compensat\w+|credit\w*|money|payments?|keep|back|return\w*|liab\w+|fault|blame|kostenlos\w*|kostenfrei\w*|umsonst|gutschein\w*|rabatt\w*|nachlass|ersatz\w*|erstatt\w+|"
    r"rückerstatt\w+|geld|zahlung\w*|zurück\w*|behalten|schuld|haft\w+|gratuit\w*|offerte?s?|rembours\w+|remise|avoir|argent|paiement\w*|garder|renvoy\w+|retour\w*|faute|"
    r"reembols\w+|descuent\w+|devol\w+|devuel\w+|vale|dinero|pagos?|culpa|quedarse|regal\w+)\b",
    re.IGNORECASE,
)
_FORMS: dict[Kind, tuple[str, ...]] = {
    "sign-off": (
        r"(?:with |my |our )?(?:(?:kind|best|warm|warmest|kindest|many|friendly) )?(?:regards|wishes|greetings)|yours(?: (?:sincerely|faithfully|truly))?|sincerely(?: yours)?|cheers|all the best|best|take care",
        r"(?:mit )?(?:(?:freundlich|best|viel|herzlich|lieb|schön)en? )?(?:grüßen?|grüssen?)(?: aus‥)?|hochachtungsvoll|alles gute",
        r"(?:bien |très )?cordialement|bien à (?:vous|toi)|(?:mes |nos )?(?:sincères|meilleures) salutations|salutations distinguées|sincèrement|amicalement",
        r"(?:un )?(?:cordial )?saludo(?: cordial)?|saludos(?: cordiales)?|(?:muy )?atentamente|cordialmente|reciba un (?:cordial )?saludo",
    ),
    "filler": (
        r"unfortunately|however|also|again|once again|please|of your message|as well|and|but|also|so far|at the moment|by the way|in the meantime",
        r"leider|jedoch|bitte|außerdem|zudem|übrigens|vorab|zunächst",
        r"malheureusement|cependant|également|toutefois|pour l'instant",
        r"lamentablemente|desgraciadamente|sin embargo|también|por favor|por ahora",
        r"(?:your |the |ihre? |votre |vos |su |sus )?(?:kind |quick |great )?(?:patience|interest|time|trust|support|understanding|feedback|geduld|verständnis|interesse|vertrauen|confiance|intérêt|compréhension|paciencia|interés|comprensión|confianza)",
    ),
    "thanks": (
        r"(?:once again |again )?(?:many thanks|thanks|(?:(?:i|we) (?:would like to )?)?thank you)(?: (?:again|very much|so much|a lot|once again|kindly))?(?: in advance)?(?: (?:for|to)…)?",
        r"(?:i|we) (?:really |very much |greatly )?appreciate (?:your|the|that you|it)…",
        r"(?:(?:vielen|herzlichen|besten|schönen|lieben|recht) )?(?:herzlichen )?dank(?: (?:im voraus|auch))?(?: für…)?|danke(?: (?:schön|sehr|ihnen|dir))?(?: für…)?|(?:wir danken|ich danke) (?:ihnen|dir|euch)(?: (?:sehr|herzlich))?(?: für…)?",
        r"(?:merci|(?:nous vous|je vous) remerci(?:ons|e))(?: (?:beaucoup|encore|vivement|sincèrement|bien|infiniment))?(?: (?:de|d'\w+|pour|du|des)…)?",
        r"(?:(?:muchas|mil|muchísimas) )?gracias(?: (?:de nuevo|otra vez))?(?: por…)?|(?:le|les|te) agrade(?:zco|cemos)(?: (?:mucho|sinceramente))?(?: (?:su|que|por)…)?",
    ),
    "receipt": (
        r"(?:(?:which|that) )?(?:we|i)(?: have|'ve)?(?: duly| now| safely)? (?:received|got|read)(?: (?:your|the|it|them)…| on §| §)?|your‥(?: (?:of|from|dated) §(?: §)*)? (?:has |have )?(?:safely |now |just )?(?:reached (?:us|me)|arrived|came in|been received)(?: (?:here|safely|on §))?|(?:we|i) (?:hereby )?(?:acknowledge|confirm) (?:the )?receipt of…",
        r"(?:wir haben|ich habe|haben wir|habe ich) (?:ihre?n?|deine?n?|die|das|den)‥ (?:dankend |bereits )?(?:erhalten|gelesen|bekommen)|(?:ihre?|deine?|das|die|der)‥ (?:ist|sind) (?:heute |gut )?(?:bei )?(?:uns|mir) (?:gut )?(?:eingegangen|angekommen)|(?:ihre?|deine?)‥ hat (?:uns|mich) erreicht",
        r"(?:nous avons|j'ai) (?:bien )?reçu (?:votre|vos|le|la|les)…|nous accusons réception de…|(?:votre|vos)‥ nous (?:est|sont) bien (?:parvenue?s?|arrivée?s?)",
        r"(?:hemos|he) recibido (?:su|sus|el|la|los|las)…|acusamos recibo de…|(?:su|el|la)‥ nos ha llegado",
    ),
    "regret": (
        r"(?:(?:i|we) (?:am|are)|i'm|we're)? ?(?:very |truly |really |so )?sorry(?: (?:to (?:hear|read|learn|see)|that|about|for))?…|(?:i|we) (?:very much |deeply )?regret (?:that|the|to hear)…|(?:i|we) apologi[sz]e(?: for the (?:delay|inconvenience|wait|confusion))?|(?:my|our|please accept our) (?:sincere )?apologies(?: for the (?:delay|inconvenience|wait|confusion))?|it is a pity that…",
        r"(?:es )?tut (?:mir|uns)(?: sehr| wirklich)? leid|(?:wir bedauern|ich bedaure)(?: (?:sehr|die|den|das)…)?|(?:bitte )?entschuldigen sie(?: bitte)? die (?:verspätung|verzögerung|unannehmlichkeiten|späte antwort)|(?:wir bitten|ich bitte) (?:die (?:unannehmlichkeiten|verzögerung) zu entschuldigen|um entschuldigung)",
        r"(?:nous sommes|je suis) (?:vraiment |sincèrement )?désolée?s?(?: (?:d'apprendre|de lire|pour|que|du|de la)…)?|(?:nous regrettons|je regrette)(?: (?:que|le|la|les|d'apprendre)…)?|(?:veuillez nous excuser|nous nous excusons)(?: pour (?:le retard|la gêne|ce contretemps))?",
        r"(?:lo )?(?:lamentamos|lamento|sentimos|siento)(?: (?:mucho|que|la|las|el|los|leer|saber))?…",
    ),
    "request": (
        r"(?:kindly |please |could you |can you |would you )(?:please |kindly )?(?:also |just |simply |briefly )?(?:send|tell|let|give|forward|check|reply|write|contact|call|fill|sign|attach|quote|name|state|describe)…|(?:please )?(?:let|tell|send) (?:us|me)…",
        r"(?:please )?(?:do not|don't) hesitate to (?:contact|write|call|ask|get in touch|reach)…|(?:please )?feel free to (?:contact|write|call|ask|get in touch|reply)…|(?:if|should) you (?:have|need) (?:any )?(?:further |more |other )?(?:questions?|queries|information|help)(?: (?:about|on|regarding)…)?",
        r"(?:bitte |und )?(?:schicken|senden|teilen|nennen|sagen|prüfen|schreiben|antworten|melden|wenden|füllen|beschreiben|lassen) sie…|(?:bei|für) (?:weiteren? |allen? )?(?:rück)?fragen (?:stehen wir|stehe ich) (?:ihnen )?(?:jederzeit |gerne? |selbstverständlich )*zur verfügung|(?:wenn|falls|sollten) sie (?:noch |weitere )*fragen haben|zögern sie (?:bitte )?nicht",
        r"n'hésitez pas à (?:nous|me) (?:contacter|écrire|appeler|joindre)…|(?:nous restons|je reste|nous sommes|je suis) à votre (?:entière )?disposition(?: pour (?:toute?s?|tous|tout|plus|de plus)…)?|(?:merci de|veuillez|pourriez-vous|pouvez-vous) (?:nous|me|bien vouloir)…|si vous avez (?:des|d'autres|la moindre) questions?",
        r"no (?:dude|duden) en (?:contactar|escribir|llamar|consultar|preguntar)(?:nos|me)?…|si (?:tiene|tienen|tuviera) (?:alguna|más|cualquier|otra) (?:otra )?(?:preguntas?|dudas?|consultas?)|(?:quedamos|quedo|estamos|estoy) a su (?:entera )?disposición(?: para (?:cualquier|toda)…)?|(?:envíe|indíque|díga|escríba|mánde|confírme|comuníque)(?:nos|me)…",
    ),
    "wish": (
        r"(?:i|we) (?:look|am looking|are looking) forward to (?:hearing from you|your (?:reply|answer|message|feedback|response))(?: soon)?|(?:i|we) hope (?:that )?(?:this (?:helps?|finds you well|answers your questions?)|you are (?:well|doing well))|(?:i|we) wish you…|have a (?:nice|good|lovely|great|pleasant) (?:day|evening|weekend|week|time)|congratulations(?: (?:on|to)…)?|get well soon|merry christmas|happy new year",
        r"(?:ich wünsche|wir wünschen) (?:ihnen|dir|euch)…|(?:ich freue mich|wir freuen uns) (?:auf (?:ihre|deine) (?:antwort|rückmeldung|nachricht)|von ihnen zu hören)|gute besserung|(?:einen )?schönen? (?:tag|abend|wochenende)(?: noch)?|herzlichen glückwunsch(?: zu…)?",
        r"(?:je vous souhaite|nous vous souhaitons)…|(?:très )?bonne (?:journée|soirée|semaine|année|continuation)|bon week-end|dans l'attente de votre (?:réponse|message)|félicitations(?: pour…)?",
        r"(?:(?:le|les|te) )?(?:deseo|deseamos)…|(?:quedo|quedamos) a la espera de su (?:respuesta|mensaje|noticias)|que (?:tenga|pase) un buen (?:día|fin de semana)|enhorabuena(?: por…)?|felicidades(?: por…)?",
    ),
    "unknown": (
        r"(?:i|we) (?:can(?:not|'t)|can not|could not) (?:yet |currently )?(?:say|tell|promise|see|judge|predict)…|(?:i|we) (?:do not|don't) (?:yet )?know…|it (?:is too early to say|remains to be seen|is not (?:yet )?clear)…|no decision has been made(?: yet)?(?: (?:about|on)…)?|(?:so far )?(?:we|i) have not (?:yet )?received…|(?:we|i) haven't (?:yet )?received…",
        r"(?:(?:ich kann|wir können) (?:das |dazu )?(?:noch |derzeit )?(?:nicht|nichts) (?:sagen|versprechen|beurteilen|sehen))|(?:ich weiß|wir wissen) (?:noch )?nicht…|(?:bisher |bislang )?(?:haben wir|wir haben)‥ (?:noch )?nicht (?:erhalten|bekommen)",
        r"(?:je ne (?:peux|sais)|nous ne (?:pouvons|savons)) pas (?:encore )?(?:dire|promettre|si|quand)…|nous n'avons pas encore reçu…",
        r"(?:todavía |aún )?no (?:puedo|podemos) (?:decir|prometer|asegurar)…|no (?:sé|sabemos) (?:si|cuándo)…|(?:todavía|aún) no hemos recibido…",
    ),
    "restated": (
        r"you (?:have |had |also )?(?:write|wrote|written|ask|asked|say|said|mention|mentioned|report|reported|state|stated|told|offered|offer|request|requested|want|wanted|describe|described|inquired|enquired)…|(?:i|we) (?:see|understand|read|note|gather) (?:from your (?:mail|message|letter) )?that you (?:want|wish|would like|ordered|bought|asked|cancelled|have (?:ordered|bought|asked|cancelled|sent|paid))…|(?:i|we) have read your (?:mail|message|letter|email)…|this is about…|your (?:mail|message|letter|email|question) (?:about|of|on|regarding)… (?:reached (?:us|me)|arrived)",
        r"sie (?:schreiben|fragen|berichten|bitten|erwähnen|möchten|schrieben|fragten|baten|wünschen|teilen)(?: (?:uns|mir))?…|sie haben (?:uns|mich)?… (?:geschrieben|gefragt|gebeten|angeboten|mitgeteilt)",
        r"vous (?:nous |m'|me )?(?:écrivez|demandez|dites|signalez|souhaitez|indiquez|mentionnez|proposez|rapportez)…|vous (?:nous |m'|me )?avez (?:écrit|demandé|dit|signalé|indiqué|proposé)…",
        r"(?:usted )?(?:nos |me )(?:escribe|pregunta|dice|menciona|comenta|indica|solicita|pide)…|usted (?:escribe|pregunta|dice|menciona|comenta|indica|solicita|pide)…|(?:usted )?(?:nos |me )?ha (?:escrito|preguntado|dicho|pedido|solicitado)…",
    ),
    "according": (
        r"(?:according to|in) your (?:mail|message|letter|email)(?: (?:of|from) §)?|according to you",
        r"(?:laut|in) ihrer (?:mail|e-mail|nachricht|anfrage)(?: vom §)?",
        r"(?:selon|d'après|dans) votre (?:mail|message|courriel|courrier)(?: du §)?",
        r"(?:según|en) su (?:correo|mensaje|carta)(?: del? §)?",
    ),
}  # fmt: skip
_GREETING = (
    r"(?:dear|hi|hello|hey|good (?:morning|afternoon|evening|day)|sehr geehrte[rs]?|liebe[rs]?|hallo|guten (?:tag|morgen|abend)|moin|bonjour|bonsoir|chers?|chères?|madame|monsieur|mesdames|messieurs|"
    r"salut|estimad[oa]s?|querid[oa]s?|hola|buen(?:os|as)? (?:días?|tardes|noches))"
)
_OPENERS = re.compile(
    r"(?:(?:and|so|also|or|but|und|oder|also|aber|et|ou|alors|mais|y|o|pero|please|bitte|in|on|at|for|to|with|by|pour|à|de|para|a|en|con|an|auf|für|mit|um|bis|seit|ab)\s){0,2}¿?(?:"
    r"who|whom|whose|what|when|where|which|how|why|do|does|did|is|are|was|were|has|have|had|can|could|would|will|may|wer|wen|wem|wann|wo|woher|wohin|wie|was|welche\w?|warum|wieso|haben|hatten|"
    r"ist|sind|war|waren|können|könnten|möchten|würden|passt|wäre|dürfen|dürften|hat|kann|wird|soll|est-ce|qui|que|quoi|quel\w*|quand|où|comment|combien|pourquoi|\w+-vous|\w+-t-\w+|"
    r"quién|qué|cuándo|dónde|cómo|cuál\w*|cuánt\w+|por qué)\b|\s?¿",
    re.IGNORECASE,
)
_WE_ACT = re.compile(
    r"\b(?:i|we|i'\w+|we'\w+|ich|wir|je|j'\w+|(?:que|si|quand|et) nous|\w+-nous|\w+-je|qu'on|que l'on|on (?:vous|va|peut)|\w+-t-on|yo|nosotros|\w{2,}mos|free|gratis|kostenlos|kostenfrei|gratuit\w*|offerte?s?)\b",
    re.IGNORECASE,
)
_MAY_HELP = re.compile(
    r"\bhow (?:can|may) (?:we|i) help(?: you)?(?: further)?\b|\b(?:that )?we (?:should|need to|ought to) know\b",
    re.IGNORECASE,
)
_FREE = re.compile(
    r"\b(?:free|gratis|kostenlos\w*|kostenfrei\w*|umsonst|gratuit\w*|offerte?s?)\b", re.IGNORECASE
)
# "I cannot promise less than …", "I cannot say no".
_LESS = re.compile(r"\b(?:no|less|more|enough|other than|weniger|nein|moins|menos)\b", re.IGNORECASE)
_WHETHER = re.compile(r"\s?(?:whether|if|when|ob|wann|si|quand|cuándo)\b", re.IGNORECASE)
_THAT = re.compile(r"(?:that|dass|ob|que|qu'\S+|si|whether|which|wann|quand|cuándo|when)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Form:
    """What is filled in is what the groups hold."""

    kind: Kind
    pattern: re.Pattern[str]


def _compiled(kind: Kind, form: str) -> _Form:
    several, few = rf"((?: {_WORD}){{0,12}})", rf"((?: {_WORD}){{1,4}})"
    return _Form(kind, re.compile(form.replace("…", several).replace("‥", few), re.IGNORECASE))


_COMPILED = tuple(_compiled(kind, form) for kind, forms in _FORMS.items() for form in forms)
_GREETED = re.compile(rf"{_GREETING}((?: {_WORD}){{0,6}})", re.IGNORECASE)
_SETTLED = re.compile(
    r"\b(?:hereby|approved|granted|accepted|agreed|on its way|done|entitled|genehmigt|bewilligt|accordée?|aprobad[oa])\b",
    re.IGNORECASE,
)


def kind_of(clause: str, before: Kind | None = None) -> Kind | None:
    """What harmless kind a clause is of, its words parted by one space; None when it may commit.

    `before` is the kind of the clause before it in the same sentence, which "that …" goes on.
    """
    if is_greeting(clause):
        return "greeting"
    for form in _COMPILED:
        match = form.pattern.fullmatch(clause)
        if match and _is_harmless(form.kind, " ".join(filter(None, match.groups()))):
            return form.kind
    if before == "according" and not _WE_ACT.search(clause):
        return "restated"
    if before in {"regret", "restated", "unknown"} and _THAT.match(clause):
        goes_on = before == "restated" or not (_OURS.search(clause) or _GIFT.search(clause))
        return before if goes_on else None
    return None


def is_greeting(text: str) -> bool:
    """Whether it is a salutation and names, nothing else."""
    match = _GREETED.fullmatch(text)
    return match is not None and all(
        word.strip(".").lower() in _TITLES or word[:1].isupper() for word in match[1].split()
    )


def is_question(sentence: str) -> bool:
    """Whether a sentence only asks; "Shall we refund it?" is an offer."""
    if not sentence.endswith("?"):
        return False
    rest = _MAY_HELP.sub("", sentence)
    return rest == "?" or (_OPENERS.match(sentence) is not None and not _WE_ACT.search(rest))


def _is_harmless(kind: Kind, filled: str) -> bool:
    """Nothing that we do or give; a restatement has the other side's wishes in it: "you asked for a refund"."""
    if kind == "restated" or (kind == "unknown" and _WHETHER.match(filled)):
        return not _SETTLED.search(filled)
    if kind in {"thanks", "unknown"}:
        return not any(words.search(filled) for words in (_OURS, _SETTLED, _FREE, _LESS))
    return not (_OURS.search(filled) or _GIFT.search(filled))
