"""Who may see which documents: names of tenants and roles, and the namespaces they stand for.

A name is taken as it is or not at all: nothing is folded, trimmed or repaired, so two spellings can never meet in one namespace,
and none can reach into another.
"""

import re
from dataclasses import dataclass

from email_assistant.errors import InputError

PUBLIC = "Public"
"""The visibility of documents that every role of their tenant may see; neither it nor "public" can be a role's name."""
ROOT = ("email_assistant", "documents")

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
Space = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Who:
    """Who asks, as the caller that started the run has established it: never as a model or a mail says."""

    tenant_id: str
    user_id: str
    """"" for somebody who is no known customer."""
    role: str
    """"customer", "agent" or another role of the tenant's: which documents may be shown."""
    email: str = ""


def is_name(name: object) -> bool:
    """Whether a tenant or role may be called so: 1 to 63 of a-z, 0-9 and "-", which stands neither first nor last."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def public_space(tenant: str) -> Space:
    """The namespace of a tenant's documents that everybody of it may see; raises `InputError` for what is no name."""
    if not is_name(tenant):
        raise InputError(
            f"tenant: {_shown(tenant)} is no name of a tenant; write a-z, 0-9 and -, like harrow-mutual"
        )
    return (*ROOT, tenant, PUBLIC)


def role_space(tenant: str, role: str) -> Space:
    """The namespace of what only one role of a tenant may see; raises `InputError` for names that are none."""
    if not is_name(role) or role == PUBLIC.lower():
        raise InputError(f"role: {_shown(role)} is no name of a role; write a-z, 0-9 and -, like agent")
    return (*public_space(tenant)[:3], role)


def spaces_for(who: Who) -> tuple[Space, ...]:
    """What somebody may see: their tenant's public documents and those of their role; nothing when either is no name."""
    try:
        return public_space(who.tenant_id), role_space(who.tenant_id, who.role)
    except InputError:
        return ()


def _shown(name: object) -> str:
    return repr(name)[:80]
