"""OpenAI's chat model, whose client does not walk through the tools of each request.

Before it sends anything, OpenAI's client compares each value with its declared type, for tools each of their many possible types in
turn: a millisecond a request, for what never changes. What is given as a further part of the body it sends as it is.
"""

from typing import Any

from langchain_openai import ChatOpenAI

AS_THEY_ARE = ("tools", "tool_choice")


class OpenAIChat(ChatOpenAI):
    """Sends tools as they are; in all else it is LangChain's."""

    def _get_request_payload(
        self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        if "messages" not in payload or "tools" not in payload:  # The Responses API has another form of body.
            return payload
        as_they_are = {name: payload.pop(name) for name in AS_THEY_ARE if name in payload}
        return payload | {"extra_body": (payload.get("extra_body") or {}) | as_they_are}
