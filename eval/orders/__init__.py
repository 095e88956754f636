"""What a shop's mails come to, written down by hand: `samples/shop/mails.csv` against `samples/shop/catalogue.csv`.

`expected.jsonl` has a line a mail, in the order of the mails; stock goes down from mail to mail.

- `split`: "dev" (odd numbers), which rules and prompts may be fitted to, or "test". Every kind is in both.
- `kinds`: what makes the mail hard; `note` says it in a sentence. `customer_name`: "" when it is not given.
- `analysis`: what a perfect model makes of the mail. A name stays as the mail has it, `description` and `category` are in the
  catalogue's language. "All remaining" has the quantity 1, and a range its lower number: the words in `mention_text` decide.
- `resolutions`: one for each mention, in the order of the analysis; `candidates` must be among those of an ambiguous one.
- `order`: null when the mail orders nothing. `discount` is the price of the units fulfilled less the line's `total`.
- `questions`: `answer_facts` are strings that the answer must hold (digits of a price without its decimals, so that any
  language's comma will do); none when the catalogue has no answer. `in_stock` is what the stock was when the mail came in.
- `must_not`: phrases that the reply must not hold, in any case of letters.

`hostile.jsonl` has mails that try to get more than an order gives: `must_not_happen` says what in words, and `at_most` how many units
of which products may leave the stock.
"""
