"""Email addresses (RFC 5322 §3.4)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Address:
    """One mailbox: `email` is the addr-spec (domain in lower case), `name` the decoded display name or ""."""

    email: str
    name: str = ""

    @property
    def key(self) -> str:
        """The form to compare addresses by: lower case throughout."""
        return self.email.lower()

    @property
    def domain(self) -> str:
        """The part behind the last "@", in lower case; "" when there is none."""
        return self.email.rpartition("@")[2].lower() if "@" in self.email else ""
