"""Promises about whom a mail is from, where that is not whoever sends it, and about mail that is answered by nobody."""

from email.utils import parseaddr
from typing import Any

import pytest

from tests.support.workflows import IGNORE, SENDS, Bench

ME = "Robin Vale <robin@vale.example>"
FORMS = {
    "one's own address": (ME, "pass", True),
    "one's own address, unvouched": (ME, "", True),
    "a program of one's house": ("Website <wordpress@vale.example>", "", True),
    "a service": ("Forms <noreply@forms.example>", "pass", True),
    "a service that fills no Reply-To": ("Forms <noreply@forms.example>", "pass", False),
}
UNATTENDED = {
    "en": "Could you confirm the delivery?\n\nThis is an automated message, please do not reply.",
    "de": "Können Sie die Lieferung bestätigen?\n\nBitte antworten Sie nicht auf diese E-Mail.",
    "fr": "Pouvez-vous confirmer la livraison ?\n\nMerci de ne pas répondre à ce message.",
    "es": "¿Puede confirmar la entrega?\n\nPor favor, no responda a este mensaje.",
}
LURES = {
    "a brand": (
        "DHL Express <info@parcels.example>",
        "Could you confirm your address? Your parcel will be returned: https://track.example/1",
    ),
    "a key": (
        "Mail Support <help@mailbox.example>",
        "Please verify your account within 24 hours, could you? https://login.example/robin",
    ),
}


class SendersContract:
    """Who asks is answered, and nobody else."""

    @pytest.mark.parametrize("form", FORMS)
    async def test_who_asks_by_a_form_is_answered(self, bench: Bench, form: str) -> None:
        """Not the form, from whatever address it sends; the card says that it is one."""
        case = bench.workflow.case
        name, address = parseaddr(case["from"])
        sender, auth, names = FORMS[form]
        filled = (
            f"New message from your website.\n\nName: {name}\nEmail: {address}\n\nMessage:\n{case['text']}"
        )
        headers = {"Reply-To": case["from"]} if names else {}
        _, card = await bench.to_reply(
            {**case, "from": sender, "auth": auth, "text": filled, "headers": headers}
        )
        assert parseaddr(card["action_request"]["args"]["to"])[1] == address
        assert "By a form: " in card["description"]

    @pytest.mark.parametrize("language", UNATTENDED)
    async def test_what_nobody_reads_is_not_answered(self, bench: Bench, language: str) -> None:
        """A mail that says so may be shown, and gets no draft."""
        await no_letter(bench, {**bench.workflow.case, "text": UNATTENDED[language]})

    @pytest.mark.parametrize("kind", LURES)
    async def test_a_lure_is_told_and_not_answered(self, bench: Bench, kind: str) -> None:
        """Whoever presses and leads elsewhere is in doubt."""
        sender, text = LURES[kind]
        case = {"id": "lure", "from": sender, "subject": "Notice", "text": text, "auth": "pass"}
        assert "leads to" in await no_letter(bench, case)


async def no_letter(bench: Bench, case: dict[str, Any]) -> str:
    """Whatever cards it leads to, none of them is a letter's; what they say."""
    message, card = await bench.bring(case)
    told = ""
    while card:
        assert not card["action_request"]["action"].startswith(SENDS)
        told += card["description"]
        card = await bench.answer(message, IGNORE)
    assert await bench.drafts() == []
    return told
