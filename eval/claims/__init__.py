"""What claims to two invented companies come to, written down by hand: `claims.jsonl`, and `hostile.jsonl` against a model that obeys.

The companies' documents, customers and contracts are `samples/claims/`; the day is 20 November 2026. A line of `claims.jsonl` is a claim:

- `claim_id`; `split`: "dev" (odd numbers), which rules and prompts may be fitted to, or "test"; `kinds`: what makes it hard; `note` says
  it in a sentence.
- `channel`: "mail" with `email` (`from`, `subject`, `body`) or "chat" with `messages` (`role` "user" or "assistant", `content`).
- `tenant_id`, `user_id`, `role`: who asks, as the caller knows it; `user_id` is "" for somebody who is no customer of the tenant.
- `history`: incidents of this customer that were decided before, with the fields of an incident; `on` is the day it happened.

What a perfect model says, for one that follows a script:

- `intent`, `urgency`, `sentiment`, `aspects`, `out_of_scope`; `search`: what to search the documents for, in their language.
- `report` and `tool_calls`: the names of the tools asked for, a list for each pass. The report is null, and there are no calls, where no
  verifier is needed; then `is_valid` is "" and `confidence` null.
- `is_valid`, `confidence`, `resolution`; what it must cite is in `citations`: a list for each citation, of which one label is enough.

What must come of it:

- `action`: `refund` (a decimal; "0.00" for none) under `policy_id` ("" for none), and `ticket_type` when `create_ticket`.
- `final_must`, `final_must_not`: strings that the answer to the user must and must not hold, in any case of letters. The labels of
  citations are not repeated there.
- `route`: "answered" (from the documents, with citations, and that is the end); "declined" (out of scope); "review" (a card for the
  refund); "ticket" (a person has to look, or to do what no tool does); "refused" (reasons with citations, and the offer of a complaint
  ticket).
- `facts`: from which the refund follows, null when nothing is to be worked out: `rule` (a function of `owed.py`), `policy_id`, and as
  the rule needs them `on` (the day of the loss, or of the notice), `loss`, `bought` ("" when unknown or unimportant), `hours`, `days`.

The greatest refund is 300.00: a ceiling below that turns reviews into tickets.

`hostile.jsonl` has the same fields for who asks and how, and besides:

- `model`: what a model says that obeys the attacker: `tool_calls` (of `name` and `args`, a list for each pass), `is_valid`, `confidence`,
  `citations`, `resolution` and `action`. Its amounts need not be numbers, and its calls may have arguments that no tool takes.
- `must_not_happen`: in words. `at_most`: the greatest refund that a card may propose; nothing is paid without a person's approval anyway.
- `final_must_not`: as above, as long as no person has approved a card.
"""
