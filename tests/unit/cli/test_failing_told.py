"""What fails, in the words of `run`, `ingest`, `review`, `status` and `doctor`."""

import asyncio
from collections.abc import Iterator

import pytest

from email_assistant.app.assistant import deps_of
from email_assistant.cli.dead_letters import complain_of_everything, print_failing
from email_assistant.cli.doctor import _models
from email_assistant.errors import ProviderError
from email_assistant.journal.attention import Cause, Failing
from email_assistant.settings import load_settings
from tests.servers.model_server import ModelServer, failing, running_model_server, tool_call, written_out

KEY = Cause("openai:x refused the key (401); check OPENAI_API_KEY", 5, ("Ana: Oak", "Ben: Fir"))
LATE = Cause("openai:x cannot be reached at the moment (no connection)", 1, ("Cem: Elm",), True, 3)


@pytest.fixture(scope="module")
def model_server() -> Iterator[ModelServer]:
    """One server for the module."""
    with running_model_server() as server:
        yield server


def test_causes_have_their_number_their_mails_and_the_mend(capsys: pytest.CaptureFixture[str]) -> None:
    """A cause that does not say itself what to do gets it from us; what was given up is said to be."""
    print_failing(Failing((KEY, LATE), 6, 1))
    told = capsys.readouterr().out
    assert told.startswith(
        "6 mails failed:\n  5 mails: openai:x refused the key (401); check OPENAI_API_KEY\n"
    )
    assert "    Ana: Oak\n    Ben: Fir\n    and 3 more\n" in told
    assert "  1 mail (given up): openai:x cannot be reached" in told
    assert "check the connection" in told
    assert "dead-letters replay" in told


def test_a_command_fails_when_everything_does() -> None:
    """The one line on stderr has number, cause and mend."""
    with pytest.raises(
        ProviderError, match=r"^Nothing works at the moment, 5 mails failed: .*OPENAI_API_KEY$"
    ):
        complain_of_everything(Failing((KEY,), 5, everything=True))


@pytest.mark.parametrize(
    ("answers", "ok", "words"),
    [
        ([tool_call("Sum", {"value": 5})], True, "answers in the form asked for"),
        ([written_out({"value": 5})], True, "structured answers: by json_schema"),
        ([tool_call("Sum", {"value": 7})], True, "not what 2 plus 3 is"),
        ([{"content": "Squawk!", "repeat": True}], False, "did not answer in the form asked for"),
        ([failing(401)], False, "refused the key (401); check OPENAI_API_KEY"),
    ],
)
def test_doctor_asks_each_tiers_model(
    model_server: ModelServer, answers: list[dict[str, object]], ok: bool, words: str
) -> None:
    """One real call; what it says is told with what to do."""
    model_server.script(*answers)
    values = {
        "EMAIL_ASSISTANT_MODEL_FAST": "offline",
        "EMAIL_ASSISTANT_MODEL_STRONG": "openai:x",
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": model_server.base_url,
    }
    fast, strong = asyncio.run(_models(deps_of(load_settings(values))))
    assert (fast.name, fast.ok, fast.text) == ("fast model", True, "the offline rules")
    assert (strong.name, strong.ok) == ("strong model", ok)
    assert words in strong.text
    assert bool(strong.mend) is not ok
