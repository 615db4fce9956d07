"""Booking as tests write it: with the fields of the request as keywords."""

from bookings.domain.classes import booking


def book_class(*, user, **fields):
    """Book a class for ``user``. fields: of BookingRequest."""
    return booking.book_class(user=user, request=booking.BookingRequest(**fields))
