"""Where Google's services are: on Google's own hosts, or all of them at one base URL."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import googleapiclient

Service = Literal["gmail", "calendar"]

VERSIONS: dict[Service, str] = {"gmail": "v1", "calendar": "v3"}
_DOCUMENTS = Path(googleapiclient.__file__).parent / "discovery_cache" / "documents"


@dataclass(frozen=True, slots=True)
class Places:
    """Every address the program talks to Google at; `endpoint` is `EMAIL_ASSISTANT_GOOGLE_ENDPOINT`, or None."""

    endpoint: str | None = None

    @property
    def auth_uri(self) -> str:
        """Where a person consents."""
        return self._at("https://accounts.google.com", "/o/oauth2/v2/auth")

    @property
    def token_uri(self) -> str:
        """Where codes and refresh tokens are exchanged."""
        return f"{self._base}/oauth2/token" if self.endpoint else "https://oauth2.googleapis.com/token"

    @property
    def revoke_uri(self) -> str:
        """Where a token is given back."""
        return f"{self._base}/oauth2/revoke" if self.endpoint else "https://oauth2.googleapis.com/revoke"

    @property
    def certs_uri(self) -> str:
        """The certificates that Google's identity tokens are signed with."""
        return self._at("https://www.googleapis.com", "/oauth2/v1/certs")

    def document(self, service: Service) -> dict[str, Any]:
        """The service's discovery document, so that API and batch calls go to these places.

        Its root URL is rewritten: the client's `api_endpoint` option leaves batch and upload on Google's hosts.
        """
        document = dict(_document(service))
        if self.endpoint:
            document["rootUrl"] = f"{self._base}/"
            document["baseUrl"] = document["rootUrl"] + document["servicePath"]
            document.pop("mtlsRootUrl", None)
        return document

    @property
    def _base(self) -> str:
        return (self.endpoint or "").rstrip("/")

    def _at(self, host: str, path: str) -> str:
        return (self._base or host) + path


@cache
def _document(service: Service) -> dict[str, Any]:
    file = _DOCUMENTS / f"{service}.{VERSIONS[service]}.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found
