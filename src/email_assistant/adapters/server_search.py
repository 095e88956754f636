"""Where an address has its mail: a table of providers, Mozilla's autoconfiguration, service records (RFC 6186, RFC 8314).

Nothing but the domain leaves the machine. A server that is not encrypted, or takes no password, is never taken.
"""

import ssl
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import dns.exception
import dns.resolver
import httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from email_assistant.adapters.plain_xml import parsed_xml
from email_assistant.errors import ConfigError
from email_assistant.mail.domains import organisation
from email_assistant.mail_accounts import Auth, Security, Server
from email_assistant.setting_forms import mended

PROVIDERS = Path(__file__).with_name("providers.toml")
PLACES = (
    "https://autoconfig.{domain}/mail/config-v1.1.xml",
    "https://{domain}/.well-known/autoconfig/mail/config-v1.1.xml",
    "https://autoconfig.thunderbird.net/v1.1/{domain}",
)
"""Where a domain says where its mail is, and where Thunderbird's makers do."""
SECONDS = 3.0
"""Longest time for one place to answer."""
MAX_BYTES = 100_000
_SECURITY: dict[str, Security] = {"SSL": "tls", "STARTTLS": "starttls"}
_BY_PASSWORD = frozenset({"password-cleartext", "password-encrypted", "plain"})
_AS_IT_IS = {"accept-encoding": "identity"}
"""What is packed might be endless when it is unpacked."""
_BY_STARTTLS = frozenset({"143", "587"})


class Provider(BaseModel):
    """One of the table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    domains: frozenset[str]
    mx: tuple[str, ...] = ()
    imap: str
    smtp: str
    calendar: str = ""
    local_login: frozenset[str] = frozenset()
    hint: str = ""
    instead: str = ""
    auth: Auth = "password"


@dataclass(frozen=True, slots=True)
class FoundServers:
    """Where mail is read and given in, and who says so."""

    imap: Server
    smtp: Server | None
    source: str
    hint: str = ""
    """What to look at when they refuse the password."""
    calendar: str = ""
    """The address of the calendars that belong to them; "" where nobody says."""
    is_sure: bool = True
    """False of names outside the domain that nobody vouches for: a person has to look at them (RFC 6186 §6)."""
    auth: Auth = "password"


@cache
def providers() -> tuple[Provider, ...]:
    """The table, in its order."""
    read = tomllib.loads(PROVIDERS.read_text(encoding="utf-8"))
    return tuple(map(Provider.model_validate, read.values()))


def provider_of(email: str) -> Provider | None:
    """Who has this address, by its domain; None where the table does not know it."""
    return next((each for each in providers() if domain_of(email) in each.domains), None)


def domain_of(email: str) -> str:
    """What stands behind the @, in small letters."""
    return email.rpartition("@")[2].lower()


def server_at(place: str, port: int, *, login: str = "", ca_file: str = "", security: str = "") -> Server:
    """The server at HOST or HOST:PORT, encrypted as is usual at its port; raises `ConfigError`."""
    host, colon, number = place.strip().rpartition(":")
    found = {"host": host, "port": number} if colon else {"host": number, "port": port}
    usual = "starttls" if found["port"] in _BY_STARTTLS else "tls"
    try:
        return Server.model_validate(
            found | {"security": security or usual, "login": login, "ca_file": ca_file}
        )
    except ValidationError as error:
        raise ConfigError(f"{place[:80]} cannot be used as a server (HOST:PORT): {mended(error)}") from None


@dataclass(frozen=True)
class ServerSearch:
    """Looks for servers, each place in turn; a place that does not answer is passed over."""

    places: Sequence[str] = PLACES
    resolver: Callable[[], dns.resolver.Resolver] = dns.resolver.Resolver
    tls: ssl.SSLContext | None = None

    def find(self, email: str) -> FoundServers | Provider | None:
        """The servers, or the provider that lets nobody in by password, or has a better way; None when nobody knows. Blocks."""
        found = self._mail_of(email)
        if isinstance(found, FoundServers) and not found.calendar:
            return replace(found, calendar=self.calendar_of(domain_of(email)))
        return found

    def calendar_of(self, domain: str) -> str:
        """Where the domain's own service records say that its calendars are (RFC 6764); "" for none. Blocks."""
        for each in self._services("caldavs", domain, "tls"):
            if organisation(each.host) == organisation(domain):
                return f"https://{each.host}:{each.port}/"
        return ""

    def _mail_of(self, email: str) -> FoundServers | Provider | None:
        domain = domain_of(email)
        if provider := provider_of(email):
            return provider if provider.instead else servers_of(provider, email)
        for place in self.places:
            if found := self._autoconfigured(place.format(domain=domain), email):
                return found
        return self._by_service_records(domain) or self._by_mail_exchanger(email)

    def _autoconfigured(self, url: str, email: str) -> FoundServers | None:
        try:
            return read_autoconfig(self._fetched(url), email, httpx.URL(url).host)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError):
            return None

    def _fetched(self, url: str) -> bytes:
        hooks = {"request": [_only_encrypted]}
        end, raw = time.monotonic() + SECONDS, b""
        with (
            httpx.Client(
                timeout=SECONDS,
                follow_redirects=True,
                max_redirects=3,
                event_hooks=hooks,
                headers=_AS_IT_IS,
                verify=self.tls or True,
            ) as client,
            client.stream("GET", url) as answer,
        ):
            answer.raise_for_status()
            for part in answer.iter_raw():
                raw += part
                if len(raw) > MAX_BYTES or time.monotonic() > end:
                    raise ValueError("too long")
        return raw

    def _by_service_records(self, domain: str) -> FoundServers | None:
        imap = next(self._services("imaps", domain, "tls"), None)
        if imap is None:
            return None
        submissions = self._services("submissions", domain, "tls")
        smtp = next(chain(submissions, self._services("submission", domain, "starttls")), None)
        hosts = [each.host for each in (imap, smtp) if each]
        is_sure = all(organisation(each) == organisation(domain) for each in hosts)
        return FoundServers(imap, smtp, f"the name servers of {domain}", is_sure=is_sure)

    def _services(self, service: str, domain: str, security: Security) -> Iterator[Server]:
        records = self._records(f"_{service}._tcp.{domain}", "SRV")
        for each in sorted(records, key=lambda record: (record.priority, -record.weight)):
            try:
                yield Server(host=each.target.to_text(omit_final_dot=True), port=each.port, security=security)
            except ValidationError:  # The target "." says that there is none.
                continue

    def _by_mail_exchanger(self, email: str) -> FoundServers | Provider | None:
        """The provider of the table that takes in mail for the domain."""
        for record in self._records(domain_of(email), "MX"):
            host = record.exchange.to_text(omit_final_dot=True).lower()
            for each in providers():
                if any(host == mx or host.endswith(f".{mx}") for mx in each.mx):
                    return each if each.instead else servers_of(each, email)
        return None

    def _records(self, name: str, kind: str) -> list[Any]:
        try:
            return list(self.resolver().resolve(name, kind, lifetime=SECONDS))
        except (dns.exception.DNSException, OSError):
            return []


def servers_of(provider: Provider, email: str) -> FoundServers:
    """What the table says of it."""
    local = {each: email.rpartition("@")[0] for each in provider.local_login}
    imap = server_at(provider.imap, 993, login=local.get("imap", ""))
    smtp = server_at(provider.smtp, 465, login=local.get("smtp", ""))
    return FoundServers(imap, smtp, provider.title, provider.hint, provider.calendar, auth=provider.auth)


def read_autoconfig(raw: bytes, email: str, source: str) -> FoundServers | None:
    """The first IMAP and SMTP server of a `clientConfig` that are encrypted and take a password; None without such an IMAP server.

    Raises `ValueError` for what is no such page.
    """
    root = parsed_xml(raw)
    imap = next(_usable(root.iterfind("emailProvider/incomingServer[@type='imap']"), email), None)
    smtp = next(_usable(root.iterfind("emailProvider/outgoingServer[@type='smtp']"), email), None)
    return FoundServers(imap, smtp, source) if imap else None


def _usable(servers: Iterator[ElementTree.Element], email: str) -> Iterator[Server]:
    local, _, domain = email.rpartition("@")
    for each in servers:
        texts = {
            name: (each.findtext(name) or "").strip()
            for name in ("hostname", "port", "socketType", "username")
        }
        security = _SECURITY.get(texts["socketType"])
        if security is None or not _BY_PASSWORD & {
            (way.text or "").strip() for way in each.iterfind("authentication")
        }:
            continue
        host, login = (_filled(texts[name], email, local, domain) for name in ("hostname", "username"))
        try:
            yield Server(
                host=host, port=int(texts["port"]), security=security, login="" if login == email else login
            )
        except ValueError:
            continue


def _filled(text: str, email: str, local: str, domain: str) -> str:
    if not text.isprintable():
        raise ValueError("a control character")
    return (
        text.replace("%EMAILADDRESS%", email)
        .replace("%EMAILLOCALPART%", local)
        .replace("%EMAILDOMAIN%", domain)
    )


def _only_encrypted(request: httpx.Request) -> None:
    if request.url.scheme != "https":
        raise httpx.UnsupportedProtocol("not https", request=request)
