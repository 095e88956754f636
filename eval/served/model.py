"""A model server on the loopback that takes as long as it is told to: `python -m eval.served.model MILLISECONDS` prints its address.

It speaks as much of OpenAI's protocol as the assistant needs: mail whose subject begins with "Notice" is ignored, all other mail gets a
short reply and no second one, and about anything else it has nothing to say. It keeps nothing, so that no pass is slower than the one
before it.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import PIPE, Popen
from typing import Any

_IGNORED = b"Subject: Notice"


@contextmanager
def running_model(milliseconds: int) -> Iterator[str]:
    """Its base URL, while the block lasts."""
    command = [sys.executable, "-m", "eval.served.model", str(milliseconds)]
    process = Popen(command, stdout=PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def answer(request: bytes) -> bytes:
    """The completion that a request gets: the tool that it must call, or else a reply."""
    asked = json.loads(request)
    tools = {tool["function"]["name"] for tool in asked.get("tools") or ()}
    if "TriageVerdict" in tools:
        kind = "ignore" if _IGNORED in request else "respond"
        message = _called("TriageVerdict", {"reasoning": "It asks.", "classification": kind})
    elif "send_email" not in tools:
        message = {"role": "assistant", "content": "There is nothing to add."}
    elif asked["messages"][-1]["role"] == "tool":
        message = _called("Done", {})
    else:
        message = _called("send_email", {"body": "Thank you, we will look into it."})
    completion = {
        "id": "c", "object": "chat.completion", "created": 0, "model": asked["model"],
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": len(request) // 4, "completion_tokens": 20, "total_tokens": len(request) // 4 + 20},
    }  # fmt: skip
    return json.dumps(completion).encode()


def _called(name: str, arguments: dict[str, str]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": "call_1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


async def _serve(seconds: float) -> None:
    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while body := await _request(reader):
                await asyncio.sleep(seconds)
                told = answer(body)
                head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(told)}\r\n\r\n"
                writer.write(head.encode() + told)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connection, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


async def _request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    lines = [line.partition(b":") for line in head.lower().split(b"\r\n")]
    length: Any = next((value for name, _, value in lines if name == b"content-length"), 0)
    return await reader.readexactly(int(length))


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]) / 1_000))
