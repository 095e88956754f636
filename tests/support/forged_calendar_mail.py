"""Calendar mail of people who may not say what it says: what they write × how they lie × what the calendar has."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage

from eval.mails import vouching
from tests.support.calendar_mail import ANA, BO, MINE, UID
from tests.support.desk import ME

EVIL, THIRD = "eve@evil.example", "victim@third.example"
EVE = f"Eve <{EVIL}>"
CLAIMS = "claims to be from"
ORGANIZERS = ("REQUEST", "PUBLISH", "", "CANCEL", "ADD", "DECLINECOUNTER")
"""Methods of who calls a meeting; "" is a part that names none."""
GUESTS = ("REPLY", "COUNTER", "REFRESH")
OF_ANA, OF_EVE = f"ORGANIZER;CN=Ana:mailto:{ANA.email}", "ORGANIZER:mailto:eve@evil.example"
TO_ME = f"ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:{MINE}"


@dataclass(frozen=True)
class Trick:
    """How somebody lies about who they are."""

    name: str
    organizer: str
    sender: str = EVE
    found: str = "pass"
    """What the receiving host says of the sender."""
    headers: Mapping[str, str] = field(default_factory=dict)


TRICKS = (
    Trick("a stranger as organizer", OF_EVE),
    Trick("a stranger for the organizer", OF_ANA),
    Trick("sent by a stranger", f'ORGANIZER;SENT-BY="mailto:eve@evil.example":mailto:{ANA.email}'),
    Trick("answers to the organizer", OF_ANA, "Ana <noreply@evil.example>", headers={"Reply-To": f"Ana <{ANA.email}>"}),
    Trick("no organizer", "COMMENT:none"),
    Trick("the user as organizer", f"ORGANIZER:mailto:{MINE}"),
    Trick("a guest for the organizer", OF_ANA, BO.email),
    Trick("sent by a guest, for whom nobody vouches", f'ORGANIZER;SENT-BY="mailto:{BO.email}":mailto:{ANA.email}', BO.email, ""),
    Trick("the organizer's address, forged", OF_ANA, f"Ana <{ANA.email}>", "fail"),
    Trick("the user's address, unproven", "COMMENT:none", f"Robin Vale <{MINE}>", ""),
    Trick("iCloud's address, forged", OF_ANA, "Ana <noreply@email.apple.com>", "fail", {"Reply-To": ANA.email}),
    Trick("iCloud's address, unproven", OF_ANA, "Ana <noreply@email.apple.com>", "", {"Reply-To": ANA.email}),
)  # fmt: skip


@dataclass(frozen=True)
class Forged:
    """One such mail."""

    name: str
    state: str
    """What the calendar has: "Ana's", "Ana's series", "Ana's occurrence", "own", "own, alone", or "nothing"."""
    raw: bytes


def vevent(organizer: str, *more: str, uid: str = UID, guests: tuple[str, ...] = (TO_ME,)) -> str:
    """The meeting, two hours later and in the next revision."""
    lines = (
        "BEGIN:VEVENT", f"UID:{uid}", "DTSTAMP:20261119T120000Z", "SEQUENCE:5", "DTSTART:20261126T110000Z", "DURATION:PT2H",
        "SUMMARY:Gotcha", "LOCATION:Cellar", organizer, *guests, *more, "END:VEVENT",
    )  # fmt: skip
    return "\r\n".join(lines)


def part(method: str, *events: str) -> str:
    """A calendar part."""
    named = (f"METHOD:{method}",) if method else ()
    return "\r\n".join(
        ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//evil//EN", *named, *events, "END:VCALENDAR", "")
    )


def mail(trick: Trick, *parts: str, number: int, said: str = "REQUEST") -> bytes:
    """A mail with these calendar parts; `said` is the method that its media type names."""
    message = EmailMessage()
    if trick.found:
        message["Authentication-Results"] = vouching(trick.sender, trick.found)
    message["From"], message["To"], message["Subject"] = trick.sender, ME, "Budget"
    message["Message-ID"], message["Date"] = (
        f"<forged-{number}@evil.example>",
        "Thu, 19 Nov 2026 12:00:00 +0000",
    )
    for name, value in trick.headers.items():
        message[name] = value
    message.set_content("See the calendar.")
    for each in parts:
        params = {"method": said} if said else {}
        message.add_attachment(each.encode(), maintype="text", subtype="calendar", params=params)
    return bytes(message)


def forged() -> list[Forged]:
    """All of them."""
    made: list[Forged] = []

    def add(name: str, state: str, trick: Trick, *parts: str, said: str = "REQUEST") -> None:
        made.append(Forged(name, state, mail(trick, *parts, number=len(made), said=said)))

    for method in ORGANIZERS:
        for trick in TRICKS:
            whole = part(method, vevent(trick.organizer))
            states = ("Ana's", "own, alone", *(("Ana's series", "own") if trick in TRICKS[:3] else ()))
            for state in states:
                add(f"{method or 'no method'}, {trick.name}", state, trick, whole, said=method)
    for name, trick, whole in guests():
        add(name, "own", trick, whole, said="REPLY")
    for name, state, parts in shapes():
        add(name, state, TRICKS[0], *parts)
    for name, trick in reflections():
        add(name, "nothing", trick, part("REQUEST", vevent(trick.organizer)))
    return made


def guests() -> Iterator[tuple[str, Trick, str]]:
    """In the name of a guest of the user's own meeting, or of nobody's."""
    of_me = f"ORGANIZER:mailto:{MINE}"
    by = {
        "a stranger for a guest": (Trick("", of_me), BO.email),
        "a stranger who is no guest": (Trick("", of_me), "eve@evil.example"),
        "a guest for another guest": (Trick("", of_me, BO.email), ANA.email),
        "a guest's address, forged": (Trick("", of_me, BO.email, "fail"), BO.email),
        "a stranger, sent by": (Trick("", of_me), f"{BO.email}\r\nX-SENT-BY:mailto:eve@evil.example"),
    }
    for method in GUESTS:
        for name, (trick, guest) in by.items():
            answer = (f"ATTENDEE;PARTSTAT=DECLINED:mailto:{guest}",)
            yield f"{method}, {name}", trick, part(method, vevent(of_me, guests=answer))


def shapes() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """What is not one event in one part."""
    harmless = vevent(OF_EVE, uid="new@evil.example")
    later = "RECURRENCE-ID:20261203T090000Z"
    never = "RECURRENCE-ID:20301203T090000Z"
    for method in ("REQUEST", "PUBLISH", "CANCEL"):
        yield f"{method}, two events", "Ana's", (part(method, vevent(OF_EVE), harmless),)
        yield f"{method}, two parts", "Ana's", (part(method, harmless), part(method, vevent(OF_EVE)))
        yield f"{method}, one occurrence", "Ana's series", (part(method, vevent(OF_EVE, later)),)
        yield f"{method}, an occurrence that is none", "Ana's series", (part(method, vevent(OF_EVE, never)),)
        both = (vevent(OF_EVE, never), vevent(OF_EVE, later))
        yield f"{method}, an occurrence behind another", "Ana's series", (part(method, *both),)
        yield f"{method}, an occurrence behind another", "Ana's occurrence", (part(method, *both),)
        yield f"{method}, the series of an occurrence", "Ana's occurrence", (part(method, vevent(OF_EVE)),)


def reflections() -> Iterator[tuple[str, Trick]]:
    """Whose answer would go to somebody else."""
    third = f"ORGANIZER:mailto:{THIRD}"
    yield "reflection", Trick("", third)
    yield "reflection, sent by", Trick("", f'ORGANIZER;SENT-BY="mailto:eve@evil.example":mailto:{THIRD}')
    yield "reflection, reply-to", Trick("", third, "No <noreply@evil.example>", headers={"Reply-To": THIRD})
    yield "reflection, nobody vouches", Trick("", third, found="")
