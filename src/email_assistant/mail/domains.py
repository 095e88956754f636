"""Domain names: whose one is, by the public suffix list, and which names and domains look like others (UTS 39 §4, §5).

Anybody may register a name below a public suffix, so the two below one have nothing to do with each other: `vale.me.uk` and
`evil.me.uk`, and as well `vale.github.io` and `evil.github.io`. The list comes with its package and is never fetched. Reading it, and
the first skeleton of anything but ASCII, reads a table from the disk: ask in a thread.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from publicsuffixlist import PublicSuffixList

from email_assistant.mail import WORDS

_ADDRESS = re.compile(r"\[.*\]|[\d.]+")


def organisation(domain: str) -> str:
    """The registered part of a domain name in lower case: `example.com`, `example.co.uk`; what has none is itself.

    The list's private section counts, since the names below `github.io` belong to different people. Of what is no domain name
    (`localhost`, an address literal) nothing is left out. The first call reads the list from the disk: make it in a thread.
    """
    name = domain.lower().rstrip(".")
    if _ADDRESS.fullmatch(name):
        return name
    return _suffixes().privatesuffix(name) or name


def seen(domain: str) -> str:
    """A domain name as people see it, its punycode undone (RFC 3492)."""
    return ".".join(map(_unicode_label, domain.lower().split(".")))


def registered(domain: str) -> str:
    """The registered part of a domain name as people see it; see `organisation`."""
    return organisation(seen(domain))


def is_of_authority(domain: str) -> bool:
    """Whether only a government gives out such names; an authority that has an ordinary name is not known by it."""
    suffix = _suffixes().publicsuffix(domain.lower().rstrip(".")) or ""
    return not _AUTHORITIES.isdisjoint(suffix.split("."))


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def _unicode_label(label: str) -> str:
    if not label.startswith("xn--") or len(label) > 63:
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return label


MAX_SKELETON = 200
"""Longer skeletons are cut, in characters."""
MAX_NAME = 400
"""Characters of a display name that are looked at."""

with WORDS.section("domains") as section:
    _AUTHORITIES = frozenset(section.words("authorities"))
    IMITATED = section.words("imitated")
    """Much-imitated domains, known without ever having been written to."""
    FREE_MAIL = frozenset(section.words("free_mail"))
    """Domains of mail providers that are open to all."""
    SERVICES = frozenset(section.words("services"))
    """Domains whose mail shows the names of the people it is about."""
    ROLES = frozenset(section.words("roles"))
    """Words of names that are no persons'."""
_TOGETHER = (
    {"CJK", "HIRAGANA", "KATAKANA", "LATIN"},
    {"CJK", "HANGUL", "LATIN"},
    {"CJK", "BOPOMOFO", "LATIN"},
)
_NO_SCRIPT = {"MODIFIER", "FEMININE", "MASCULINE"}
_ALIKE = (("rn", "m"), ("vv", "w"), ("0", "o"), ("1", "l"), ("i", "l"), ("5", "s"))
_FURTHER = {"κ": "k", "τ": "t"}  # Unicode's table maps these to small capitals, which nobody writes.


def skeleton(text: str) -> str:
    """The text with everything made equal that looks equal; two that look alike have the same skeleton."""
    folded = _plain(unicodedata.normalize("NFKC", text).casefold())
    folded = "".join(map(_image, folded)).casefold()
    for alike, letter in _ALIKE:
        folded = folded.replace(alike, letter)
    return folded[:MAX_SKELETON]


def domain_skeleton(domain: str) -> str:
    """The skeleton of a domain's registered part."""
    return skeleton(registered(domain))


def name_skeleton(name: str) -> str:
    """The skeleton of a person's name, its words in one order ("Petrova, Ana" is "Ana Petrova"); "" for no name."""
    words = re.findall(r"\w+", _plain(unicodedata.normalize("NFKC", name[:MAX_NAME])))
    return " ".join(sorted(skeleton(_uncased(word)) for word in words))[:MAX_SKELETON]


def names_a_person(name: str) -> bool:
    """Whether a name is enough to tell a person: two words at least, and not all of a role ("Customer Support")."""
    words = re.findall(r"\w+", name[:MAX_NAME].casefold())
    return len(words) >= 2 and not all(word in ROLES for word in words)


def imitated(domain: str, genuine: Iterable[str]) -> str:
    """The first of the `genuine` domains that `domain` looks like or hides behind, without being it; or ""."""
    shown, mine = seen(domain), registered(domain)
    key = skeleton(mine)
    for one in genuine:
        real = registered(one)
        if real == mine:
            continue
        hides = f".{real}." in f".{shown}" and not mine.startswith(f"{real}.")
        if hides or key == _skeleton_of(real):
            return real
    return ""


def is_disguised(domain: str) -> bool:
    """Whether a domain name mixes scripts, or is written in one script to be read in another (UTS 39 §5)."""
    labels = seen(domain).split(".")
    letters = labels[:-1] if labels[-1].isascii() else []
    return any(map(_is_mixed, labels)) or any(map(_imitates_latin, letters))


@lru_cache(maxsize=1024)
def _skeleton_of(genuine: str) -> str:
    return skeleton(genuine)


def _plain(text: str) -> str:
    """The text without accents and invisible characters."""
    return "".join(
        c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) not in {"Mn", "Cf"}
    )


def _uncased(word: str) -> str:
    """A word that reads as Latin in the capitals it is written with (Cyrillic "АНА") is taken as it reads."""
    read = "".join(map(_image, word))
    return read if read.isascii() else word


@lru_cache(maxsize=8192)
def _image(char: str) -> str:
    """The ASCII that a character looks like, or the character."""
    if char.isascii():
        return char
    from confusable_homoglyphs.confusables import is_confusable  # Reads its tables when it is imported.

    found = is_confusable(char, greedy=True)
    images = [_plain(alike["c"]) for alike in found[0]["homoglyphs"]] if found else []
    return next((image for image in images if image.isascii() and image.isalnum()), _FURTHER.get(char, char))


def _scripts(label: str) -> set[str]:
    names = (unicodedata.name(char, "").split(" ")[0].split("-")[0] for char in label if char.isalpha())
    return {"CJK" if name == "IDEOGRAPHIC" else name for name in names if name} - _NO_SCRIPT


def _is_mixed(label: str) -> bool:
    scripts = _scripts(label)
    return len(scripts) > 1 and not any(scripts <= allowed for allowed in _TOGETHER)


def _imitates_latin(label: str) -> bool:
    """Whether a label has letters that no real label has, or letters of another script that all look Latin."""
    if unicodedata.normalize("NFKC", label) != unicodedata.normalize("NFC", label):
        return True
    letters = [char for char in label if char.isalpha()]
    foreign = "LATIN" not in _scripts(label)
    return bool(letters) and foreign and all(_image(char).isascii() for char in letters)
