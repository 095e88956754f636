"""What was ignored, in the words of `review` and `ingest`."""

from pathlib import Path

import pytest

from email_assistant.app.journal import journal_deps
from email_assistant.cli.ignored import MAX_SHOWN, print_ignored
from email_assistant.journal.records import MailRecord, MailStatus
from email_assistant.settings import load_settings
from eval.setup import desk_settings


async def test_six_are_told_what_asks_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With number, reason and how many there are; nothing where nothing was ignored, and nothing of what was done."""
    deps = journal_deps(load_settings(desk_settings(tmp_path, {}), tmp_path))
    await print_ignored(deps)
    assert capsys.readouterr().out == ""
    mail = {"id": "1", "from": "Ana <ana@a.example>", "to": "robin@vale.example", "subject": "Table"}
    for number, text in enumerate(["Is it oak?", *["It is oak."] * MAX_SHOWN, "Is it fir?"]):
        status, outcome = (
            (MailStatus.ignored, "ignored") if number <= MAX_SHOWN else (MailStatus.done, "replied")
        )
        given = {"email_input": mail | {"body": text}, "reason": "A toy.", "outcome": outcome}
        await deps.mail_log.claim(MailRecord("m", str(number), "g", "t", "r", status, **given))
    await print_ignored(deps)
    told = capsys.readouterr().out.splitlines()
    assert told[1].startswith(
        "Ignored today: 7 mails. To see one: `email-assistant review --bring-back NUMBER`"
    )
    assert told[2:4] == ["  1  Ana asks: Is it oak? · Table (A toy)", "  7  Ana: Table (A toy)"]
    assert (len(told), told[-1]) == (MAX_SHOWN + 3, "  and 1 more, on the review page")
    await deps.database.close()
