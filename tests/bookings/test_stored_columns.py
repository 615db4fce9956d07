"""Rows are stored with each of their columns, those with a default of the database included."""

import pytest
from django.apps import apps
from django.db import models

from accounts.models import Session, User
from bookings.domain.desk.own_page import lock_teacher_page
from bookings.domain.places.joining import join_class
from bookings.models import (
    BookingRules,
    ClassLog,
    Notice,
    TeacherPage,
    UserActivity,
    VirtualClass,
)
from tests.booking import book_class
from tests.factories import VirtualClassFactory

pytestmark = pytest.mark.django_db

WITH_DATABASE_DEFAULT = {
    field.model
    for app in ("accounts", "bookings", "calendar_sync")
    for model in apps.get_app_config(app).get_models()
    for field in model._meta.concrete_fields
    if field.db_default is not models.NOT_PROVIDED
}


def columns(row):
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def test_each_model_with_a_database_default_is_tried_here():
    with_default = {BookingRules, Session, TeacherPage, User, VirtualClass}

    assert with_default == WITH_DATABASE_DEFAULT


def test_booking_stores_the_class_as_it_is_in_memory(student):
    drafted = VirtualClassFactory.build(booked_by=student)

    booked = book_class(
        user=student,
        start=drafted.start_time,
        end=drafted.end_time,
        is_group_class=True,
        students_count=5,
        price=1_500_000,
        preference_id="preference",
        words={"learning_focus": "Hablar"},
    )

    assert columns(booked) == columns(VirtualClass.objects.get())
    assert ClassLog.objects.get().virtual_class == booked


def test_joining_stores_the_part_the_place_and_the_notice(student):
    VirtualClassFactory(scheduled=True, access_code="ABCD2345")

    joined = join_class(user=student, access_code="ABCD2345")

    assert columns(joined) == columns(VirtualClass.objects.get())
    part = UserActivity.objects.get(user=student)
    assert set(Notice.objects.filter(user=student).values_list("virtual_class", flat=True)) == {
        part.virtual_class_id
    }


@pytest.mark.parametrize("model", [Session, User], ids=lambda model: model.__name__)
def test_column_with_a_database_default_keeps_what_it_is_given(student, model):
    row = model.objects.create(
        **{
            Session: {
                "session_key": "k" * 32,
                "expire_date": student.created_at,
                "user_agent": "Firefox",
                "began_at": student.created_at,
                "used_at": student.created_at,
            },
            User: {"email": "new@example.com", "private_notes": "Llega tarde."},
        }[model]
    )

    assert columns(model.objects.get(pk=row.pk)) == columns(row)


def test_the_first_page_of_hers_is_stored_as_it_is_in_memory():
    page = lock_teacher_page()

    assert columns(page) == columns(TeacherPage.objects.get())
