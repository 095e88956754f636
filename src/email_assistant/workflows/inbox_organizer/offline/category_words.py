"""Words by which the rules tell categories of mail apart, in English, German, Spanish and French."""

from email_assistant.language.money import SIGN
from email_assistant.workflows.inbox_organizer.wording import WORDS

with WORDS.section("categories", sign=SIGN) as section:
    OFFER = section.pattern("{offer}")
    """A lower price, for a time."""
    SHOPPING = section.pattern("{shopping}")
    """An invitation to buy."""
    LETTER = section.pattern("{letter}")
    """Something to read that comes again and again."""
    READING = section.pattern("{reading}")
    ORDER = section.pattern("{order}")
    """Something bought: confirmed, sent, paid or given back."""
    CHARGED = section.pattern("{charged}")
    WORK = section.pattern("{work}")
    """Work that people do together."""
    WORK_TONE = section.pattern("{work_tone}")
    RECRUITING = section.pattern("{recruiting}")
    """An offer of work."""
    FAMILY = section.pattern("{family}")
    FRIEND = section.pattern("{friend}")
    IMPORTANT = section.pattern("{important}")
    """Something bad happens when it is missed."""
    UNSUBSCRIBE = section.pattern("{unsubscribe}")
    """The small print of mailings."""
    SELLING_MAILBOX = section.pattern(r"(?:{selling_mailbox})(?:[+._-].*)?")
    LETTER_MAILBOX = section.pattern(r"(?:{letter_mailbox})(?:[+._-].*)?")
    EDITORS_MAILBOX = section.pattern(r"(?:{editors_mailbox})(?:[+._-].*)?")
    ORDER_MAILBOX = section.pattern(r"(?:{order_mailbox})(?:[+._-].*)?")
    SECURITY_MAILBOX = section.pattern(r"(?:{security_mailbox})(?:[+._-].*)?")
    JOBS_MAILBOX = section.pattern(r"(?:{jobs_mailbox})(?:[+._-].*)?")
