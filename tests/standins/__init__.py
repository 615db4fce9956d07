"""Stand-ins of Google, GitHub and Mercado Pago: real HTTP on loopback, stateful, faulty on demand.

For the tests and for the demo; nothing that runs in production imports them.
"""

from tests.standins.github import GitHubStandin
from tests.standins.google import GoogleStandin
from tests.standins.mercadopago import MercadoPagoStandin
from tests.standins.messages import Fault, RecordedRequest

__all__ = ["Fault", "GitHubStandin", "GoogleStandin", "MercadoPagoStandin", "RecordedRequest"]
