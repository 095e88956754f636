"""Seasons of the year."""

from datetime import date

from email_assistant.workflows.order_desk.shop.product import SEASONS, Season


def season_of(day: date) -> Season:
    """The meteorological season of the northern hemisphere: spring begins on 1 March."""
    return SEASONS[((day.month - 3) % 12) // 3]
