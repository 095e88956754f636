"""Tokens for Microsoft 365 and Outlook.com, whose servers let no password in: a code that the user types there (RFC 8628) brings them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from email_assistant.adapters.files import file_errors, locked
from email_assistant.adapters.smtp import AccessToken, Secret, lost
from email_assistant.errors import AccessError, ConfigError, ProviderError, TransientError
from email_assistant.mail.text import one_line
from email_assistant.mail_accounts import KeptSecret
from email_assistant.settings import Settings

SCOPES = [f"https://outlook.office.com/{each}" for each in ("IMAP.AccessAsUser.All", "SMTP.Send")]
"""Reading mail, and giving it in for sending."""
_SECONDS = 30.0
_UNUSED = frozenset({"authorization_pending", "slow_down", "expired_token"})


@dataclass(frozen=True)
class Microsoft:
    """What gives tokens to the user's application. All of it blocks, and raises `AccessError`, `ProviderError` or `TransientError`."""

    client_id: str
    authority: str

    @classmethod
    def of(cls, settings: Settings) -> "Microsoft":
        """As it is set; raises `ConfigError` when it is not."""
        if not settings.microsoft_client_id:
            raise ConfigError(
                "EMAIL_ASSISTANT_MICROSOFT_CLIENT_ID is not set: set it to the client id of an application that is registered at "
                "Microsoft (docs/accounts.md)"
            )
        return cls(settings.microsoft_client_id, settings.microsoft_authority)

    def sign_in(self, tell: Callable[[str], None]) -> tuple[str, str]:
        """A token, and what brings further ones, a secret, once the user has typed in the code that `tell` is told."""
        with self._application("") as (application, cache):
            said = application.initiate_device_flow(SCOPES)
            if "user_code" in said:
                tell(
                    f"Open {said['verification_uri']} in a browser and type the code {said['user_code']} there."
                )
                tell("Waiting for that …")
                said = application.acquire_token_by_device_flow(said)
            return _token(said), cache.serialize()

    def renewed(self, kept: str) -> tuple[str, str]:
        """A token that is good for some minutes at least, and what is to be kept from now on in the place of `kept`."""
        with self._application(kept) as (application, cache):
            said = None
            for user in application.get_accounts():
                said = application.acquire_token_silent_with_error(SCOPES, user)
            return _token(said or {}), cache.serialize() if cache.has_state_changed else kept

    @contextmanager
    def _application(self, kept: str) -> Iterator[tuple[Any, Any]]:
        try:
            import msal
        except ImportError as error:
            raise ConfigError(
                "an account at Microsoft needs msal: `pipx inject email-assistant msal`, or `pip install msal` beside it"
            ) from error
        cache = msal.SerializableTokenCache()
        with suppress(ValueError):  # What cannot be read brings no token.
            cache.deserialize(kept)
        more = {"token_cache": cache, "timeout": _SECONDS, "instance_discovery": False}
        try:
            yield msal.PublicClientApplication(self.client_id, authority=self.authority, **more), cache
        except OSError as error:  # What requests raises is one.
            raise lost(self.authority, error) from error
        except (ValueError, LookupError) as error:
            raise ProviderError(
                f"{self.authority} does not answer as Microsoft does: check EMAIL_ASSISTANT_MICROSOFT_AUTHORITY"
            ) from error


def secret_of(settings: Settings, name: str) -> Secret:
    """What tells the password of the account of that name, or a token for it."""
    account = settings.account(name)
    if account.auth == "password":
        return settings.account_secret(name)
    again = f"; run `email-assistant account add {account.email}` again"
    kept = account.kept_secret(name, settings.data_path / "accounts")
    return AccessToken(partial(_renewed, settings, kept, again), again)


@contextmanager
def alone(kept: KeptSecret) -> Iterator[None]:
    """No other process reads or writes it meanwhile; raises `ProviderError` or `TransientError`."""
    with file_errors(str(kept.file)):
        kept.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(kept.file.with_suffix(".lock")):
            yield


def _renewed(settings: Settings, kept: KeptSecret, again: str) -> str:
    """A token; what brings the next one is kept before it is used, since the one before may be good no more."""
    microsoft = Microsoft.of(settings)
    with alone(kept):
        before = kept.read()
        try:
            token, after = microsoft.renewed(before)
        except AccessError as error:
            raise AccessError(f"{error}{again}") from error
        if after != before:
            kept.keep(after)
        return token


def _token(said: Mapping[str, Any]) -> str:
    """The one that Microsoft gives; raises `AccessError` or `TransientError` with its reason, of which the first line says enough."""
    if "access_token" in said:
        return str(said["access_token"])
    error = str(said.get("error", ""))
    reason = str(said.get("error_description") or error or "it knows of no sign-in").splitlines()[0]
    if error in _UNUSED:
        reason = "the code was not used in time"
    kind = TransientError if error in {"temporarily_unavailable", "server_error"} else AccessError
    raise kind(f"Microsoft does not let you in: {one_line(reason).rstrip('.')}")
