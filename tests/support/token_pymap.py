"""pymap as a program that lets people in by XOAUTH2, too: it asks the address that is its first argument whose token one is."""

import json
import sys
from functools import partialmethod
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import urlopen

from pymap.backend.dict import Config, Identity, Login
from pymap.exceptions import InvalidAuth
from pymap.main import main
from pysasl import SASLAuth
from pysasl.creds.external import ExternalCredentials


async def authenticate(login: Login, by_password: Any, place: str, credentials: Any) -> Any:
    """Whom the credentials let in."""
    if not isinstance(credentials, ExternalCredentials):
        return await by_password(login, credentials)
    try:
        with urlopen(f"{place}{quote(str(credentials._token))}") as answer:
            user = json.load(answer)["email"]
    except HTTPError:
        user = ""
    if user != credentials.authzid:
        raise InvalidAuth()
    return Identity(credentials.authzid, login, None, frozenset())


if __name__ == "__main__":
    Login.authenticate = partialmethod(authenticate, Login.authenticate, sys.argv.pop(1))  # type: ignore[assignment]
    Config.tls_auth = property(lambda config: SASLAuth.named([b"PLAIN", b"XOAUTH2"]))  # type: ignore[assignment]
    main()
