"""Which description is which operation's. Imported when the document is made: that describes them.

They do not stand at the views as decorators, for then every process would load what reads
descriptions off the code: as much as all of the views together, and no other request needs it.
"""

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema

from accounts.api import auth, auth_schema, profile_schema
from accounts.api import profile as accounts_api
from bookings.api import access_code, booking, calendar, health, preference, webhooks
from bookings.api.openapi import access_code as access_code_openapi
from bookings.api.openapi import booking as booking_openapi
from bookings.api.openapi import calendar as calendar_openapi
from bookings.api.openapi import health as health_openapi
from bookings.api.openapi import payments as payments_openapi
from calendar_sync.push import schema as calendar_sync_openapi
from calendar_sync.push import webhooks as calendar_sync_webhooks
from config.api.openapi import views

TAGS = ["Description"]
SAME = OpenApiResponse(description="It is still the same.")
describe_document = extend_schema(
    operation_id="getOpenApi",
    tags=TAGS,
    summary="Get this document",
    description="With an `ETag`; `If-None-Match` spares the body.",
    responses={
        (200, "application/json"): OpenApiResponse({"type": "object"}, description="OpenAPI 3.1."),
        304: SAME,
    },
)

describe_page = extend_schema(
    operation_id="showDocs",
    tags=TAGS,
    summary="Read this document in Swagger UI",
    responses={(200, "text/html"): OpenApiResponse({"type": "string"}, description="A page.")},
)

DESCRIPTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    accounts_api.UserDataView.get: profile_schema.describe_profile,
    accounts_api.UserDataView.post: profile_schema.describe_saving_profile,
    auth.ProvidersView.get: auth_schema.describe_providers,
    auth.SessionView.get: auth_schema.describe_session,
    auth.SessionView.post: auth_schema.describe_session_update,
    auth.CsrfView.get: auth_schema.describe_csrf,
    auth.LogView.post: auth_schema.describe_log,
    auth.SignInView.get: auth_schema.describe_sign_in_page,
    auth.ProviderSignInView.get: auth_schema.describe_provider_page,
    auth.ProviderSignInView.post: auth_schema.describe_sign_in,
    auth.CallbackView.get: auth_schema.describe_callback,
    auth.SignOutView.get: auth_schema.describe_sign_out_page,
    auth.SignOutView.post: auth_schema.describe_sign_out,
    auth.ErrorView.get: auth_schema.describe_error,
    booking.BookingView.post: booking_openapi.describe_booking,
    calendar.CalendarView.get: calendar_openapi.describe_listing,
    calendar.CalendarView.post: calendar_openapi.describe_scheduling,
    access_code.AccessCodeView.post: access_code_openapi.describe_joining,
    preference.PreferenceView.post: payments_openapi.describe_preference,
    webhooks.PaymentWebhookView.post: payments_openapi.describe_notice,
    calendar_sync_webhooks.CalendarWebhookView.post: calendar_sync_openapi.describe_push,
    health.healthz: health_openapi.describe_health,
    health.readyz: health_openapi.describe_readiness,
    views.openapi_json: describe_document,
    views.docs: describe_page,
}
for operation, describe in DESCRIPTIONS.items():
    describe(operation)
