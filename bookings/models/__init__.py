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
from bookings.models.heartbeat import Heartbeat
from bookings.models.hold import Hold
from bookings.models.notice import ABOUT_NO_CLASS, Notice, NoticeKind, NoticeState
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
from bookings.models.virtual_class import (
    CalendarDrift,
    ClassStatus,
    ClassType,
    HostType,
    VirtualClass,
)
from bookings.models.waiting_list import WaitingListEntry, WaitingState

__all__ = [
    "ABOUT_NO_CLASS",
    "BookingRules",
    "CalendarDrift",
    "ChargeStatus",
    "ClassEvent",
    "ClassLog",
    "ClassStatus",
    "ClassType",
    "Closure",
    "Heartbeat",
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
    "WaitingListEntry",
    "WaitingState",
    "Weekday",
    "WeeklyHours",
    "hours_overlap",
]
