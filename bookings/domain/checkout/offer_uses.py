"""Offers that a person may book once."""

from collections.abc import Iterable

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from bookings.availability.agenda import lapsed
from bookings.domain.exceptions import BookingError, OfferOverError, OfferUsedError
from bookings.domain.money.prices import ClassOption, list_class_options
from bookings.models import ClassStatus, ClassType, Offer, Price, VirtualClass


def refuse_second_use(user: User, offer: Offer | None) -> None:
    if offer and offer.once_per_person and _list_uses(user).filter(offer=offer).exists():
        raise OfferUsedError


def list_bookable_options(
    user: User | AnonymousUser, asked: str
) -> tuple[list[ClassOption], BookingError | None]:
    """Return the bookable options, and why ``asked`` is not one of them.

    asked: a ClassType, an offer's key, or empty.
    """
    options = list_class_options(key=asked)
    used = find_used_offers(user, options) if isinstance(user, User) else set()
    bookable = [one for one in options if not (one.offer and one.offer.pk in used)]
    if not asked or asked in ClassType or asked in {one.kind for one in bookable}:
        return bookable, None
    is_used = asked in {one.kind for one in options}
    return bookable, OfferUsedError() if is_used else OfferOverError()


def find_used_offers(user: User, options: Iterable[ClassOption | Price]) -> set[int]:
    """Return the keys of used offers, in at most one query."""
    once = {one.offer.pk for one in options if one.offer and one.offer.once_per_person}
    if not once:
        return set()
    return set(_list_uses(user).filter(offer__in=once).values_list("offer_id", flat=True))


def _list_uses(user: User) -> QuerySet[VirtualClass]:
    booked = VirtualClass.objects.filter(booked_by=user).exclude(status=ClassStatus.CANCELLED)
    return booked.exclude(lapsed(timezone.now()))
