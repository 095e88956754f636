"""Tickets as issues of Jira Cloud, through its REST API v3.

Jira knows no idempotency keys, so each issue bears its key as a label, by which it is found again. Jira's search may not show a
new issue for some minutes (https://developer.atlassian.com/cloud/jira/platform/search-and-reconcile), so nothing found means
nothing made only after `SETTLES`.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self

from email_assistant.clock import Clock
from email_assistant.effects.store import digest_of
from email_assistant.errors import ProviderError, TransientError
from email_assistant.mail.text import one_line
from email_assistant.settings import Settings
from email_assistant.workflows.claims_desk.claims.claim import Ticket, TicketDraft, TicketStatus
from email_assistant.workflows.claims_desk.http_api import HttpAnswer, HttpApi

SETTLES = timedelta(minutes=5)
LABEL = "email-assistant"
MEND = (
    "check EMAIL_ASSISTANT_JIRA_URL, EMAIL_ASSISTANT_JIRA_EMAIL and EMAIL_ASSISTANT_JIRA_TOKEN, and that the account may "
    "create issues in the project"
)
_ISSUE = "/rest/api/3/issue"
_SEARCH = "/rest/api/3/search/jql"
_FIELDS = "created,status"
_BROWSABLE = "/ex/jira/"
_MAX_TOLD = 300


def jira_api(url: str, email: str, token: str) -> HttpApi:
    """Jira at a site's address; with an account's address by its API token, without one by a bearer token."""
    basic = base64.b64encode(f"{email}:{token}".encode()).decode()
    authorization = f"Basic {basic}" if email else f"Bearer {token}"
    return HttpApi("Jira", url.rstrip("/"), {"authorization": authorization}, MEND)


@dataclass(frozen=True)
class JiraTickets:
    """A `Tickets` port: the issues of one project. What stands in them is plain text, whatever a mail contains."""

    api: HttpApi
    project: str
    """The project's key, like "CLAIMS"."""
    issue_type: str
    clock: Clock

    @classmethod
    def of(cls, settings: Settings, clock: Clock) -> Self | None:
        """The project that settings name; None when they name none."""
        s = settings
        if s.jira_url is None or s.jira_token is None:
            return None
        api = jira_api(s.jira_url, s.jira_email, s.jira_token.get_secret_value())
        return cls(api, s.jira_project, s.jira_issue_type, clock)

    @property
    def settles(self) -> timedelta:
        """The longest that the search lags behind, with a margin."""
        return SETTLES

    async def create(self, draft: TicketDraft, idempotency_key: str) -> Ticket:
        """Make the issue unless the search shows it. A creation whose end nobody saw is not repeated, but looked for."""
        draft = draft.bounded()
        found = await self.find(draft, idempotency_key)
        if found is not None:
            return found
        try:
            answer = await self.api.ask(
                "POST", _ISSUE, body={"fields": self._fields(draft, idempotency_key)}, repeatable=False
            )
        except TransientError:
            found = await self.find(draft, idempotency_key)
            if found is not None:
                return found
            raise
        if answer.status != 201:
            raise _refused(answer)
        key = answer.body.get("key") if isinstance(answer.body, dict) else None
        if not isinstance(key, str) or not key:
            raise TransientError("Jira's answer to a new issue cannot be read")
        return self._ticket(draft, idempotency_key, key, "open", self.clock.now())

    async def find(self, draft: TicketDraft, idempotency_key: str) -> Ticket | None:
        """The issue with this key's label, the first one if somebody has copied it; None when the search shows none."""
        draft = draft.bounded()
        label = _label(draft, idempotency_key)
        # In any project: somebody, or a rule of theirs, may have moved it.
        jql = f'labels = "{label}" ORDER BY created ASC, key ASC'
        answer = await self.api.ask(
            "GET", _SEARCH, params={"jql": jql, "fields": _FIELDS, "maxResults": "1"}, repeatable=True
        )
        if answer.status != 200:
            raise _refused(answer)
        try:
            issues = answer.body["issues"]
            return self._found(draft, idempotency_key, issues[0]) if issues else None
        except (KeyError, TypeError, ValueError) as error:
            raise TransientError("Jira's answer to a search cannot be read") from error

    async def check(self) -> str:
        """Who we are there and for which project, in one line; raises `ProviderError` when issues cannot be made."""
        myself = await self.api.ask("GET", "/rest/api/3/myself", repeatable=True)
        project = await self.api.ask("GET", f"/rest/api/3/project/{self.project}", repeatable=True)
        for answer in (myself, project):
            if answer.status != 200 or not isinstance(answer.body, dict):
                raise _refused(answer)
        types = [str(each.get("name")) for each in project.body.get("issueTypes", [])]
        if self.issue_type not in types:
            raise ProviderError(
                f"the project {self.project} has no issue type {self.issue_type}: set EMAIL_ASSISTANT_JIRA_ISSUE_TYPE to one of "
                + one_line(", ".join(types), limit=_MAX_TOLD)
            )
        who = one_line(str(myself.body.get("displayName", "")), limit=80)
        return f"{self.api.url}: {who}, project {self.project}, issue type {self.issue_type}"

    def _fields(self, draft: TicketDraft, idempotency_key: str) -> dict[str, Any]:
        return {
            "project": {"key": self.project},
            "issuetype": {"name": self.issue_type},
            "summary": draft.title,
            "description": document(draft.body),
            "labels": [LABEL, draft.type, _label(draft, idempotency_key)],
        }

    def _found(self, draft: TicketDraft, idempotency_key: str, issue: Mapping[str, Any]) -> Ticket:
        category = issue["fields"]["status"]["statusCategory"]["key"]
        created = datetime.strptime(issue["fields"]["created"], "%Y-%m-%dT%H:%M:%S.%f%z")
        status: TicketStatus = "closed" if category == "done" else "open"
        return self._ticket(draft, idempotency_key, str(issue["key"]), status, created)

    def _ticket(
        self, draft: TicketDraft, idempotency_key: str, key: str, status: TicketStatus, created_at: datetime
    ) -> Ticket:
        # Behind the address of Atlassian's gateway no person can see an issue.
        url = "" if _BROWSABLE in self.api.url else f"{self.api.url}/browse/{key}"
        return draft.ticket(key, idempotency_key, created_at, status=status, url=url)


def document(text: str) -> dict[str, Any]:
    """Plain text in the Atlassian Document Format: a paragraph a line, nothing in it a mark, a link or a mention."""
    paragraphs = [
        {"type": "paragraph", "content": [{"type": "text", "text": line}] if line.strip() else []}
        for line in text.split("\n")
    ]
    return {"type": "doc", "version": 1, "content": paragraphs}


def _label(draft: TicketDraft, idempotency_key: str) -> str:
    return f"ea-{digest_of(draft.tenant_id, idempotency_key)}"


def _refused(answer: HttpAnswer) -> ProviderError:
    """Jira's refusal, from its list of errors."""
    lines: list[str] = []
    if isinstance(answer.body, dict):
        lines += [str(each) for each in answer.body.get("errorMessages") or []]
        errors = answer.body.get("errors")
        lines += [f"{name}: {why}" for name, why in errors.items()] if isinstance(errors, dict) else []
    reason = one_line("; ".join(lines), limit=_MAX_TOLD) or "no reason given"
    return ProviderError(f"Jira refused the request (status {answer.status}): {reason}")
