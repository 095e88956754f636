"""What the text of a setting may be: a type for each form, whose rule says how a wrong value is mended."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BeforeValidator, SecretStr, ValidationError

from email_assistant.adapter_registry import CALENDARS, MAILBOXES, RELAYS, Adapter, forms, is_form
from email_assistant.errors import InputError
from email_assistant.workflow_registry import NAMES as GRAPHS
from email_assistant.working_hours import WorkingHours

_MAX_CATEGORY = 100
# Plain http only to this machine, for trying things out.
_SECURE_ADDRESS = re.compile(
    r"(?:https://[^\s/@?#]+|http://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?)(?:/[^\s?#]*)?"
)
_RULE = re.compile(r"[^\s@=,]*@[^\s@=,]+ *= *[a-z_]+")


def listed(value: str) -> list[str]:
    """What stands between the commas of a setting."""
    return [item.strip() for item in value.split(",") if item.strip()]


def rules(value: str) -> list[tuple[str, str]]:
    """Pairs like `orders@shop.example=order_desk`, what comes first in lower case."""
    parts = (rule.partition("=") for rule in listed(value))
    return [(where.strip().lower(), graph.strip()) for where, _, graph in parts]


def _fits(pattern: str, must: str) -> AfterValidator:
    """The whole text fits; None, for what is not set, does."""

    def check(value: str | None) -> str | None:
        if value is not None and not re.fullmatch(pattern, value):
            raise ValueError(must)
        return value

    return AfterValidator(check)


def _each(pattern: str, must: str) -> AfterValidator:
    """Each part between commas fits."""

    def check(value: str) -> str:
        for part in listed(value):
            if not re.fullmatch(pattern, part):
                raise ValueError(f"{must}; {part[:80]!r} is none")
        return value

    return AfterValidator(check)


def _adapter(adapters: Mapping[str, Adapter], *, may_be_none: bool = False) -> AfterValidator:
    def check(value: str) -> str:
        if not (may_be_none and not value) and not is_form(adapters, value):
            raise ValueError(f"must be {forms(adapters)}")
        return value

    return AfterValidator(check)


def _graph(value: str) -> str:
    if value not in GRAPHS:
        raise ValueError(f"must be one of {', '.join(GRAPHS)}; {value[:60]!r} is none")
    return value


def _graphs(value: str) -> str:
    for rule in listed(value):
        if not _RULE.fullmatch(rule):
            raise ValueError(
                "must be rules like orders@shop.example=order_desk or @shop.example=order_desk, separated by commas; "
                f"{rule[:80]!r} is none"
            )
        _graph(rule.partition("=")[2].strip())
    wheres = [where for where, _ in rules(value)]
    if twice := [where for where in wheres if wheres.count(where) > 1]:
        raise ValueError(f"must name each address once; {twice[0][:80]!r} stands there twice")
    return value


def _categories(value: str) -> str:
    names = listed(value)
    for name in names:
        is_a_name = name.isprintable() and all(part.strip() for part in name.split("/"))
        if not is_a_name or len(name) > _MAX_CATEGORY:
            raise ValueError(
                f"must be names separated by commas, like Personal/Friends; {name[:60]!r} is none"
            )
    if value.strip() and (len(names) < 2 or len({name.casefold() for name in names}) < len(names)):
        raise ValueError("must be two names or more, each another one")
    return value


def _secure(value: str | None) -> str | None:
    if value is not None and not (_SECURE_ADDRESS.fullmatch(value) and _has_host(value)):
        raise ValueError("must be a web address that begins with https://, like https://acme.example")
    return value


def _has_host(address: str) -> bool:
    """Whether there is a host, and a port that there can be."""
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _token(value: SecretStr | None) -> SecretStr | None:
    if value is None:
        return None
    token = value.get_secret_value().strip()
    if not token.isascii() or not token.isprintable() or " " in token:
        raise ValueError("must be a token as it was given: ASCII characters in one line, no spaces")
    return SecretStr(token)


def _project(value: str) -> str:
    if value and (not re.fullmatch(r"[A-Z][A-Z0-9_]{1,19}", value) or value == "LOCAL"):
        raise ValueError("must be the key of a project, like CLAIMS (not LOCAL, which our own tickets bear)")
    return value


def _zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError("must be an IANA time zone, like Europe/Berlin") from error
    return value


def _hours(value: object) -> object:
    try:
        return WorkingHours.parse(value) if isinstance(value, str) else value
    except InputError as error:
        raise ValueError(str(error)) from error


def _instant(value: datetime | None) -> datetime | None:
    if value is not None and value.tzinfo is None:
        raise ValueError("must have an offset, like 2026-11-20T08:00:00+00:00")
    return value


def _embedding(value: str) -> str:
    if value.startswith("minilm:"):
        raise ValueError(
            "can name no folder with a model's files any more: write ollama:all-minilm to run that model on this machine, "
            "or lexical"
        )
    if value != "lexical" and not re.fullmatch(r"\w+:\S+", value):
        raise ValueError("must be lexical or provider:model, like openai:text-embedding-3-small")
    return value


def _blank_is_unset(value: object) -> object:
    return None if isinstance(value, str) and not value.strip() else value


def _stripped(strip: Callable[[str], str]) -> BeforeValidator:
    return BeforeValidator(lambda value: strip(value) if isinstance(value, str) else value)


_UNSET: Any = BeforeValidator(_blank_is_unset)
Text = Annotated[str | None, _UNSET]
"""Any text; None when it is blank."""
Secret = Annotated[SecretStr | None, _UNSET]
Folder = Annotated[Path | None, _UNSET]
Token = Annotated[SecretStr | None, AfterValidator(_token), _UNSET]
SecureAddress = Annotated[str | None, AfterValidator(_secure), _UNSET]
WebAddress = Annotated[
    str | None,
    _fits(r"https?://[^\s/]+(/[^\s?#]*)?", "must be a web address, like http://127.0.0.1:4102"),
    _stripped(lambda address: address.rstrip("/")),
    _UNSET,
]
MailAddress = Annotated[
    str, _fits(r"|[^\s@]\S*@\S*[^\s@]", "must be one email address, like robin@example.com")
]
MailAddresses = Annotated[str, _each(r"[^\s@]\S*@\S*[^\s@]", "must be addresses separated by commas")]
People = Annotated[
    str, _each(r"(?:[^\s@<>]*@)?[^\s@<>]+\.[^\s@<>.]+", "must be addresses or domains separated by commas")
]
Hosts = Annotated[
    str, _each(r"[\w.-]+|\[[0-9a-fA-F:.]+\]", "must be names separated by commas, like mail.example.com")
]
Origins = Annotated[
    str, _each(r"https?://[^\s/*?#@]+", "must be origins separated by commas, like http://localhost:3000")
]
Tenants = Annotated[
    str,
    _each(r"[a-z0-9][a-z0-9-]{0,62}\s*=\s*\S.{0,99}", "must be names of tenants, like acme=Acme Insurance"),
]
AuthservId = Annotated[
    str,
    _fits(r"[^\s;=\"()]*", "must be the first word of Authentication-Results, like mx.example.com"),
    _stripped(str.strip),
]
ClientId = Annotated[str, _fits(r"|[\da-fA-F-]{36}", "must be an id of 36 characters")]
Authority = Annotated[str, _fits(r"https://[^\s/?#@]+/[\w.-]+", "must be like https://HOST/TENANT")]
Currency = Annotated[str, _fits(r"[A-Z]{3}", "must be the three capitals of a currency (ISO 4217), like EUR")]
Graph = Annotated[str, AfterValidator(_graph)]
Graphs = Annotated[str, AfterValidator(_graphs)]
Categories = Annotated[str, AfterValidator(_categories)]
Project = Annotated[str, AfterValidator(_project)]
TimeZone = Annotated[str, AfterValidator(_zone)]
Hours = Annotated[WorkingHours, BeforeValidator(_hours)]
Instant = Annotated[datetime | None, AfterValidator(_instant)]
EmbeddingName = Annotated[str, AfterValidator(_embedding)]
MailboxForm = Annotated[str, _adapter(MAILBOXES)]
RelayForm = Annotated[str, _adapter(RELAYS, may_be_none=True)]
CalendarForm = Annotated[str, _adapter(CALENDARS)]


_OFFSET = "must be a time with offset, like 2026-11-20T08:00+00:00"
MENDED = {
    "decimal_parsing": "must be a number, like 12.50",
    "decimal_max_places": "must have no more than two decimals",
    "finite_number": "must be a number, like 12.50",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "int_parsing": "must be a whole number",
    "string_type": "must be text",
    "extra_forbidden": "is not known",
    "missing": "is missing",
    "model_type": 'must be a table, like { host = "imap.example.com", port = 993 }',
    **dict.fromkeys(
        ("datetime_parsing", "datetime_from_date_parsing", "datetime_type", "timezone_aware"), _OFFSET
    ),
    "float_parsing": "must be a number",
}
"""What pydantic says of a wrong value, in words that tell how to mend it."""


def mended(error: ValidationError) -> str:
    """Each wrong field, and how to mend it."""
    return "; ".join(_one_line(e["loc"], MENDED.get(e["type"], e["msg"])) for e in error.errors())


def _one_line(location: tuple[int | str, ...], message: str) -> str:
    message = message.removeprefix("Value error, ").replace("Input should be", "must be")
    return f"{'.'.join(map(str, location))} {message}".strip()
