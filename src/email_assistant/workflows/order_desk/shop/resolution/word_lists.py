"""Words that say nothing of a product, and those of colour, size and material, in five languages.

Written down once, not learned from any mailbox. `ATTRIBUTES` has what makes variants of a product: two values of one group speak
against each other ("the red one" is not the blue one).
"""

_FILLER = (
    # English
    """a an the and or but if then so as at by for from in into of off on onto out over to up with without about after
    again all also am any are be been before can could did do does done each few further get got had has have having he
    her here him his how i it its ive im id just let me more most my no not now only our own please she should some such
    than that their them there these they this those through too under until us was we were what when where which while
    who why will would you your yours hi hello dear thanks thank order ordering ordered buy buying bought purchase
    purchased send want wants wanted need needs like looking look interested available stock price cost much many
    remaining left every everything whole kind sort type quantity qty pair pairs couple dozen piece pieces unit units pcs
    x one two three four five six seven eight nine ten id sku nr ref art code number
    """
    # English, said of no product in particular
    """item items thing things product products article articles stuff something anything popular bestseller
    bestsellers favourite favorite usual same similar last time previous previously earlier recently saw seen everyone
    everybody everyones talking friend friends love loved great nice beautiful cool lovely good best other another else
    shop store catalogue catalog website advertised mentioned called named
    """
    # German
    """der die das den dem des ein eine einen einem einer eines und oder aber wenn als auf aus bei bis durch fur gegen
    im ins mit nach ohne uber um unter vom von vor zu zum zur ich du er sie es wir ihr mich uns mir mein meine meinen ihre
    ihren ihrer ist sind war habe haben hatte hatten wurde wurden mochte mochten will wollen bitte danke hallo auch noch
    nur mal stuck artikel produkt produkte ding sache bestellen bestelle bestellt kaufen gekauft letztes letzte mal
    gleiche gleichen dieses diese diesen diesem beliebte beliebten ware zwei drei vier funf
    """
    # French, Spanish, Italian
    """le la les un une des du de et ou mais dans en par pour avec sans sur je tu il elle nous vous mon ma mes votre vos
    ce cet cette ces est sont merci bonjour voudrais voudrait commander article produit meme derniere fois chose deux
    trois quatre el los las una unos unas y o pero con sin por para mi su sus este esta ese esa esto eso quiero quisiera
    gracias hola producto articulo mismo ultima vez cosa dos tres cuatro lo gli uno e ed ma per senza il della del di al
    alla questo questa quello quella vorrei grazie prodotto articolo stesso stessa ultima volta cosa due tre quattro
    """
)
FILLER = frozenset(_FILLER.split())

IRREGULAR = {
    "knives": "knife", "scarves": "scarf", "shelves": "catalogue_index", "loaves": "loaf", "leaves": "leaf", "women": "woman",
    "womens": "woman", "men": "man", "mens": "man", "children": "child", "childrens": "child", "feet": "foot",
    "mice": "mouse", "halves": "half", "wolves": "wolf", "glasses": "glass", "dresses": "dress", "lenses": "lens",
    "shoes": "shoe", "vases": "vase", "cases": "case",
}  # fmt: skip

_GROUPS: dict[str, dict[str, str]] = {
    "colour": {
        "red": "red rot rote roten roter rotes rotem rouge rojo roja rosso rossa",
        "blue": "blue blau blaue blauen blauer blaues blauem bleu bleue azul blu",
        "green": "green grun grune grunen gruner grunes gruen gruene vert verte verde",
        "black": "black schwarz schwarze schwarzen schwarzer schwarzes noir noire negro negra nero nera",
        "white": "white weiss weisse weissen weisser weisses blanc blanche blanco blanca bianco bianca",
        "grey": "grey gray grau graue grauen grauer graues gris grise grigio grigia",
        "brown": "brown braun braune braunen brauner braunes brun brune marron marrone",
        "yellow": "yellow gelb gelbe gelben gelber gelbes jaune amarillo amarilla giallo gialla",
        "pink": "pink rosa",
        "purple": "purple lila violet violett violette morado morada viola",
        "orange": "orange naranja arancione",
        "beige": "beige",
        "silver": "silver silbern silberne argente plateado argento",
        "gold": "gold golden goldene dore dorado oro",
        "navy": "navy marineblau",
    },
    "material": {
        "leather": "leather leder cuir cuero pelle",
        "wool": "wool woolen woollen wolle laine lana",
        "cotton": "cotton baumwolle coton algodon cotone",
        "linen": "linen leinen lin lino",
        "silk": "silk seide soie seda seta",
        "steel": "steel stahl edelstahl acier acero acciaio",
        "wood": "wood wooden holz holzern bois madera legno",
        "glass": "glas verre vidrio vetro glass",
        "ceramic": "ceramic ceramics keramik ceramique ceramica",
        "cashmere": "cashmere kaschmir cachemire",
    },
    "size": {
        "small": "small klein kleine kleinen petit petite pequeno pequena piccolo piccola",
        "medium": "medium",
        "large": "large gross grosse grossen grand grande",
        "xl": "xl",
        "xxl": "xxl",
        "mini": "mini",
    },
    "for": {
        "man": "man men mens herren hommes hombre uomo",
        "woman": "woman women womens ladies damen femme femmes mujer donna",
        "child": "child children kids kid kinder enfant enfants nino ninos bambini",
    },
}

ATTRIBUTES: dict[str, tuple[str, str]] = {
    word: (value, group)
    for group, values in _GROUPS.items()
    for value, words in values.items()
    for word in words.split()
}
"""A word's value and group."""
