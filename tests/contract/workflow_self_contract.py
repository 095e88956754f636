"""Promises about mail that gets no answer: the user's own, and what programs, mailings and scams send."""

from collections.abc import Mapping
from typing import Any

import pytest

from email_assistant.adapters.importer import bring_in
from email_assistant.app import ingesting
from email_assistant.app.accounts import local_mailbox
from email_assistant.ingest.look import Look
from eval.mails import USER, raw_messages
from tests.support.deployment import Deployment
from tests.support.workflows import Bench, Workflow, respond

TRIAGED = frozenset({"email_assistant", "inbox_organizer"})
"""The graphs whose model, or rules, say themselves why a mail needs nothing."""
TO_MANY = {"List-Id": "News <news.shop.example>", "List-Unsubscribe": "<https://shop.example/leave>"}
NOBODY: Mapping[str, Mapping[str, Any]] = {
    "newsletter": {
        "from": "Shop <hello@shop.example>",
        "headers": TO_MANY,
        "subject": "What is new",
        "text": "Would you like to see our new shelves?",
    },
    "alert": {"from": "no-reply@bank.example", "subject": "Security alert: new sign-in"},
    "automatic reply": {"headers": {"Auto-Submitted": "auto-replied"}, "subject": "Out of office"},
    "bounce": {
        "from": "MAILER-DAEMON@mx.example",
        "headers": {"Auto-Submitted": "auto-replied"},
        "subject": "Undelivered",
    },
    "scam": {"auth": "fail", "text": "Please transfer 2,000 EUR to our new bank account today and confirm."},
}


class SelfContract:
    """No graph answers a mail that nobody waits to have answered."""

    async def test_nobody_answers_themselves(self, bench: Bench, workflow: Workflow) -> None:
        """A mail under the user's address that nothing proves theirs is shown as doubtful, and words do not make it answered."""
        message, card = await bench.bring(dict(workflow.case) | {"from": USER, "auth": ""})
        assert card is not None
        assert "your own address" in card["description"]
        for _ in range(3):
            assert not card["action_request"]["action"].startswith("Send")
            card = await bench.answer(message, respond("Answer it."))
            if card is None:
                break
        assert (await bench.sent(), await bench.drafts()) == ([], [])

    async def test_own_mail_gets_no_draft(self, bench: Bench, workflow: Workflow) -> None:
        """What the receiving host vouches for is the user's own note: it is shown, or settled with an outcome; nothing is drafted."""
        message, card = await bench.bring(dict(workflow.case) | {"from": USER})
        if card is None:
            assert (await bench.values(message))["outcome"]
        else:
            assert card["action_request"]["action"].startswith("Notify: ")
            assert "your own address" not in card["description"]
        assert (await bench.sent(), await bench.drafts()) == ([], [])

    async def test_own_replies_in_a_file_are_no_mail_to_answer(
        self, bench: Bench, workflow: Workflow
    ) -> None:
        """Of two conversations of a file, one answered by the user, a run is started for the other alone, and the answer lies in Sent."""
        house, graph, deployment = bench.house, workflow.graph, Deployment()
        own = house.settings.own_addresses
        reply = {"from": USER, "to": workflow.case["from"], "text": "Here it is.", "id": "answered"}
        answered = reply | {"subject": "Done", "thread": [dict(workflow.case) | {"subject": "Done"}]}
        raws = [*raw_messages(answered), *raw_messages(workflow.case)]
        imported = [await bring_in(local_mailbox(house), raw, own) for raw in raws]
        await ingesting.ingestion(house, deployment.client, graph).run(Look())
        (sent,) = await bench.sent()
        assert sent["Subject"] == "Done"
        started = {run["input"]["email_input"]["id"] for run in deployment.runs}
        sorted_too = {imported[0].id} if graph == "inbox_organizer" else set()
        assert started == {imported[2].id} | sorted_too

    @pytest.mark.parametrize("kind", NOBODY)
    async def test_what_nobody_waits_for_gets_no_draft(
        self, bench: Bench, workflow: Workflow, kind: str
    ) -> None:
        """Newsletters, alerts, automatic replies, bounces and scams: settled with a reason, or shown."""
        case = dict(workflow.case) | dict(NOBODY[kind])
        message, card = await bench.bring(case)
        assert card is None or not card["action_request"]["action"].startswith("Send")
        assert (await bench.sent(), await bench.drafts()) == ([], [])
        if card is None:
            assert (await bench.values(message))["outcome"]
            house = bench.house
            record = await house.mail_log.get(house.mailbox.name, message.id, workflow.graph)
            assert record is not None
            assert record.reason or workflow.graph in TRIAGED

    async def test_a_person_gets_the_answer_they_want_all_the_same(
        self, bench: Bench, workflow: Workflow
    ) -> None:
        """Words on the card of a scam that is none lead to a reply, which a person approves."""
        if workflow.graph == "inbox_organizer":
            pytest.skip("it shows no mail, it sorts")
        message, card = await bench.bring(dict(workflow.case) | dict(NOBODY["scam"]))
        assert card is not None
        assert card["action_request"]["action"].startswith("Notify: ")
        await bench.up_to_reply(message, await bench.answer(message, respond("She called me. Say thanks.")))
        assert await bench.sent() == []
