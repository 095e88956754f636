"""A server's store seen from another process, as the `BaseStore` that `Knowledge` works with."""

import asyncio
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import httpx
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)
from langgraph_sdk.client import LangGraphClient

from email_assistant.errors import ProviderError


class ServedStore(BaseStore):
    """Each operation is one request. Async only."""

    def __init__(self, client: LangGraphClient) -> None:
        self._client = client

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Not there: requests are awaited."""
        raise NotImplementedError("a server's store is asked with await")

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The operations side by side; raises `httpx.HTTPError`, `ProviderError` when the server could not do one."""
        return list(await asyncio.gather(*map(self._run, ops)))

    async def _run(self, op: Op) -> Result:
        try:
            return await self._answer(op)
        except httpx.HTTPStatusError as error:
            if error.response.status_code < 500:
                raise
            raise ProviderError(
                f"the server's store failed ({error.response.status_code}); its log says why. Is EMAIL_ASSISTANT_EMBEDDING "
                "the same for this command and for the server?"
            ) from error

    async def _answer(self, op: Op) -> Result:
        store = self._client.store
        match op:
            case GetOp():
                found: Any = await store.get_item(op.namespace, op.key)
                return Item(**_kept(found)) if found else None
            case PutOp(value=None):
                await store.delete_item(op.namespace, op.key)
                return None
            case PutOp():
                await store.put_item(op.namespace, op.key, op.value or {}, index=op.index)
                return None
            case SearchOp():
                answer: Any = await store.search_items(
                    op.namespace_prefix, filter=op.filter, limit=op.limit, offset=op.offset, query=op.query
                )
                return [SearchItem(**_kept(each), score=each.get("score")) for each in answer["items"]]
            case ListNamespacesOp():
                raise NotImplementedError("nobody lists namespaces from afar")


def _kept(found: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that an item has, found by its key or by a search."""
    return {
        "namespace": tuple(found["namespace"]),
        "key": found["key"],
        "value": found["value"],
        "created_at": datetime.fromisoformat(found["created_at"]),
        "updated_at": datetime.fromisoformat(found["updated_at"]),
    }
