"""Everything the service stores about classes."""

from bookings.models.availability import (
    BookingRules,
    Closure,
    HoursRange,
    SpecialHours,
    Weekday,
    WeeklyHours,
    hours_overlap,
)
from bookings.models.class_log import ClassEvent, ClassLog
from bookings.models.hold import Hold
from bookings.models.notice import Notice, NoticeKind, NoticeState
from bookings.models.payment import (
    ChargeStatus,
    Payment,
    PaymentCharge,
    PaymentNotification,
    PaymentStatus,
    Refund,
    RefundReason,
    RefundStatus,
    ReviewReason,
    SignatureState,
)
from bookings.models.price import Price
from bookings.models.user_activity import Role, UserActivity
from bookings.models.virtual_class import ClassStatus, ClassType, HostType, VirtualClass

__all__ = [
    "BookingRules",
    "ChargeStatus",
    "ClassEvent",
    "ClassLog",
    "ClassStatus",
    "ClassType",
    "Closure",
    "Hold",
    "HostType",
    "HoursRange",
    "Notice",
    "NoticeKind",
    "NoticeState",
    "Payment",
    "PaymentCharge",
    "PaymentNotification",
    "PaymentStatus",
    "Price",
    "Refund",
    "RefundReason",
    "RefundStatus",
    "ReviewReason",
    "Role",
    "SignatureState",
    "SpecialHours",
    "UserActivity",
    "VirtualClass",
    "Weekday",
    "WeeklyHours",
    "hours_overlap",
]
