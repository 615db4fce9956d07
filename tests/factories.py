"""One factory per model, with traits for the states a class can be in."""

import io
from datetime import timedelta
from typing import Any

import factory
from django.utils import timezone
from factory.django import DjangoModelFactory
from PIL import Image

from accounts.models import User
from bookings.domain.money.purchases import book_cash
from bookings.models import (
    BankTransfer,
    ClassStatus,
    ClassType,
    Hold,
    HostType,
    OpenClass,
    Payment,
    Purchase,
    PurchaseKind,
    PurchaseState,
    Question,
    Quote,
    Role,
    TeacherPage,
    UserActivity,
    VirtualClass,
)
from config.lib.wall_time import find_offset


class UserFactory(DjangoModelFactory[User]):
    """A person who signed in once."""

    class Meta:
        model = User
        skip_postgeneration_save = True

    email = factory.Sequence(lambda n: f"person{n}@example.com")
    name = factory.Sequence(lambda n: f"Person {n}")


class PurchaseFactory(DjangoModelFactory[Purchase]):
    """The purchase of a preference that is not booked; ``paid``: the money came now."""

    class Meta:
        model = Purchase

    class Params:
        paid = factory.Trait(paid_at=factory.LazyFunction(timezone.now))

    person = factory.SubFactory(UserFactory)
    kind = PurchaseKind.CLASS
    price = 1_500_000
    paid_at = None
    state = factory.LazyAttribute(lambda o: PurchaseState.PAID if o.paid_at else PurchaseState.KEPT)


# What VirtualClassFactory hands on to the purchase of its class.
SALE = {"paid"} | {one.name for one in Purchase._meta.concrete_fields} - {
    *("id", "person", "kind", "virtual_class", "price", "created_at", "updated_at"),
}


class VirtualClassFactory(DjangoModelFactory[VirtualClass]):
    """A pending class for a group of five, tomorrow, an hour long, with its purchase.

    Takes the fields of the purchase besides (``SALE``). ``in_cash``: when the teacher took the
    whole price, in place of ``paid_at``. ``is_sold=False``: the teacher publishes the class, which
    has no purchase.
    """

    class Meta:
        model = VirtualClass
        skip_postgeneration_save = True

    class Params:
        scheduled = factory.Trait(
            status=ClassStatus.SCHEDULED,
            host_type=HostType.HOST,
            access_code=factory.Sequence(lambda n: f"{n:08d}"),
            provider_event_id=factory.Sequence(lambda n: f"event{n}"),
            html_link="https://meet.google.com/abc-defg-hij",
            summary="Clase de Inglés. La clase será grupal, para 5 participantes.",
            current_participants=1,
            scheduling_requested_at=factory.LazyFunction(timezone.now),
        )
        ended = factory.Trait(
            start_time=factory.LazyFunction(lambda: timezone.now() - timedelta(hours=2)),
            end_time=factory.LazyFunction(lambda: timezone.now() - timedelta(hours=1)),
        )

    booked_by = factory.SubFactory(UserFactory)
    preference_id = factory.Sequence(lambda n: f"preference-{n}")
    start_time = factory.LazyFunction(lambda: timezone.now() + timedelta(days=1))
    end_time = factory.LazyAttribute(lambda o: o.start_time + timedelta(hours=1))
    utc_offset = factory.LazyAttribute(lambda o: find_offset(o.start_time))
    class_type = ClassType.GROUP
    class_price = 1_500_000
    max_participants = 5
    participants_ids = factory.LazyAttribute(lambda o: [str(o.booked_by.pk)])

    @classmethod
    def _create(cls, model_class: type[VirtualClass], *args: Any, **fields: Any) -> VirtualClass:
        sale = {name: fields.pop(name) for name in SALE & fields.keys()}
        is_sold, in_cash = fields.pop("is_sold", True), fields.pop("in_cash", None)
        booked = super()._create(model_class, *args, **fields)
        if not is_sold:
            return booked
        if booked.status == ClassStatus.CANCELLED:
            sale.setdefault("state", PurchaseState.ENDED)
        if in_cash:
            sale["paid_at"] = in_cash
        purchase = PurchaseFactory(
            virtual_class=booked,
            person=booked.booked_by,
            price=booked.class_price,
            created_at=booked.created_at,
            **sale,
        )
        if in_cash:
            book_cash(purchase, purchase.price, None)
        return booked

    @factory.post_generation
    def host_activity(self, create, extracted, **kwargs):
        """A scheduled class has its host's row."""
        if create and self.status == ClassStatus.SCHEDULED:
            UserActivity.objects.create(user=self.booked_by, virtual_class=self, rol=Role.HOST)


class HoldFactory(DjangoModelFactory[Hold]):
    """The time of a ``purchase``, as long as that is kept; or else a time that ``user`` chose.

    A chosen time is an hour alone, kept for a quarter of an hour. ``expires_at`` ends either, and
    may be left out for a purchase that is kept already.
    """

    class Meta:
        model = Hold

    class Params:
        sold = factory.LazyAttribute(lambda o: o.purchase and o.purchase.virtual_class)

    purchase = None
    expires_at = factory.LazyAttribute(
        lambda o: None if o.purchase else timezone.now() + timedelta(minutes=15)
    )
    user = factory.LazyAttribute(lambda o: o.purchase.person)
    start_time = factory.LazyAttribute(lambda o: o.sold.start_time)
    end_time = factory.LazyAttribute(
        lambda o: o.sold.end_time if o.sold else o.start_time + timedelta(hours=1)
    )
    class_type = factory.LazyAttribute(
        lambda o: o.sold.class_type if o.sold else ClassType.INDIVIDUAL
    )
    utc_offset = factory.LazyAttribute(lambda o: find_offset(o.start_time))

    @classmethod
    def _create(cls, model_class: type[Hold], *args: Any, **fields: Any) -> Hold:
        purchase = fields["purchase"]
        if purchase is not None and (until := fields.pop("expires_at")):
            purchase.kept_until = until
            purchase.save(update_fields=["kept_until"])
        return super()._create(model_class, *args, **fields)


class TeacherPageFactory(DjangoModelFactory[TeacherPage]):
    """The page of a teacher who wrote all of it; without a photo."""

    class Meta:
        model = TeacherPage

    name = "Ana Suárez"
    subject = "Guitarra"
    tagline = "Tocás desde la primera clase."
    about = "Enseño guitarra hace doce años."
    credentials = "Profesora de música, UNA\nDoce años de clases"
    video_url = "https://www.youtube.com/watch?v=abc"
    levels = "Inicial\nIntermedio"
    class_description = "Tocamos juntos desde el primer minuto."


class QuoteFactory(DjangoModelFactory[Quote]):
    class Meta:
        model = Quote

    text = factory.Sequence(lambda n: f"Aprendí mucho ({n}).")
    author = "Julia"
    position = factory.Sequence(lambda n: n)


class QuestionFactory(DjangoModelFactory[Question]):
    class Meta:
        model = Question

    question = factory.Sequence(lambda n: f"¿Necesito instrumento? ({n})")
    answer = "Sí, uno cualquiera."
    position = factory.Sequence(lambda n: n)


def draw_photo(size: tuple[int, int] = (300, 300)) -> io.BytesIO:
    """Return the file of a photo, as a phone would send it."""
    file = io.BytesIO()
    Image.new("RGB", size, "red").save(file, "JPEG")
    file.seek(0)
    return file


class OpenClassFactory(DjangoModelFactory[OpenClass]):
    """A scheduled group of the teacher's with six places at $ 4.000; it goes on from three."""

    class Meta:
        model = OpenClass

    virtual_class = factory.SubFactory(
        VirtualClassFactory, is_sold=False, scheduled=True, max_participants=7, class_price=0
    )
    title = "Conversación B1"
    places = 6
    minimum = 3
    place_price = 400_000
    decides_at = factory.LazyAttribute(lambda o: o.virtual_class.start_time - timedelta(hours=12))


class PlaceFactory(PurchaseFactory):
    """A place in ``open_class`` that is kept for its payment for a quarter of an hour."""

    class Params:
        open_class = factory.SubFactory(OpenClassFactory)

    kind = PurchaseKind.PLACE
    virtual_class = factory.LazyAttribute(lambda o: o.open_class.virtual_class)
    price = factory.LazyAttribute(lambda o: o.open_class.place_price)
    kept_until = factory.LazyFunction(lambda: timezone.now() + timedelta(minutes=15))


class PaymentFactory(DjangoModelFactory[Payment]):
    """The checkout of ``purchase``, or of one that is not booked."""

    class Meta:
        model = Payment

    purchase = factory.SubFactory(PurchaseFactory)
    provider = "mercadopago"
    amount = factory.LazyAttribute(lambda o: o.purchase.price)


class BankTransferFactory(DjangoModelFactory[BankTransfer]):
    """A transfer for ``purchase`` that the teacher has to confirm."""

    class Meta:
        model = BankTransfer

    purchase = factory.SubFactory(PurchaseFactory)
    amount = factory.LazyAttribute(lambda o: o.purchase.price)
    operation_number = factory.Sequence(lambda n: f"{n:012d}")
