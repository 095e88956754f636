"""`get_contact` and `update_contact`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

from pydantic import Field

from email_assistant.effects.outbox import (
    ActionChangedError,
    Outbox,
    Reconciled,
    reconciled_done,
    reconciled_not_done,
)
from email_assistant.effects.subjects import bounded
from email_assistant.errors import InputError
from email_assistant.journal.contact import Contact, ContactFields, checked, contact_address
from email_assistant.journal.contacts import Contacts
from email_assistant.review.action import Action, Problem
from email_assistant.review.card import title
from email_assistant.review.risk import Risk
from email_assistant.tools.tool import Arguments, AskAgain, Done, Reading, Turn

KIND = "contact"
SOURCE = "a card that you accepted"


class GetContactArguments(Arguments):
    """Whose details."""

    address: str = Field(min_length=3, max_length=254, description="The person's email address.")


class UpdateContactArguments(Arguments):
    """What to change; a detail that is left out stays, an empty one is taken away."""

    address: str = Field(min_length=3, max_length=254, description="The person's email address.")
    name: str | None = None
    organisation: str | None = None
    phone: str | None = None
    role: str | None = Field(None, description="What the person does at the organisation.")
    notes: str | None = Field(None, description="All of the notes, the old ones that are to stay included.")
    tags: list[str] | None = Field(
        None, description="All of the tags, the old ones that are to stay included."
    )


@dataclass(frozen=True)
class GetContact:
    """Tells what is known about a person."""

    contacts: Contacts
    name: ClassVar[str] = "get_contact"
    description: ClassVar[str] = (
        "What the user's contacts hold about the person with this email address: name, organisation, role, phone, "
        "notes, tags, and where that came from."
    )
    arguments: ClassVar[type[Arguments]] = GetContactArguments
    risk: ClassVar[Risk] = Risk.READ

    async def read(self, args: GetContactArguments, turn: Turn) -> Reading:
        """The contact as a JSON object on one line, which no text in it can end; details that are empty are left out."""
        found = await self.contacts.get(args.address)
        if found is None:
            nothing = f"The contacts hold nothing about {contact_address(args.address)}."
            return Reading(nothing, ours=nothing)
        known = {"address": found.address} | {k: v for k, v in found.fields().items() if v}
        known["source"] = found.source
        told = ", ".join(filter(None, (found.name, found.role, found.organisation, found.phone)))
        line = json.dumps(known, ensure_ascii=False)
        return Reading(
            line, (f"Contact: {found.address}: {told or 'no details'} (from {found.source}).",), ours=line
        )


@dataclass(frozen=True)
class UpdateContact:
    """Changes a person's details, or notes a new person.

    What others are told later may rest on them, and the old ones are gone: so it is reviewed, whoever wrote the mail.
    """

    contacts: Contacts
    outbox: Outbox
    name: ClassVar[str] = "update_contact"
    description: ClassVar[str] = (
        "Change what the user's contacts hold about a person. The human reviews it before it is changed."
    )
    arguments: ClassVar[type[Arguments]] = UpdateContactArguments
    risk: ClassVar[Risk] = Risk.IRREVERSIBLE

    async def prepare(self, args: UpdateContactArguments, turn: Turn) -> Action | Done:
        """Check the details and see what they would replace."""
        given = args.model_dump(exclude={"address"}, exclude_none=True)
        if not given:
            raise InputError(
                "update_contact: say what to change: name, organisation, phone, role, notes or tags"
            )
        shown = {"address": contact_address(args.address), **_shown(checked(given))}
        action = Action(
            id=turn.action_id,
            tool_call_id=turn.tool_call_id,
            kind=self.name,
            title=title(f"Update contact: {shown['address']}"),
            args=shown,
            revision=turn.revision,
        )
        action = await self._compared(action)
        if action.facts["before"] is not None and not action.reasons:
            return Done("The contacts say this already.")
        return action

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """Check an edit: the address parses, the details are of bounded length."""
        try:
            shown = {"address": contact_address(edited["address"]), **_shown(_fields(edited))}
        except InputError as error:
            return Problem(f"The edit was not taken: {error}")
        revised = action.with_args(shown)
        # What stands there was shown for the address on the card only.
        return revised if shown["address"] == action.args["address"] else await self._compared(revised)

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """Change the contact, unless it has changed since the card was made; a repeat changes nothing."""
        address, fields = action.args["address"], _fields(action.args)

        async def do() -> dict[str, Any]:
            if await self._before(address) != action.facts["before"]:
                raise _ChangedSinceError(f"the contact {address} has changed since the card was made")
            await self.contacts.upsert(address, fields, source=SOURCE)
            return {"address": address}

        async def reconcile() -> Reconciled:
            found = await self.contacts.get(address)
            there = found is not None and {name: found.fields()[name] for name in fields} == dict(fields)
            return reconciled_done({"address": address}) if there else reconciled_not_done()

        effect: dict[str, Any] = {
            "kind": KIND,
            "subject_key": f"contact:{bounded(address)}",
            "payload": action.as_json(),
        }
        try:
            await self.outbox.perform(action.id, **effect, do=do, reconcile=reconcile)
        except (_ChangedSinceError, ActionChangedError):
            return await self._again(action)
        return Done(f"Updated the contact {address}: {', '.join(fields)}.", True)

    async def discard(self, action: Action) -> None:
        """Nothing was left behind by `prepare`."""

    def feedback(self, text: str) -> str:
        """Feedback on the change."""
        return f"Not changed. The user wants the contact changed differently: {text}\nPropose it anew with update_contact."

    async def _again(self, action: Action) -> AskAgain:
        """The card anew, with what stands there now."""
        number = action.revision + 1
        again = replace(action, id=f"{action.id.rpartition(':')[0]}:{number}", revision=number)
        return AskAgain(
            await self._compared(again),
            "The contact has changed since this card was made. Accept to change it all the same.",
        )

    async def _compared(self, action: Action) -> Action:
        """The action, telling what it would replace."""
        before = await self._before(action.args["address"])
        shown = {name: value for name, value in action.args.items() if name != "address"}
        told = [
            f"{name}: was {before[name] or 'empty'}, would be {value or 'empty'}."
            for name, value in shown.items()
            if before is not None and before[name] != value
        ]
        warnings = () if before is not None else ("This person is not among your contacts yet.",)
        facts = dict(action.facts) | {"before": before}
        return replace(action, facts=facts, reasons=tuple(told), warnings=warnings)

    async def _before(self, address: str) -> dict[str, str] | None:
        found: Contact | None = await self.contacts.get(address)
        return _shown(found.fields()) if found else None


class _ChangedSinceError(InputError):
    """The contact is not what the card was made for."""


def _shown(fields: Mapping[str, Any]) -> dict[str, str]:
    """Details as the card shows them."""
    return {name: value if isinstance(value, str) else ", ".join(value) for name, value in fields.items()}


def _fields(shown: Mapping[str, str]) -> ContactFields:
    """The details that stand on a card; raises `InputError` naming one that is wrong."""
    details: dict[str, Any] = {name: value for name, value in shown.items() if name != "address"}
    if "tags" in details:
        details["tags"] = details["tags"].split(",")
    return cast(ContactFields, checked(details))
