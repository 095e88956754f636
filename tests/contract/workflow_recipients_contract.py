"""Promises about who gets a reply."""

from dataclasses import replace
from email.utils import getaddresses, parseaddr
from pathlib import Path
from typing import Any

from email_assistant.mail.address import Address
from tests.support.workflows import Bench, Workflow, echoed, edited

ROBIN = "Robin Vale <robin@vale.example>"
ALIAS = "robin@studio.example"
CROWD = [f"guest{number}@elsewhere.example" for number in range(12)]


class RecipientsContract:
    """Whom a reply goes to, and what its card says of them."""

    async def test_whoever_is_in_neither_to_nor_cc_answers_the_sender_alone(
        self, bench: Bench, workflow: Workflow
    ) -> None:
        """The others do not know that the user got the mail; the card says why they get no answer. Of an inbox it is no mail to answer."""
        case = addressed(bench, to="Bo <bo@elsewhere.example>", cc=", ".join(CROWD[:2]))
        if workflow.graph in {"email_assistant", "inbox_organizer"}:
            await bench.bring(case)
            assert await bench.drafts() == []
            return
        message, card = await bench.to_reply(case)
        args = card["action_request"]["args"]
        assert (recipients(args["to"]), args["cc"]) == ([sender_of(case)], "")
        assert "names you neither in To nor in Cc" in card["description"]
        await bench.answer(message, echoed(card))
        (sent,) = await bench.sent()
        assert (recipients(sent["To"]), sent["Cc"]) == ([sender_of(case)], None)

    async def test_whom_the_mail_names_is_answered_with_the_others(self, bench: Bench) -> None:
        """Everybody gets the answer, and nothing is said of how many they are."""
        case = addressed(bench, to=f"Bo <bo@elsewhere.example>, {ROBIN}")
        _, card = await bench.to_reply(case)
        args = card["action_request"]["args"]
        assert recipients(f"{args['to']}, {args['cc']}") == sorted([sender_of(case), "bo@elsewhere.example"])
        assert "people." not in card["description"].partition("#### The message")[0]

    async def test_the_address_written_to_answers(self, workflow: Workflow, tmp_path: Path) -> None:
        """An alias, whatever its case and whoever else is named, and the card says so; it is nobody's recipient."""
        bench = await workflow.open(tmp_path, EMAIL_ASSISTANT_ALIASES=ALIAS)
        case = addressed(bench, to=f"{ALIAS.upper()}, Bo <bo@elsewhere.example>", cc=ROBIN)
        message, card = await bench.to_reply(case)
        args = card["action_request"]["args"]
        assert recipients(f"{args['to']}, {args['cc']}") == sorted([sender_of(case), "bo@elsewhere.example"])
        assert f"It goes out from `{ALIAS}`" in card["description"].partition("#### The message")[0]
        await bench.answer(message, echoed(card))
        (sent,) = await bench.sent()
        assert parseaddr(str(sent["From"])) == ("Robin Vale", ALIAS)
        await bench.close()

    async def test_a_blind_copy_of_another_programs_is_shown_before_it_is_sent(self, bench: Bench) -> None:
        """And bound as To and Cc are; the title goes by who gets it, and an edit changes that."""
        message, card = await bench.to_reply()
        assert "bcc" not in card["action_request"]["args"]
        (waiting,) = await bench.drafts()
        draft = await bench.house.mailbox.find_draft(str(waiting["Message-ID"]).strip())
        assert draft is not None
        hidden = replace(draft.message, to=(), cc=(), bcc=(Address("eve@example.org"),))
        await bench.house.mailbox.save_draft(hidden, replaces=draft.id)
        again = await bench.answer(message, echoed(card))
        assert again is not None
        assert again["action_request"]["args"]["bcc"] == "eve@example.org"
        assert "eve@example.org: " in again["action_request"]["action"]
        last = await bench.answer(message, edited(again, bcc=""))
        assert last is not None
        assert "names nobody" in last["description"].splitlines()[0]
        assert await bench.answer(message, edited(last, bcc="bo@example.org")) is None
        (sent,) = await bench.sent()
        assert (sent["To"], sent["Cc"], str(sent["Bcc"])) == (None, None, "bo@example.org")

    async def test_many_recipients_and_unknown_ones_are_told(self, bench: Bench) -> None:
        """Under "Look closely", above the mail."""
        case = addressed(bench, to=ROBIN, cc=", ".join(CROWD))
        _, card = await bench.to_reply(case)
        _, _, told = card["description"].partition("#### Look closely")
        told = told.partition("#### The message")[0]
        assert "It goes to 13 people." in told
        assert "You have not written to these before, whom the mail only names: " in told
        assert "guest0@elsewhere.example" in told
        assert "and 7 more" in told


def addressed(bench: Bench, **lines: str) -> dict[str, Any]:
    """The workflow's mail with other address lines."""
    return {**bench.workflow.case, **lines}


def recipients(line: str) -> list[str]:
    """The addresses of a line."""
    return sorted(address for _, address in getaddresses([str(line)]) if address)


def sender_of(case: dict[str, Any]) -> str:
    """Who wrote the mail."""
    return parseaddr(case["from"])[1]
