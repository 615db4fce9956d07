"""Each endpoint's answers to domain errors, subclasses included."""

from bookings.api import texts
from bookings.domain.exceptions import (
    AlreadyJoinedError,
    BookingError,
    ClassCancelledError,
    ClassCompletedError,
    ClassEndedError,
    ClassFullError,
    ClassNotFoundError,
    EventNotSavedError,
    NotPaidError,
    OwnClassError,
    PaymentsOffError,
    PlaceOfferedError,
    PriceNotAgreedError,
    SlotTakenError,
    TooManyAttemptsError,
    TooManyBookingsError,
    TooManyError,
    TooManyLookUpsError,
    TriggerRefusedError,
)
from bookings.payments.gateway import PaymentError
from calendar_sync import CalendarError
from config.lib.api.views import Refusal

Refusals = dict[type[Exception], Refusal]

# Seconds after which a caller that got 402 may ask again: people need some time to pay.
PAYING_TAKES = 5

JOINING: Refusals = {
    TooManyAttemptsError: Refusal(429),
    ClassNotFoundError: Refusal(404, has_code=True),
    OwnClassError: Refusal(403, has_code=True),
    ClassEndedError: Refusal(410, has_code=True),
    ClassFullError: Refusal(409, has_code=True),
    PlaceOfferedError: Refusal(409, has_code=True),
    AlreadyJoinedError: Refusal(409, has_code=True),
}
BOOKING: Refusals = {
    TooManyBookingsError: Refusal(429),
    BookingError: Refusal(400),
}
PREFERENCE: Refusals = {
    TooManyError: Refusal(429),
    SlotTakenError: Refusal(409),
    PaymentsOffError: Refusal(503),
    BookingError: Refusal(400),
    PaymentError: Refusal(503, texts.PROVIDER_DOWN, warning="a preference could not be made"),
}
LISTING: Refusals = {CalendarError: Refusal(500, texts.FETCH_FAILED)}
_SCHEDULING_FAILED = Refusal(500, texts.CREATE_FAILED, warning="a class could not be scheduled")
SCHEDULING: Refusals = {
    ClassNotFoundError: Refusal(404, texts.CLASS_NOT_FOUND),
    TriggerRefusedError: Refusal(403, texts.CALLER_REFUSED),
    NotPaidError: Refusal(402, texts.NOT_PAID, retry_after=PAYING_TAKES),
    TooManyLookUpsError: Refusal(429, texts.TOO_MANY_LOOK_UPS),
    ClassCancelledError: Refusal(409, texts.CLASS_CANCELLED),
    ClassCompletedError: Refusal(409, texts.CLASS_OVER),
    ClassEndedError: Refusal(409, texts.CLASS_OVER),
    SlotTakenError: Refusal(409, texts.TIME_TAKEN),
    PriceNotAgreedError: Refusal(409, texts.PRICE_NOT_AGREED),
    EventNotSavedError: Refusal(500, texts.SAVE_FAILED),
    CalendarError: _SCHEDULING_FAILED,
    PaymentError: _SCHEDULING_FAILED,
}
