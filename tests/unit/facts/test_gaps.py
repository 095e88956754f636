"""Whatever looks like a hole is a gap; what only looks a little like one is none."""

import pytest

from email_assistant.facts.fact import gaps_in, gaps_left, inside

HOLES = [
    "[Your Name]", "[insert price]", "[DATE]", "[date]", "[link]", "[Betrag einfügen]", "[Nom]", "[X]", "[...]", "[…]", "[ ]", "[]",
    "[[name]]", "［名前］", "【日付】", "[insert link to https://a.example/x]", "[confirm: x]", "[confirm", "[ Confirm the day ]",
    "{date}", "{{name}}", "{{ customer.first_name }}", "{{{x}}}", "{0}", "${price}", "#{name}", "%{n}", "<amount>", "<Your Name>",
    "<<Betrag>>", "<name>", "(insert date)", "(enter the amount)", "(your name)", "(your full name)", "(name)", "( )", "(____)",
    "$PRICE", "%NAME%", "%(name)s", "__NAME__", "XX EUR", "€XX", "€ XX", "$XX", "XX.XX EUR", "XX:XX Uhr", "XX/XX/2026", "at xx:xx",
    "xx EUR", "12.xx.2026", "XXX", "TBD", "tbd", "TBA", "T.B.D.", "TODO", "N.N.", "PLACEHOLDER", "____", "Name: ________", "_____ EUR",
    "......", "is ...... EUR", "??? EUR", "costs ?? per piece", "€??", "€ ...", "costs … EUR", "## EUR", "##.## EUR", "INSERT NAME HERE",
    "YOUR NAME",
]  # fmt: skip
NONE = [
    "see [1] and [12]", "https://a.example/x[0]?q={y}", "<https://a.example/x>", "[https://a.example]", "<ana@x.example>",
    "[text](https://a.example)", "XXL shirt", "love Ana xx", "Really??", "wait....", "well... I think", "a < b and b > c", "I <b>do</b>",
    "(see above)", "(12)", "- [x] done", "## Heading", "snake_case_name", "a_b__c", "3 xx", "100% sure, 20% off", "$50", "US$ 100",
    "your name is on the list", "todo list", "_" * 40, "C# and F#", "tba@x.example", "A...B", " :) (:", "f(x)", "**bold**", "TBDX",
]  # fmt: skip


def test_whatever_looks_like_a_hole_is_a_gap() -> None:
    """One each, alone and within a sentence."""
    assert [
        hole for hole in HOLES if len(gaps_in(hole)) != 1 or len(gaps_in(f"It is {hole} then.")) != 1
    ] == []


def test_links_addresses_and_common_signs_are_none() -> None:
    """Nor what people write with the same signs."""
    assert {text: gaps_in(text) for text in NONE if gaps_in(text)} == {}


def test_what_stands_in_the_mail_that_is_answered_is_none() -> None:
    """Whatever its case and spaces; but what is to be confirmed is always one."""
    mail = "Please fill in {{ Name }} and XX. [confirm: seats]"
    text = "We filled in {{name}}, XX and [confirm: seats]; the date is TBD."
    assert [text[start:end] for start, end in gaps_in(text, mail)] == ["[confirm: seats]", "TBD"]


def test_what_is_to_be_confirmed_is_one_gap_whatever_stands_around_it() -> None:
    """A hole that begins before it does not cut it in two."""
    text = "<link href=[confirm: https://a.example>Hello]"
    assert [text[start:end] for start, end in gaps_in(text)] == ["[confirm: https://a.example>Hello]"]


def test_a_hole_of_the_persons_own_is_none() -> None:
    """What was no gap before is meant so; what was one still is."""
    text = "[EXT] XX pieces, {{date}}, [confirm: the price]"
    assert [text[start:end] for start, end in gaps_left(text, ["{{ date }}", "[Your name]"])] == [
        "{{date}}",
        "[confirm: the price]",
    ]


@pytest.mark.parametrize(
    ("gap", "told"),
    [("[confirm: the price]", "the price"), ("{{ date }}", "date"), ("____", ""), ("XX.XX", "")],
)
def test_a_gap_tells_what_belongs_there(gap: str, told: str) -> None:
    """Without its signs."""
    assert inside(gap) == told
