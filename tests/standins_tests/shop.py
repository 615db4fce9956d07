"""The seller's side, as the tests of the stand-in of Mercado Pago need it."""

from dataclasses import dataclass
from typing import Any, ClassVar

import requests

from tests.standins import MercadoPagoStandin, RecordedRequest
from tests.standins.messages import Reply, json_reply
from tests.standins.server import Route, Standin, route

BACK = "http://testserver/pagos/retorno"


class Shop(Standin):
    """Takes notices. Its requests and faults, of the route ``notices``, are a stand-in's."""

    routes: ClassVar[tuple[Route, ...]] = (route("notices", "POST", "/notices", "_take"),)

    @property
    def notices_url(self) -> str:
        return f"{self.url}/notices"

    @property
    def topics(self) -> list[str]:
        """What the notices taken were about, in the order of their arrival."""
        return [request.query.get("topic") or request.query["type"] for request in self.requests]

    def error_body(self, route_name: str, code: int, reason: str) -> Any:
        return {"error": reason}

    def _take(self, request: RecordedRequest) -> Reply:
        return json_reply({})


@dataclass(frozen=True, slots=True)
class PaymentCaller:
    """Calls the API as a seller does."""

    mercadopago: MercadoPagoStandin

    def call(
        self, method: str, path: str, body: Any = None, key: str = "", **query: Any
    ) -> requests.Response:
        headers = {"Authorization": f"Bearer {self.mercadopago.access_token}"}
        if key:
            headers["X-Idempotency-Key"] = key
        url = f"{self.mercadopago.url}{path}"
        return requests.request(method, url, json=body, params=query, headers=headers, timeout=5)

    def get(self, path: str, **query: Any) -> Any:
        answer = self.call("GET", path, **query)
        assert answer.status_code == 200
        return answer.json()

    def create(self, **fields: Any) -> requests.Response:
        return self.call("POST", "/checkout/preferences", preference_body(**fields))

    def refund(self, payment_id: int, key: str, amount: Any = None) -> requests.Response:
        body = None if amount is None else {"amount": amount}
        return self.call("POST", f"/v1/payments/{payment_id}/refunds", body, key)


def preference_body(**fields: Any) -> dict[str, Any]:
    """Give a body that the API accepts: one class for 12,500.50 pesos."""
    item = {"title": "Clase", "quantity": 1, "unit_price": 12500.5, "currency_id": "ARS"}
    return {
        "items": [item],
        "external_reference": "booking-1",
        "back_urls": {"success": BACK, "pending": BACK, "failure": BACK},
        **fields,
    }


def problem(answer: requests.Response) -> tuple[int, str, int | None]:
    """Give status, word and cause of an error."""
    error = answer.json()
    assert error["status"] == answer.status_code
    causes = error["cause"]
    return answer.status_code, error["error"], causes[0]["code"] if causes else None
