"""Who writes the generated mail: the addresses and headers that each kind of sender really uses."""

import re
from dataclasses import dataclass, field
from email.headerregistry import Address
from random import Random

UNSUBSCRIBE = {
    "en": (
        "You receive this mail because you signed up. Unsubscribe: https://{d}/u",
        "Unsubscribe | Manage preferences | View in browser",
        "No longer interested? https://{d}/off",
    ),
    "de": (
        "Sie erhalten diese E-Mail, weil Sie sich angemeldet haben. Abmelden: https://{d}/u",
        "Newsletter abbestellen | Im Browser ansehen",
    ),
    "es": (
        "Recibes este correo porque te apuntaste. Darse de baja: https://{d}/u",
        "Cancelar la suscripción",
    ),
    "fr": (
        "Vous recevez ce message car vous êtes inscrit. Se désabonner : https://{d}/u",
        "Se désabonner | Voir en ligne",
    ),
}
MACHINE = {
    "en": ("This message was sent automatically, please do not reply.", "", "Manage notifications: https://{d}/settings"),
    "de": ("Diese Nachricht wurde automatisch erstellt.", ""),
    "es": ("Este mensaje es automático.", ""),
    "fr": ("Ceci est un message automatique.", ""),
}  # fmt: skip


@dataclass(frozen=True)
class Role:
    """What is usual for a kind of sender; shares are 0 to 1."""

    locals: str = ""
    """Local parts, separated by spaces; "" for a person's name."""
    house: str = "firm"
    """The slot that names the organisation; "mail" for a provider open to all, "own" for the user's own domain."""
    known: float = 0.0
    """How often the user has written there before."""
    one_way: bool = False
    unsubscribe: float = 0.0
    list_id: float = 0.0
    bulk: float = 0.0
    """How often there is Precedence: bulk (RFC 3834 §3.1.8 speaks of it)."""
    automatic: float = 0.0
    """How often there is Auto-Submitted (RFC 3834 §5)."""
    is_list: bool = False


_PROMO = "offers hello news info newsletter shop"
_LETTER = "newsletter hello news editors weekly"
SENDERS = {
    "shop": Role(_PROMO, "shop", 0.03, True, unsubscribe=0.95, list_id=0.6, bulk=0.35),
    "service": Role("team hello news noreply", "product", 0.02, True, unsubscribe=0.9, list_id=0.4, bulk=0.2),
    "cold": Role("", "agency", 0.0, unsubscribe=0.15),
    "letter": Role(_LETTER, "title", 0.03, True, unsubscribe=0.97, list_id=0.8, bulk=0.3),
    "jobboard": Role("jobs alerts noreply", "title", 0.0, True, unsubscribe=0.95, list_id=0.5, automatic=0.3),
    "social": Role("notifications no-reply", "title", 0.0, True, unsubscribe=0.95, automatic=0.4),
    "list": Role("", "mail", 0.2, is_list=True),
    "order": Role("noreply no-reply orders shipping service", "shop", 0.04, True, unsubscribe=0.12, automatic=0.5),
    "shopperson": Role("orders hello", "shop", 0.5),
    "colleague": Role("", "own", 0.75),
    "client": Role("", "firm", 0.7),
    "supplier": Role("", "firm", 0.5),
    "tool": Role("notifications noreply", "product", 0.0, True, unsubscribe=0.25, automatic=0.6),
    "friend": Role("", "mail", 0.85),
    "family": Role("", "mail", 0.9),
    "recruiter": Role("", "agency", 0.15),
    "platform": Role("messages noreply", "title", 0.0, True, unsubscribe=0.9, automatic=0.3),
    "bank": Role("security no-reply service", "bank", 0.0, True, automatic=0.5),
    "authority": Role("no-reply office", "office", 0.1, True, automatic=0.3),
    "doctor": Role("practice", "practice", 0.3),
    "landlord": Role("", "mail", 0.5),
}  # fmt: skip


@dataclass(frozen=True)
class Written:
    """A sender as a mail shows it."""

    address: Address
    headers: dict[str, str] = field(default_factory=dict)
    list_address: Address | None = None
    is_program: bool = False
    has_list_footer: bool = False

    def footer(self, random: Random, language: str) -> str:
        """The line below a program's text: how to get no more of it, or that nobody reads answers."""
        if not self.is_program:
            return ""
        lines = UNSUBSCRIBE if self.has_list_footer else MACHINE
        return random.choice(lines[language]).format(d=self.address.domain)


def from_role(name: str, values: dict[str, str], random: Random) -> Written:
    """A sender of the kind; a family's share the user's surname half the time."""
    role = SENDERS[name]
    if name == "family" and random.random() < 0.5:
        values = values | {"last": "Vale"}
    domain = _domain(role, values, random)
    address = _address(name, role, values, domain, random)
    if role.is_list:
        at = Address("", values["listname"], "lists.example")
        headers = {
            "List-Id": f"<{values['listname']}.lists.example>", "List-Post": f"<mailto:{at.addr_spec}>",
            "List-Unsubscribe": f"<mailto:{values['listname']}-leave@lists.example>", "Precedence": "list",
        }  # fmt: skip
        return Written(address, headers, at)
    headers = _bulk_headers(role, domain, random)
    is_program = role.one_way
    return Written(
        address, headers, None, is_program, role.unsubscribe > 0.5 and "List-Unsubscribe" in headers
    )


def _bulk_headers(role: Role, domain: str, random: Random) -> dict[str, str]:
    """Each header in its share; a mailing house's own ones and its bounce address where there is a list."""
    number = random.randrange(10**6)
    headers = {}
    if random.random() < role.unsubscribe:
        headers["List-Unsubscribe"] = (
            f"<https://{domain}/u/{number}>, <mailto:u{number}@bounce.mailhouse.example>"
        )
        if random.random() < 0.7:
            headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        headers["Feedback-ID"] = f"{number}:{domain}:mailhouse"
        headers["Return-Path"] = f"<bounce-{number}@bounce.mailhouse.example>"
    if random.random() < role.list_id:
        headers["List-Id"] = f"<{number}.{domain}>"
    if random.random() < role.bulk:
        headers["Precedence"] = "bulk"
    if random.random() < role.automatic:
        headers["Auto-Submitted"] = "auto-generated"
    return headers


def _address(name: str, role: Role, values: dict[str, str], domain: str, random: Random) -> Address:
    if role.locals:
        display = values.get(role.house) or domain.partition(".")[0].capitalize()
        return Address(display, random.choice(role.locals.split()), domain)
    first, last = values["first"], values["last"]
    local = random.choice([first, f"{first}.{last}", f"{first[0]}{last}"]).lower()
    shown = values["parent"] if name == "family" and random.random() < 0.25 else f"{first} {last}"
    return Address(shown, local, domain)


def _domain(role: Role, values: dict[str, str], random: Random) -> str:
    if role.house == "own":
        return "vale.example"
    if role.house == "mail":
        return random.choice(["mailbox.example", "webmail.example", "post.example", "gmail.example"])
    named = values.get(role.house) or random.choice(
        {"bank": ["Spreebank", "Cardhouse"]}.get(role.house, ["Praxis Mitte", "Health Centre"])
    )
    slug = re.sub(r"[^a-z]+", "-", named.lower()).strip("-")
    return random.choice(["", "mail.", "e."] if role.one_way else [""]) + f"{slug}.example"
