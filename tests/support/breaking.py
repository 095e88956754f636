"""A checkpointer that breaks off before a chosen write, as a process does that dies between an effect and its record."""

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver


class BrokenOffError(Exception):
    """The process has died, as far as the run can tell."""


class BreakingSaver(InMemorySaver):
    """Keeps what was written before the break, and nothing after it until it is `mended`."""

    def __init__(self, break_at: int | None = None) -> None:
        super().__init__()
        self.break_at = break_at
        """The number of the write that is not made any more, from 1 on; None for no break."""
        self.written: list[str] = []
        """What was written, in order: the node whose result it was, or the checkpoint's step."""
        self.broken_at = ""
        """What the write would have been."""

    def mended(self) -> None:
        """Work from now on."""
        self.break_at = None

    def _write(self, what: str) -> None:
        if self.break_at is not None and len(self.written) + 1 >= self.break_at:
            self.broken_at = self.broken_at or what
            raise BrokenOffError(what)
        self.written.append(what)

    async def aput(self, config: RunnableConfig, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        """Save a checkpoint."""
        self._write(f"checkpoint {metadata['step']}")
        return await super().aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save a node's result."""
        self._write("result of " + "+".join(channel for channel, _ in writes)[:60])
        await super().aput_writes(config, writes, task_id, task_path)
