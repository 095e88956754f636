"""Contacts from files: usual exports, our own tables, and files that are wrong or hostile."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.errors import InputError
from email_assistant.mail.text import one_line
from email_assistant.workflows.reply_pipeline.contacts.files import ContactFile
from email_assistant.workflows.reply_pipeline.records.contacts import Contact

GOOGLE = (
    "First Name,Middle Name,Last Name,Phonetic First Name,Name Prefix,Nickname,File As,Organization Name,"
    "Organization Title,Organization Department,Birthday,Notes,Photo,Labels,E-mail 1 - Label,E-mail 1 - Value,"
    "E-mail 2 - Label,E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value,Address 1 - Street\r\n"
    'Ana,,Petrova,,,,,"Vale, Robin GmbH",Buyer,,,"Likes oak,\nnot pine.",,Wood ::: * myContacts,* Work,'
    "Ana@Vale.example ::: a.petrova@vale.example,Home,ana@home.example,Mobile,+49 30 1 ::: +49 30 2,Elm Street 1\r\n"
    "Bo,,,,,,,,,,,,,* myContacts,,,,,Mobile,+49 30 3,\r\n"
)
OLD_GOOGLE = (
    "Name,Given Name,Family Name,Notes,Group Membership,E-mail 1 - Type,E-mail 1 - Value,Phone 1 - Type,"
    "Phone 1 - Value,Organization 1 - Type,Organization 1 - Name,Organization 1 - Title\n"
    "Ana Petrova,Ana,Petrova,,Wood ::: * My Contacts,* Work,ana@vale.example,,+49 30 1,,Vale GmbH,Buyer\n"
)
OUTLOOK = (
    '"Title","First Name","Middle Name","Last Name","Suffix","Company","Department","Job Title","Business Street",'
    '"Business Phone","Home Phone","Mobile Phone","Categories","E-mail Address","E-mail Type","E-mail 2 Address","Notes"\r\n'
    '"Dr.","Ana",,"Petrova",,"Vale GmbH",,"Buyer","Elm Street 1","+49 30 2",,"+49 30 1","Wood;Berlin",'
    '"ana@vale.example","SMTP",,\r\n'
)


def read(
    path: Path, text: str | bytes, name: str = "c.csv", **options: object
) -> tuple[list[Contact], ContactFile]:
    """What is in a file of this text."""
    file = path / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    source = ContactFile(file, **options)  # type: ignore[arg-type]
    return list(source.contacts()), source


def refused(path: Path, text: str | bytes, name: str = "c.csv", **options: object) -> str:
    """Why such a file is not read: one line that names it."""
    with pytest.raises(InputError) as error:
        read(path, text, name, **options)
    line = str(error.value)
    assert "\n" not in line
    assert name in line or "--encoding" in line
    return line


def test_google_contacts(tmp_path: Path) -> None:
    """A row with several addresses is a contact at each; the group of everyone is no tag; no address is no fault."""
    found, source = read(tmp_path, GOOGLE)
    assert [one.address for one in found] == [
        "ana@vale.example",
        "a.petrova@vale.example",
        "ana@home.example",
    ]
    assert found[0] == Contact(
        "ana@vale.example", "Ana Petrova", "Vale, Robin GmbH", "+49 30 1", "Buyer", "Likes oak,\nnot pine.",
        ("Wood",), "import of c.csv",
    )  # fmt: skip
    assert source.without_address == 1


@pytest.mark.parametrize("text", [OLD_GOOGLE, OUTLOOK, "\ufeff" + OUTLOOK], ids=["google", "outlook", "bom"])
def test_other_exports(tmp_path: Path, text: str) -> None:
    """Google's older table and Outlook's; of several telephone numbers it is the mobile one."""
    (found,), _ = read(tmp_path, text)
    assert found.fields() | {"tags": found.tags[:1]} == {
        "name": "Ana Petrova", "organisation": "Vale GmbH", "phone": "+49 30 1", "role": "Buyer", "notes": "",
        "tags": ("Wood",),
    }  # fmt: skip


@pytest.mark.parametrize("delimiter", [";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r"])
def test_own_tables(tmp_path: Path, delimiter: str, end: str) -> None:
    """Any usual delimiter and line end, headings in any case, columns in any order, rows that are short or empty."""
    rows = [
        ["NAME", " E-Mail ", "Shoe size", "Tags"],
        ["Ana", "ana@vale.example", "38", '"a, b"'],
        ["", ""],
        ["Bo", "b@x.example"],
    ]
    found, _ = read(tmp_path, end.join(delimiter.join(row) for row in rows))
    assert [(one.name, one.address, one.tags) for one in found] == [
        ("Ana", "ana@vale.example", ("a", "b")),
        ("Bo", "b@x.example", ()),
    ]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("nobody,Bo,,", 'line 3: address: not an email address: "nobody"'),
        ('cy@x.example,"=HYPERLINK(""http://x"")",,', "line 3: name: "),
        ("di@x.example,Di,1\x1b[2J,", "line 3: phone: control character U+001B"),
        ("ANA@vale.example,Ana again,,", "line 3: address: ana@vale.example is in line 2 already"),
        ("ed@x.example,Ed,,,,more", "line 3: row: 6 cells under 4 headings"),
    ],
)
def test_the_first_wrong_row_refuses_the_file(tmp_path: Path, row: str, words: str) -> None:
    """It is told by line and field."""
    told = refused(tmp_path, f"email,name,phone,notes\nana@vale.example,Ana,,\n{row}\nok@x.example,Ok,,\n")
    assert f"nothing was imported: {words}" in told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the first line is empty"),
        ("name,street\nAna,Elm\n", 'line 1 names no column of addresses: call one "email". It has "name", "street"'),
        (b"PK\x03\x04rest of an Excel workbook", "not a text file; save the table as CSV in UTF-8"),
        ("email,name\na@x.example,Bj\u00f6rn\n".encode("cp1252"), "line 2 is not written in UTF-8; save it as CSV"),
        ("email,name\na@x.example,Ana\n".encode("utf-16"), "UTF-8, or name its encoding, like --encoding utf-16"),
        ('email,name\na@x.example,"Ana\nb@x.example,Bo\n', "line 2: row: the quotes do not match"),
        ("email,name\na@x.example," + "x" * 200_000 + "\n", "line 2: row: a cell is too long"),
        ('email,name\na@x.example,"' + "x\n" * 100_000, "line 2: row: a cell is too long"),
    ],
)  # fmt: skip
def test_files_that_are_wrong(tmp_path: Path, text: str | bytes, words: str) -> None:
    """One line says what is wrong and how to mend it."""
    assert words in refused(tmp_path, text)


CELL = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")), max_size=30
)
ROWS = st.lists(st.tuples(CELL, CELL, CELL), max_size=6)


def _taken(rows: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    plain = [tuple(map(one_line, row)) for row in rows]
    # Formulas are refused, and ":::" separates values.
    return [row for row in plain if not any(cell[:1] in {*"=+-@"} or ":::" in cell for cell in row)]  # type: ignore[misc]


@given(rows=ROWS, delimiter=st.sampled_from(",;\t|"))
def test_a_table_comes_back_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]], delimiter: str
) -> None:
    """Whatever stands in the cells."""
    rows = _taken(rows)
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter)
    writer.writerow(["email", "name", "organisation", "notes"])
    writer.writerows([f"p{n}@x.example", *row] for n, row in enumerate(rows))
    found, _ = read(tmp_path_factory.getbasetemp(), buffer.getvalue(), "property.csv")
    assert [(one.name, one.organisation, one.notes) for one in found] == rows
