"""A generated catalogue: makers, things, colours and variants, with near twins that differ in one word, one letter or one digit."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Literal

from email_assistant.workflows.order_desk.shop.product import Product

Half = Literal["dev", "test"]

COLOURS = (
    "Red", "Blue", "Green", "Black", "White", "Grey", "Brown", "Yellow", "Pink", "Navy", "Beige", "Purple",
)  # fmt: skip
ADJECTIVES = (
    "Explorer", "Classic", "Summit", "Urban", "Vintage", "Pro", "Lite", "Deluxe", "Cosy", "Nordic", "Heritage", "Studio",
    "Trail", "Coastal", "Harvest", "Midnight", "Winter", "Compact", "Royal", "Everyday",
)  # fmt: skip
MATERIALS = ("Leather", "Wool", "Cotton", "Linen", "Silk", "Steel", "Cashmere", "Ceramic")
THINGS: dict[Half, dict[str, tuple[str, ...]]] = {
    "dev": {
        "Outerwear": ("Jacket", "Parka", "Raincoat", "Vest", "Anorak"),
        "Bags": ("Backpack", "Tote Bag", "Messenger Bag", "Duffel", "Clutch"),
        "Kitchenware": ("Mug", "Teapot", "Frying Pan", "Bread Knife", "Cutting Board"),
        "Accessories": ("Scarf", "Beanie", "Belt", "Sunglasses", "Gloves"),
        "Home Decor": ("Vase", "Candle", "Cushion", "Table Lamp", "Throw Blanket"),
        "Shoes": ("Sandals", "Hiking Boots", "Sneakers", "Loafers", "Slippers"),
    },
    "test": {
        "Tops": ("Sweater", "Hoodie", "Blouse", "Cardigan", "T-Shirt"),
        "Garden": ("Watering Can", "Planter", "Hammock", "Garden Bench", "Trowel"),
        "Stationery": ("Notebook", "Fountain Pen", "Desk Organizer", "Calendar", "Pencil Case"),
        "Toys": ("Puzzle", "Wooden Train", "Kite", "Doll Container", "Plush Bear"),
        "Bedding": ("Pillow", "Duvet", "Mattress Topper", "Quilt", "Bed Sheet"),
        "Sports": ("Yoga Mat", "Dumbbell", "Tennis Racket", "Swimsuit", "Water Bottle"),
    },
}
FEATURES: dict[Half, tuple[tuple[str, ...], ...]] = {
    "dev": (
        ("waterproof zip", "magnetic clasp", "quilted lining", "hidden pocket", "adjustable strap", "rubber sole",
         "reflective piping", "brass buckle", "wide brim", "non-stick coating", "double wall", "scented with lavender",
         "bamboo handle", "tasselled edge", "detachable hood", "padded shoulders", "engraved initials", "glow in the dark"),
        ("hiking in the rain", "a long commute", "picnics", "a weekend by the sea", "cold mornings", "small kitchens",
         "evenings by the fire", "festival days", "the opera", "camping", "the gym", "a housewarming"),
    ),
    "test": (
        ("ribbed cuffs", "dotted pages", "iridium nib", "drainage holes", "memory foam", "anti-slip surface",
         "polarised mirror", "hand-painted face", "mother-of-pearl buttons", "folding legs", "carbon frame", "leakproof lid",
         "embroidered whale", "detachable tail", "oak drawers", "cooling gel", "lace collar", "rain gauge"),
        ("toddlers", "balcony gardeners", "left-handed writers", "hot summer nights", "beginners", "travellers",
         "long meetings", "the beach", "rainy Sundays", "allergy sufferers", "competitions", "grandparents"),
    ),
}  # fmt: skip
_ONSETS = (
    "b", "br", "d", "f", "gr", "h", "k", "kl", "l", "m", "n", "p", "r", "s", "st", "t", "tr", "v", "w", "z",
)  # fmt: skip
_VOWELS: dict[Half, tuple[str, ...]] = {
    "dev": ("a", "e", "i", "o", "u", "ö", "é"),
    "test": ("a", "e", "i", "o", "u", "ü", "ä"),
}
_CODAS = ("", "n", "r", "l", "s", "m", "nd", "rk", "x")


@dataclass(frozen=True)
class Made:
    """A product and what it was made of."""

    product: Product
    maker: str
    thing: str
    middle: str
    variant: str
    feature: str
    occasion: str


def maker(rng: Random, half: Half) -> str:
    """A name that nobody has: "Tramor", "Klévand"."""
    parts = [
        rng.choice(_ONSETS) + rng.choice(_VOWELS[half]) + (rng.choice(_CODAS) if last else "")
        for last in (False, False, True)[-rng.randint(2, 3) :]
    ]
    return "".join(parts).capitalize()


def catalogue(size: int, half: Half, seed: int = 2026) -> list[Made]:
    """Families of one to eight near twins, until there are enough."""
    rng = Random(f"{seed}/{half}/{size}")
    made: list[Made] = []
    codes: dict[str, int] = {}
    names: set[str] = set()
    kinds = [(category, thing) for category, things in THINGS[half].items() for thing in things]
    while len(made) < size:
        category, thing = rng.choice(kinds)
        for one in family(rng, half, category, thing):
            if one.product.name not in names and len(made) < size:
                names.add(one.product.name)
                made.append(_with_id(one, codes, rng))
    return made


def family(rng: Random, half: Half, category: str, thing: str) -> Iterator[Made]:
    """Products that differ in one thing: a colour, an adjective, a number, one letter of the maker, or nothing at all."""
    first, middle = maker(rng, half), rng.choice([*ADJECTIVES, *MATERIALS, "", "", ""])
    how = rng.choice(
        ("alone", "alone", "alone", "colour", "colour", "adjective", "number", "letter", "longer")
    )
    variants = {
        "alone": [(first, middle, "")],
        "colour": [(first, middle, colour) for colour in rng.sample(COLOURS, rng.randint(2, 6))],
        "adjective": [(first, other, "") for other in rng.sample(ADJECTIVES, rng.randint(2, 5))],
        "number": [(first, middle, str(n)) for n in rng.sample(range(100, 1000, 50), rng.randint(2, 4))],
        "letter": [(first, middle, ""), (_one_letter_off(first, rng), middle, "")],
        "longer": [(first, middle, ""), (first, middle, rng.choice(ADJECTIVES))],
    }[how]
    for name, adjective, variant in variants:
        features, occasions = FEATURES[half]
        feature, occasion = rng.choice(features), rng.choice(occasions)
        material = "" if adjective in MATERIALS else rng.choice(MATERIALS).lower()
        title = " ".join(word for word in (name, adjective, thing, variant) if word)
        text = f"{rng.choice(('Made of', 'From'))} {material or adjective.lower()}, with {feature}. Good for {occasion}."
        product = Product(
            "", title, category, text, Decimal(rng.randint(500, 30_000)) / 100, stock=rng.randint(0, 20)
        )
        yield Made(product, name, thing, adjective, variant, feature, occasion)


def _one_letter_off(word: str, rng: Random) -> str:
    at = rng.randrange(1, len(word))
    return word[:at] + rng.choice([c for c in "aeioklmnrst" if c != word[at]]) + word[at + 1 :]


def _with_id(one: Made, codes: dict[str, int], rng: Random) -> Made:
    """Three letters and digits that go up by small steps, so that neighbours' ids are near each other."""
    letters = "".join(c for c in one.thing.upper() if c.isalpha())[:2] + rng.choice("ABCIOL")
    codes[letters] = codes.get(letters, 1000) + rng.randint(1, 9)
    product = one.product
    kept = Product(
        f"{letters}-{codes[letters]}", product.name, product.category, product.description, product.price, stock=product.stock
    )  # fmt: skip
    return Made(kept, one.maker, one.thing, one.middle, one.variant, one.feature, one.occasion)
