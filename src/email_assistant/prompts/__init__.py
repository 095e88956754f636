"""Prompt templates: package data `<name>.md`, read once, rendered strictly.

The part above the line `<!-- user -->` is the system message, the part below it the user message. What is the
same for every mail belongs above, first things that never change, so that providers can cache the prefix.
"""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from string import Template

SEPARATOR = "<!-- user -->"
_PACKAGE = "email_assistant.prompts"
_NAME = re.compile(r"(?:(?P<workflow>[a-z][a-z0-9_]{0,63})/)?(?P<file>[A-Za-z0-9][A-Za-z0-9_-]{0,63})")


@dataclass(frozen=True)
class PromptTemplate:
    """One template: `system` and `user` are texts with `$variables` (rules of `string.Template`)."""

    name: str
    system: str
    user: str

    @classmethod
    def parse(cls, name: str, text: str) -> "PromptTemplate":
        """Split a template file; raises `ValueError` unless it has one separator line and sound variables."""
        lines = text.splitlines()
        if lines.count(SEPARATOR) != 1:
            raise ValueError(f"prompt {name}: there must be exactly one line {SEPARATOR!r}")
        at = lines.index(SEPARATOR)
        template = cls(name, "\n".join(lines[:at]).strip(), "\n".join(lines[at + 1 :]).strip())
        for part in (template.system, template.user):
            if not part:
                raise ValueError(f"prompt {name}: a part above or below {SEPARATOR!r} is empty")
            if not Template(part).is_valid():
                raise ValueError(f"prompt {name}: a '$' must be written '$$' or begin a variable")
        return template

    @cached_property
    def variables(self) -> frozenset[str]:
        """The names that `render` wants, no more and no fewer."""
        return frozenset(Template(self.system).get_identifiers()) | frozenset(
            Template(self.user).get_identifiers()
        )

    def render(self, variables: Mapping[str, str]) -> tuple[str, str]:
        """The (system, user) messages. A value is put in as it is: a `$name` inside it is not expanded.

        Raises `ValueError` naming every variable that is missing, superfluous or not a string.
        """
        wrong = [
            *(f"{name} is missing" for name in sorted(self.variables - variables.keys())),
            *(f"{name} is not in the template" for name in sorted(variables.keys() - self.variables)),
            *(
                f"{name} is not a string"
                for name in sorted(variables)
                if not isinstance(variables[name], str)
            ),
        ]
        if wrong:
            raise ValueError(f"prompt {self.name}: {', '.join(wrong)}")
        return Template(self.system).substitute(variables), Template(self.user).substitute(variables)


_loaded: dict[str, PromptTemplate] = {}


def load(name: str) -> PromptTemplate:
    """The template `<name>.md` of this folder, or `<workflow>/<name>`; reads a file the first time, so async code uses `aload`.

    Raises `ValueError` for a name that is no plain file name or does not exist, or a malformed template.
    """
    if name not in _loaded:
        _loaded[name] = _read(name)
    return _loaded[name]


async def aload(name: str) -> PromptTemplate:
    """Like `load`, off the event loop where it reads."""
    loaded = _loaded.get(name)
    return loaded if loaded is not None else await asyncio.to_thread(load, name)


def _read(name: str) -> PromptTemplate:
    found = _NAME.fullmatch(name)
    if not found:
        raise ValueError(
            f"prompt name {name!r}: letters, digits, '-' and '_' only, after a workflow's name and '/'"
        )
    package = f"email_assistant.workflows.{found['workflow']}" if found["workflow"] else _PACKAGE
    try:
        folder = resources.files(package) / "prompts" if found["workflow"] else resources.files(package)
        text = (folder / f"{found['file']}.md").read_text(encoding="utf-8")
    except (FileNotFoundError, ModuleNotFoundError):
        raise ValueError(f"there is no prompt called {name!r}") from None
    return PromptTemplate.parse(name, text)
