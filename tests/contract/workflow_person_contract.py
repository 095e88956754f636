"""Promises about the person: a sender whom nobody vouches for is nobody, and whoever only looks like somebody is told apart."""

from pathlib import Path

import pytest

from email_assistant.workflows.claims_desk.records.refunds import RefundLedger
from eval.mails import HOST, vouching
from tests.support.workflows import Bench, Workflow

ALONE = {"EMAIL_ASSISTANT_REFUND_AUTOMATIC": "500.00"}
"""Everything that may happen without a person, switched on."""
NOBODY = "Nobody vouches for the sender"
UNVOUCHED = {
    "nothing is found": "",
    "none": f"{HOST}; none",
    "softfail": f"{HOST}; spf=softfail smtp.mailfrom=FROM; dkim=none",
    "another domain's pass": f"{HOST}; dkim=pass header.d=evil.me.uk; spf=pass smtp.mailfrom=x@evil.me.uk",
    "another host's header": "mx.evil.me.uk; dmarc=pass header.from=FROM",
}


class PersonContract:
    """Who a mail is from is what the receiving host found out, never what the mail says."""

    @pytest.mark.parametrize("found", UNVOUCHED.values(), ids=UNVOUCHED.keys())
    async def test_a_sender_whom_nobody_vouches_for_waits_for_a_person(
        self, workflow: Workflow, tmp_path: Path, found: str
    ) -> None:
        """Nothing is sent or paid, and the card says why."""
        bench = await workflow.open(tmp_path, **ALONE)
        domain = workflow.case["from"].rpartition("@")[2].strip(">")
        headers = {"Authentication-Results": found.replace("FROM", domain)} if found else {}
        _, card = await bench.to_reply({**workflow.case, "auth": "", "headers": headers})
        assert NOBODY in card["description"]
        assert await bench.sent() == []
        assert await RefundLedger(bench.house.database, bench.house.clock).tenants() == ()
        await bench.close()

    async def test_where_no_receiving_host_is_known_nothing_is_automatic(
        self, workflow: Workflow, tmp_path: Path
    ) -> None:
        """Whatever a mail brings along about itself; that it is not known is told by `doctor` and the overview, not by every card."""
        bench = await workflow.open(tmp_path, **ALONE, EMAIL_ASSISTANT_AUTHSERV_ID="")
        _, card = await bench.to_reply()
        assert NOBODY not in card["description"]
        assert await bench.sent() == []
        await bench.close()

    async def test_the_card_says_who_vouches_for_the_sender(self, bench: Bench) -> None:
        """The receiving host, by an aligned pass."""
        _, card = await bench.to_reply()
        assert f"yes, {HOST} vouches for " in card["description"]
        assert NOBODY not in card["description"]

    async def test_a_neighbour_below_a_public_suffix_is_somebody_else(self, bench: Bench) -> None:
        """An answer to one of another organisation is a doubt, on the first card."""
        sender = "Ana Petrova <ana@vale.me.uk>"
        headers = {"Reply-To": "ana@evil.me.uk", "Authentication-Results": vouching(sender)}
        case = {**bench.workflow.case, "from": sender, "auth": "", "headers": headers}
        _, card = await bench.bring(case)
        assert card is not None
        assert "Replies would go to `ana@evil.me.uk`" in card["description"]
        assert await bench.sent() == []
