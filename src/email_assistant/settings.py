"""The only reader of the environment.

Settings come from the environment, from `email_assistant.toml` in the working folder, and from `settings.toml`
in the data folder (same names; the earlier ones win). A wrong value is a `ConfigError` that names the setting.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)

from email_assistant.adapter_registry import CALENDARS, MAILBOXES, Adapter, forms, is_form, path_of
from email_assistant.errors import ConfigError, InputError
from email_assistant.workflow_registry import NAMES as GRAPHS
from email_assistant.working_hours import USUAL, WorkingHours

GMAIL_HOST = "mx.google.com"
_MAX_CATEGORY = 100
NO_ADDRESS = (
    "EMAIL_ASSISTANT_EMAIL is not set: set it to your address; until then nobody can be answered, and your own mail looks "
    "like anybody's"
)
SETTINGS_FILE = "email_assistant.toml"
DATA_FILE = "settings.toml"


class Settings(BaseModel):
    """Every setting, typed. Field aliases are the names users write."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    model_fast: str = Field("auto", alias="EMAIL_ASSISTANT_MODEL_FAST", min_length=1)
    """The model that sorts: `provider:model`, `offline`, or `auto`, which is OpenAI when `OPENAI_API_KEY` is set and else offline."""
    model_strong: str = Field("auto", alias="EMAIL_ASSISTANT_MODEL_STRONG", min_length=1)
    """The model that writes, in the same forms."""
    model_fallback: str | None = Field(None, alias="EMAIL_ASSISTANT_MODEL_FALLBACK")
    """Asked when a model stays out of reach."""
    model_timeout: float = Field(60, alias="EMAIL_ASSISTANT_MODEL_TIMEOUT", gt=0, le=600)
    """Seconds that one attempt of a model may take."""
    embedding: str = Field("lexical", alias="EMAIL_ASSISTANT_EMBEDDING")
    """What past mail is compared by: `lexical` (offline), or `provider:model` as LangChain's `init_embeddings` takes it
    ([knowledge](knowledge.md)); after a change run `knowledge index` again."""
    openai_api_key: SecretStr | None = Field(None, alias="OPENAI_API_KEY")
    """As OpenAI's own tools read it."""
    openai_base_url: str | None = Field(None, alias="OPENAI_BASE_URL")
    """As OpenAI's own tools read it: a server that speaks OpenAI's protocol."""
    mailbox: str = Field("maildir", alias="EMAIL_ASSISTANT_MAILBOX")
    """`maildir`, `maildir:PATH` or `gmail`."""
    calendar: str = Field("ics", alias="EMAIL_ASSISTANT_CALENDAR")
    """`ics`, `ics:PATH` or `google`."""
    data_dir: Path = Field(Path(".email_assistant"), alias="EMAIL_ASSISTANT_DATA_DIR")
    """Local mailbox, calendar, database and log; nobody else on the machine can read it."""
    database_url: str | None = Field(None, alias="DATABASE_URL")
    """SQLite or PostgreSQL; SQLite in the data folder when it is not set."""
    google_endpoint: str | None = Field(None, alias="EMAIL_ASSISTANT_GOOGLE_ENDPOINT")
    """Sends every call for Google to this address instead, for a stand-in."""
    gmail_token: SecretStr | None = Field(None, alias="GMAIL_TOKEN")
    """The account's token as JSON; else the file that `gmail auth` keeps in the data folder."""
    gmail_secret: SecretStr | None = Field(None, alias="GMAIL_SECRET")
    """The OAuth client as JSON; else the file that `gmail auth` keeps in the data folder."""
    push_token: SecretStr | None = Field(None, alias="EMAIL_ASSISTANT_PUSH_TOKEN")
    """Who may announce new mail at `/push/gmail`: a word in the address ([Google](google.md))."""
    push_audience: str | None = Field(None, alias="EMAIL_ASSISTANT_PUSH_AUDIENCE")
    """The same by Google's signature: whom its tokens are for; goes together with the account."""
    push_account: str | None = Field(None, alias="EMAIL_ASSISTANT_PUSH_ACCOUNT")
    """The account at Google that announces new mail."""
    api_token: SecretStr | None = Field(None, alias="EMAIL_ASSISTANT_API_TOKEN")
    """When set, the server answers only requests whose `x-api-key` equals it."""
    allowed_hosts: str = Field("", alias="EMAIL_ASSISTANT_ALLOWED_HOSTS")
    """Names under which the server answers besides `127.0.0.1` and `localhost`, separated by commas, like those of a proxy before
    it; needs the API token."""
    allowed_origins: str = Field("", alias="EMAIL_ASSISTANT_ALLOWED_ORIGINS")
    """Web origins that may call the server besides Agent Inbox and Studio, separated by commas, like `http://localhost:3000` for an
    Agent Inbox of your own."""
    max_request_bytes: int = Field(
        25_000_000, ge=10_000, le=1_000_000_000, alias="EMAIL_ASSISTANT_MAX_REQUEST_BYTES"
    )
    """The longest request body, or WebSocket message, that the server reads, in bytes."""
    hold_seconds: int = Field(10, ge=0, le=30, alias="EMAIL_ASSISTANT_HOLD_SECONDS")
    """How many seconds an answer on the review page waits before anything comes of it; so long it can be taken back."""
    name: str = Field("", alias="EMAIL_ASSISTANT_NAME")
    """Who the assistant works for."""
    email: str = Field("", alias="EMAIL_ASSISTANT_EMAIL")
    """Your address. Without it nobody can be answered, and your own mail looks like anybody's."""
    aliases: str = Field("", alias="EMAIL_ASSISTANT_ALIASES")
    """Your other addresses, separated by commas: never answered, and never taken for a stranger's."""
    graph: str = Field(GRAPHS[0], alias="EMAIL_ASSISTANT_GRAPH")
    """The graph that owns your mail, but for what `EMAIL_ASSISTANT_GRAPHS` gives to another: `ingest`, `run`, `cron` and pushes follow
    it ([ingest](workflows/ingest.md))."""
    graphs: str = Field("", alias="EMAIL_ASSISTANT_GRAPHS")
    """Graphs that own mail to certain addresses or domains, separated by commas, like
    `orders@shop.example=order_desk, @claims.example=claims_desk`; the first that fits counts."""
    runs_in_flight: int = Field(24, ge=1, le=1_000, alias="EMAIL_ASSISTANT_RUNS_IN_FLIGHT")
    """How many runs `ingest` and `organize` keep begun at a time, each that is over giving its place to the next. The server works on 8
    of them; with fewer than 16 it waits for mail, and your answers wait behind what is begun."""
    finished_minutes: int = Field(1_440, ge=0, le=525_600, alias="EMAIL_ASSISTANT_FINISHED_MINUTES")
    """How many minutes the server keeps a thread that is finished, and of these the last 200 at most (docs/adr/0036). What was done stays
    in the journal, and a card that waits stays however long it takes."""
    authserv_id: str = Field("", alias="EMAIL_ASSISTANT_AUTHSERV_ID")
    """The first word of the `Authentication-Results` that your mail server writes (RFC 8601 §2.5); other servers' are not believed.
    Gmail's is known. Without it nobody vouches for senders: no mail is a customer's, nothing is refunded by itself, and guests' answers
    are asked about."""
    categories: str = Field("", alias="EMAIL_ASSISTANT_CATEGORIES")
    """What `organize` sorts into, separated by commas, like `Clients, Suppliers, Private/Family`; eight standard categories when empty."""
    vault: Path | None = Field(None, alias="EMAIL_ASSISTANT_VAULT")
    """Folder of an Obsidian vault; `organize` keeps notes there on mail that matters."""
    currency: str = Field("EUR", alias="EMAIL_ASSISTANT_CURRENCY")
    """The currency of the catalogue's prices, by its three capitals (ISO 4217)."""
    order_approval: bool = Field(True, alias="EMAIL_ASSISTANT_ORDER_APPROVAL")
    """Whether units that `order_desk` takes are only held until you approve the reply, and given back when you reject it; with `false`
    they are sold when the order is processed."""
    tenant: str = Field("default", pattern=r"^[a-z0-9][a-z0-9-]{0,62}$", alias="EMAIL_ASSISTANT_TENANT")
    """The tenant whose customers write to this mailbox: of the claims desk's tables and documents."""
    company_names: str = Field("", alias="EMAIL_ASSISTANT_TENANT_NAMES")
    """What tenants are called in letters, like `acme=Acme Insurance, harrow-mutual=Harrow Mutual`; else by your name (the mailbox's
    tenant) or their id."""
    jira_url: str | None = Field(None, alias="EMAIL_ASSISTANT_JIRA_URL")
    """Where tickets of claims are made as issues, like `https://acme.atlassian.net` ([claims systems](claims_systems.md)); else they are
    kept here."""
    jira_email: str = Field("", alias="EMAIL_ASSISTANT_JIRA_EMAIL")
    """Whose API token it is; without, it is a bearer token."""
    jira_token: SecretStr | None = Field(None, alias="EMAIL_ASSISTANT_JIRA_TOKEN")
    """Jira's token."""
    jira_project: str = Field("", alias="EMAIL_ASSISTANT_JIRA_PROJECT")
    """The key of the project, like `CLAIMS`."""
    jira_issue_type: str = Field(
        "Task", alias="EMAIL_ASSISTANT_JIRA_ISSUE_TYPE", min_length=1, max_length=100
    )
    """What the issues are."""
    refund_url: str | None = Field(None, alias="EMAIL_ASSISTANT_REFUND_URL")
    """The endpoint that pays refunds; else they are put down in the ledger."""
    refund_token: SecretStr | None = Field(None, alias="EMAIL_ASSISTANT_REFUND_TOKEN")
    """Its bearer token."""
    refund_ceiling: Decimal = Field(
        Decimal("500.00"), gt=0, decimal_places=2, max_digits=11, alias="EMAIL_ASSISTANT_REFUND_CEILING"
    )
    """The most that one refund may come to, whoever approves it."""
    refund_automatic: Decimal = Field(
        Decimal(0), ge=0, decimal_places=2, max_digits=11, alias="EMAIL_ASSISTANT_REFUND_AUTOMATIC"
    )
    """Up to here a refund is paid without a person's approval; with 0 every refund is reviewed."""
    vips: str = Field("", alias="EMAIL_ASSISTANT_VIPS")
    """Addresses and domains whose mail `organize` takes for most important, separated by commas."""
    timezone: str = Field("UTC", alias="EMAIL_ASSISTANT_TIMEZONE")
    """Your time zone, by its IANA name, like `Europe/Berlin`."""
    working_hours: WorkingHours = Field(USUAL, alias="EMAIL_ASSISTANT_WORKING_HOURS")
    """When you have meetings, like `Mon-Fri 09:00-17:00`: other times are not offered, and a card says so where one is asked for."""
    hold_offered_times: bool = Field(False, alias="EMAIL_ASSISTANT_HOLD_OFFERED_TIMES")
    """Whether times that a reply offers are kept free in your calendar until one of them is chosen."""
    background: str = Field("", alias="EMAIL_ASSISTANT_BACKGROUND")
    """What the assistant should know about you."""
    today: datetime | None = Field(None, alias="EMAIL_ASSISTANT_NOW")
    """The instant that counts as now when dates in mail are read and meetings are planned; for trying out samples."""
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", alias="EMAIL_ASSISTANT_LOG_LEVEL")
    """What the server's own log tells: `debug`, `info`, `warning` or `error`."""

    @field_validator(
        "openai_api_key", "openai_base_url", "gmail_token", "gmail_secret", "api_token", "database_url",
        "google_endpoint", "model_fallback", "vault", "push_token", "push_audience", "push_account", "jira_url",
        "jira_token", "refund_url", "refund_token", mode="before",
    )  # fmt: skip
    @classmethod
    def _blank_is_unset(cls, value: object) -> object:
        return None if isinstance(value, str) and not value.strip() else value

    @field_validator("email")
    @classmethod
    def _email_has_an_at(cls, value: str) -> str:
        if value and ("@" not in value.strip("@") or any(c.isspace() for c in value)):
            raise ValueError("must be one email address, like robin@example.com")
        return value

    @field_validator("aliases")
    @classmethod
    def _aliases_are_addresses(cls, value: str) -> str:
        for alias in _list(value):
            if "@" not in alias.strip("@") or any(c.isspace() for c in alias):
                raise ValueError(f"must be addresses separated by commas; {alias[:80]!r} is none")
        return value

    @field_validator("company_names")
    @classmethod
    def _tenants_have_names(cls, value: str) -> str:
        for named in _list(value):
            if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,62}\s*=\s*\S.{0,99}", named):
                raise ValueError(
                    f"must be names of tenants, like acme=Acme Insurance; {named[:80]!r} is none"
                )
        return value

    @field_validator("allowed_origins")
    @classmethod
    def _origins_are_origins(cls, value: str) -> str:
        for origin in _list(value):
            if not re.fullmatch(r"https?://[^\s/*?#@]+", origin):
                raise ValueError(
                    f"must be origins separated by commas, like http://localhost:3000; {origin[:80]!r} is none"
                )
        return value

    @field_validator("allowed_hosts")
    @classmethod
    def _hosts_are_names(cls, value: str) -> str:
        for host in _list(value):
            if not re.fullmatch(r"[\w.-]+|\[[0-9a-fA-F:.]+\]", host):
                raise ValueError(
                    f"must be names separated by commas, like mail.example.com; {host[:80]!r} is none"
                )
        return value

    @field_validator("graph")
    @classmethod
    def _graph_deals_with_mail(cls, value: str) -> str:
        if value not in GRAPHS:
            raise ValueError(f"must be one of {', '.join(GRAPHS)}; {value[:60]!r} is none")
        return value

    @field_validator("graphs")
    @classmethod
    def _graphs_are_rules(cls, value: str) -> str:
        for rule in _list(value):
            if not _RULE.fullmatch(rule):
                raise ValueError(
                    "must be rules like orders@shop.example=order_desk or @shop.example=order_desk, separated by commas; "
                    f"{rule[:80]!r} is none"
                )
            cls._graph_deals_with_mail(rule.partition("=")[2].strip())
        wheres = [where for where, _ in _rules(value)]
        if twice := [where for where in wheres if wheres.count(where) > 1]:
            raise ValueError(f"must name each address once; {twice[0][:80]!r} stands there twice")
        return value

    @field_validator("categories")
    @classmethod
    def _categories_are_labels(cls, value: str) -> str:
        names = _list(value)
        for name in names:
            if (
                not name.isprintable()
                or len(name) > _MAX_CATEGORY
                or not all(part.strip() for part in name.split("/"))
            ):
                raise ValueError(
                    f"must be names separated by commas, like Personal/Friends; {name[:60]!r} is none"
                )
        if value.strip() and (len(names) < 2 or len({name.casefold() for name in names}) < len(names)):
            raise ValueError("must be two names or more, each another one")
        return value

    @field_validator("currency")
    @classmethod
    def _currency_is_a_code(cls, value: str) -> str:
        if not re.fullmatch(r"[A-Z]{3}", value):
            raise ValueError("must be the three capitals of a currency (ISO 4217), like EUR")
        return value

    @field_validator("vips")
    @classmethod
    def _vips_are_addresses(cls, value: str) -> str:
        for vip in _list(value):
            if not re.fullmatch(r"(?:[^\s@<>]*@)?[^\s@<>]+\.[^\s@<>.]+", vip):
                raise ValueError(f"must be addresses or domains separated by commas; {vip[:80]!r} is none")
        return value

    @field_validator("authserv_id")
    @classmethod
    def _authserv_id_is_a_word(cls, value: str) -> str:
        if not re.fullmatch(r"[^\s;=\"()]*", value.strip()):
            raise ValueError("must be the first word of Authentication-Results, like mx.example.com")
        return value.strip()

    @field_validator("google_endpoint")
    @classmethod
    def _endpoint_is_an_address(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"https?://[^\s/]+(/[^\s?#]*)?", value):
            raise ValueError("must be a web address, like http://127.0.0.1:4102")
        return value.rstrip("/") if value else value

    @field_validator("jira_url", "refund_url")
    @classmethod
    def _money_and_names_go_by_https(cls, value: str | None) -> str | None:
        if value is not None and not (_SECURE_ADDRESS.fullmatch(value) and _has_host(value)):
            raise ValueError("must be a web address that begins with https://, like https://acme.example")
        return value

    @field_validator("jira_token", "refund_token")
    @classmethod
    def _token_fits_a_header(cls, value: SecretStr | None) -> SecretStr | None:
        if value is None:
            return None
        token = value.get_secret_value().strip()
        if not token.isascii() or not token.isprintable() or " " in token:
            raise ValueError("must be a token as it was given: ASCII characters in one line, no spaces")
        return SecretStr(token)

    @field_validator("jira_project")
    @classmethod
    def _project_is_a_key(cls, value: str) -> str:
        if value and (not re.fullmatch(r"[A-Z][A-Z0-9_]{1,19}", value) or value == "LOCAL"):
            raise ValueError(
                "must be the key of a project, like CLAIMS (not LOCAL, which our own tickets bear)"
            )
        return value

    @field_validator("timezone")
    @classmethod
    def _zone_exists(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError("must be an IANA time zone, like Europe/Berlin") from error
        return value

    @field_validator("working_hours", mode="before")
    @classmethod
    def _hours_can_be_read(cls, value: object) -> object:
        try:
            return WorkingHours.parse(value) if isinstance(value, str) else value
        except InputError as error:
            raise ValueError(str(error)) from error

    @field_validator("today")
    @classmethod
    def _now_has_a_zone(cls, value: datetime | None) -> datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError("must have an offset, like 2026-11-20T08:00:00+00:00")
        return value

    @field_validator("embedding")
    @classmethod
    def _embedding_kind(cls, value: str) -> str:
        if value.startswith("minilm:"):
            raise ValueError(
                "can name no folder with a model's files any more: write ollama:all-minilm to run that model on this machine, "
                "or lexical"
            )
        if value != "lexical" and not re.fullmatch(r"\w+:\S+", value):
            raise ValueError("must be lexical or provider:model, like openai:text-embedding-3-small")
        return value

    @field_validator("mailbox")
    @classmethod
    def _mailbox_kind(cls, value: str) -> str:
        return _form(MAILBOXES, value)

    @field_validator("calendar")
    @classmethod
    def _calendar_kind(cls, value: str) -> str:
        return _form(CALENDARS, value)

    @model_validator(mode="after")
    def _push_is_whole(self) -> "Settings":
        if (self.push_audience is None) != (self.push_account is None):
            raise ValueError(
                "EMAIL_ASSISTANT_PUSH_AUDIENCE and EMAIL_ASSISTANT_PUSH_ACCOUNT go together: "
                "anybody can have a token of Google's for an audience, so the account must be named"
            )
        return self

    @model_validator(mode="after")
    def _jira_is_whole(self) -> "Settings":
        if self.jira_url is not None and not (self.jira_token and self.jira_project):
            raise ValueError(
                "EMAIL_ASSISTANT_JIRA_URL needs EMAIL_ASSISTANT_JIRA_TOKEN and EMAIL_ASSISTANT_JIRA_PROJECT"
            )
        return self

    @model_validator(mode="after")
    def _other_names_need_a_token(self) -> "Settings":
        if self.allowed_hosts.strip() and self.api_token is None:
            raise ValueError("EMAIL_ASSISTANT_ALLOWED_HOSTS needs EMAIL_ASSISTANT_API_TOKEN")
        return self

    @cached_property
    def tenant_names(self) -> dict[str, str]:
        """What tenants are called, by their ids."""
        return {
            each.partition("=")[0].strip(): each.partition("=")[2].strip()
            for each in _list(self.company_names)
        }

    @cached_property
    def data_path(self) -> Path:
        """The data folder as an absolute path."""
        return Path(os.path.abspath(self.data_dir.expanduser()))

    @property
    def mailbox_path(self) -> Path | None:
        """Where the mailbox is on this machine, or None when it is an account."""
        return path_of(MAILBOXES, self.mailbox, self.data_path)

    @property
    def maildir_path(self) -> Path | None:
        """The same for a Maildir; None for any other mailbox."""
        return self.mailbox_path if self.mailbox.partition(":")[0] == "maildir" else None

    @property
    def calendar_path(self) -> Path | None:
        """Where the calendar is on this machine, or None when it is an account."""
        return path_of(CALENDARS, self.calendar, self.data_path)

    @property
    def category_names(self) -> tuple[str, ...]:
        """The configured categories; () for the standard ones."""
        return tuple(" ".join(name.split()) for name in _list(self.categories))

    @property
    def vip_list(self) -> frozenset[str]:
        """The VIPs' addresses and domains."""
        return frozenset(_list(self.vips))

    @property
    def allowed_host_names(self) -> frozenset[str]:
        """The further names of the server, in lower case."""
        return frozenset(host.lower() for host in _list(self.allowed_hosts))

    @property
    def allowed_origin_list(self) -> frozenset[str]:
        """The further origins, in lower case, as browsers write them."""
        return frozenset(origin.lower() for origin in _list(self.allowed_origins))

    @property
    def graph_rules(self) -> tuple[tuple[str, str], ...]:
        """Address or "@domain", in lower case, and the graph that owns mail to it."""
        return tuple(_rules(self.graphs))

    @property
    def missing_person(self) -> str:
        """What to tell a user who has not said who they are, in one line; "" when they have."""
        return "" if self.email else NO_ADDRESS

    @property
    def uses_google(self) -> bool:
        """Whether mail or calendar are in an account at Google."""
        return self.mailbox == "gmail" or self.calendar == "google"

    @property
    def receiving_host(self) -> str:
        """The authserv-id of the host that receives the user's mail; "" when unknown. Gmail's is its own."""
        return self.authserv_id or (GMAIL_HOST if self.mailbox == "gmail" else "")

    @property
    def database(self) -> str:
        """The database's URL; SQLite in the data folder unless DATABASE_URL says otherwise."""
        return self.database_url or f"sqlite:///{quote(str(self.data_path / 'email_assistant.db'))}"

    @property
    def own_addresses(self) -> frozenset[str]:
        """The user's addresses in lower case, aliases included."""
        return frozenset(address.lower() for address in (self.email, *_list(self.aliases)) if address)


# Plain http only to this machine, for trying things out.
_SECURE_ADDRESS = re.compile(
    r"(?:https://[^\s/@?#]+|http://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?)(?:/[^\s?#]*)?"
)
_RULE = re.compile(r"[^\s@=,]*@[^\s@=,]+ *= *[a-z_]+")
MENDED = {
    "decimal_parsing": "must be a number, like 12.50",
    "decimal_max_places": "must have no more than two decimals",
    "finite_number": "must be a number, like 12.50",
    "bool_parsing": "must be true or false",
    "int_parsing": "must be a whole number",
    "float_parsing": "must be a number",
}
"""What pydantic says of a wrong value, in words that tell how to mend it."""
NAMES: frozenset[str] = frozenset(str(f.alias) for f in Settings.model_fields.values())
NOT_SENT = "is gone: no reply leaves without a person (docs/adr/0052); you are asked, or it stays a draft. Remove the setting"
GONE = {"EMAIL_ASSISTANT_AUTO_SEND": NOT_SENT, "EMAIL_ASSISTANT_AUTO_SEND_DAILY": NOT_SENT}
"""Settings that were, and what to tell whoever still has them on; switched off they ask for what is so now."""


def load_settings(environ: Mapping[str, str] | None = None, folder: Path | None = None) -> Settings:
    """Read the settings; raises `ConfigError` with one line a setting that is wrong."""
    environ = os.environ if environ is None else environ
    values = _from_file((folder or Path()) / SETTINGS_FILE)
    values |= {name: environ[name] for name in NAMES | GONE.keys() if name in environ}
    data_folder = Path(str(values.get("EMAIL_ASSISTANT_DATA_DIR", Settings().data_dir))).expanduser()
    values = _from_file(data_folder / DATA_FILE) | values
    for name, told in GONE.items():
        if str(values.pop(name, "")).lower() not in {"", "0", "false", "no", "off"}:
            raise ConfigError(f"{name} {told}")
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        lines = (_one_line(e["loc"], MENDED.get(e["type"], e["msg"])) for e in error.errors())
        raise ConfigError("; ".join(lines)) from None


def _has_host(address: str) -> bool:
    """Whether there is a host, and a port that there can be."""
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _form(adapters: Mapping[str, Adapter], value: str) -> str:
    if not is_form(adapters, value):
        raise ValueError(f"must be {forms(adapters)}")
    return value


def _list(value: str) -> list[str]:
    return [item.strip() for item in value.split(",") if item.strip()]


def _rules(value: str) -> list[tuple[str, str]]:
    parts = (rule.partition("=") for rule in _list(value))
    return [(where.strip().lower(), graph.strip()) for where, _, graph in parts]


def _from_file(path: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
    for name in values:
        if name not in NAMES | GONE.keys():
            near = get_close_matches(name, NAMES, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ConfigError(f"{path} has the unknown setting {name}{hint}")
    return values


def _one_line(location: tuple[int | str, ...], message: str) -> str:
    message = message.removeprefix("Value error, ").replace("Input should be", "must be")
    return f"{'.'.join(map(str, location))} {message}".strip()
