"""The data of version 0.1.0; see tests/released/README.md."""

import gzip
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

RELEASED = Path(__file__).parents[1] / "released"
SAMPLES = Path(__file__).parents[2] / "samples"
WAS_IN = "/srv/assistant/data"
AT = "2026-11-23T23:53:00+00:00"
"""Shortly after 0.1.0 was stopped."""
CARDS = {
    "29369430-6e48-5abe-4f7d-5cee30272797": "Send reply to Éloïse Marchand: Re: Demande de devis : chambre d'hôtes (draft 2)",
    "58f15381-31da-34d6-31e3-47cff8cf8e48": "Invitation: Permit hearing: shop window",
    "66004321-4404-273e-19ba-538e2a562fb2": "Notify: Hosting Monitor: [ALERT] vale-web-1: disk usage 91%",
    "846b6281-1e2b-d523-af5c-792ef78c64c6": "Notify: Daniel Ortiz: Skylight drawings",
    "ad84109b-9c59-1124-2ad5-ab3e020a8cb6": "Notify: Jonas Brandt: Keys are in the letter box (eom)",
    "bb5c5160-6eae-1e0c-d895-e8dd90935ec3": "Schedule meeting: Call about the Hudson loft",
    "fe3181c5-221c-2bef-cbbd-29cf3446f1af": "Send reply to Mara Lindqvist: Re: Your quote for the reading room",
}
"""Every card that waits, by its run thread."""
REPLY, INVITATION, _, NOTICE, _, _, MARA = CARDS


def journal_sql(data: Path) -> str:
    """The journal's dump, as if it had been written in that data folder."""
    return (RELEASED / "journal.sql").read_text(encoding="utf-8").replace(WAS_IN, str(data.resolve()))


def released_data(data: Path) -> None:
    """Make the data folder: journal, checkpoints, mailbox and calendar."""
    for file in (each for each in (RELEASED / "mailbox").rglob("*") if each.is_file()):
        place = data / file.relative_to(RELEASED).parent / file.name.replace("!", ":")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    for folder in ("", ".Sent", ".Drafts"):
        for part in ("new", "cur", "tmp"):
            (data / "mailbox" / folder / part).mkdir(exist_ok=True)
    shutil.copy(SAMPLES / "calendar.ics", data)
    checkpoints = gzip.decompress((RELEASED / "checkpoints.sql.gz").read_bytes()).decode()
    for name, sql in (("email_assistant.db", journal_sql(data)), ("checkpoints.db", checkpoints)):
        with closing(sqlite3.connect(data / name)) as connection:
            connection.executescript(sql)
