"""Signs that a message is not from whom it seems to be (RFC 7489 §4, RFC 8601)."""

import re
import unicodedata

from email_assistant.mail.address import Address, parse_addresses
from email_assistant.mail.message import Message

_COMMENT = re.compile(r"\([^()]*\)")
_RESULT = re.compile(r"^\s*(spf|dkim|dmarc)\s*(?:/\s*\d+\s*)?=\s*([a-z]+)", re.IGNORECASE)
_ADDRESS_IN_NAME = re.compile(r"[^\s<>\"'(),;:]{1,64}@[^\s<>\"'(),;:@]{1,253}\.[^\s<>\"'(),;:@.]{2,63}")
_SECOND_LEVEL = frozenset(
    ["ac", "co", "com", "edu", "gov", "go", "ne", "net", "or", "org", "gob", "ltd", "plc", "nhs"]
)
_CONFUSABLE = str.maketrans("аеорсухіјѕһӏԁԛԝοανρτυκιɡ", "aeopcyxijshldqwoavptukig")
_LOOKS_LATIN = frozenset(map(chr, _CONFUSABLE))
_TOGETHER = (
    {"CJK", "HIRAGANA", "KATAKANA", "LATIN"},
    {"CJK", "HANGUL", "LATIN"},
    {"CJK", "BOPOMOFO", "LATIN"},
)
_SKELETON = (("rn", "m"), ("vv", "w"), ("0", "o"), ("1", "l"), ("i", "l"), ("5", "s"))
_METHODS = {"spf": "SPF", "dkim": "DKIM", "dmarc": "DMARC"}


def sender_warnings(message: Message, *, own: frozenset[str]) -> tuple[str, ...]:
    """One plain sentence for each sign that the sender is not who it seems; () for an ordinary message.

    `own` holds the user's addresses as `Address.key`s. Mailing lists, which change Reply-To and break signatures
    by design, are not warned about for that alone.
    """
    sender = message.sender
    if not sender.email:
        return ("The message has no readable sender address.",)
    failed = _failures(message)
    found = [
        _claims_own(sender, own, failed=bool(failed)),
        _other_name(message),
        *(_other_reply_to(message, own)),
        *(f"The sender could not be verified: {name} failed." for name in failed),
        *(_look_alike(domain, own) for domain in dict.fromkeys([sender.domain, *_domains(message.reply_to)])),
    ]
    return tuple(dict.fromkeys(warning for warning in found if warning))


def authentication(message: Message) -> dict[str, set[str]]:
    """The results per method in the topmost Authentication-Results header, e.g. {"dkim": {"pass"}} (RFC 8601 §2.2).

    Received-SPF stands in for a missing SPF result.
    """
    value = message.headers.get("authentication-results", "")
    for _ in range(5):  # comments may nest
        value = _COMMENT.sub(" ", value)
    results: dict[str, set[str]] = {}
    for part in re.sub(r'"[^"]*"', '""', value).split(";")[1:]:
        if match := _RESULT.match(part):
            results.setdefault(match[1].lower(), set()).add(match[2].lower())
    received = re.match(r"\s*([a-z]+)", message.headers.get("received-spf", ""), re.IGNORECASE)
    if received and "spf" not in results:
        results["spf"] = {received[1].lower()}
    return results


def organisation(domain: str) -> str:
    """The part of a domain name that is registered, as far as its look tells: `example.com`, `example.co.uk`."""
    labels = domain.lower().split(".")
    keep = 3 if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL else 2
    return ".".join(labels[-keep:])


def _failures(message: Message) -> list[str]:
    """The methods that failed and matter: a DMARC pass settles it, as does one valid signature for DKIM."""
    results = authentication(message)
    passed = {method for method, values in results.items() if "pass" in values}
    failed = {
        method for method, values in results.items() if values & {"fail", "hardfail"} and method not in passed
    }
    if "dmarc" in passed or (_is_list(message) and passed):
        return []
    if "dmarc" not in failed and "dkim" in passed:
        failed.discard("spf")  # forwarding breaks SPF, a valid signature outlives it
    return [name for method, name in _METHODS.items() if method in failed]


def _is_list(message: Message) -> bool:
    return "list-id" in message.headers


def _claims_own(sender: Address, own: frozenset[str], *, failed: bool) -> str:
    if sender.key in own:
        return (
            "The message claims to come from your own address, but it did not pass the checks."
            if failed
            else ""
        )
    named = {address.lower() for address in _ADDRESS_IN_NAME.findall(sender.name)}
    return (
        "The sender's name shows your own address, but the message comes from another one."
        if named & own
        else ""
    )


def _other_name(message: Message) -> str:
    sender = message.sender
    named = [found.strip(".").lower() for found in _ADDRESS_IN_NAME.findall(sender.name)]
    others = [name for name in named if organisation(name.rpartition("@")[2]) != organisation(sender.domain)]
    if not others or (_is_list(message) and " via " in sender.name):
        return ""
    return f"The sender's name shows {others[0]}, but the message comes from {sender.email}."


def _other_reply_to(message: Message, own: frozenset[str]) -> list[str]:
    sender = organisation(message.sender.domain)
    listed = {organisation(domain) for domain in _domains((*message.to, *message.cc))} | _list_domains(
        message
    )
    others = []
    for address in message.reply_to:
        domain = organisation(address.domain)
        excused = _is_list(message) and domain in listed
        if domain != sender and address.key not in own and not excused:
            others.append(
                f"Replies would go to {address.email}, not to the sender's domain {message.sender.domain}."
            )
    return others


def _list_domains(message: Message) -> set[str]:
    identity = message.headers.get("list-id", "").rpartition("<")[2].strip("> ")
    posts = parse_addresses(message.headers.get("list-post", "").replace("mailto:", ""))
    return {organisation(identity)} | {organisation(domain) for domain in _domains(posts)}


def _domains(addresses: tuple[Address, ...]) -> list[str]:
    return [address.domain for address in addresses if address.domain]


def _look_alike(domain: str, own: frozenset[str]) -> str:
    shown = ".".join(map(_unicode_label, domain.split(".")))
    mixed = any(_is_mixed(label) for label in shown.split("."))
    disguised = shown.rpartition(".")[2].isascii() and any(map(_is_disguised, shown.split(".")[:-1]))
    if mixed or disguised:
        return f"The domain {domain} is written with letters that imitate others."
    registered = organisation(shown)
    for address in own:
        mine = organisation(address.rpartition("@")[2])
        if registered != mine and _skeleton(registered) == _skeleton(mine):
            return f"The domain {domain} looks like {mine}, but is another one."
    return ""


def _unicode_label(label: str) -> str:
    """A label of a domain name as people see it (RFC 3492)."""
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return label


def _scripts(label: str) -> set[str]:
    names = (unicodedata.name(char, "").split(" ")[0].split("-")[0] for char in label if char.isalpha())
    return {name for name in names if name}


def _is_mixed(label: str) -> bool:
    scripts = _scripts(label)
    return len(scripts) > 1 and not any(scripts <= allowed for allowed in _TOGETHER)


def _is_disguised(label: str) -> bool:
    """Whether every letter is of another script but looks like a Latin one."""
    letters = [char for char in label if char.isalpha()]
    return bool(letters) and not label.isascii() and all(char in _LOOKS_LATIN for char in letters)


def _skeleton(domain: str) -> str:
    """The domain with look-alike letters made equal (after Unicode Technical Standard 39 §4)."""
    plain = unicodedata.normalize("NFD", domain)
    plain = "".join(char for char in plain if not unicodedata.combining(char)).translate(_CONFUSABLE)
    for alike, letter in _SKELETON:
        plain = plain.replace(alike, letter)
    return plain
