"""The address of push messages."""

from django.urls import path

from calendar_sync.push.webhooks import CalendarWebhookView

app_name = "calendar_sync"

urlpatterns = [path("api/webhooks/calendar", CalendarWebhookView.as_view(), name="webhook")]
