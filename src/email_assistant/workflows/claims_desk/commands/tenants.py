"""Which tenants a command is about: the one that is named, or each in turn."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, TypeVar

import typer

from email_assistant.cli.console import HIGHER

T = TypeVar("T")

MAX_PAGE = 1_000_000

TenantOption = Annotated[str | None, typer.Option("--tenant", help="Only this tenant's.", show_default=False)]
LimitOption = Annotated[int, typer.Option(min=1, max=MAX_PAGE, help="How many to list of each tenant.")]

Names = Callable[[], Awaitable[Sequence[str]]]


async def each_tenant(
    tenants: Names, tenant_id: str | None, of_tenant: Callable[[str], Awaitable[Sequence[T]]]
) -> list[T]:
    """What `of_tenant` gives for the tenant, or without one for all, one after the other."""
    names = await tenants() if tenant_id is None else [tenant_id]
    return [one for name in names for one in await of_tenant(name)]


async def page(
    tenants: Names,
    tenant_id: str | None,
    limit: int,
    of_tenant: Callable[[str, int], Awaitable[Sequence[T]]],
) -> tuple[list[T], str]:
    """Up to `limit` of each tenant, and what shows more where there are more."""
    more = False

    async def some(name: str) -> Sequence[T]:
        nonlocal more
        found = await of_tenant(name, limit + 1)
        more = more or len(found) > limit
        return found[:limit]

    return await each_tenant(tenants, tenant_id, some), HIGHER if more else ""
