"""How people write numbers, money and languages, each with what it means to a person who reads it."""

NUMBER_WORDS: dict[tuple[str, str], int | None] = {
    ("en", "twenty-five"): 25, ("en", "twenty five"): 25, ("en", "two hundred and ten"): 210, ("en", "twelve hundred"): 1200,
    ("en", "two dozen"): 24, ("en", "three thousand five hundred"): 3500, ("en", "a hundred"): 100, ("en", "half a dozen"): 6,
    ("de", "fünfundzwanzig"): 25, ("de", "zwölf"): 12, ("de", "fuenf"): 5, ("de", "zweihundertfünfzig"): 250,
    ("fr", "mille deux cents"): 1200, ("fr", "vingt et un"): 21, ("fr", "une douzaine"): 12,
    ("es", "treinta y cinco"): 35, ("es", "doscientos cincuenta"): 250, ("es", "veintidós"): 22, ("es", "veintidos"): 22,
    ("es", "once"): 11, ("fr", "neuf"): 9,
    # No numbers.
    ("en", "once"): None, ("en", "due"): None, ("en", "elf"): None, ("fr", "dos"): None, ("en", "often"): None,
    ("de", "Achtung"): None, ("en", "someone"): None, ("fr", "très"): None, ("en", "cent"): None,
}  # fmt: skip
"""A language, words in it, and the number they say."""

MONEY: dict[str, list[tuple[str, str]]] = {
    # Points, commas, spaces and apostrophes: the continent, the islands, the Alps, India.
    "€ 1.240,00": [("1240", "EUR")], "1.240,00 €": [("1240", "EUR")], "1.240 €": [("1240", "EUR")],
    "1 240,00 €": [("1240", "EUR")], "1\u202f240,00 €": [("1240", "EUR")], "EUR 1,240.00": [("1240", "EUR")],
    "1,240.50 USD": [("1240.5", "USD")], "1240,00€": [("1240", "EUR")], "EUR 12 000,00": [("12000", "EUR")],
    "CHF 2'500": [("2500", "CHF")], "CHF 2’500.–": [("2500", "CHF")], "CHF 1'240.50": [("1240.5", "CHF")],
    "Rs. 5,000": [("5000", "INR")], "0,99 €": [("0.99", "EUR")], "12.5 €": [("12.5", "EUR")], "€ 0.999": [("0.999", "EUR")],
    "2500.-- CHF": [("2500", "CHF")], "１２.００ EUR": [("12", "EUR")],
    # Signs, codes and names, before and after.
    "US$ 99": [("99", "USD")], "R$ 1.240,00": [("1240", "BRL")], "CA$ 20": [("20", "CAD")], "A$ 15": [("15", "AUD")],
    "99 cents": [("99", "cent")], "99p": [("99", "cent")], "100€/Monat": [("100", "EUR")], "12€50": [("12.5", "EUR")],
    # Thousands and millions.
    "$4k": [("4000", "USD")], "€12k": [("12000", "EUR")], "£2.5m": [("2500000", "GBP")], "2 Mio. €": [("2000000", "EUR")],
    "1,5 Mio. Euro": [("1500000", "EUR")], "3 Tsd. Euro": [("3000", "EUR")], "1.5 million dollars": [("1500000", "USD")],
    # In words.
    "twelve euros": [("12", "EUR")], "twelve hundred euros": [("1200", "EUR")], "zwölf Euro": [("12", "EUR")],
    "two thousand pounds": [("2000", "GBP")],
    # Less than nothing, ranges and several: the amount itself, each of them.
    "-€5": [("5", "EUR")], "−20 €": [("20", "EUR")], "€10-12": [("10", "EUR"), ("12", "EUR")],
    "$12 or £9": [("12", "USD"), ("9", "GBP")], "2 x 19,90 €": [("19.9", "EUR")],
    # No money at all.
    "20%": [], "20 percent off": [], "12.3.2026": [], "2026-11-26": [], "26.11.": [], "14:30": [], "version 2.4.1": [],
    "+49 30 1234567": [], "call 0800 4000": [], "order 12345": [], "#4711": [], "4,000 people": [], "in 2026": [], "€": [],
    "EUR": [], "europe 7": [], "neuro 4000": [], "3 kg": [], "room 12": [], "30 Sek.": [], "KTC-4098": [], "1/2": [],
}  # fmt: skip
"""A text, and the amounts in it: how much, in which currency."""

TEXTS: dict[str, str] = {
    "Could you send me the price list, please?": "en", "Thanks, that works for me.": "en", "Is the blue one still in stock?": "en",
    "Können Sie mir bitte die Preisliste schicken?": "de", "Danke, das passt mir gut.": "de", "Ist die blaue noch auf Lager?": "de",
    "¿Podría enviarme la lista de precios?": "es", "Gracias, me viene bien.": "es", "¿Queda alguna en azul?": "es",
    "Potrebbe mandarmi il listino prezzi?": "it", "Grazie, per me va bene.": "it", "Avete ancora quella blu?": "it",
    "Kunt u mij de prijslijst sturen?": "nl", "Bedankt, dat komt goed uit.": "nl", "Hebben jullie nog een blauwe?": "nl",
    "Poderia me enviar a lista de preços?": "pt", "Obrigada, para mim está bem.": "pt", "Vocês ainda têm a azul?": "pt",
    "Kan ni skicka prislistan till mig?": "sv", "Tack, det passar mig bra.": "sv",
    "価格表を送っていただけますか。": "ja", "ありがとうございます。それで結構です。": "ja",
    "Hi Robin,\n\nthe invoice 2026-114 is overdue.\n\nBest, Ana": "en",
    "Hallo Robin,\n\nich komme am Freitag um 10 Uhr.\n\nGruß\nAna": "de",
    "Bonjour,\n\nje souhaite trois sacs en toile.\n\nCordialement\nAnaïs": "fr",
    "Hola:\n\nquiero tres bolsas de lona.\n\nUn saludo\nAna": "es",
    "Buongiorno,\n\nvorrei tre borse di tela.\n\nCordiali saluti\nAnna": "it", "Hallo,\n\nik wil graag drie tassen.\n\nGroeten\nAnne": "nl",
    "": "", "KTC-4098": "", "12.50": "", "https://vale.example/x": "",
}  # fmt: skip
"""A text, and its language; "" where nobody could tell."""
