"""Answers of real models kept in a file, so that a suite can be run again without asking them.

A recording is a file of JSON lines: first who answered and when, then an answer for each request. A request is told by the SHA-256 of
its messages and tools, so a recording holds only for the prompts, tools and data that it was made with. Prompts are not kept.
"""

import asyncio
import hashlib
import json
from collections import defaultdict, deque
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, messages_from_dict, messages_to_dict

from email_assistant.errors import ConfigError, InputError
from email_assistant.models.chat import ChatModels
from email_assistant.models.runner import TierChatModel
from email_assistant.models.settings import ModelSettings, ModelSpec

FORMAT = 1
AGAIN = "prompts, tools or data have changed since it was recorded: record again with --record"


class RecordedChatModels(ChatModels):
    """Chat models whose answers pass a recording."""

    def __init__(self, settings: ModelSettings, answering: "Recording") -> None:
        super().__init__(settings)
        self._answering = answering

    async def get(self, spec: ModelSpec) -> BaseChatModel:
        """The chat model; a replayed one is never built, and needs no key."""
        model = await super().get(spec) if self._answering.asks else None

        async def answer(messages: list[BaseMessage], options: dict[str, Any]) -> AIMessage:
            return await self._answering.answer(model, messages, options)

        return TierChatModel(answer=answer, label=str(spec))


class Recorder:
    """Asks, and writes down what was answered; failed requests are not written down."""

    asks = True

    def __init__(self, file: TextIO, model: str) -> None:
        self._file = file
        self._write(
            {"recording": FORMAT, "model": model, "at": datetime.now(UTC).isoformat(timespec="seconds")}
        )

    async def answer(
        self, model: BaseChatModel | None, messages: list[BaseMessage], options: dict[str, Any]
    ) -> AIMessage:
        """The model's answer."""
        if model is None:
            raise ValueError("there is no model to ask")
        rest = dict(options)
        tools = rest.pop("tools", None)
        bound = model.bind_tools(tools, **rest) if tools else model.bind(**rest)
        found = await bound.ainvoke(messages)
        self._write({"request": request_key(messages, options), "answer": messages_to_dict([found])[0]})
        return found

    def _write(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._file.flush()


class Replayer:
    """Answers as it was recorded: the same request asked again gets the answers in their order, then the last one."""

    asks = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self.missing = 0
        """Requests that nothing was recorded for."""
        self._answers: dict[str, deque[AIMessage]] = defaultdict(deque)
        self.model = _read(path, self._answers)

    async def answer(
        self, model: BaseChatModel | None, messages: list[BaseMessage], options: dict[str, Any]
    ) -> AIMessage:
        """The recorded answer; raises `ConfigError` when there is none."""
        await asyncio.sleep(0)  # Gives way, as a model would: runs side by side keep their order.
        answers = self._answers.get(request_key(messages, options))
        if not answers:
            self.missing += 1
            raise ConfigError(f"{self._path}: there is no answer to this request; {AGAIN}")
        return answers.popleft() if len(answers) > 1 else answers[0]


Recording = Recorder | Replayer


def recorder(path: Path, model: str) -> Recorder:
    """A recorder that writes a new file; raises `InputError` when it cannot be written or is there already."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return Recorder(path.open("x", encoding="utf-8"), model)
    except OSError as error:
        raise InputError(f"--record {path}: {error.strerror or error}") from error


def recorded_model(path: Path) -> str:
    """Who answered in a recording; raises `InputError` for what is none."""
    try:
        with path.open(encoding="utf-8") as file:
            return _model(path, file.readline())
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error


def request_key(messages: list[BaseMessage], options: dict[str, Any]) -> str:
    """SHA-256 of what is asked; ids of messages, which are random, are left out."""
    said = [{"type": m["type"], "content": m["data"]["content"], "tool_calls": m["data"].get("tool_calls"),
             "tool_call_id": m["data"].get("tool_call_id")} for m in messages_to_dict(messages)]  # fmt: skip
    text = json.dumps([said, options], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _read(path: Path, answers: dict[str, deque[AIMessage]]) -> str:
    model = recorded_model(path)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()[1:], 2):
        try:
            told = json.loads(line)
            found = messages_from_dict([told["answer"]])[0]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}, line {number}: this is no recorded answer ({error})") from error
        if not isinstance(found, AIMessage):
            raise InputError(f"{path}, line {number}: the answer is not a model's message")
        answers[told["request"]].append(found)
    return model


def _model(path: Path, line: str) -> str:
    try:
        head = json.loads(line)
        if head["recording"] != FORMAT:
            raise ValueError
        return str(head["model"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: this is not a recording; --record makes one") from error
