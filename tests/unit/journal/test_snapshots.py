"""A step's states as JSON that is bounded, whatever the state."""

import json

from hypothesis import given
from hypothesis import strategies as st

from email_assistant.journal.json_values import MAX_STEP_BYTES, Snapshots, digests, restored

JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


def _back(inputs: dict[str, object]) -> dict[str, object]:
    snapshot = Snapshots().of(inputs, {})
    assert digests([snapshot.parts]) == set(snapshot.values)
    found = restored(snapshot.parts, snapshot.values, "input")
    assert found is not None
    assert len(json.dumps(found)) <= MAX_STEP_BYTES
    return found


@given(st.dictionaries(st.text(max_size=12), JSONS, max_size=6))
def test_small_states_are_whole(state: dict[str, object]) -> None:
    """What fits comes back as it was."""
    if len(json.dumps(state)) < MAX_STEP_BYTES // 2:
        assert _back(state) == state


def test_long_texts_are_cut_with_a_note() -> None:
    """The note says how much is missing; what is short stays whole."""
    found = _back({"email": {"body": "a" * 1_000_000, "subject": "Hi"}, "classification": "reply"})
    body = found["email"]["body"]  # type: ignore[index]
    assert body.endswith("… [cut: 983,616 of 1,000,000 characters left out]")
    assert (found["email"]["subject"], found["classification"]) == ("Hi", "reply")  # type: ignore[index]


def test_states_of_every_wrong_size_are_bounded() -> None:
    """A hundred thousand fields, entries, short texts, or signs that JSON writes as six; deep nests; huge numbers."""
    deep: object = "x"
    for _ in range(500):
        deep = [deep]
    for state in (
        {str(n): n for n in range(100_000)},
        {"items": [{"a": "b" * 50}] * 100_000},
        {"texts": ["\0" * 20_000] * 200},
        {"deep": deep},
        {"number": 7**20_000},
        {"k" * 500_000: 1},
        {f"{n}" + "k" * 100_000: 1 for n in range(5)},
    ):
        assert _back(state)
