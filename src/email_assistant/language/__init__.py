"""How people write numbers, money, lengths of time, days, hours, zones and languages: one reader each, which returns plain frozen spans.

What is read here is what the words say, whoever asks: the fact check, the shop, the organizer and the offline rules. What follows from
it (a gap, a quantity, a deadline) is theirs. No mail, no models, no clock of its own.
"""
