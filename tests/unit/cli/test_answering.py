"""An answer is what was typed in full, and an edit is read back to the letter."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.cli.answering import UnreadableEditError, allowed, answer_to, choice, fields, form, menu
from email_assistant.errors import ConfigError, InputError
from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation, Message
from email_assistant.review.action import Action
from email_assistant.review.card_view import CardContext, CardView, card_view
from email_assistant.review.waiting import WaitingCard
from email_assistant.tools.mail_tools import REPLY

ARGS = {
    "to": "ana@example.com",
    "cc": "",
    "subject": "Re: Shelf",
    "body": "Hello,\n\n--- to\n--- body\n\n120.",
}
ALL = {f"allow_{word}": True for word in ("accept", "edit", "respond", "ignore")}


def card(config: dict[str, bool] = ALL, view: dict[str, Any] | None = None) -> WaitingCard:
    """A card that waits."""
    return WaitingCard(
        "thread", "email_assistant", "Send reply to Ana", ARGS, config, "\nSend this?\n", view or {}
    )


def _view() -> CardView:
    """The facts of a reply's card."""
    message = Message("1", "t", Address("ana@example.com", "Ana Petrova"), "Shelf", "Hello")
    action = Action("t:c:1", "c", REPLY.name, "Send reply to Ana", ARGS, headline="Send it to {who}?")
    return card_view(action, CardContext(Conversation(message), "UTC"))


def test_only_what_the_card_takes_is_offered() -> None:
    """Skip and quit are always there."""
    assert allowed(card()) == ["accept", "edit", "respond", "done", "ignore", "skip", "quit"]
    assert allowed(card({"allow_ignore": True, "allow_accept": False})) == ["done", "ignore", "skip", "quit"]
    assert menu(["ignore", "quit"]) == "[i] not wanted – do nothing; teaches\n[q] quit – stop here"


@pytest.mark.parametrize(("typed", "word"), [("a", "accept"), ("ACCEPT", "accept")])
def test_a_key_or_a_whole_word_is_an_answer(typed: str, word: str) -> None:
    """In any case of letters."""
    assert choice(typed, allowed(card())) == word


@pytest.mark.parametrize("typed", ["", "abort", "aa", "accept edit"])
def test_anything_else_is_no_answer(typed: str) -> None:
    """What begins like "accept" must not send mail."""
    assert choice(typed, allowed(card())) is None


def test_gaps_are_asked_for_one_by_one() -> None:
    """Each is filled or taken out, with a line that had nothing else; an empty answer goes back, with nothing changed."""
    body = "Dear {{name}},\n\n[confirm: the price]\n\nXX pieces.\n\nRobin"
    gaps = [
        {"field": "body", "text": gap, "span": [body.index(gap), body.index(gap) + len(gap)], "question": ""}
        for gap in ("{{name}}", "[confirm: the price]", "XX")
    ]
    open_card = replace(card(view=_view().as_json() | {"gaps": gaps}), args={**ARGS, "body": body})
    typed = iter(["Ana", "-", "12"])
    answer = answer_to(open_card, "accept", lambda _: next(typed))
    assert answer is not None
    assert (answer["type"], answer["args"]["args"]["body"]) == ("edit", "Dear Ana,\n\n12 pieces.\n\nRobin")
    asked: list[str] = []
    gaps[0]["question"] = "Your name?\x1b[2J"
    other = replace(open_card, view=open_card.view | {"gaps": gaps})
    assert answer_to(other, "accept", lambda question: asked.append(question) or "") is None  # type: ignore[func-returns-value]
    assert "\x1b" not in asked[0]
    typed = iter(["Ana", " "])
    assert answer_to(open_card, "accept", lambda _: next(typed)) is None


def test_a_number_fills_a_gap_with_what_is_offered_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Any other number is the user's own answer."""
    gap = {"field": "body", "text": "[confirm: the price]", "span": [4, 24], "question": ""}
    offers = [{"text": "95 EUR\x1b[2J", "label": "95 EUR\x1b[2J", "why": "you said", "times": []}]
    view = _view().as_json() | {"gaps": [{**gap, "offers": offers}]}
    open_card = replace(card(view=view), args={**ARGS, "body": "Hi, [confirm: the price]."})
    for typed, body in (("1", "Hi, 95 EUR\x1b[2J."), ("2", "Hi, 2.")):
        answer = answer_to(open_card, "accept", lambda _, typed=typed: typed)  # type: ignore[misc]
        assert answer is not None
        assert answer["args"]["args"]["body"] == body
    told = capsys.readouterr().out
    assert "1  95 EUR" in told
    assert "\x1b" not in told


def test_an_empty_response_goes_back() -> None:
    """Nothing is sent."""
    assert answer_to(card(), "respond", lambda _: "  ") is None
    assert answer_to(card(), "respond", lambda _: " Shorter. ") == {"type": "response", "args": "Shorter."}


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"])).map(lambda t: t.replace("\r", "").rstrip("\n")),
        min_size=3,
        max_size=3,
    )
)
def test_the_last_field_may_hold_anything(values: list[str]) -> None:
    """As long as the one-line fields before it have no line of the form."""
    args = {"to": values[0].replace("\n", " "), "subject": values[1].replace("\n", " "), "body": values[2]}
    if not any(args[name].startswith("--- ") for name in ("to", "subject")):
        assert fields(form(args), args) == args


@pytest.mark.parametrize(
    "text",
    ["", form(ARGS).replace("--- subject", "subject")],
)
def test_a_broken_form_is_not_taken(text: str) -> None:
    """The line names what must be kept."""
    with pytest.raises(InputError, match="keep each of the lines `--- to`"):
        fields(text, ARGS)


@pytest.mark.parametrize(
    ("script", "result"),
    [
        ("true", None), ("sed -i s/Shelf/Table/ \"$1\"", "Re: Table"), ("sed -i 's/$/\\r/; s/Shelf/Table/' \"$1\"", "Re: Table"),
    ],
)  # fmt: skip
def test_the_editor_edits(
    script: str, result: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unchanged is no edit; an editor may have arguments, spaces in its path, and write CRLF line ends."""
    editor = tmp_path / "my editor"
    editor.write_text(f"#!/bin/sh\nshift\n{script}\n")
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", f"'{editor}' --wait")
    answer = answer_to(card(), "edit", lambda _: "")
    assert (answer and answer["args"]["args"]["subject"]) == result


@pytest.mark.parametrize("editor", ["/nowhere/vi", "false", "'unclosed"])
def test_an_editor_that_does_not_work_is_told(editor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not there, failing, not a command line."""
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", editor)
    with pytest.raises(ConfigError, match="set EDITOR to one that does"):
        answer_to(card(), "edit", lambda _: "")


def test_an_ignore_names_its_card() -> None:
    """So that it is never taken for a card that came in its place."""
    assert answer_to(card(), "ignore", lambda _: "") == {
        "type": "ignore",
        "args": {"action": "Send reply to Ana", "args": ARGS},
    }


def test_the_editor_opens_again_with_what_was_typed_and_the_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broken form costs nobody their words; mended, it is the edit."""
    breaks = _editor(tmp_path, "t.write_text(t.read_text().replace('--- cc', 'cc') + 'My own words.')")
    monkeypatch.setenv("VISUAL", breaks)
    with pytest.raises(UnreadableEditError, match="keep each of the lines") as broken:
        answer_to(card(), "edit", lambda _: "")
    assert "My own words." in broken.value.text
    seen = tmp_path / "seen"
    mends = f"open({str(seen)!r}, 'w').write(t.read_text()); t.write_text(t.read_text().replace('\\ncc', '\\n--- cc'))"
    monkeypatch.setenv("VISUAL", _editor(tmp_path, mends))
    answer = answer_to(card(), "edit", lambda _: "", str(broken.value), broken.value.text)
    assert seen.read_text().startswith("# Not taken: the edit was not taken: keep each")
    assert answer is not None
    assert answer["args"]["args"] == ARGS | {"body": ARGS["body"] + "\nMy own words."}


def _editor(folder: Path, does: str) -> str:
    script = folder / f"editor{len(list(folder.iterdir()))}.py"
    script.write_text(f"import sys, pathlib\nt = pathlib.Path(sys.argv[1])\n{does}\n")
    return f"{sys.executable} {script}"
