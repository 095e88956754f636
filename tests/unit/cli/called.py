"""What a command that was called has said."""

from collections.abc import Callable

Command = Callable[..., tuple[int, str, str]]


def done(result: tuple[int, str, str]) -> str:
    """What a command that ended well printed."""
    code, out, err = result
    assert (code, err) == (0, "")
    return out


def told(result: tuple[int, str, str]) -> str:
    """The one line on stderr of a command that failed."""
    code, out, err = result
    assert (code, out) == (1, "")
    (line,) = err.splitlines()
    assert line.startswith("email-assistant: ")
    return line
