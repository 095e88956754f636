"""Events, free time, time zones, and the calendar port."""
