"""A case of a refund that the product has not, for a policy of more steps."""

from typing import NamedTuple

from bookings.models import RefundReason


class Half(NamedTuple):
    """Half of what is left goes back. Like a ``RefundCase``."""

    reason: RefundReason = RefundReason.CANCELLED
    percent: int = 50
    is_loss: bool = False
