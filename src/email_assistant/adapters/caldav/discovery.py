"""Which calendars a person has at a server, and which of them meetings are made in (RFC 4791 §6.2, RFC 5397, RFC 6764)."""

from dataclasses import dataclass, replace
from urllib.parse import urljoin, urlsplit

from email_assistant.adapters.caldav.dav import C, D, Dav, Said
from email_assistant.errors import AccessError, ConfigError, NotFoundError, ProviderError, TransientError
from email_assistant.mail.text import one_line

_TYPE, _PRINCIPAL, _HOME = f"{D}resourcetype", f"{D}current-user-principal", f"{C}calendar-home-set"
_WHO = "<D:resourcetype/><D:current-user-principal/><C:calendar-home-set/>"
_WHAT = (
    "<D:resourcetype/><D:displayname/><D:owner/><D:current-user-privilege-set/>"
    "<C:supported-calendar-component-set/><C:schedule-calendar-transp/>"
)
_WELL_KNOWN = "/.well-known/caldav"


@dataclass(frozen=True, slots=True)
class FoundCalendar:
    """One calendar of a person."""

    url: str
    title: str
    is_writable: bool
    is_free: bool
    """Whether what is in it leaves the time free (RFC 6638 §9.1)."""


@dataclass(frozen=True, slots=True)
class Calendars:
    """What there is."""

    own: FoundCalendar
    """In which meetings are made, found, changed and answered."""
    others: tuple[FoundCalendar, ...]
    """The person's further ones, whose events take time."""
    sends: bool
    """Whether the server itself writes to the guests of what is put there, unless it is told not to (RFC 6638)."""


def discover(dav: Dav, url: str) -> Calendars:
    """The calendars; raises `ConfigError` when it is not plain which of several is meant, else as `Dav.request` does."""
    found = find_calendars(dav, url)
    named = [each for each in found if _path(each.url) == _path(url)]
    writable = [each for each in found if each.is_writable]
    own = named or writable
    if not own:
        raise ConfigError(f"there is no calendar that can be written into at {url}: name another url")
    if len(own) > 1:
        names = "; ".join(f"{each.title or 'without a name'}: {each.url}" for each in own)
        raise ConfigError(f"there are several calendars at {url}: set calendar.url to one of them ({names})")
    options = dav.request("OPTIONS", own[0].url, b"", {}, range(200, 600)).headers.get("dav", "")
    return Calendars(
        own[0], tuple(each for each in found if each.url != own[0].url), "calendar-auto-schedule" in options
    )


def find_calendars(dav: Dav, url: str) -> list[FoundCalendar]:
    """Each calendar of the person that holds events, by where it is, and the one at this address; those that others share are left out."""
    at, said = _who(dav, url)
    principals, homes = said.hrefs(_PRINCIPAL), said.hrefs(_HOME)
    found = list[FoundCalendar]()
    if not homes and principals:
        homes = _first(dav, urljoin(at, principals[0]), _WHO)[1].hrefs(_HOME)
    if homes:
        answer = dav.propfind(urljoin(at, homes[0]), _WHAT, depth=1)
        owner = _path(principals[0]) if principals else ""
        found = [_found(answer.url, each) for each in answer.said() if _is_persons(each, owner)]
    if said.has(_TYPE, f"{C}calendar") and not any(_path(each.url) == _path(at) for each in found):
        found.append(replace(_found(at, _first(dav, at, _WHAT)[1]), url=at))
    if not found and not homes:
        raise ProviderError(
            f"{urlsplit(url).hostname} does not say where your calendars are: name the url of one"
        )
    return sorted(found, key=lambda each: each.url)


def _who(dav: Dav, url: str) -> tuple[str, Said]:
    """What is said of the person at this address, or, where nothing is, at the one that servers agree on."""
    try:
        at, said = _first(dav, url, _WHO)
        if said.hrefs(_PRINCIPAL) or said.hrefs(_HOME) or said.has(_TYPE, f"{C}calendar"):
            return at, said
    except (NotFoundError, ProviderError) as error:
        if urlsplit(url).path.strip("/") or isinstance(error, AccessError | TransientError):
            raise
    return _first(dav, urljoin(url, _WELL_KNOWN), _WHO)


def _first(dav: Dav, url: str, props: str) -> tuple[str, Said]:
    answer = dav.propfind(url, props)
    said = next(answer.said(), None)
    if said is None:
        raise ProviderError(f"{urlsplit(url).hostname} says nothing of {url[:120]}")
    if said.is_gone:
        raise NotFoundError(f"{urlsplit(url).hostname} has nothing at {url[:120]}")
    return answer.url, said


def _is_persons(said: Said, principal: str) -> bool:
    if not said.has(_TYPE, f"{C}calendar"):
        return False
    kinds = said.props.get(f"{C}supported-calendar-component-set")
    if kinds is not None and "VEVENT" not in {each.get("name", "").upper() for each in kinds}:
        return False
    owners = {_path(each) for each in said.hrefs(f"{D}owner")}
    return not owners or not principal or principal in owners


def _found(at: str, said: Said) -> FoundCalendar:
    rights = said.props.get(f"{D}current-user-privilege-set")
    writes = rights is None or any(
        said.has(f"{D}current-user-privilege-set", f"{D}{right}")
        for right in ("all", "write", "write-content")
    )
    is_free = said.has(f"{C}schedule-calendar-transp", f"{C}transparent")
    return FoundCalendar(urljoin(at, said.href), one_line(said.text(f"{D}displayname")), writes, is_free)


def _path(url: str) -> str:
    return urlsplit(url).path.rstrip("/")
