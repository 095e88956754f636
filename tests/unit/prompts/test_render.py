"""Prompt templates are split and filled strictly."""

from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.prompts import SEPARATOR, PromptTemplate, load

TEXT = f"You sort mail for $name.\n\nBe brief.\n{SEPARATOR}\n\n${{mail}}: $$5, $name\n"


def template(text: str = TEXT) -> PromptTemplate:
    """A template of the text."""
    return PromptTemplate.parse("probe", text)


@pytest.mark.parametrize(
    ("values", "problems"),
    [
        ({}, ["mail is missing", "name is missing"]),
        ({"name": "R", "mail": "M", "extra": "E"}, ["extra is not in the template"]),
        ({"name": "R", "mail": 5}, ["mail is not a string"]),
    ],
)
def test_variables_must_fit(values: dict[str, str], problems: list[str]) -> None:
    """Missing, superfluous and wrong values are named, all at once, with the template's name."""
    with pytest.raises(ValueError, match="prompt probe: ") as caught:
        template().render(values)
    assert all(problem in str(caught.value) for problem in problems)


@given(st.text(), st.text())
def test_values_are_never_expanded(name: str, mail: str) -> None:
    """Whatever a value holds is put in as it is, variables and separators included."""
    system, user = template().render({"name": name, "mail": mail})
    assert system == f"You sort mail for {name}.\n\nBe brief."
    assert user == f"{mail}: $5, {name}"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Only a system message.", "exactly one line"),
        (f"A\n{SEPARATOR}\nB\n{SEPARATOR}\nC", "exactly one line"),
        (f"{SEPARATOR}\nB", "is empty"),
        (f"Costs $5\n{SEPARATOR}\nB", "must be written"),
    ],
)
def test_a_malformed_template_is_refused(text: str, problem: str) -> None:
    """A template is checked when it is read, not when it is first used with a certain value."""
    with pytest.raises(ValueError, match=problem):
        template(text)


@pytest.mark.parametrize("name", ["", "../secret", "/etc/hosts"])
def test_a_wrong_name_is_refused(name: str) -> None:
    """Only plain names of templates that exist are taken."""
    with pytest.raises(ValueError, match="prompt"):
        load(name)


def test_every_template_of_the_package_is_sound() -> None:
    """All packaged templates can be loaded, and each has something to say about its variables."""
    found = [
        f.name.removesuffix(".md")
        for f in resources.files("email_assistant.prompts").iterdir()
        if f.name.endswith(".md")
    ]
    assert found
    for name in found:
        loaded = load(name)
        rendered = loaded.render({variable: f"<{variable}>" for variable in loaded.variables})
        assert all(rendered)
