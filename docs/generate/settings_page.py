"""The page of all settings, from the fields of `Settings` and what stands below each."""

import ast
import inspect
import textwrap
from pathlib import Path

from pydantic_core import PydanticUndefined

from email_assistant.settings import Settings

HEAD = """# Settings

<!-- Made from src/email_assistant/settings.py by `make docs`. -->

From the environment, or from `email_assistant.toml` in the working folder with the same names; the environment wins. What
`email-assistant gmail auth` finds out is kept in `gmail_account.toml` in the data folder, which comes last, after a
`settings.toml` there. A wrong value ends
a command with one line that names the setting, and `email-assistant doctor` checks each of them and says how to mend what is wrong.

```toml
# email_assistant.toml
EMAIL_ASSISTANT_NAME = "Robin Vale"
EMAIL_ASSISTANT_EMAIL = "robin@vale.example"
EMAIL_ASSISTANT_TIMEZONE = "Europe/Berlin"
EMAIL_ASSISTANT_MAILBOX = "maildir:/home/robin/Maildir"
```

| name | default | meaning |
|---|---|---|
"""


def settings_page() -> str:
    """The page in Markdown."""
    meanings = field_docstrings(Settings)
    rows = [
        f"| `{field.alias}` | {_default(field.default)} | {meanings[name]} |"
        for name, field in Settings.model_fields.items()
    ]
    return HEAD + "\n".join(rows) + "\n"


def field_docstrings(model: type) -> dict[str, str]:
    """What stands as a string below each field of a class, in one line; raises `KeyError` on use when a field has none."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    assert isinstance(definition, ast.ClassDef)
    found = {}
    for field, below in zip(definition.body, definition.body[1:], strict=False):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found[name] = " ".join(text.split())
    return found


def _default(value: object) -> str:
    if value in (None, "", PydanticUndefined):
        return "–"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value.as_posix() if isinstance(value, Path) else value}`"
