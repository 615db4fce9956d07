"""The payment provider's name."""

from django import template

from bookings.payments.backend import name_provider

register = template.Library()
register.simple_tag(name_provider, name="provider_name")
