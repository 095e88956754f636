"""How the user's own letters in a language begin and end, and the line of a profile that says so."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_LINE = r"“(?P<{}>[^”\n]{{1,80}})”"
_FORM = re.compile(
    rf"- In (?P<language>\w+) I(?: begin {_LINE.format('greeting')}(?: or {_LINE.format('other')})?)?"
    rf"(?: and)?(?: end {_LINE.format('closing')})?\."
)


@dataclass(frozen=True, slots=True)
class Voice:
    """As was counted in them; "" where there is no habit."""

    language: str
    """ISO 639-1."""
    greeting: str = ""
    """The first line, with {first}, {last} or {full} for the name of whom it is to."""
    closing: str = ""
    """The line above the name."""
    other: str = ""
    """Another form of the greeting ("Liebe" beside "Lieber"): which one it is depends on the person, and rules use neither."""

    def line(self, language: str) -> str:
        """The profile's line, where the language is called that; "" where there is nothing to say."""
        other = f" or “{self.other}”" if self.other else ""
        begin = f" begin “{self.greeting}”{other}" if self.greeting else ""
        end = f" end “{self.closing}”" if self.closing else ""
        return (
            f"- In {language} I{begin}{' and' if begin and end else ''}{end}."
            if language and (begin or end)
            else ""
        )


def voice_in(line: str, languages: Mapping[str, str]) -> Voice | None:
    """What such a line says; None for another. `languages`: what each is called → ISO 639-1."""
    found = _FORM.fullmatch(line.strip())
    code = languages.get(found["language"], "") if found else ""
    said = (found[each] or "" for each in ("greeting", "closing", "other")) if found else ()
    return Voice(code, *said) if code else None
