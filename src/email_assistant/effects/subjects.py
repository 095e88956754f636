"""What effects are about: the key under which the outbox finds all of one kind on one subject."""

import hashlib
import json


def subject_key(what: str, *about: str) -> str:
    """`what` and a digest of what it is about: short, however long the addresses and subjects in it are."""
    return f"{what}:{hashlib.sha256(json.dumps(about).encode()).hexdigest()[:32]}"
