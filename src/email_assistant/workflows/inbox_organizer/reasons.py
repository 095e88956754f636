"""Lines of the organizer's cards that say why."""

from collections.abc import Mapping
from typing import Any

TELLING = 0.08
"""A factor that adds so much to the score of importance is told."""


def category_told(state: Mapping[str, Any]) -> list[str]:
    """Why the category was proposed."""
    lines = [f"Category: {state['reasoning']}", importance_told(state)]
    phrases = state.get("key_phrases") or []
    return [*lines, f"What it says: {'; '.join(phrases)}"] if phrases else lines


def importance_told(state: Mapping[str, Any]) -> str:
    """What makes the message so important; the card says how important it is."""
    weighed = state["importance"]
    telling = [f["reason"] for f in weighed["factors"] if f["value"] * f["weight"] >= TELLING]
    return f"Weighed at {weighed['score']:.2f}. {' '.join(telling)}".rstrip()
