"""The demo's discount codes: one for newcomers, and one for friends that is soon used up."""

from bookings.models import DiscountCode

FRIENDS = "AMIGOS"


def seed_codes() -> None:
    DiscountCode.objects.create(code="BIENVENIDA", percent=10)
    DiscountCode.objects.create(code=FRIENDS, amount=200_000, max_uses=20)
