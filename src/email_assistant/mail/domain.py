"""Whose a domain name is: the part of it that somebody has registered, by the public suffix list.

Anybody may register a name below a public suffix, so the two below one have nothing to do with each other: `vale.me.uk` and
`evil.me.uk`, and as well `vale.github.io` and `evil.github.io`. The list comes with its package and is never fetched.
"""

import re
from functools import lru_cache

from publicsuffixlist import PublicSuffixList

_AUTHORITIES = frozenset({"gov", "gob", "gouv", "govt", "gv", "go", "gc", "mil"})
"""Labels of public suffixes that governments keep for themselves: gov.uk, gob.es, gouv.fr, govt.nz, gv.at, go.jp, gc.ca, mil."""
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
