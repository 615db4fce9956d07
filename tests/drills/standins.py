"""Google and Mercado Pago in a process of their own, and how a drill talks to them.

``python -m tests.drills.standins`` answers pickled questions on its standard input. It ends with
it, and so with the drill, even if that is killed.
"""

import pickle
import subprocess
import sys
from contextlib import suppress
from typing import Any, Self

from tests.processes import ROOT
from tests.standins import GoogleStandin, MercadoPagoStandin
from tests.standins.server import Standin

STOP_SECONDS = 10


class Remote:
    """One stand-in, from outside: every method and property of its class is a method here."""

    def __init__(self, standins: "Standins", name: str) -> None:
        self._standins = standins
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        def ask(*args: Any, **kwargs: Any) -> Any:
            return self._standins.ask(self._name, attribute, args, kwargs)

        return ask


class Standins:
    """The process of the stand-ins."""

    google: Remote
    mercadopago: Remote

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.drills.standins"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C is the drill's: it closes the pipe when it is done.
            start_new_session=True,
        )
        self.google, self.mercadopago = Remote(self, "google"), Remote(self, "mercadopago")
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(BrokenPipeError):
            self._process.stdin.close()  # type: ignore[union-attr]
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()  # type: ignore[union-attr]

    def ask(self, *question: Any) -> Any:
        """Have a method called over there, or a property read. Raises what that raises."""
        pickle.dump(question, self._process.stdin)  # type: ignore[arg-type]
        self._process.stdin.flush()  # type: ignore[union-attr]
        failure, answer = pickle.load(self._process.stdout)  # type: ignore[arg-type]  # noqa: S301
        if failure:
            raise failure
        return answer


def main() -> None:
    standins: dict[str, Standin] = {"google": GoogleStandin(), "mercadopago": MercadoPagoStandin()}
    for standin in standins.values():
        standin.start()
    with suppress(EOFError):
        while True:
            name, attribute, args, kwargs = pickle.load(sys.stdin.buffer)  # noqa: S301
            pickle.dump(_answer(standins[name], attribute, args, kwargs), sys.stdout.buffer)
            sys.stdout.buffer.flush()


def _answer(standin: Standin, attribute: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Give what was raised, and what was returned. ``set`` changes a setting."""
    try:
        if attribute == "set":
            for name, value in kwargs.items():
                setattr(standin, name, value)
            return None, None
        found = getattr(standin, attribute)
        return None, found(*args, **kwargs) if callable(found) else found
    except Exception as error:  # noqa: BLE001 - it is raised where it was caused
        return error, None


if __name__ == "__main__":
    main()
