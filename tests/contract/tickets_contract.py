"""What every system behind the `Tickets` port must do.

A test class inherits from `TicketsContract` and brings one fixture: `tickets`, with none in it.
"""

from dataclasses import replace

from email_assistant.workflows.claims_desk.claims.claim import MAX_BODY, TicketDraft, Tickets

DRAFT = TicketDraft("acme", "U1", "complaint", "A burst pipe", "Line one.\n\nLine two.")


class TicketsContract:
    """Run against a real adapter."""

    async def test_a_ticket_is_made(self, tickets: Tickets) -> None:
        """With what was wanted, open, under a key."""
        made = await tickets.create(DRAFT, "k1")
        assert (made.tenant_id, made.user_id, made.type) == ("acme", "U1", "complaint")
        assert (made.title, made.body, made.status) == (DRAFT.title, DRAFT.body, "open")
        assert (made.idempotency_key, bool(made.key)) == ("k1", True)
        assert made.created_at.utcoffset() is not None

    async def test_one_key_is_one_ticket(self, tickets: Tickets) -> None:
        """Within a tenant."""
        first = await tickets.create(DRAFT, "k1")
        assert (await tickets.create(DRAFT, "k1")).key == first.key
        assert (await tickets.create(DRAFT, "k2")).key != first.key
        assert (await tickets.create(replace(DRAFT, tenant_id="other"), "k1")).key != first.key

    async def test_a_ticket_is_found_again(self, tickets: Tickets) -> None:
        """By its key, and none under another one or for another tenant."""
        assert await tickets.find(DRAFT, "k1") is None
        made = await tickets.create(DRAFT, "k1")
        found = await tickets.find(DRAFT, "k1")
        assert found is not None
        assert (found.key, found.url, found.body) == (made.key, made.url, made.body)
        assert await tickets.find(DRAFT, "k2") is None
        assert await tickets.find(replace(DRAFT, tenant_id="other"), "k1") is None

    async def test_hostile_text(self, tickets: Tickets) -> None:
        """Hidden characters go, size is bounded, and what looks like markup stays text."""
        hostile = '"]} {panel} [x|https://evil.example] @all *b* ---\n||h||\n' + "z" * 50_000
        made = await tickets.create(replace(DRAFT, title='" OR 1=1 \n\u202e\ud800', body=hostile), 'k"1\n')
        assert made.title == '" OR 1=1 \N{REPLACEMENT CHARACTER}'
        assert made.body.startswith('"]} {panel} [x|https://evil.example] @all *b* ---\n||h||\nzzz')
        assert len(made.body) == MAX_BODY
