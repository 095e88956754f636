"""The order desk from Python, without a server: one mail in, everything the desk made of it out."""

from collections.abc import Mapping
from typing import Any

from email_assistant.app.assistant import AppDeps, deps_of
from email_assistant.effects.store import bounded
from email_assistant.errors import InputError
from email_assistant.settings import load_settings
from email_assistant.workflows.order_desk.graph import build


async def run_workflow(email: Mapping[str, Any], deps: AppDeps | None = None) -> dict[str, Any]:
    """What the order desk makes of one mail: the final `OverallState`.

    `email` is {"email_id", "subject", "message"} with an optional "sender", or an email in Gmail form; `deps` is the house that the
    settings describe when it is left out. The order is taken from the stock, once however often the mail is given; with
    EMAIL_ASSISTANT_ORDER_APPROVAL it is held until `email-assistant orders confirm` or `release`. The reply is written and not sent.
    What an agent could not do stands in `errors` under its name.

    Raises `InputError` naming the field that is wrong, `ConfigError` for a wrong setting.
    """
    if not isinstance(email, Mapping):
        raise InputError("email must be an object with email_id, subject, message")
    key = "email" if "email_id" in email or "message" in email else "email_input"
    email_id = str(email.get("email_id") or email.get("id") or "")
    graph = build(deps or deps_of(load_settings()), asks=False)
    config = {"configurable": {"thread_id": f"order_desk {bounded(email_id)}"}}
    return dict(await graph.ainvoke({key: dict(email)}, config))
