"""The demo's welcome text, in both languages."""

from pathlib import Path

from tests.demo.people import EVERYBODY, TEACHER
from tests.demo.ports import Ports

PROVIDERS = {"google": "Google", "github": "GitHub"}
STOPPED = "Listo, no queda nada andando. · Stopped, nothing is left running."

_WELCOME = """
  Clases virtuales, en modo demo: nada de esto es real y nada sale de esta máquina.

    Sitio   {site}/inicio
    Panel   {site}/admin/   (entrá como {teacher})
    API     {site}/api/docs
    Pagos   al reservar se abre un Mercado Pago de mentira: elegís si se aprueba, se rechaza, queda
            pendiente, se paga dos veces o tarde
    Correos {mail}/   (y como archivos .eml en {folder})
    Avisos  {receiver}/   (lo que se le cuenta a otros sistemas)

  Clases virtuales, demo mode: nothing here is real, and nothing leaves this machine.

    Site    {site}/inicio   (the pages' header switches to English)
    Panel   {site}/admin/   (sign in as {teacher}; Spanish only)
    API     {site}/api/docs
    Paying  opens a made-up Mercado Pago: you choose whether the payment is approved, refused, left
            pending, made twice or made late
    Mails   {mail}/   (and as .eml files in {folder})
    Events  {receiver}/   (the webhooks that other systems receive)

  Pueden entrar · Who can sign in:

{people}

  Ctrl-C detiene todo · stops everything.
"""


def welcome(ports: Ports, mails: Path) -> str:
    return _WELCOME.format(
        site=f"http://localhost:{ports.web}",
        mail=f"http://localhost:{ports.mail}",
        receiver=f"http://localhost:{ports.receiver}",
        teacher=TEACHER.name,
        folder=mails,
        people="\n".join(
            f"    {p.name:<16} {p.email:<24} {PROVIDERS[p.provider]}" for p in EVERYBODY
        ),
    )
