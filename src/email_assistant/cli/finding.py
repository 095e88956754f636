"""A finding of a check of `doctor`."""

from dataclasses import dataclass

READ_ON = "mend what the line names, then run doctor again"


@dataclass(frozen=True)
class Finding:
    """What one check found; `mend` is "" when all is well."""

    name: str
    ok: bool
    text: str
    mend: str = ""
