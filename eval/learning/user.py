"""The simulated user: what it wants of a mail, what it thinks of a card, and how it answers in its own words."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from eval.learning.stream import Mail
from eval.learning.tastes import EARLIEST, MAX_WORDS, MINUTES, TASTES

TOLD_IN_WORDS = 2
"""A taste is said so often; after that the user has had enough and edits."""
_GAP = re.compile(r"\[confirm:[^\]]*\]")
_QUOTED = re.compile(r"[“„«「\"].*?[”“»」\"]|^>.*$", re.MULTILINE)
_ANSWERS = (
    "I look into it on Monday.",
    "Yes, gladly.",
    "It is in the drawer of the old desk.",
    "Linseed oil, twice a year.",
    "I send the figures tomorrow.",
    "That works for me.",
    "The one with the round edge.",
)
Answer = dict[str, Any]


@dataclass
class User:
    """Remembers what it has said, and counts its corrections."""

    corrections: Counter[str] = field(default_factory=Counter)
    said: Counter[str] = field(default_factory=Counter)
    answers: int = 0

    def reply_to(self, mail: Mail, card: Mapping[str, Any]) -> tuple[Answer, list[str]]:
        """The answer to a card, and the tastes it corrects."""
        answer, tastes = self._answer(mail, card)
        self.corrections.update(tastes)
        self.answers += 1
        return answer, tastes

    def _answer(self, mail: Mail, card: Mapping[str, Any]) -> tuple[Answer, list[str]]:
        action, args = card["action_request"]["action"], card["action_request"]["args"]
        if action.startswith("Label as"):
            return self._label(mail, action, args)
        if mail.graph == "inbox_organizer":
            return {"type": "ignore"}, []
        if wanted(mail) == "notify" and action.startswith("Notify"):
            # Strangers' mail, and what is in doubt, is put away by the answer that teaches: it must not touch others.
            return {"type": "ignore" if mail.role in {"doubt", "stranger"} else "seen"}, []
        if wanted(mail) != "respond":
            return {"type": "ignore"}, [triage_taste(mail)]
        if action.startswith("Notify") or action.startswith("Question"):
            says = TASTES[triage_taste(mail)].says if triage_taste(mail) in TASTES else ""
            return {"type": "response", "args": says or "Tell them that I got it."}, [triage_taste(mail)]
        if action.startswith("Schedule"):
            return self._meeting(mail, action, args)
        return self._reply(mail, action, args) if "body" in args else ({"type": "ignore"}, [])

    def _label(self, mail: Mail, action: str, args: Mapping[str, str]) -> tuple[Answer, list[str]]:
        taste = next((name for name, t in TASTES.items() if t.sender == mail.sender), "")
        category = TASTES[taste].wants if taste else mail.wants
        if args["category"] == category:
            return {"type": "accept"}, []
        # Words now and then, the list of categories mostly; words come back as a card of their own.
        if taste and self.said[taste] < 1:
            self.said[taste] += 1
            return {"type": "response", "args": TASTES[taste].says}, [taste]
        return _edited(action, args | {"category": category}), [taste] if taste else []

    def _meeting(self, mail: Mail, action: str, args: Mapping[str, str]) -> tuple[Answer, list[str]]:
        wrong = [name for name, right in judge_meeting(mail, args).items() if not right]
        if not wrong:
            return {"type": "accept"}, []
        if self.said[wrong[0]] < TOLD_IN_WORDS:
            self.said[wrong[0]] += 1
            return {"type": "response", "args": TASTES[wrong[0]].says}, [wrong[0]]
        start = datetime.fromisoformat(args["start"])
        length = datetime.fromisoformat(args["end"]) - start
        start = start if start.hour >= EARLIEST else start.replace(hour=EARLIEST, minute=0)
        length = timedelta(minutes=MINUTES) if "meetings-45" in wrong else length
        times = {"start": start.isoformat(), "end": (start + length).isoformat()}
        return _edited(action, args | times), wrong

    def _reply(self, mail: Mail, action: str, args: Mapping[str, str]) -> tuple[Answer, list[str]]:
        wrong = [name for name, right in judge_reply(mail, args["body"]).items() if not right]
        for name in wrong:
            if self.said[name] < (1 if name == "signed-robin" else TOLD_IN_WORDS):
                self.said[name] += 1
                return {"type": "response", "args": TASTES[name].says}, [name]
        body = self._by_hand(mail, args["body"])
        return (_edited(action, args | {"body": body}) if body != args["body"] else {"type": "accept"}), wrong

    def _by_hand(self, mail: Mail, body: str) -> str:
        """Gaps filled, signed as the user signs, and now and then a sentence moved or a mark changed, as people do."""
        body = _GAP.sub(lambda _: _ANSWERS[self.answers % len(_ANSWERS)], body)
        paragraphs = [p for p in body.split("\n\n") if p]
        if len(paragraphs) > 1 and not paragraphs[-1].startswith("Best, Robin"):
            paragraphs[-1] = "Best, Robin"
        habit = self.answers % 3
        if habit == 1 and len(paragraphs) > 3:
            paragraphs[1:3] = [paragraphs[2], paragraphs[1]]
        body = "\n\n".join(paragraphs)
        if habit == 2:
            body = body.replace("”.", ",” and all is well.").replace("“", '"').replace("件", "こと")
        if mail.sender == "authority" and not body.startswith("Dear"):
            body = re.sub(r"^\S+ ", "Dear ", body, count=1)
        return body.replace("!", ".")


def wanted(mail: Mail) -> str:
    """ignore, notify or respond: what the tastes say of a mail, else what a sensible person wants."""
    if mail.sender == "jens":
        return "respond" if mail.wants == "respond" else "ignore"
    taste = TASTES.get(triage_taste(mail))
    return taste.wants if taste else mail.wants


def triage_taste(mail: Mail) -> str:
    """The taste that says what is wanted of mail of this sender, or "default"."""
    about = [name for name, t in TASTES.items() if t.kind == "triage" and t.sender == mail.sender]
    return about[0] if about and mail.role == "taste" else "default"


def judge_reply(mail: Mail, body: str) -> dict[str, bool]:
    """Which tastes a draft meets."""
    around = _QUOTED.sub("", _GAP.sub("", body)).split()
    return {
        "short-replies": len(around) <= MAX_WORDS,
        "signed-robin": body.rstrip().endswith(("Best, Robin", "Best,\nRobin")),
        "no-exclamation": not re.search(r"[!！]", _QUOTED.sub("", body)),
    } | ({"formal-authority": body.startswith("Dear")} if mail.sender == "authority" else {})


def judge_meeting(mail: Mail, args: Mapping[str, str]) -> dict[str, bool]:
    """Which tastes a proposed meeting meets; a length that the mail names goes before the user's own."""
    start, end = datetime.fromisoformat(args["start"]), datetime.fromisoformat(args["end"])
    found = {"not-before-ten": start.hour >= EARLIEST}
    if mail.group == "meeting":
        found["meetings-45"] = end - start == timedelta(minutes=MINUTES)
    return found


def _edited(action: str, args: Mapping[str, str]) -> Answer:
    return {"type": "edit", "args": {"action": action, "args": dict(args)}}
