"""One factory per model, with traits for the states a class can be in."""

import io
from datetime import timedelta

import factory
from django.utils import timezone
from factory.django import DjangoModelFactory
from PIL import Image

from accounts.models import User
from bookings.domain.money.ledger import book_cash
from bookings.models import (
    BankTransfer,
    ClassStatus,
    ClassType,
    DiscountCode,
    Hold,
    HostType,
    OpenClass,
    Question,
    Quote,
    Role,
    Seat,
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


class VirtualClassFactory(DjangoModelFactory[VirtualClass]):
    """A pending class for a group of five, tomorrow, an hour long."""

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

    @factory.post_generation
    def in_cash(self, create, extracted, **kwargs):
        """``in_cash``: when the teacher took the whole price, in place of ``paid_at``."""
        if create and extracted:
            self.paid_at = extracted
            self.save(update_fields=["paid_at"])
            book_cash(self, self.class_price, None)

    @factory.post_generation
    def host_activity(self, create, extracted, **kwargs):
        """A scheduled class has its host's row."""
        if create and self.status == ClassStatus.SCHEDULED:
            UserActivity.objects.create(user=self.booked_by, virtual_class=self, rol=Role.HOST)


class HoldFactory(DjangoModelFactory[Hold]):
    """A hold; the caller gives the user, the times and when it expires."""

    class Meta:
        model = Hold

    utc_offset = factory.LazyAttribute(lambda o: find_offset(o.start_time))


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


class DiscountCodeFactory(DjangoModelFactory[DiscountCode]):
    """Ten percent off, without limits but once per person."""

    class Meta:
        model = DiscountCode

    code = factory.Sequence(lambda n: f"CODE{n}")
    percent = factory.LazyAttribute(lambda o: None if o.amount else 10)
    amount = None


class OpenClassFactory(DjangoModelFactory[OpenClass]):
    """A scheduled group of the teacher's with six places at $ 4.000; it goes on from three."""

    class Meta:
        model = OpenClass

    virtual_class = factory.SubFactory(
        VirtualClassFactory, scheduled=True, max_participants=7, class_price=0
    )
    title = "Conversación B1"
    places = 6
    minimum = 3
    place_price = 400_000
    decides_at = factory.LazyAttribute(lambda o: o.virtual_class.start_time - timedelta(hours=12))


class SeatFactory(DjangoModelFactory[Seat]):
    """A seat that is kept for its payment for a quarter of an hour."""

    class Meta:
        model = Seat

    open_class = factory.SubFactory(OpenClassFactory)
    user = factory.SubFactory(UserFactory)
    price = factory.LazyAttribute(lambda o: o.open_class.place_price)
    expires_at = factory.LazyFunction(lambda: timezone.now() + timedelta(minutes=15))


class BankTransferFactory(DjangoModelFactory[BankTransfer]):
    """A transfer for a class, or for a seat if one is given, that the teacher has to confirm."""

    class Meta:
        model = BankTransfer

    virtual_class = None
    seat = None
    user = factory.LazyAttribute(lambda o: o.seat.user if o.seat else o.virtual_class.booked_by)
    amount = factory.LazyAttribute(
        lambda o: o.seat.price if o.seat else o.virtual_class.class_price
    )
    operation_number = factory.Sequence(lambda n: f"{n:012d}")
