"""The kinds of mentions: each writes what a customer might say of a product, and labels it."""

from collections.abc import Callable, Iterator

from email_assistant.workflows.order_desk.shop.mention import ProductMention
from eval.resolution import phrases
from eval.resolution.catalogue import COLOURS, THINGS, Made
from eval.resolution.writer import Case, Writer, slip


def _exact_id(w: Writer, kind: str, one: Made) -> Case:
    letters, digits = one.product.id.split("-")
    forms = (
        f"{letters} {digits}",
        letters.lower() + digits,
        f"[{one.product.id}]",
        f"{letters.lower()} - {digits}",
        one.product.id,
    )
    return Case(kind, ProductMention(product_id=w.rng.choice(forms)), one.product.id, True)


def _id_in_text(w: Writer, kind: str, one: Made) -> Case:
    letters, digits = one.product.id.split("-")
    text = w.sentence(
        w.rng.choice((one.product.id, f"{letters.lower()} {digits}", f"{letters}{digits} {one.thing}"))
    )
    mention = ProductMention(product_name=text) if w.rng.random() < 0.3 else ProductMention(mention_text=text)
    return Case(kind, mention, one.product.id, True)


def _id_with_name(w: Writer, kind: str, one: Made) -> Case:
    name = w.rng.choice(
        (one.product.name, one.thing, f"{one.maker} {one.thing}", slip(one.product.name, w.rng))
    )
    return Case(kind, ProductMention(product_id=one.product.id, product_name=name), one.product.id, True)


def _wrong_id(w: Writer, one: Made) -> str:
    key = one.product.id.replace("-", "")
    ids = {m.product.id.replace("-", "") for m in w.made}
    for _ in range(50):
        at = w.rng.randrange(len(key) - 1)
        wrong = w.rng.choice((
            key[:at] + key[at + 1] + key[at] + key[at + 2 :], key[:at] + key[at + 1 :],
            key[:at] + w.rng.choice("0123456789") + key[at + 1 :], key.replace("0", "O"), key.replace("1", "I"),
        ))  # fmt: skip
        if wrong not in ids and wrong != key:
            return wrong
    return ""


def _near_id(w: Writer, kind: str, one: Made) -> Case | None:
    wrong = _wrong_id(w, one)
    return Case(kind, ProductMention(product_id=wrong), one.product.id, False) if wrong else None


def _near_id_with_name(w: Writer, kind: str, one: Made) -> Case | None:
    wrong = _wrong_id(w, one)
    return (
        Case(kind, ProductMention(product_id=wrong, product_name=one.product.name), one.product.id, True)
        if wrong
        else None
    )


def _conflict(w: Writer, kind: str, one: Made) -> Case | None:
    other = w.rng.choice(w.made)
    if other.product.name == one.product.name:
        return None
    return Case(
        kind,
        ProductMention(product_id=one.product.id, product_name=other.product.name),
        one.product.id,
        False,
    )


def _conflict_of_twins(w: Writer, kind: str, one: Made) -> Case | None:
    others = [
        o for o in w.siblings[one.maker, one.middle, one.thing] if o.variant and one.variant and o is not one
    ]
    if not others:
        return None
    mention = ProductMention(product_id=one.product.id, product_name=w.rng.choice(others).product.name)
    return Case(kind, mention, one.product.id, False)


def _strange_id(w: Writer, kind: str, one: Made) -> Case:
    mention = ProductMention(product_id=f"QQX-{w.rng.randint(70_000, 99_999)}", product_name=one.product.name)
    return Case(kind, mention, one.product.id, False)


def _name(w: Writer, kind: str, one: Made) -> Case:
    name = w.rng.choice(
        (one.product.name, one.product.name.lower(), one.product.name.upper(), f"the {one.product.name}")
    )
    return Case(kind, ProductMention(product_name=name, mention_text=w.sentence(name)), one.product.id, True)


def _plural(w: Writer, kind: str, one: Made) -> Case | None:
    if one.thing.endswith("s") or one.variant:
        return None
    name = " ".join(word for word in (one.maker, one.middle, one.thing) if word)
    plural = (
        name[:-2] + "ves" if name.endswith("Knife") else name + ("es" if name.endswith(("sh", "ch")) else "s")
    )
    number = w.rng.randint(2, 9)
    mention = ProductMention(product_name=f"{number} {plural}", quantity=number)
    return Case(kind, mention, one.product.id, w.names.count(name.lower()) == 1)


def _order(w: Writer, kind: str, one: Made) -> Case:
    words = [one.thing, one.variant, one.middle, "by", one.maker]
    return Case(kind, ProductMention(product_name=" ".join(x for x in words if x)), one.product.id, True)


def _typo(w: Writer, kind: str, one: Made) -> Case | None:
    words = one.product.name.split()
    for at in w.rng.sample(range(len(words)), w.rng.randint(1, 2) if len(words) > 2 else 1):
        if len(words[at]) >= 4 and words[at].isalpha():
            words[at] = slip(words[at], w.rng)
    text = " ".join(words)
    if text == one.product.name or text.lower() in w.names:
        return None
    return Case(kind, ProductMention(product_name=text), one.product.id, w.is_nearest(text, one.product.name))


def _accents(w: Writer, kind: str, one: Made) -> Case | None:
    bare = one.product.name.translate(str.maketrans("öéüä", "oeua"))
    out = one.product.name
    for umlaut, written in (("ö", "oe"), ("ü", "ue"), ("ä", "ae")):
        out = out.replace(umlaut, written)
    text = w.rng.choice((bare, out))
    return (
        None
        if text == one.product.name
        else Case(
            kind, ProductMention(product_name=text), one.product.id, w.is_nearest(text, one.product.name)
        )
    )


def _partial(w: Writer, kind: str, one: Made) -> Case:
    text = f"{one.maker} {one.thing}"
    if text.lower() in w.names:
        return None
    return Case(
        kind, ProductMention(product_name=f"the {text}"), one.product.id, w.by_pair[one.maker, one.thing] == 1
    )


def _maker_only(w: Writer, kind: str, one: Made) -> Case:
    return Case(kind, ProductMention(product_name=one.maker), one.product.id, w.by_maker[one.maker] == 1)


def _variant_elsewhere(w: Writer, kind: str, one: Made) -> Case | None:
    family = w.siblings[one.maker, one.middle, one.thing]
    if one.variant not in COLOURS or any(not o.variant for o in family):
        return None
    name = " ".join(x for x in (one.maker, one.middle, one.thing) if x)
    said = w.rng.choice(
        (f"in {one.variant.lower()}", f"the {one.variant.lower()} one", f"{one.variant.lower()} colour")
    )
    as_text = w.rng.random() < 0.5
    mention = (
        ProductMention(product_name=name, mention_text=f"{said}, {name}")
        if as_text
        else ProductMention(product_name=name, description=said)
    )
    return Case(kind, mention, one.product.id, True)


def _wrong_variant(w: Writer, kind: str, one: Made) -> Case | None:
    taken = {o.variant for o in w.made if o.maker == one.maker}
    colour = w.rng.choice([c for c in COLOURS if c not in taken])
    if one.variant not in COLOURS:
        return None
    name = " ".join(x for x in (one.maker, one.middle, one.thing) if x)
    in_name = w.rng.random() < 0.5
    mention = (
        ProductMention(product_name=f"{name} {colour}")
        if in_name
        else ProductMention(product_name=name, description=colour)
    )
    return Case(kind, mention, "", False)


def _translated(w: Writer, kind: str, one: Made) -> Case | None:
    words = phrases.TRANSLATIONS[w.half].get(one.thing)
    if not words:
        return None
    variant = phrases.COLOURS[w.half].get(one.variant, one.variant)
    text = " ".join(x for x in (w.rng.choice(words), one.maker, one.middle, variant) if x)
    return Case(kind, ProductMention(product_name=text), one.product.id, True)


def _description(w: Writer, kind: str, one: Made) -> Case:
    text = f"a {one.thing.lower()} with {one.feature}, for {one.occasion}"
    is_only = w.by_story[one.thing, one.feature, one.occasion] == 1
    mention = ProductMention(
        description=text, category=one.product.category, mention_text=f"do you have {text}?"
    )
    return Case(kind, mention, one.product.id, is_only)


def _text_only(w: Writer, kind: str, one: Made) -> Case:
    return Case(kind, ProductMention(mention_text=w.sentence(one.product.name)), one.product.id, True)


def _vague(w: Writer, kind: str, one: Made) -> Case:
    text = w.rng.choice(phrases.VAGUE[w.half])
    mention = (
        ProductMention(description=text, mention_text=text)
        if w.rng.random() < 0.5
        else ProductMention(mention_text=text)
    )
    return Case(kind, mention, "", False)


def _not_sold(w: Writer, kind: str, one: Made) -> Case:
    text = w.rng.choice(phrases.NOT_SOLD[w.half])
    return Case(kind, ProductMention(product_name=text, mention_text=w.sentence(text)), "", False)


def _maker_of_other(w: Writer, kind: str, one: Made) -> Case | None:
    things = [thing for kinds in THINGS[w.half].values() for thing in kinds]
    thing = w.rng.choice([t for t in things if not w.by_pair[one.maker, t]])
    return Case(kind, ProductMention(product_name=f"{one.maker} {thing}"), "", False)


def _more_words(w: Writer, kind: str, one: Made) -> Case:
    text = f"{one.product.name} {w.rng.choice(phrases.OTHER_WORDS[w.half])}"
    return Case(kind, ProductMention(product_name=text), "", False)


KINDS: dict[str, Callable[[Writer, str, Made], Case | None]] = {
    "id, written in some way": _exact_id,
    "id in a sentence": _id_in_text,
    "id and its name": _id_with_name,
    "id and another product's name": _conflict,
    "id and its twin's name": _conflict_of_twins,
    "id that nobody has, and a name": _strange_id,
    "id with a slip": _near_id,
    "id with a slip, and its name": _near_id_with_name,
    "name": _name,
    "name in a sentence only": _text_only,
    "name, plural, with a number": _plural,
    "name in another order": _order,
    "name misspelt": _typo,
    "name without its accents": _accents,
    "part of the name": _partial,
    "the maker only": _maker_only,
    "name, colour said elsewhere": _variant_elsewhere,
    "name, words translated": _translated,
    "description": _description,
    "name in a colour not sold": _wrong_variant,
    "name with a word too many": _more_words,
    "maker sold, thing not": _maker_of_other,
    "not sold": _not_sold,
    "vague": _vague,
}


def cases(writer: Writer, each: int) -> Iterator[Case]:
    """So many mentions of each kind, as far as the catalogue has them."""
    for kind, write in KINDS.items():
        count = 0
        for _ in range(each * 40):
            case = write(writer, kind, writer.rng.choice(writer.made))
            if case:
                yield case
                count += 1
            if count == each:
                break
