"""What fills the slots of the templates: names, goods, places, dates and amounts, by language."""

from datetime import datetime, timedelta
from random import Random


def _names(text: str) -> list[str]:
    return text.split()


FIRST = _names(
    "Ana Bea Chidi Daniel Elif Farah Gordon Hana Ines Jonas Kemal Lea Mara Nadia "
    "Olu Petra Quinn Rosa Seun Tara Uma Viktor Wiebke Yuki Zoe"
)
LAST = _names(
    "Adeyemi Brandt Costa Dubois Eriksen Fontaine Garcia Hansen Ito Jansen Kunze "
    "Lindqvist Moreau Nair Ortiz Petrova Quist Rivera Sato Tanaka"
)
SHOPS = [
    "Lumo Lamps", "Fabric Container", "North Trail", "Kettle and Bean", "Paper Moon", "Velo Depot", "Casa Verde", "Maison Bleue",
    "Holzwerk", "Plant Post", "Sock Parade", "Book Barn", "Order of Tea", "Weekly Grocer", "Work & Wear", "Letterbox Deli",
]  # fmt: skip
PRODUCTS = _names("Sketchpad Taskmill Cloudbox Notery Planwise Pixelpress")
TITLES = [
    "Design Weekly", "The Slow Letter", "City Desk", "Data Pudding", "Wood & Glue", "Field Trip", "The Long Table", "Sale of the Century",
]  # fmt: skip
FIRMS = [
    "Ortiz Hale",
    "Nordlicht",
    "Fjord Hotel",
    "Quinn Lofts",
    "Kumo Textiles",
    "Brandt Holz",
    "Riverabuild",
    "Hale Systems",
]
AGENCIES = ["Bridge Talent", "People First", "Hale Search", "Kopf & Kragen Personal"]
PROJECTS = [
    "Reading room",
    "Harbour loft",
    "Kita Sonnenschein",
    "Lobby",
    "Summer newsletter",
    "Website",
    "Offer page",
    "Annex B",
]
CITIES = _names("Berlin Lisbon Oslo Madrid Lyon Leeds Hamburg Toronto Sevilla Nantes")
LISTS = _names("joiners colour-talk pyusers choir")
OFFICES = ["Tax office", "Building department", "City treasury"]

THINGS = {
    "en": ["pendant lamps", "linen curtains", "hiking boots", "coffee beans", "desk chairs", "garden tools", "notebooks", "rain jackets"],
    "de": ["Leuchten", "Vorhänge", "Wanderschuhe", "Kaffeebohnen", "Bürostühle", "Regenjacken"],
    "es": ["lámparas", "cortinas", "botas", "sillas", "cuadernos"],
    "fr": ["lampes", "rideaux", "chaussures", "chaises", "carnets"],
}  # fmt: skip
TOPICS = {
    "en": [
        "beige",
        "night trains",
        "soil",
        "small models",
        "repair cafés",
        "empty offices",
        "school lunches",
        "the price of bread",
    ],
    "de": ["Nachtzüge", "leere Büros", "Brotpreise", "Reparaturcafés"],
    "es": ["los trenes nocturnos", "el precio del pan", "las oficinas vacías"],
    "fr": ["les trains de nuit", "le prix du pain", "les bureaux vides"],
}
DAYS = {
    "en": _names("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"),
    "de": _names("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag"),
    "es": _names("lunes martes miércoles jueves viernes sábado domingo"),
    "fr": _names("lundi mardi mercredi jeudi vendredi samedi dimanche"),
}
MONTHS = {
    "en": _names("January February March April May June July August September October November December"),
    "de": _names("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
    "es": _names("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
    "fr": _names("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
}
ROLES = [
    "interior architect",
    "product designer",
    "project lead",
    "colour consultant",
    "data engineer",
    "studio manager",
]
RELATIVES = ["father", "sister", "brother", "grandmother", "aunt"]
PARENTS = ["Mum", "Dad", "Grandma", "Aunt Rosa"]
SEASONS = _names("spring summer autumn winter")


def slots(random: Random, language: str, date: datetime) -> dict[str, str]:
    """A value for every slot of the templates; texts in the language, dates near the mail's."""
    first, first2 = random.sample(FIRST, 2)
    topic, topic2 = random.sample(TOPICS[language], 2)
    firm, firm2 = random.sample(FIRMS, 2)
    return {
        "me": "Robin", "first": first, "first2": first2, "last": random.choice(LAST), "topic": topic, "topic2": topic2,
        "firm": firm, "firm2": firm2, "shop": random.choice(SHOPS), "title": random.choice(TITLES),
        "product": random.choice(PRODUCTS), "agency": random.choice(AGENCIES), "project": random.choice(PROJECTS),
        "city": random.choice(CITIES), "listname": random.choice(LISTS), "office": random.choice(OFFICES),
        "thing": random.choice(THINGS[language]), "role": random.choice(ROLES), "relative": random.choice(RELATIVES),
        "parent": random.choice(PARENTS), "season": random.choice(SEASONS), "owndomain": "vale.example",
        "percent": str(random.choice([10, 15, 20, 25, 30, 40, 50, 70])), "points": str(random.randrange(120, 9000)),
        "issue": str(random.randrange(2, 400)), "year": str(date.year - 1), "last4": f"{random.randrange(10000):04}",
        "code": random.choice(["HELLO", "AUTUMN", "TEAM", "VIP"]) + str(random.randrange(5, 60)),
        "number": random.choice(["", "A-", "DE-"]) + str(random.randrange(10_000, 99_999_999)),
        "date": _date(date + timedelta(days=random.randrange(3, 40)), language), "day": random.choice(DAYS[language]),
        "month": MONTHS[language][date.month - 1], **_amounts(random, language),
    }  # fmt: skip


def _amounts(random: Random, language: str) -> dict[str, str]:
    def money(low: int, high: int) -> str:
        value = random.randrange(low * 100, high * 100) / 100
        if language == "en":
            return random.choice(["€", "£", "$"]) + f"{value:,.2f}"
        return f"{value:.2f}".replace(".", ",") + " €"

    return {
        "amount": money(12, 480), "amount2": money(4, 90), "amount3": money(48_000, 70_000), "amount4": money(71_000, 99_000),
    }  # fmt: skip


def _date(day: datetime, language: str) -> str:
    month = MONTHS[language][day.month - 1]
    return {
        "en": f"{day.day} {month}", "de": f"{day.day}. {month}", "es": f"{day.day} de {month}", "fr": f"{day.day} {month}",
    }[language]  # fmt: skip
