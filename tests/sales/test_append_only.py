"""No road changes or deletes a line of the ledger, after all migrations."""

import pytest
from django.db import DatabaseError, connection, transaction

from bookings.domain.money.purchases import book_cash
from bookings.models import Entry
from tests.factories import PurchaseFactory

pytestmark = pytest.mark.django_db
CHANGE = "UPDATE bookings_entry SET amount = 1"
DELETE = "DELETE FROM bookings_entry"
TRUNCATE = "TRUNCATE bookings_entry CASCADE"
REPLACE = (
    "INSERT OR REPLACE INTO bookings_entry SELECT id, kind, way, 1, is_second, at, written_at, "
    "source, by_id, charge_id, transfer_id, purchase_id FROM bookings_entry"
)


@pytest.fixture
def entry():
    book_cash(PurchaseFactory(), 1_500_000, None)
    return Entry.objects.get()


@pytest.mark.parametrize(
    "road",
    [
        lambda entry: Entry.objects.update(amount=1),
        lambda entry: Entry.objects.all().delete(),
        lambda entry: entry.save(),
        lambda entry: entry.delete(),
    ],
    ids=["update", "delete", "save", "delete-one"],
)
def test_an_entry_stays_as_it_is_by_the_orm(entry, road):
    with pytest.raises(DatabaseError), transaction.atomic():
        road(entry)

    assert Entry.objects.get().amount == 1_500_000


@pytest.mark.parametrize("statement", [CHANGE, DELETE, TRUNCATE, REPLACE])
def test_an_entry_stays_as_it_is_by_sql(entry, statement):
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)

    assert Entry.objects.get().amount == 1_500_000
