"""The next time of an event that repeats."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
import recurring_ical_events

from email_assistant.calendars import ics
from email_assistant.calendars.ics_parsing import UNREADABLE
from email_assistant.calendars.invitation_event import SOURCE
from email_assistant.calendars.invitation_rules import YEARS_AHEAD
from email_assistant.errors import ProviderError

ONE_OF_SERIES = "It changes one occurrence of a series; the others are not shown."
NONE_TO_COME = "It repeats, but no occurrence is to come; the first one is shown."
_WINDOWS = (timedelta(days=35), timedelta(days=400), timedelta(days=366 * YEARS_AHEAD))


def next_of_series(
    components: list[Any], *, owner: ZoneInfo, now: datetime | None
) -> tuple[Any, tuple[str, ...]]:
    """The occurrence to show of the components of one UID, and what is to be known about it.

    That is the first that starts at or after `now` and is not cancelled; without such a one, or without `now`, the
    first of all. Raises `ProviderError` when times or rules cannot be read.
    """
    for component in components:
        ics.check(component, SOURCE)
    main = next((c for c in components if "RECURRENCE-ID" not in c), None)
    if main is None:
        return components[0], (ONE_OF_SERIES,)
    if not any(name in c for c in components for name in ics.RECURRING):
        return main, ()
    begins = ics.instant_of(main["DTSTART"].dt, owner, SOURCE)
    after = max(now.astimezone(UTC), begins) if now else begins
    found = _first_from(components, after, owner)
    if found is None:
        return main, (NONE_TO_COME,)
    start = ics.instant_of(found["DTSTART"].dt, owner, SOURCE).astimezone(owner)
    whole_day = not isinstance(found["DTSTART"].dt, datetime)
    when = f"{start:%A %Y-%m-%d}" if whole_day else f"{start:%A %Y-%m-%d %H:%M} ({owner.key})"
    return found, (f"It repeats; the next time is {when}.",)


def _first_from(components: Iterable[Any], after: datetime, owner: ZoneInfo) -> Any | None:
    """The first occurrence that starts at or after the instant, looked for ever further ahead."""
    calendar = icalendar.Calendar()
    for component in components:
        calendar.add_component(component)
    try:
        query = recurring_ical_events.of(calendar)
        for window in _WINDOWS:
            # A day of margin: whole days and floating times are compared without a zone by the library.
            found = query.between(after - timedelta(days=1), after + window)
            dated = [(ics.instant_of(c["DTSTART"].dt, owner, SOURCE), i, c) for i, c in enumerate(found)]
            coming = [one for one in dated if one[0] >= after and _is_on(one[2])]
            if coming:
                return min(coming)[2]
    except UNREADABLE as error:
        raise ProviderError(f"{SOURCE}: how it repeats cannot be read: {error}") from error
    return None


def _is_on(component: Any) -> bool:
    return str(component.get("STATUS", "")).upper() != "CANCELLED"
