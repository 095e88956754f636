"""Cards of every kind, as the review page shows them."""

from dataclasses import replace
from typing import Any

from email_assistant.facts.fact import confirms_in
from email_assistant.review.card_view import CardView
from email_assistant.review.waiting import WaitingCard

ZONE = "Europe/Berlin"
EVERY = ("ignore", "response", "edit", "accept")
MAIL = """Hi Robin,

thank you for the quote, we like it a lot. Two things before we sign:

1. Does the price include taking away the old shelves?
2. Could the oak be oiled instead of varnished, and would that change the price?

We would love to have the room ready before our daughter comes home in
February."""
LETTER = """Hi Mara,

Thank you for your message. I have received it.

[confirm: your answer to question 1]
[confirm: your answer to question 2]

Best regards,
Robin Vale"""
QUESTIONS = {
    "[confirm: your answer to question 1]": "Does the price include taking away the old shelves?",
    "[confirm: your answer to question 2]": "Could the oak be oiled instead of varnished?",
}
HOSTILE = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", '"><svg onload=alert(1)>', "' autofocus onfocus='alert(1)",
    "{{ 7 * 7 }}", "{% include 'page.html' %}", "</textarea><b>", "</title><b>", "<!-- ", "]]>", "&lt;b&gt;&#60;b&#62;",
    "</article></section>", "<a href='javascript:alert(1)'>", "\u202e<b>\u2066", "<base href=//x.example>", "\x00<b>",
    '{"a": "</script>"}', "`${alert(1)}`", "<template><b>", "<form action=//x.example>",
)  # fmt: skip
"""None of them has a line break, so that the text around them keeps its shape."""
_EMPTY = CardView(
    kind="", title="", ask="", summary="", problem="", doubts=(), warnings=(), gaps=(), args={}, answers=(), options=(),
    sender="", address="", verified="no. Nobody vouches for the sender.", subject="", received="2026-11-16T08:12:44+01:00",
    timezone=ZONE, facts=(), attachments=(), message="", quoted="", earlier=(), earlier_count=0,
    reasons=("Triage: It asks you a question.",), offline="Written by rules.", importance="", message_key="", sections=(),
)  # fmt: skip


def card(number: int, kind: str, sender: str, subject: str, **more: Any) -> WaitingCard:
    """A waiting card; `more` are fields of its view, and `graph`."""
    graph = more.pop("graph", "email_assistant")
    args = more.get("args", {})
    gaps = [
        {
            "field": name,
            "text": text[start:end],
            "span": [start, end],
            "question": QUESTIONS.get(text[start:end], ""),
        }
        for name, text in args.items()
        for start, end in confirms_in(text)
    ]
    told = {
        "answers": EVERY,
        "ask": f"{sender} wrote about “{subject}”.",
        "gist": subject,
        "message_key": f"mail{number}",
    }
    fields = told | {"message": MAIL, "address": f"{sender.split(maxsplit=1)[0].lower()}@example.org"} | more
    facts = replace(
        _EMPTY, kind=kind, title=f"{kind}: {subject}", sender=sender, subject=subject, gaps=gaps, **fields
    )
    names = {
        "accept": "allow_accept",
        "edit": "allow_edit",
        "response": "allow_respond",
        "ignore": "allow_ignore",
    }
    config = {name: kind_ in facts.answers for kind_, name in names.items()}
    thread = f"00000000-0000-0000-0000-{number:012}"
    return WaitingCard(
        thread,
        graph,
        facts.title,
        dict(args),
        config,
        "",
        facts.as_json(),
        f"{number:032x}",
        "2026-11-20T08:00:00+00:00",
    )


def reply(number: int = 1, body: str = LETTER, **more: Any) -> WaitingCard:
    """A reply, with two gaps unless the body has none."""
    args = {
        "to": "Mara Lindqvist <mara@lindqvist.example>",
        "cc": "",
        "subject": "Re: Your quote",
        "body": body,
    }
    return card(
        number, "send_email", "Mara Lindqvist", "Your quote for the reading room", **({"args": args} | more)
    )


def asked_when(
    number: int = 3, body: str = "Hi Nils,\n\n[confirm: a time that suits you]\n\nRobin"
) -> WaitingCard:
    """A reply whose gap for a time may be filled with free hours."""
    made = reply(number, body)
    texts = (
        "Thursday 26 November, 15:00–15:30 (Europe/Berlin; 14:00–14:30 your time)",
        "Friday 27 November, 09:00–09:30",
    )
    offers = [{"text": text, "label": "", "why": "free", "times": []} for text in texts]
    offers.append({"text": "\n".join(texts), "label": "All 2", "why": "to choose from", "times": []})
    first, *others = made.facts.gaps
    gaps = [{**first, "offers": offers}, *others]
    return replace(made, view=made.view | {"gaps": gaps, "sender": "Nils Falk", "subject": "A call"})


def meeting(number: int = 2) -> WaitingCard:
    """A meeting whose asked time is taken, with another time to choose."""
    times = {"start": "2026-11-26T11:30:00+01:00", "end": "2026-11-26T13:00:00+01:00"}
    args = {
        "title": "Lobby concept",
        "attendees": "ingrid@fjord.example",
        **times,
        "timezone": ZONE,
        "location": "studio",
    }
    asked = {
        "start": "2026-11-26T10:00:00+01:00",
        "end": "2026-11-26T11:30:00+01:00",
        "taken_by": "Presentation",
    }
    other = {"start": "2026-11-26T15:00:00+01:00", "end": "2026-11-26T16:30:00+01:00"}
    facts = {
        **times,
        "timezone": ZONE,
        "attendees": "",
        "location": "",
        "asked": asked,
        "collisions": [],
        "options": [other],
    }
    return card(
        number, "schedule_meeting", "Ingrid Moe", "Lobby: can we meet Thursday?", args=args, meeting=facts
    )


def invitation(number: int = 7) -> WaitingCard:
    """Somebody's event, which an answer is asked for."""
    times = {
        "start": "2026-11-26T14:00:00+01:00",
        "end": "2026-11-26T15:00:00+01:00",
        "timezone": "Europe/Oslo",
    }
    event = {"title": "Second round", "attendees": "robin@vale.example", "location": "Fjord Hotel", **times}
    return card(
        number, "invitation", "Ingrid Moe", "Invitation: Second round", args={"answer": "accepted", "comment": ""},
        ask="Ingrid Moe invites you.", summary="Second round: Thu 26 Nov 14:00–15:00. At Fjord Hotel.",
        meeting={**event, "asked": None, "collisions": [], "options": []},
    )  # fmt: skip


def forged(number: int = 3) -> WaitingCard:
    """A notice of new bank details, whose sender is in doubt."""
    text = "Dear Robin,\n\nplease pay to our new bank details today.\n\nIBAN: XX00 0000 0000 0000 0000 00\nhttps://pay.example/now"
    doubts = (
        "Replies would go to another domain.",
        "The mail may not come from that address: its check failed (SPF).",
    )
    return card(
        number, "notify", "Brandt Holz Accounts", "Our new bank details", doubts=doubts, alarms=("money",),
        answers=("ignore", "response"), message=text,
    )  # fmt: skip


def notice(number: int) -> WaitingCard:
    """A mail that asks for nothing."""
    return card(
        number,
        "notify",
        f"Fabric House {number}",
        f"Your linen {number} is ready",
        answers=("ignore", "response"),
    )


def label(number: int, category: str = "Professional/Work", **more: Any) -> WaitingCard:
    """A guess at a label."""
    options = ("Important", "Professional/Work", "Personal/Family", "Personal/Friends", "Purchases/Orders")
    return card(
        number, "label", f"Svenja Groß {number}", "Frage zum Farbworkshop", graph="inbox_organizer",
        **({"args": {"category": category}, "options": options, "confidence": 0.4} | more),
    )  # fmt: skip


def refund(number: int = 5) -> WaitingCard:
    """Money that would be paid."""
    args = {"policy_id": "HC-20466", "amount": "184.50", "currency": "EUR"}
    facts = {
        "amount": "184.50", "currency": "EUR", "customer": "Ines Marbury (U005)", "policy": "HC-20466, Home Contents, active",
        "earlier": ["12 Mar, TR-50049: 4.80 EUR"], "checks": ["The policy is this customer's and was active today"],
        "working": [
            {"label": "Premium paid, 12 months", "value": "342.00", "source": ""},
            {"label": "Administration fee", "value": "− 15.00", "source": "§ 2.2"},
            {"label": "Refund", "value": "184.50", "source": ""},
        ],
    }  # fmt: skip
    return card(
        number, "refund", "Ines Marbury", "Cancellation of HC-20466", graph="claims_desk", args=args, refund=facts,
        answers=("ignore", "response", "edit", "accept"),
    )  # fmt: skip


def question(number: int = 6) -> WaitingCard:
    """What the assistant asks."""
    return card(
        number, "Question", "Ana Petrova", "Kitchen tiles", args={"question": "Which of the two greens is meant?"},
        answers=("ignore", "response"),
    )  # fmt: skip


def every() -> list[WaitingCard]:
    """One mail of each kind, and bundles."""
    also = label(9, message_key="mail1")
    return [
        reply(), meeting(), invitation(), forged(), refund(), question(), asked_when(8), also,
        *(notice(number) for number in range(20, 24)), *(label(number) for number in range(30, 36)),
    ]  # fmt: skip


def hostile(text: str, first: int = 1) -> list[WaitingCard]:
    """Cards of every shape, with the text wherever somebody outside can write; numbered from `first`."""
    mail = {
        "address": text, "message": text, "quoted": text, "verified": text,
        "ask": text, "gist": text, "problem": text, "warnings": (text,), "facts": (text,), "reasons": (text,),
        "attachments": ({"name": text, "type": text, "size": 5},), "sections": ({"heading": text, "text": text},),
        "earlier": ({"sender": text, "address": text, "received": "2026-11-16T08:12:44+01:00", "text": text},), "earlier_count": 1,
    }  # fmt: skip
    letter = {
        "to": text,
        "cc": text,
        "subject": text,
        "body": f"{text}\n\n[confirm: {text.replace('[', '').replace(']', '')}]",
    }
    times = {"start": "2026-11-26T11:30:00+01:00", "end": "2026-11-26T13:00:00+01:00"}
    made = {"title": text, "attendees": text, "timezone": ZONE, "location": text} | times
    return [
        card(first, "send_email", text, text, args=letter, **mail),
        card(first + 1, "schedule_meeting", text, text, args=made, **mail),
        card(first + 2, "notify", text, text, doubts=(text,), answers=("ignore", "response"), **mail),
        card(first + 3, "Question", text, text, args={"question": text}, **mail),
        card(first + 4, "label", text, text, args={"category": text}, options=(text,), **mail),
    ]  # fmt: skip
