"""Booking as tests write it: with the fields of the request as keywords."""

from dataclasses import fields

from bookings.domain.classes import booking
from bookings.domain.money.prices import Quote


def book_class(*, user, **given):
    """Book a class for ``user``. given: fields of Quote and BookingRequest."""
    quote = Quote(**{one.name: given.pop(one.name) for one in fields(Quote)})
    return booking.book_class(user=user, request=booking.BookingRequest(quote, **given))
