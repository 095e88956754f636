"""Signing in: a person consents in a browser, Google answers with a code, the code is exchanged for a token.

google-auth-oauthlib has the flow of an installed application (RFC 8252) with PKCE (RFC 7636), and the web server on this
machine that the browser brings the answer to. The addresses come from `Places`, never from the client's file.
"""

import ipaddress
import os
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import requests
from google.oauth2.credentials import Credentials
from google_auth_oauthlib.flow import InstalledAppFlow, WSGITimeoutError
from oauthlib.oauth2 import OAuth2Error

from email_assistant.adapters.google.access import OAuthClient, Places, missing_scopes, title
from email_assistant.errors import (
    AccessError,
    ConfigError,
    EmailAssistantError,
    ProviderError,
    TransientError,
)

WAIT_SECONDS = 300.0
EXCHANGE_SECONDS = 30.0
AGAIN = "run `email-assistant gmail auth` again"

HOST = "127.0.0.1"
_ANSWERED = "Thank you. You may close this page; the terminal says how it went."
_OTHER_SIGN_IN = f"the browser's answer belongs to another sign-in; {AGAIN} and use the link it prints"
_UNKNOWN_CLIENT = (
    "Google does not know the OAuth client, or its secret is wrong: download its JSON from the Google console again and "
    "name it with --client"
)
_REFUSALS: dict[str, tuple[type[EmailAssistantError], str]] = {
    "access_denied": (
        AccessError,
        f"access was refused in the browser; nothing was saved: {AGAIN} and press Allow (while the app is in testing, "
        "only its test users can)",
    ),
    "mismatching_state": (AccessError, _OTHER_SIGN_IN),
    "missing_code": (AccessError, _OTHER_SIGN_IN),
    "invalid_client": (ConfigError, _UNKNOWN_CLIENT),
    "unauthorized_client": (ConfigError, _UNKNOWN_CLIENT),
    "redirect_uri_mismatch": (
        ConfigError,
        "the OAuth client is not of type Desktop app: create one of that type in the console",
    ),
    "invalid_grant": (
        AccessError,
        f"Google did not take the code (used already, too old, or this machine's clock is wrong): {AGAIN}",
    ),
    "missing_token": (ProviderError, f"Google's sign-in service gave no token: {AGAIN} later"),
}


class _Flow(InstalledAppFlow):  # type: ignore[misc]
    """The library's flow, with the link shown by the caller and an exchange that ends."""

    show: Callable[[str, str], None]

    def authorization_url(self, **options: Any) -> tuple[str, str]:
        """The link and its state, once the link was shown."""
        url, state = super().authorization_url(**options)
        self.show(url, self.redirect_uri)
        return url, state

    def fetch_token(self, **options: Any) -> Any:
        """The token, with the client in the body, as Google's own documentation sends it."""
        return super().fetch_token(include_client_id=True, timeout=EXCHANGE_SECONDS, **options)


def sign_in(
    places: Places,
    client: OAuthClient,
    scopes: Sequence[str],
    show: Callable[[str, str], None],
    *,
    port: int = 0,
    seconds: float = WAIT_SECONDS,
) -> Credentials:
    """Ask for consent and return credentials that have every one of `scopes`, and a refresh token. Blocks.

    `show` gets the address to open in a browser, and the one on this machine that Google's answer will come to;
    `port` is that address's port (0: a free one). The answer is waited for at most `seconds`.

    Raises `AccessError` for a consent that was refused, partial, late or somebody else's, `ConfigError` for a
    client or port that will not do, `TransientError` or `ProviderError` for what goes wrong at Google.
    """
    _configure_oauthlib(places)
    flow = _Flow.from_client_config(_config(places, client), scopes=list(scopes))
    flow.show = show
    try:
        credentials: Credentials = flow.run_local_server(
            host=HOST,
            port=port,
            authorization_prompt_message=None,
            success_message=_ANSWERED,
            open_browser=False,
            timeout_seconds=seconds,
            prompt="consent",
        )
    except WSGITimeoutError:
        raise AccessError(
            f"nobody consented within {seconds / 60:.0f} minutes; nothing was saved: {AGAIN}"
        ) from None
    except OAuth2Error as error:
        raise _refusal(error) from None
    except requests.RequestException as error:
        raise TransientError(
            f"Google's sign-in service cannot be reached ({type(error).__name__}): check the connection, then {AGAIN}"
        ) from None
    except OSError as error:
        raise ConfigError(
            f"port {port} cannot be used ({error.strerror}): leave --port out, or choose another one"
        ) from None
    except (KeyError, TypeError, ValueError):
        raise ProviderError(
            f"Google's sign-in service gave a token that cannot be used: {AGAIN} later"
        ) from None
    return _checked(credentials, scopes)


def _config(places: Places, client: OAuthClient) -> dict[str, Any]:
    return {
        "installed": {
            "client_id": client.client_id,
            "client_secret": client.client_secret,
            "auth_uri": places.auth_uri,
            "token_uri": places.token_uri,
        }
    }


def _configure_oauthlib(places: Places) -> None:
    """Let oauthlib talk to a stand-in for Google on this machine, and take a consent to less than was asked for."""
    switches = {"OAUTHLIB_RELAX_TOKEN_SCOPE": "1"}
    if urlsplit(places.token_uri).scheme == "http":
        if not _is_here(places.token_uri):
            raise ConfigError(
                "EMAIL_ASSISTANT_GOOGLE_ENDPOINT is http on another machine, where a sign-in could be read on the way: "
                "use https"
            )
        switches["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
    os.environ.update(switches)


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _refusal(error: OAuth2Error) -> EmailAssistantError:
    """What the browser's or the token endpoint's error asks for (RFC 6749 §4.1.2.1, §5.2)."""
    code, description = (" ".join(str(text or "").split()) for text in (error.error, error.description))
    if code in _REFUSALS:
        kind, text = _REFUSALS[code]
        return kind(text)
    return ProviderError(
        f"Google did not sign you in ({code[:60]}); nothing was saved: {description[:200] or AGAIN}"
    )


def _checked(credentials: Credentials, asked: Sequence[str]) -> Credentials:
    """The credentials, when they do for every scope and can be refreshed."""
    # An answer that names no scope granted all that was asked for (RFC 6749 §5.1).
    if missing := missing_scopes(credentials.granted_scopes or asked, asked):
        names = " and ".join(f'"{title(scope)}"' for scope in missing)
        raise AccessError(f"consent was given without {names}; nothing was saved: {AGAIN} and tick every box")
    if not credentials.refresh_token:
        raise AccessError(
            "Google gave no refresh token; nothing was saved: remove the app at "
            f"https://myaccount.google.com/connections, then {AGAIN}"
        )
    return credentials
