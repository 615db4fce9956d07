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
    keep_rules,
)
from bookings.models.change_terms import (
    ChangeTerms,
    RefundCase,
    RefundReason,
    find_change_terms,
)
from bookings.models.class_log import ClassEvent, ClassLog
from bookings.models.heartbeat import (
    CALENDAR,
    MEET_ACCESS,
    Heartbeat,
    meet_refused_at,
    not_connected_since,
    note_beat,
    note_failure,
    read_beats,
)
from bookings.models.notice import Message, Notice, NoticeKind, NoticeState
from bookings.models.sales.bank_transfer import (
    BankTransfer,
    TransferState,
    find_same_numbers,
    normalize_operation_number,
)
from bookings.models.sales.class_link import (
    UNDECIDED,
    ClassLink,
    generate_link_key,
    make_link,
    read_link_token,
)
from bookings.models.sales.hold import Hold, HoldQuerySet
from bookings.models.sales.offer import Offer, Price
from bookings.models.sales.open_class import (
    MinimumDecision,
    OpenClass,
    find_awaited_class,
    find_open_class,
)
from bookings.models.sales.payment import (
    FOREIGN,
    MONEY_CAME,
    MONEY_GONE,
    ChargeStatus,
    Payment,
    PaymentCharge,
    PaymentNotification,
    PaymentStatus,
    Refund,
    RefundStatus,
    ReviewReason,
    SignatureState,
    find_refused,
)
from bookings.models.sales.purchase import (
    GIVEN_UP,
    UNPAID_STATES,
    Entry,
    EntryKind,
    MoneyWay,
    Purchase,
    PurchaseKind,
    PurchaseQuerySet,
    PurchaseState,
)
from bookings.models.teacher_page import PHOTO_WIDTHS, Question, Quote, StoredFile, TeacherPage
from bookings.models.user_activity import Role, UserActivity, WaitingListEntry, WaitingState
from bookings.models.virtual_class import (
    CalendarDrift,
    ClassStatus,
    ClassType,
    HostType,
    PriceDecision,
    VirtualClass,
    VirtualClassQuerySet,
)
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
