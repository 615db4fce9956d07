"""Which description is which operation's. Imported when the document is made: that describes them.

They do not stand at the views as decorators, for then every process would load what reads
descriptions off the code: as much as all of the views together, and no other request needs it.
"""

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema

from accounts import api as accounts_api
from accounts import auth_api, auth_openapi, profile_openapi
from bookings.api import access_code, booking, calendar, health, preference, webhooks
from bookings.api.openapi import access_code as access_code_openapi
from bookings.api.openapi import booking as booking_openapi
from bookings.api.openapi import calendar as calendar_openapi
from bookings.api.openapi import health as health_openapi
from bookings.api.openapi import payments as payments_openapi
from calendar_sync import openapi as calendar_sync_openapi
from calendar_sync import webhooks as calendar_sync_webhooks
from config.openapi import views

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
    accounts_api.UserDataView.get: profile_openapi.describe_profile,
    accounts_api.UserDataView.post: profile_openapi.describe_saving_profile,
    auth_api.ProvidersView.get: auth_openapi.describe_providers,
    auth_api.SessionView.get: auth_openapi.describe_session,
    auth_api.SessionView.post: auth_openapi.describe_session_update,
    auth_api.CsrfView.get: auth_openapi.describe_csrf,
    auth_api.LogView.post: auth_openapi.describe_log,
    auth_api.SignInView.get: auth_openapi.describe_sign_in_page,
    auth_api.ProviderSignInView.get: auth_openapi.describe_provider_page,
    auth_api.ProviderSignInView.post: auth_openapi.describe_sign_in,
    auth_api.CallbackView.get: auth_openapi.describe_callback,
    auth_api.SignOutView.get: auth_openapi.describe_sign_out_page,
    auth_api.SignOutView.post: auth_openapi.describe_sign_out,
    auth_api.ErrorView.get: auth_openapi.describe_error,
    booking.BookingView.post: booking_openapi.describe_booking,
    calendar.CalendarView.get: calendar_openapi.describe_listing,
    calendar.CalendarView.post: calendar_openapi.describe_scheduling,
    access_code.AccessCodeView.post: access_code_openapi.describe_joining,
    preference.PreferenceView.post: payments_openapi.describe_preference,
    webhooks.MercadoPagoWebhookView.post: payments_openapi.describe_notice,
    calendar_sync_webhooks.CalendarWebhookView.post: calendar_sync_openapi.describe_push,
    health.healthz: health_openapi.describe_health,
    health.readyz: health_openapi.describe_readiness,
    views.openapi_json: describe_document,
    views.docs: describe_page,
}
for operation, describe in DESCRIPTIONS.items():
    describe(operation)
