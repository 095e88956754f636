"""The words by which the rules tell what a sentence of a customer does: orders, asks, or neither."""

import re


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ORDER = _any(
    r"\b(?:i|we)(?:'d| would|'ll| will| want| need)?\s(?:also\s)?(?:like|love|want|need|"
    r"wish)? ?(?:to )?(?:order|buy|purchase|get|take|have)\b",
    r"\b(?:please|kindly) (?:also )?(?:send|ship|order|put|reserve|add|get|deliver|book|pack)\b|\b(?:send|"
    r"ship) (?:me|us|over)\b",
    r"\b(?:i|we)(?:'ll| will) (?:also )?take\b|\border (?:for|of|is|as follows)\b|\b(?:place|placing|"
    r"make) (?:an|this|my|our|the) order\b",
    r"\b(?:can|could|may) (?:i|we|you) (?:please |also )?(?:order|get|have|buy|send|put|add)\b|\bput (?:me|"
    r"us) down for\b|\bwe need\b|\bi need\b",
    r"\bi(?:'d| would) like (?:to have )?(?:a|an|one|two|three|four|five|six|\d|the|all|half)\b|"
    r"\bmy order\b(?! (?:from|of last))|^order\b",
    r"\b(?:bestelle|bestellen|bestellung|nehme|nehmen|hätten? (?:ich |wir )?gerne?|schicken sie|senden sie|"
    r"brauche|brauchen|kaufen|möchte)\b",
    r"\b(?:je (?:voudrais|souhaite|prends|commande)|nous (?:voudrions|souhaitons|prenons|commandons)|"
    r"j'aimerais|commander|acheter|envoyez|veuillez)\b",
    r"\b(?:mandad|mandadme|os pido|les pido|pido|pedimos|quiero|queremos|quisiera|quisiéramos|me gustaría|"
    r"necesito|necesitamos|pedir|comprar|envíen|"
    r"envíenme|mándenme|encargar|pedido)\b",
    r"\b(?:vorrei|vorremmo|desidero|ordinare|ordino|comprare|acquistare|prendo|prendiamo|mandatemi|"
    r"inviatemi|mi serv\w+|ci serv\w+)\b",
    r"\b(?:ik wil|wij willen|wil ik|graag bestellen|bestel|bestellen|graag|kopen|stuur|stuurt)\b",
    r"\b(?:quero|queria|gostaria|gostaríamos|preciso|precisamos|encomendar|comprar|enviem|mandem)\b",
    r"\b(?:jag vill|beställa|köpa|skicka|chciał[a]?bym|zamówić|kupić|proszę o|jeg vil|bestille|købe|send mig)\b",
)
"""Words of somebody who buys now."""
WISH = _any(
    r"\bplease\b|\bbitte\b|\bs'il (?:vous|te) pla[iî]t\b|\bsvp\b|\bpor favor\b|\bper favore\b|\bgraag\b|"
    r"\balstublieft\b|\bneed\b|\bwant\b",
    r"^\W*(?:\d{1,3}\s?x?|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|half a dozen|"
    r"a (?:pair|couple|dozen))\b",
)
"""Words that make an order of a product that stands beside them."""
PAST = _any(
    r"\b(?:i|we|my (?:wife|husband|son|daughter|mother|father|friend|brother|sister)|you) (?:had |"
    r"have )?(?:already |previously |once )?"
    r"(?:bought|ordered|purchased|got|received|sent (?:me|us))\b|\blast (?:year|month|week|summer|winter|"
    r"spring|autumn|time)\b|"
    r"\b(?:years?|months?|weeks?) ago\b|\bmy (?:last|previous|earlier) (?:order|purchase)\b|\balready (?:have|own)\b",
    r"\b(?:gekauft|bestellt|erhalten|letzte[sn]? (?:jahr|monat|woche|sommer|winter)|vor (?:einem|zwei|"
    r"drei) (?:jahr|monat|woche)\w*)\b",
    r"\b(?:j'ai|nous avons) (?:déjà )?(?:acheté|commandé|reçu)\b|\bl'(?:an(?:née)?|été|hiver) derni(?:er|"
    r"ère)\b|\bil y a (?:un|deux|trois) (?:an|mois)",
    r"\b(?:compré|compramos|pedí|recibí|el año pasado|hace (?:un|dos|tres) (?:año|mes)\w*|la última vez)\b",
    r"\b(?:ho (?:già )?(?:comprato|ordinato|preso|ricevuto)|l'anno scorso|(?:un|due|tre) (?:anno|anni|mesi|mese) fa)\b",
    r"\b(?:gekocht|besteld|vorig jaar|vorige (?:maand|week|keer)|geleden)\b|\b(?:comprei|encomendei|recebi|"
    r"ano passado|há (?:um|dois|três) (?:ano|mês|mese)\w*)\b",
)
"""Words of somebody who speaks of what was bought before."""
BACK = _any(
    r"\b(?:refund\w*|reimburse\w*|money back|gi(?:ve|ving) back|return(?:ing)?|never (?:came|arrived))\b",
    r"\b(?:erstatt\w+|zurück(?:geben|schicken|senden)|rembours\w+|reembols\w+|devol\w+|rimbors\w+|terugbetal\w+)\b",
)
"""Words of somebody who wants money back or gives goods back."""
NOT_YET = _any(
    r"\bbefore (?:i|we) (?:\w+ )?(?:order|buy|decide|commit|purchase)\b|\bif (?:so|it is|they are|"
    r"you (?:do|have)),? (?:i|we)\b|\bthinking (?:of|about)\b",
    r"\b(?:may|might|could) (?:then )?(?:order|buy)\b|\bbefore ordering\b|\bnot (?:ordering|"
    r"ready to order) (?:yet|anything)\b|\bnot an order\b",
    r"\bbevor (?:ich|wir)\b|\bnoch nicht\b|\bpas encore\b|\btodavía no\b|\bnon ancora\b|\bnog niet\b|"
    r"\bainda não\b|\bavant (?:de|que)\b|\bantes de\b|\bprima di\b|\bvoordat (?:ik|wij|we)\b",
)
"""Words of somebody who may buy later."""
ASKS = _any(
    r"\?",
    r"\b(?:i(?:'d| would) (?:like|love) to know|wonder(?:ing)?|tell me|let me know|could you (?:tell|say|"
    r"explain|recommend|suggest)|"
    r"can you (?:tell|say|explain|recommend|suggest)|what about|how (?:much|many|long)|"
    r"interested in knowing|question (?:is|about))\b",
    r"\b(?:würde (?:mich|uns) interessieren|wüsste gerne?|würde gerne? wissen|können sie mir sagen|"
    r"frage(?:n)? (?:zu|ist))\b|"
    r"\b(?:j'aimerais savoir|pourriez-vous me dire|est-ce que)\b",
    r"\b(?:me gustaría saber|quisiera saber|podrían decirme)\b|\b(?:vorrei sapere|mi sapete dire)\b|"
    r"\b(?:ik vraag me af|kunt u (?:mij )?(?:zeggen|vertellen))\b",
)
"""Words of somebody who wants to know."""
KNOWLEDGE = _any(
    r"\b(?:in stock|available|availability|left\?|how (?:much|many|big|long|heavy|warm|tall)|price|cost|"
    r"waterproof|material|made of|size|fit|weigh\w*|"
    r"differen\w+|suitable|recommend|suggest|which|what|does (?:it|the)|do (?:they|the|you)|is (?:it|the|"
    r"that|this|there)|are (?:they|the|there))\b",
    r"\b(?:lagernd|auf lager|vorrätig|verfügbar|was kostet|wie viel|preis|wasserdicht|welche\w*|"
    r"unterschied|geeignet|gibt es|haben sie|ist (?:das|die|der))\b",
    r"\b(?:en stock|disponible|combien|prix|coûte|quel(?:le)?s?|différence|imperméable|avez-vous|est-(?:il|elle|ce))\b",
    r"\b(?:en existencias|disponibles?|cuánto|precio|cuesta|qué|cuál|impermeable|diferencia|tienen|hay|es (?:el|la))\b",
    r"\b(?:disponibil\w+|quanto|prezzo|costa|quale|impermeabile|differenza|avete|c'è|è (?:il|la))\b",
    r"\b(?:op voorraad|voorradig|beschikbaar|hoeveel|prijs|kost|welke|waterdicht|verschil|heeft u|"
    r"hebben jullie|is (?:de|het))\b",
    r"\b(?:disponíve\w+|em estoque|em stock|quanto|preço|custa|qual|impermeável|diferença|têm|há)\b",
)
"""Words of what a shop is asked."""
VAGUE = _any(
    r"\b(?:that|this|the|one of (?:those|these|your)) (?:\w+ )?(?:popular|famous|nice|lovely|new|other|"
    r"usual|blue|red|green|black|best-selling|bestselling) "
    r"(?:item|one|thing|product|ones|things)s?\b|\bthe same (?:again|as (?:last time|before|always))\b|"
    r"\bthe usual\b|\b(?:something|anything) (?:\w+ )?(?:for|like|to)\b|"
    r"\bthe (?:one|thing|item) (?:that|which|i|we|you|from|in|with|everybody|everyone)\b",
    r"\bdas gleiche wie\b|\bdiese[sn]? (?:\w+ )?(?:ding|artikel|teil)\b|\bla même chose\b|"
    r"\bce(?:t)? article\b|\blo mismo\b|\bese (?:artículo|producto)\b|"
    r"\blo stesso\b|\bhetzelfde\b|\bdat (?:\w+ )?ding\b|\bo mesmo\b",
)
"""Words that stand for a product without naming it."""
ALL = _any(
    r"\b(?:all|every(?:thing| one)?|whatever|the rest)\b[^.]{0,20}\b(?:remaining|left|you have|in stock|"
    r"of it)\b|\ball (?:remaining|the remaining)\b",
    r"\balle (?:übrigen|restlichen|die sie)\b|\btout (?:le reste|ce qui reste)\b|"
    r"\btod[oa]s l[oa]s que (?:quedan|tengan)\b|\btutti quelli (?:rimasti|che)\b",
)
"""Words of somebody who wants all there is."""
STOP: frozenset[str] = frozenset().union(
    _words(
        "a an the and or of for to in on at with my our your his her their its it i we you they me us them this that "
        "these those some any also too please"
    ),
    _words(
        "would like love want need order buy purchase get take have send ship could can may will shall do does did is "
        "are was were be been hi hello dear"
    ),
    _words(
        "thanks thank one two three four five six seven eight nine ten dozen half pair couple piece pairs pieces pcs pc x "
        "units unit sets set all remaining left every"
    ),
    _words(
        "whatever stock available new more another each about if so just then there here as from by up out"
    ),
    _words(
        "der die das den dem des ein eine einen einem einer und oder für zu im in am an auf mit mein meine unser ihre "
        "ihr ich wir sie es mir uns bitte auch noch"
    ),
    _words(
        "möchte möchten hätte hätten gern gerne bestellen bestelle nehme brauche zwei drei vier fünf sechs sieben acht "
        "neun zehn stück paar mal von haben ist sind"
    ),
    _words(
        "le la les l un une des du de et ou pour à au aux dans en avec mon ma mes notre votre vos je nous vous il elle "
        "me moi s svp voudrais souhaite commander"
    ),
    _words("acheter deux trois quatre cinq six sept huit neuf dix paire est sont ce cette ai"),
    _words(
        "el la los las un una unos unas y o para por en con mi mis nuestro su sus yo me nos quiero quisiera pedir "
        "comprar necesito dos tres cuatro cinco seis"
    ),
    _words("siete ocho nueve diez par de del al es son este esta"),
    _words(
        "il lo gli i uno e o per con mio mia nostro vostro vorrei ordinare comprare due tre quattro cinque sei sette "
        "otto nove dieci paio di del della è sono"
    ),
    _words(
        "de het een en of voor met mijn ons uw ik wij wil graag bestellen kopen twee drie vier vijf zes zeven acht "
        "negen tien stuks paar van is zijn nog"
    ),
    _words(
        "o os as um uma e ou para com meu minha quero queria gostaria encomendar dois duas três quatro cinco do da dos das é são"
    ),
)
"""Words that are no part of a product's name at its edges."""
