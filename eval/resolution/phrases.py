"""What customers say; `dev` and `test` share no phrase."""

from eval.resolution.catalogue import Half

SENTENCES: dict[Half, tuple[str, ...]] = {
    "dev": ("I would like to order {n} {it} please.", "Please send me {n} of your {it}", "can i get {n} {it}? thx",
            "Do you still have the {it} in stock?", "Bitte {n} Stück {it} an meine Adresse."),
    "test": ("We'd love to buy {n} {it} for our office.", "How much is the {it}?", "{n}x {it}, express if possible",
             "Is your {it} still available", "Je voudrais commander {n} {it}, merci."),
}  # fmt: skip
VAGUE: dict[Half, tuple[str, ...]] = {
    "dev": ("that popular item everyone is talking about", "the same as last time", "that thing I saw in your shop",
            "one of your bestsellers", "the other one", "das Gleiche wie letztes Mal", "your most popular product please",
            "something nice for my mother", "the one my friend bought", "it"),
    "test": ("the usual", "that beautiful piece from your newsletter", "what I ordered previously", "the thing from the ad",
             "la même chose que la dernière fois", "another one of those", "lo mismo que la última vez",
             "that item you recommended to me on the phone", "these two", "whatever is on top of your website"),
}  # fmt: skip
NOT_SOLD: dict[Half, tuple[str, ...]] = {
    "dev": ("espresso machine", "electric guitar", "garden hose", "car tyres", "printer cartridge", "dog food", "wedding cake",
            "leather sofa", "red bicycle", "steel screws 4x40", "wool carpet", "winter tyres", "flight to Lisbon",
            "gift wrapping service", "laptop charger", "Vintage radio", "Staubsauger", "machine à laver", "blue ink", "aquarium"),
    "test": ("lawn mower", "grand piano", "coffee beans", "smartphone case", "hair dryer", "baby stroller", "concert tickets",
             "linen trousers", "green paint", "steel ladder 3 m", "silk tie", "Nordic walking poles", "fire extinguisher",
             "cleaning service", "USB cable", "Heritage tomato seeds", "Kühlschrank", "aspirateur", "pink umbrella", "drum kit"),
}  # fmt: skip
OTHER_WORDS: dict[Half, tuple[str, ...]] = {
    "dev": ("Junior", "Mark II", "Platinum", "Edition 2031", "XL", "Wireless", "Duo", "Titan"),
    "test": ("Senior", "Plus Ultra", "Signature", "Series 9", "XXL", "Solar", "Trio", "Foldable"),
}
"""Words that no product has: beside a name that is sold they ask for something that is not."""
TRANSLATIONS: dict[Half, dict[str, tuple[str, ...]]] = {
    "dev": {
        "Jacket": ("Jacke", "veste", "chaqueta"), "Backpack": ("Rucksack", "sac à dos", "mochila"),
        "Mug": ("Tasse", "taza"), "Scarf": ("Schal", "écharpe", "bufanda"), "Vase": ("Vase", "jarrón"),
        "Sandals": ("Sandalen", "sandales", "sandalias"), "Candle": ("Kerze", "bougie", "vela"), "Belt": ("Gürtel", "cinturón"),
    },
    "test": {
        "Sweater": ("Pullover", "chandail", "suéter"), "Blouse": ("Bluse", "chemisier", "blusa"), "Puzzle": ("Puzzle", "puzle"),
        "Notebook": ("Notizbuch", "carnet", "cuaderno"), "Pillow": ("Kissen", "oreiller", "almohada"),
        "Hammock": ("Hängematte", "hamac", "hamaca"), "Kite": ("Drachen", "cometa"), "Calendar": ("Kalender", "calendrier"),
    },
}  # fmt: skip
COLOURS: dict[Half, dict[str, str]] = {
    "dev": {"Red": "rot", "Blue": "bleu", "Green": "verde", "Black": "schwarz", "White": "blanco", "Grey": "gris"},
    "test": {"Red": "rojo", "Blue": "blau", "Green": "vert", "Black": "noir", "White": "weiß", "Yellow": "amarillo"},
}  # fmt: skip
