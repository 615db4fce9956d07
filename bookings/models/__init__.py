"""The models of classes."""

from bookings.models.availability import (
    LONGEST_HOLD,
    LONGEST_TRANSFER_HOURS,
    PAY_WITHIN,
    BookingRules,
    Closure,
    HoursRange,
    SpecialHours,
    Weekday,
    WeeklyHours,
    hours_overlap,
)
from bookings.models.change_terms import (
    ChangeTerms,
    RefundCase,
    RefundStep,
    find_change_terms,
    load_steps,
)
from bookings.models.class_log import ClassEvent, ClassLog
from bookings.models.heartbeat import (
    CALENDAR,
    MEET_ACCESS,
    Heartbeat,
    meet_refused_at,
    not_connected_since,
)
from bookings.models.hold import Hold
from bookings.models.notice import Message, Notice, NoticeKind, NoticeState
from bookings.models.paid_by_hand import (
    find_cash,
    find_cash_to_return,
    find_owed_by_hand,
    find_paying_transfer,
    is_paid_in_cash,
    is_second_payment,
    list_rests,
    payment_of,
    price_of,
    take_rest_in_cash,
    with_rest,
)
from bookings.models.payment import (
    FOREIGN,
    MONEY_CAME,
    MONEY_GONE,
    PAID_BY_HAND,
    ChargeStatus,
    Payment,
    PaymentCharge,
    PaymentNotification,
    PaymentStatus,
    Refund,
    RefundStatus,
    ReviewReason,
    SignatureState,
)
from bookings.models.price import Price
from bookings.models.purchase import Entry, EntryKind, EntryWay, Purchase, PurchaseKind
from bookings.models.refund_reason import RefundReason
from bookings.models.sales.bank_transfer import (
    BankTransfer,
    TransferState,
    find_same_numbers,
    normalize_operation_number,
    with_their_classes,
)
from bookings.models.sales.class_link import (
    UNDECIDED,
    ClassLink,
    generate_link_key,
    read_link_token,
)
from bookings.models.sales.discount_code import DiscountCode
from bookings.models.sales.offer import Offer
from bookings.models.sales.open_class import (
    MinimumDecision,
    OpenClass,
    Seat,
    SeatState,
    find_open_class,
)
from bookings.models.teacher_page import PHOTO_WIDTHS, Question, Quote, StoredFile, TeacherPage
from bookings.models.user_activity import Role, UserActivity
from bookings.models.virtual_class import (
    CalendarDrift,
    ClassStatus,
    ClassType,
    HostType,
    PriceDecision,
    VirtualClass,
    list_awaiting_scheduling,
)
from bookings.models.waiting_list import WaitingListEntry, WaitingState
from bookings.models.webhook import (
    CHOSEN_KINDS,
    DisabledReason,
    WebhookAttempt,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
    WebhookKind,
    WebhookState,
)
