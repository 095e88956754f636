"""Meetings: made, moved and called off on approval, their guests told; and what invitations by mail come to.

`scheduling` and `cancelling` are tools of the model, `own_meetings` finds what they made, `guests` writes to those invited. A mail with a
calendar part is judged by `incoming`; `invitations` makes its card, `answers` does what the card was approved for.
"""
