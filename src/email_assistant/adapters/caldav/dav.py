"""WebDAV requests (RFC 4918) with a password, and what their answers say of each address. All of it blocks."""

import ssl
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import unquote, urljoin, urlsplit
from xml.etree import ElementTree

import httpx

from email_assistant.adapters.plain_xml import parsed_xml
from email_assistant.adapters.smtp import Secret, hint_of, told
from email_assistant.errors import AccessError, NotFoundError, ProviderError, TransientError
from email_assistant.mail.domains import organisation
from email_assistant.mail_accounts import CalendarServer, is_encrypted

D, C = "{DAV:}", "{urn:ietf:params:xml:ns:caldav}"
_NAMESPACES = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"'
_SECONDS = httpx.Timeout(60, connect=15)
_MAX_BYTES = 64 * 1024 * 1024
_REDIRECTS = 5
_REFUSED = frozenset({401, 407})
_PASSING = frozenset({408, 423, 425, 429})


@dataclass(frozen=True, slots=True)
class Said:
    """What a multi-status answer says of one address."""

    href: str
    """As the server writes it."""
    is_gone: bool
    props: dict[str, ElementTree.Element] = field(default_factory=dict)
    """The properties that it has, by their names with namespace."""

    def text(self, name: str) -> str:
        """What a property says; "" when there is none."""
        found = self.props.get(name)
        return "" if found is None else (found.text or "").strip()

    def hrefs(self, name: str) -> tuple[str, ...]:
        """The addresses that a property names."""
        found = self.props.get(name)
        return () if found is None else tuple((e.text or "").strip() for e in found.iter(f"{D}href"))

    def has(self, name: str, child: str) -> bool:
        """Whether a property has this element within."""
        found = self.props.get(name)
        return found is not None and found.find(f".//{child}") is not None


@dataclass(frozen=True, slots=True)
class DavAnswer:
    """What a server has answered."""

    url: str
    """Where it came from in the end."""
    status: int
    headers: httpx.Headers
    body: bytes

    def xml(self) -> ElementTree.Element:
        """Its document, which says something of addresses; raises `ProviderError` when it is none."""
        with suppress(ValueError):
            root = parsed_xml(self.body)
            if root.tag == f"{D}multistatus":
                return root
        raise ProviderError(f"{_host(self.url)} does not answer as calendars do: is {self.url[:120]} right?")

    def said(self) -> Iterator[Said]:
        """What a multi-status answer says, address by address."""
        for response in self.xml().iter(f"{D}response"):
            href = (response.findtext(f"{D}href") or "").strip()
            status = response.findtext(f"{D}status") or ""
            props = {
                prop.tag: prop
                for stat in response.iter(f"{D}propstat")
                if " 200 " in f"{stat.findtext(f'{D}status') or ''} "
                for prop in stat.iterfind(f"{D}prop/*")
            }
            yield Said(href, " 404 " in f"{status} " or " 410 " in f"{status} ", props)


class Dav:
    """One person's access to a server; connections are kept open between requests."""

    def __init__(self, server: CalendarServer, login: str, secret: Secret) -> None:
        """Opens nothing."""
        self._server, self._login, self._secret = server, login, secret
        self._client: httpx.Client | None = None

    def propfind(self, url: str, props: str, *, depth: int = 0) -> DavAnswer:
        """Ask for properties, named as XML with the prefixes D and C, of an address and what is in it."""
        body = f"<D:propfind {_NAMESPACES}><D:prop>{props}</D:prop></D:propfind>"
        return self.request("PROPFIND", url, body, {"Depth": str(depth)})

    def report(self, url: str, name: str, body: str, allowed: Sequence[int] = ()) -> DavAnswer:
        """Ask for a report; `name` is its root with prefix."""
        text = f"<{name} {_NAMESPACES}>{body}</{name}>"
        return self.request("REPORT", url, text, {"Depth": "1"}, allowed)

    def request(
        self, method: str, url: str, body: str | bytes, headers: dict[str, str], allowed: Sequence[int] = ()
    ) -> DavAnswer:
        """The answer, wherever the server sends the request on to; its method and body stay.

        Raises `AccessError`, `NotFoundError`, `ProviderError`, `TransientError` unless its status is a good one or `allowed`.
        """
        if isinstance(body, str):
            body, headers = body.encode(), {"Content-Type": "application/xml; charset=utf-8", **headers}
        for _ in range(_REDIRECTS):
            self._check_address(url)
            answer = self._one(method, url, body, headers)
            if answer.status in {301, 302, 307, 308} and (target := answer.headers.get("location")):
                url = urljoin(url, target)
                continue
            if answer.status not in allowed:
                self._check(answer)
            return answer
        raise ProviderError(f"{_host(url)} sends from one address to another without end")

    def _check_address(self, url: str) -> None:
        """The password goes to nobody in clear, and to no other domain than the user has named."""
        named, host = _host(self._server.url), _host(url)
        if not is_encrypted(url) or organisation(host) != organisation(named):
            raise AccessError(f"{named} sends on to {url[:120]}, which is not trusted with the password")

    def _one(self, method: str, url: str, body: bytes, headers: dict[str, str]) -> DavAnswer:
        try:
            client = self._client or self._opened()
            answer = self._read(client, method, url, body, headers)
            if answer.status in _REFUSED and "digest" in answer.headers.get("www-authenticate", "").lower():
                client.auth = httpx.DigestAuth(self._login, self._secret())
                answer = self._read(client, method, url, body, headers)
            return answer
        except httpx.TimeoutException as error:
            raise TransientError(f"{_host(url)} does not answer in time") from error
        except httpx.TransportError as error:
            with told(_host(url)):
                raise _beneath(error) from error
        except httpx.InvalidURL as error:
            raise ProviderError(f"{url[:120]} is no address") from error

    def _read(
        self, client: httpx.Client, method: str, url: str, body: bytes, headers: dict[str, str]
    ) -> DavAnswer:
        with client.stream(method, url, content=body, headers=headers) as response:
            read = bytearray()
            for part in response.iter_bytes():
                read += part
                if len(read) > _MAX_BYTES:
                    raise ProviderError(
                        f"{_host(url)} answers with more than {_MAX_BYTES // 1024 // 1024} MiB"
                    )
            return DavAnswer(url, response.status_code, response.headers, bytes(read))

    def _opened(self) -> httpx.Client:
        try:
            verify = ssl.create_default_context(cafile=self._server.ca_file or None)
        except OSError as error:
            raise ProviderError(f"ca_file {self._server.ca_file} cannot be read: {error}") from error
        # A .netrc or a proxy of the environment is none of this account's.
        self._client = httpx.Client(
            auth=(self._login, self._secret()), timeout=_SECONDS, verify=verify, trust_env=False
        )
        return self._client

    def _check(self, answer: DavAnswer) -> None:
        host, status = _host(answer.url), answer.status
        if status < 300:
            return
        if status in _REFUSED:
            self._client = None  # The password may be another by the next time.
            raise AccessError(f"{host} does not let {self._login} in{hint_of(self._secret)}")
        where = unquote(urlsplit(answer.url).path)[:120]
        if status in {404, 410}:
            raise NotFoundError(f"{host} has nothing at {where}")
        if status in _PASSING or status >= 500:
            raise TransientError(f"{host} answers {status} for {where}")
        raise ProviderError(f"{host} refuses ({status}) at {where}")


def _host(url: str) -> str:
    return urlsplit(url).hostname or url[:120]


def _beneath(error: BaseException) -> OSError:
    """What the system has said, or the TLS library, of a connection that was not made, or broke."""
    below = error.__cause__ or error.__context__
    return error if isinstance(error, OSError) else _beneath(below) if below else OSError(str(error))
