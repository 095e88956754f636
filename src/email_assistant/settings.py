"""The only reader of the environment.

Settings come from the environment, from `email_assistant.toml` in the working folder, from `settings.toml` in the data
folder, and from what a sign-in to Google found out (same names; the earlier ones win). A wrong value is a `ConfigError` that
names the setting.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from email_assistant import setting_forms
from email_assistant.adapter_registry import (
    CALENDARS,
    MAILBOXES,
    RELAYS,
    Adapter,
    account_of,
    part_of,
    path_of,
)
from email_assistant.errors import ConfigError
from email_assistant.mail_accounts import NAME as ACCOUNT_NAME
from email_assistant.mail_accounts import Account, Password
from email_assistant.setting_forms import listed, rules
from email_assistant.workflow_registry import NAMES as GRAPHS
from email_assistant.working_hours import USUAL, WorkingHours

GMAIL_HOST = "mx.google.com"
NO_ADDRESS = (
    "EMAIL_ASSISTANT_EMAIL is not set: set it to your address; until then nobody can be answered, and your own mail looks "
    "like anybody's"
)
SETTINGS_FILE = "email_assistant.toml"
DATA_FILE = "settings.toml"
ACCOUNT_FILE = "gmail_account.toml"
"""Of the data folder: what `gmail auth` found out."""


class Settings(BaseModel):
    """Every setting, typed. Field aliases are the names users write."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    model_fast: str = Field("auto", alias="EMAIL_ASSISTANT_MODEL_FAST", min_length=1)
    """The model that sorts: `provider:model` (`ollama:NAME`), `offline`, or `auto`: OpenAI when `OPENAI_API_KEY` is set, else offline."""
    model_strong: str = Field("auto", alias="EMAIL_ASSISTANT_MODEL_STRONG", min_length=1)
    """The model that writes, in the same forms."""
    model_fallback: setting_forms.Text = Field(None, alias="EMAIL_ASSISTANT_MODEL_FALLBACK")
    """Asked when a model stays out of reach: `provider:model`, or `offline`, where rules answer and the card says so."""
    model_timeout: float = Field(60, alias="EMAIL_ASSISTANT_MODEL_TIMEOUT", gt=0, le=600)
    """Seconds that one attempt of a model may take."""
    embedding: setting_forms.EmbeddingName = Field("lexical", alias="EMAIL_ASSISTANT_EMBEDDING")
    """What past mail is compared by: `lexical` (offline), or `provider:model` as LangChain's `init_embeddings` takes it
    ([knowledge](knowledge.md)); after a change run `knowledge index` again."""
    openai_api_key: setting_forms.Secret = Field(None, alias="OPENAI_API_KEY")
    """As OpenAI's own tools read it."""
    openai_base_url: setting_forms.Text = Field(None, alias="OPENAI_BASE_URL")
    """As OpenAI's own tools read it: a server that speaks OpenAI's protocol."""
    mailbox: setting_forms.MailboxForm = Field("maildir", alias="EMAIL_ASSISTANT_MAILBOX")
    """`maildir`, `maildir:PATH` (one that is there), `imap:NAME` (one of `[accounts.NAME]`, [accounts](accounts.md)) or `gmail`."""
    smtp: setting_forms.RelayForm = Field("", alias="EMAIL_ASSISTANT_SMTP")
    """`smtp:NAME` (one of `[accounts.NAME]`): what a Maildir sends over; without it letters stay in its Sent."""
    accounts: dict[str, Account] = Field(default_factory=dict, alias="accounts")
    """Accounts at any provider, a table `[accounts.NAME]` each; in a settings file only."""
    account_password: setting_forms.Secret = Field(None, alias="EMAIL_ASSISTANT_ACCOUNT_PASSWORD")
    """The password of the account in use, for servers; else the one that is kept for it in the data folder."""
    microsoft_client_id: setting_forms.ClientId = Field("", alias="EMAIL_ASSISTANT_MICROSOFT_CLIENT_ID")
    """For Microsoft 365 and Outlook.com: the client id of an application that you or your firm registered there
    ([accounts](accounts.md))."""
    microsoft_authority: setting_forms.Authority = Field(
        "https://login.microsoftonline.com/common", alias="EMAIL_ASSISTANT_MICROSOFT_AUTHORITY"
    )
    """Where that signs you in; of an application for your firm alone `https://login.microsoftonline.com/TENANT`."""
    calendar: setting_forms.CalendarForm = Field("ics", alias="EMAIL_ASSISTANT_CALENDAR")
    """`ics`, `ics:PATH`, `caldav:NAME` (one of `[accounts.NAME]`, [accounts](accounts.md)) or `google`."""
    data_dir: Path = Field(Path(".email_assistant"), alias="EMAIL_ASSISTANT_DATA_DIR")
    """Local mailbox, calendar, database and log; nobody else on the machine can read it."""
    database_url: setting_forms.Text = Field(None, alias="DATABASE_URL")
    """SQLite or PostgreSQL; SQLite in the data folder when it is not set."""
    google_endpoint: setting_forms.WebAddress = Field(None, alias="EMAIL_ASSISTANT_GOOGLE_ENDPOINT")
    """Sends every call for Google to this address instead, for a stand-in."""
    gmail_token: setting_forms.Secret = Field(None, alias="GMAIL_TOKEN")
    """The account's token as JSON; else the file that `gmail auth` keeps in the data folder."""
    gmail_secret: setting_forms.Secret = Field(None, alias="GMAIL_SECRET")
    """The OAuth client as JSON; else the file that `gmail auth` keeps in the data folder."""
    api_token: setting_forms.Secret = Field(None, alias="EMAIL_ASSISTANT_API_TOKEN")
    """When set, the server answers only requests whose `x-api-key` equals it."""
    allowed_hosts: setting_forms.Hosts = Field("", alias="EMAIL_ASSISTANT_ALLOWED_HOSTS")
    """Names under which the server answers besides `127.0.0.1` and `localhost`, separated by commas, like those of a proxy before
    it; needs the API token."""
    allowed_origins: setting_forms.Origins = Field("", alias="EMAIL_ASSISTANT_ALLOWED_ORIGINS")
    """Web origins that may call the server besides Agent Inbox and Studio, separated by commas, like `http://localhost:3000` for an
    Agent Inbox of your own."""
    max_request_bytes: int = Field(
        25_000_000, ge=10_000, le=1_000_000_000, alias="EMAIL_ASSISTANT_MAX_REQUEST_BYTES"
    )
    """The longest request body, or WebSocket message, that the server reads, in bytes."""
    hold_seconds: int = Field(10, ge=0, le=30, alias="EMAIL_ASSISTANT_HOLD_SECONDS")
    """How many seconds an answer on the review page waits before anything comes of it; so long it can be taken back."""
    look_seconds: int = Field(60, ge=0, le=86_400, alias="EMAIL_ASSISTANT_LOOK_SECONDS")
    """How many seconds pass between two looks of the server for new mail; 0: it does not look by itself."""
    follow_up_days: int = Field(4, ge=0, le=10, alias="EMAIL_ASSISTANT_FOLLOW_UP_DAYS")
    """After how many working days a letter of yours that asks something and has no answer brings a reminder to approve; 0: never."""
    name: str = Field("", alias="EMAIL_ASSISTANT_NAME")
    """Who the assistant works for."""
    email: setting_forms.MailAddress = Field("", alias="EMAIL_ASSISTANT_EMAIL")
    """Your address. Without it nobody can be answered, and your own mail looks like anybody's."""
    aliases: setting_forms.MailAddresses = Field("", alias="EMAIL_ASSISTANT_ALIASES")
    """Your other addresses, separated by commas: never answered, never taken for a stranger's; what was written to one is answered
    from it (with Gmail, where the account may send as it)."""
    graph: setting_forms.Graph = Field(GRAPHS[0], alias="EMAIL_ASSISTANT_GRAPH")
    """The graph that owns your mail, but for what `EMAIL_ASSISTANT_GRAPHS` gives to another: the server, `ingest` and `cron` follow it
    ([ingest](workflows/ingest.md))."""
    graphs: setting_forms.Graphs = Field("", alias="EMAIL_ASSISTANT_GRAPHS")
    """Graphs that own mail to certain addresses or domains, separated by commas, like
    `orders@shop.example=order_desk, @claims.example=claims_desk`; the first that fits counts."""
    runs_in_flight: int = Field(24, ge=1, le=1_000, alias="EMAIL_ASSISTANT_RUNS_IN_FLIGHT")
    """How many runs `ingest` and `organize` keep begun at a time, each that is over giving its place to the next. The server works on 8
    of them; with fewer than 16 it waits for mail, and your answers wait behind what is begun."""
    finished_minutes: int = Field(1_440, ge=0, le=525_600, alias="EMAIL_ASSISTANT_FINISHED_MINUTES")
    """How many minutes the server keeps a thread that is finished, and of these the last 200 at most. What was done stays
    in the journal, and a card that waits stays however long it takes."""
    authserv_id: setting_forms.AuthservId = Field("", alias="EMAIL_ASSISTANT_AUTHSERV_ID")
    """The first word of the `Authentication-Results` that your mail server writes (RFC 8601 §2.5); other servers' are not believed.
    Gmail's is known. Without it nobody vouches for senders: no mail is a customer's, nothing is refunded by itself, and guests' answers
    are asked about."""
    categories: setting_forms.Categories = Field("", alias="EMAIL_ASSISTANT_CATEGORIES")
    """What `organize` sorts into, separated by commas, like `Clients, Suppliers, Private/Family`; eight standard categories when empty."""
    vault: setting_forms.Folder = Field(None, alias="EMAIL_ASSISTANT_VAULT")
    """Folder of an Obsidian vault; `organize` keeps notes there on mail that matters."""
    currency: setting_forms.Currency = Field("EUR", alias="EMAIL_ASSISTANT_CURRENCY")
    """The currency of the catalogue's prices, by its three capitals (ISO 4217)."""
    order_approval: bool = Field(True, alias="EMAIL_ASSISTANT_ORDER_APPROVAL")
    """Whether units that `order_desk` takes are only held until you approve the reply, and given back when you reject it; with `false`
    they are sold when the order is processed."""
    tenant: str = Field("default", pattern=r"^[a-z0-9][a-z0-9-]{0,62}$", alias="EMAIL_ASSISTANT_TENANT")
    """The tenant whose customers write to this mailbox: of the claims desk's tables and documents."""
    company_names: setting_forms.Tenants = Field("", alias="EMAIL_ASSISTANT_TENANT_NAMES")
    """What tenants are called in letters, like `acme=Acme Insurance, harrow-mutual=Harrow Mutual`; else by your name (the mailbox's
    tenant) or their id."""
    jira_url: setting_forms.SecureAddress = Field(None, alias="EMAIL_ASSISTANT_JIRA_URL")
    """Where tickets of claims are made as issues, like `https://acme.atlassian.net` ([claims systems](claims_systems.md)); else they are
    kept here."""
    jira_email: str = Field("", alias="EMAIL_ASSISTANT_JIRA_EMAIL")
    """Whose API token it is; without, it is a bearer token."""
    jira_token: setting_forms.Token = Field(None, alias="EMAIL_ASSISTANT_JIRA_TOKEN")
    """Jira's token."""
    jira_project: setting_forms.Project = Field("", alias="EMAIL_ASSISTANT_JIRA_PROJECT")
    """The key of the project, like `CLAIMS`."""
    jira_issue_type: str = Field(
        "Task", alias="EMAIL_ASSISTANT_JIRA_ISSUE_TYPE", min_length=1, max_length=100
    )
    """What the issues are."""
    refund_url: setting_forms.SecureAddress = Field(None, alias="EMAIL_ASSISTANT_REFUND_URL")
    """The endpoint that pays refunds; else they are put down in the ledger."""
    refund_token: setting_forms.Token = Field(None, alias="EMAIL_ASSISTANT_REFUND_TOKEN")
    """Its bearer token."""
    refund_ceiling: Decimal = Field(
        Decimal("500.00"), gt=0, decimal_places=2, max_digits=11, alias="EMAIL_ASSISTANT_REFUND_CEILING"
    )
    """The most that one refund may come to, whoever approves it."""
    refund_automatic: Decimal = Field(
        Decimal(0), ge=0, decimal_places=2, max_digits=11, alias="EMAIL_ASSISTANT_REFUND_AUTOMATIC"
    )
    """Up to here a refund is paid without a person's approval; with 0 every refund is reviewed."""
    vips: setting_forms.People = Field("", alias="EMAIL_ASSISTANT_VIPS")
    """Addresses and domains whose mail `organize` takes for most important, separated by commas."""
    timezone: setting_forms.TimeZone = Field("UTC", alias="EMAIL_ASSISTANT_TIMEZONE")
    """Your time zone, by its IANA name, like `Europe/Berlin`."""
    working_hours: setting_forms.Hours = Field(USUAL, alias="EMAIL_ASSISTANT_WORKING_HOURS")
    """When you have meetings, like `Mon-Fri 09:00-17:00`: other times are not offered, and a card says so where one is asked for."""
    buffer_minutes: int = Field(30, ge=0, le=240, alias="EMAIL_ASSISTANT_BUFFER_MINUTES")
    """Minutes that are kept free before and after an event that has a place of its own, where times are offered."""
    scheduling_link: setting_forms.SecureAddress = Field(None, alias="EMAIL_ASSISTANT_SCHEDULING_LINK")
    """A page on which others choose a time with you: offered beside free hours where a mail asks for some."""
    background: str = Field("", alias="EMAIL_ASSISTANT_BACKGROUND")
    """What the assistant should know about you."""
    today: setting_forms.Instant = Field(None, alias="EMAIL_ASSISTANT_NOW")
    """Of the sample mails: the instant that counts as now when their dates are read and meetings are planned. It counts while mailbox
    and calendar are the data folder's own, and for no mail that comes in on a later day."""
    card_shape: Literal["agent_inbox", "langchain"] = Field("agent_inbox", alias="EMAIL_ASSISTANT_CARD_SHAPE")
    """How waiting cards look over the API: `agent_inbox`, or `langchain` for clients of its human-in-the-loop middleware, like Agent
    Chat UI. Answers are taken in either shape."""
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", alias="EMAIL_ASSISTANT_LOG_LEVEL")
    """What the server's own log tells: `debug`, `info`, `warning` or `error`."""

    @model_validator(mode="after")
    def _jira_is_whole(self) -> "Settings":
        if self.jira_url is not None and not (self.jira_token and self.jira_project):
            raise ValueError(
                "EMAIL_ASSISTANT_JIRA_URL needs EMAIL_ASSISTANT_JIRA_TOKEN and EMAIL_ASSISTANT_JIRA_PROJECT"
            )
        return self

    @model_validator(mode="after")
    def _accounts_are_there(self) -> "Settings":
        for name in self.accounts:
            if not ACCOUNT_NAME.fullmatch(name):
                raise ValueError(
                    f"accounts.{name[:40]} must be called by small letters and digits, like accounts.personal"
                )
        self._check_account("EMAIL_ASSISTANT_MAILBOX", MAILBOXES, self.mailbox)
        self._check_account("EMAIL_ASSISTANT_SMTP", RELAYS, self.smtp)
        if self.smtp and self.mailbox.partition(":")[0] != "maildir":
            raise ValueError(
                f"EMAIL_ASSISTANT_SMTP is for a Maildir, and EMAIL_ASSISTANT_MAILBOX is {self.mailbox}"
            )
        self._check_account("EMAIL_ASSISTANT_CALENDAR", CALENDARS, self.calendar)
        return self

    def _check_account(self, setting: str, adapters: Mapping[str, Adapter], value: str) -> None:
        name, part = account_of(adapters, value), part_of(adapters, value)
        if name and name not in self.accounts:
            known = f"; there are {', '.join(sorted(self.accounts))}" if self.accounts else ""
            raise ValueError(f"{setting} names the account {name}, and there is no [accounts.{name}]{known}")
        if name and getattr(self.accounts[name], part) is None:
            raise ValueError(f"{setting} names the account {name}, and [accounts.{name}] has no {part}")

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
            for each in listed(self.company_names)
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
    def sample_day(self) -> datetime | None:
        """`EMAIL_ASSISTANT_NOW` in the user's zone where it counts: mailbox and calendar are the data folder's own."""
        own = (path_of(MAILBOXES, "maildir", self.data_path), path_of(CALENDARS, "ics", self.data_path))
        if self.today is None or (self.maildir_path, self.calendar_path) != own:
            return None
        return self.today.astimezone(ZoneInfo(self.timezone))

    @property
    def category_names(self) -> tuple[str, ...]:
        """The configured categories; () for the standard ones."""
        return tuple(" ".join(name.split()) for name in listed(self.categories))

    @property
    def vip_list(self) -> frozenset[str]:
        """The VIPs' addresses and domains."""
        return frozenset(listed(self.vips))

    @property
    def allowed_host_names(self) -> frozenset[str]:
        """The further names of the server, in lower case."""
        return frozenset(host.lower() for host in listed(self.allowed_hosts))

    @property
    def allowed_origin_list(self) -> frozenset[str]:
        """The further origins, in lower case, as browsers write them."""
        return frozenset(origin.lower() for origin in listed(self.allowed_origins))

    @property
    def graph_rules(self) -> tuple[tuple[str, str], ...]:
        """Address or "@domain", in lower case, and the graph that owns mail to it."""
        return tuple(rules(self.graphs))

    @property
    def meeting_hours(self) -> WorkingHours:
        """The working hours, with what is kept free beside events elsewhere."""
        return replace(self.working_hours, way=timedelta(minutes=self.buffer_minutes))

    @property
    def missing_person(self) -> str:
        """What to tell a user who has not said who they are, in one line; "" when they have."""
        return "" if self.email else NO_ADDRESS

    @property
    def uses_google(self) -> bool:
        """Whether mail or calendar are in an account at Google."""
        return self.mailbox == "gmail" or self.calendar == "google"

    @property
    def smtp_account(self) -> str:
        """The name of the account whose server a Maildir sends over; "" for none."""
        return account_of(RELAYS, self.smtp)

    def account(self, name: str) -> Account:
        """The account of that name, which there is."""
        return self.accounts[name]

    def account_secret(self, name: str) -> Password:
        """What tells the account's password."""
        given = self.account_password.get_secret_value() if self.account_password else None
        email = self.accounts[name].email if name in self.accounts else ""
        return Password(name, given, self.data_path / "accounts", email)

    def account_for(self, setting: str) -> str:
        """The address of the user's account; raises `ConfigError` that names the setting that needs it."""
        if not self.email:
            raise ConfigError(f"{setting} needs EMAIL_ASSISTANT_EMAIL: set it to the account's address")
        return self.email

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
        return frozenset(address.lower() for address in (self.email, *listed(self.aliases)) if address)


ACCOUNTS = "accounts"
NAMES: frozenset[str] = frozenset(str(f.alias) for f in Settings.model_fields.values())


def load_settings(
    environ: Mapping[str, str] | None = None, folder: Path | None = None, *, data_dir: Path | None = None
) -> Settings:
    """Read the settings, as they would be with another data folder; raises `ConfigError` with one line a setting that is wrong."""
    environ = os.environ if environ is None else environ
    environ = environ if data_dir is None else {**environ, "EMAIL_ASSISTANT_DATA_DIR": str(data_dir)}
    values = read_settings_file((folder or Path()) / SETTINGS_FILE)
    values |= {name: environ[name] for name in NAMES - {ACCOUNTS} if name in environ}
    data_folder = Path(str(values.get("EMAIL_ASSISTANT_DATA_DIR", Settings().data_dir))).expanduser()
    for name in (DATA_FILE, ACCOUNT_FILE):
        kept = read_settings_file(data_folder / name)
        accounts = kept.get(ACCOUNTS, {}) | values.get(ACCOUNTS, {})
        values = kept | values | ({ACCOUNTS: accounts} if accounts else {})
    try:
        settings = Settings.model_validate(values)
        name = account_of(MAILBOXES, settings.mailbox) or settings.smtp_account
        return (
            settings
            if settings.email or not name
            else settings.model_copy(update={"email": settings.account(name).email})
        )
    except ValidationError as error:
        raise ConfigError(setting_forms.mended(error)) from None


def read_settings_file(path: Path) -> dict[str, Any]:
    """The file's settings, none when there is no file; raises `ConfigError` when it cannot be read, or has an unknown one."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
    tables = values.get(ACCOUNTS, {})
    if not isinstance(tables, dict) or not all(isinstance(each, dict) for each in tables.values()):
        raise ConfigError(f"{path}: {ACCOUNTS} must be tables, like [{ACCOUNTS}.home]")
    for table, name in (
        (table, name) for table, fields in tables.items() for name in fields if name in NAMES
    ):
        raise ConfigError(f"{path}: {name} stands below [{ACCOUNTS}.{table}]: move it above the first table")
    for name in values:
        if name not in NAMES:
            near = get_close_matches(name, NAMES, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ConfigError(f"{path} has the unknown setting {name}{hint}")
    return values
