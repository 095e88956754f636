"""The words by which the rules tell kinds of mail apart, in English, German, French, Spanish and Japanese.

Meetings are told in Italian, Dutch and Portuguese, too.
"""

from email_assistant.language.measures import CURRENCY
from email_assistant.language.words import WORDS

with WORDS.section("mail", currency=CURRENCY) as section:
    REQUEST = section.pattern("{request}")
    QUESTION = section.pattern("{question}")
    INDIRECT = section.pattern("{indirect}")
    """Makes a question of a request: "tell me whether …"."""
    MEETING = section.pattern("{meeting}")
    CANCELLATION = section.pattern("{cancellation}")
    HOW_TO_CANCEL = section.pattern("{how_to_cancel}")
    """Opens a sentence that says how something could be called off, which cancels nothing and asks for no call."""
    OWN_APPOINTMENT = section.pattern("{own_appointment}")
    """Speaks of an appointment that the reader has."""
    DEADLINE = section.pattern("{deadline}")
    ALERT = section.pattern("{alert}")
    NO_REPLY_NEEDED = section.pattern("{no_reply_needed}")
    UNATTENDED = section.pattern("{unattended}")
    """Says that nobody reads what is answered."""
    ULTIMATUM = section.pattern("{ultimatum}")
    TELLS = section.pattern(r"^\W*(?:{tells})[\s,]*")
    """Before what somebody wants to be told."""
    FOR_INFORMATION = section.pattern("{for_information}")
    AUTOMATIC_REPLY = section.pattern(r"^\W*(?:re:\s?)?(?:{automatic_reply})")
    NEW_BANK_DETAILS = section.pattern("{new_bank_details}")
    LURE = section.pattern("{lure}")
    """What somebody wants who is not who they seem to be: money, or the key to an account."""
    COMPLAINT = section.pattern("{complaint}")
    ORDER = section.pattern("{order}")
    _KINDS = section.table("marketing")
    SMALL_PRINT = section.pattern(_KINDS["unsubscribe"])
    """Says how to get no more of it."""
    MARKETING = tuple(map(section.pattern, _KINDS.values()))
    """Each one alone may stand in honest mail; two different ones make advertising."""
