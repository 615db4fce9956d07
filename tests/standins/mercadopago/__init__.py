"""The whole stand-in of Mercado Pago: API, checkout and notices, and what tests see of it."""

import copy
import threading
from collections.abc import Callable

from tests.standins.mercadopago.checkout import MercadoPagoCheckout
from tests.standins.mercadopago.notices import (
    Letter,
    Notice,
    Order,
    choose,
    post,
    write_letter,
)
from tests.standins.mercadopago.rows import Json

# How long the background waits before each attempt; production waits minutes.
ATTEMPT_SECONDS = (0.0, 1.0, 5.0, 30.0)


class MercadoPagoStandin(MercadoPagoCheckout):
    """Mercado Pago on loopback. Settings: ``MercadoPagoAccount``; faults: ``Standin``.

    ``auto_notify``: a thread posts each notice as it arises, and a few times more until taken.
    """

    def __init__(self, port: int = 0) -> None:
        # One round of posting at a time; apart from the state's lock, since whoever takes a
        # notice reads the payment before answering.
        self._posting = threading.RLock()
        super().__init__(port)

    def _forget(self) -> None:
        super()._forget()
        self.auto_notify = False

    @property
    def preferences(self) -> list[Json]:
        with self.lock:
            return copy.deepcopy(list(self._preferences.values()))

    @property
    def payments(self) -> list[Json]:
        with self.lock:
            return self._payments.rows()

    @property
    def merchant_orders(self) -> list[Json]:
        with self.lock:
            return self._orders.rows()

    @property
    def refunds(self) -> list[Json]:
        with self.lock:
            return copy.deepcopy(list(self._refunds.values()))

    @property
    def notifications(self) -> list[Notice]:
        """Every notice, oldest first, whatever has become of it."""
        with self.lock:
            return copy.deepcopy(self._notices)

    def deliver(
        self,
        order: Order = "real",
        *,
        duplicate: int = 0,
        lose: int = 0,
        signed: bool = True,
        seed: int = 0,
        post: Callable[[Letter], int | None] = post,
    ) -> list[int | None]:
        """Post the notices that nobody has taken yet, and give the answers' statuses.

        order: or positions in ``notifications``: then exactly these, taken before or not.
        duplicate: so many go out once more. lose: so many never do. Both picked by ``seed``.
        signed: False leaves the signatures out. post: instead of HTTP, such as by Django's test
        client. An answer is None when none came; only 200 and 201 take a notice.
        """
        with self._posting:
            with self.lock:
                batch = choose(self._notices, order, duplicate=duplicate, lose=lose, seed=seed)
            return [self._attempt(notice, post, signed=signed) for notice in batch]

    def _attempt(
        self,
        notice: Notice,
        post: Callable[[Letter], int | None] = post,
        *,
        signed: bool = True,
    ) -> int | None:
        with self.lock:
            url = notice.url or self.notification_url or ""
            if notice.answers:
                notice.renew(next(self._notice_ids), self.webhook_secret, self.now())
            letter = write_letter(notice, url, signed)
        answer = post(letter)
        with self.lock:
            notice.answers.append(answer)
        return answer

    def _queue(self, notices: list[Notice]) -> None:
        super()._queue(notices)
        if self.auto_notify:
            threading.Thread(target=self._notify, args=(self._era,), daemon=True).start()

    def _notify(self, era: threading.Event) -> None:
        for seconds in ATTEMPT_SECONDS:
            if era.wait(seconds):
                return
            with self._posting:
                for notice in self._pending(era):
                    self._attempt(notice)
            if not self._pending(era):
                return

    def _pending(self, era: threading.Event) -> list[Notice]:
        """Give what is still to be posted; nothing once a reset has overtaken it."""
        with self.lock:
            return [] if era.is_set() else [one for one in self._notices if one.is_pending]
