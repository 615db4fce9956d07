"""config/make-venv: what it refuses, and what a failure leaves. Its Pythons are stubs."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from tests.processes import ROOT

# Answers as Python does where it is asked: its version, -m venv, -m pip.
STUB = """#!/bin/sh
case "$1 $2" in
    "-c "*) echo {version} ;;
    "-m venv")
        mkdir -p "$3/bin" "$3/lib/python{version}/site-packages"
        touch "$3/pyvenv.cfg"
        cp "$0" "$3/bin/python"
        {venv}
        mkdir "$3/lib/python{version}/site-packages/pip" ;;
    "-m pip") echo "$@" >>installs; {pip} ;;
esac
"""


NO_ENSUREPIP = "echo 'The virtual environment was not created: ensurepip is not available'; exit 1"
LOCK = "django==5.2.19 \\\n    --hash=sha256:00\npytz==1 ; sys_platform == 'win32' \\\n"


class Checkout:
    """A folder with the script, a lock file, and Pythons of any kind on its path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.venv = folder / ".venv"
        self.lock = folder / "requirements.txt"
        (folder / "config").mkdir()
        (folder / "bin").mkdir()
        shutil.copy(ROOT / "config" / "make-venv", folder / "config")
        shutil.copy(ROOT / "Makefile", folder)
        self.lock.write_text(LOCK)

    def have_python(
        self, version: str = "3.11", *, name: str = "python3.11", venv: str = ":", pip: str = ":"
    ) -> None:
        """Put a Python on the path. venv, pip: what these modules do besides, in shell."""
        program = self.folder / "bin" / name
        program.write_text(STUB.format(version=version, venv=venv, pip=pip))
        program.chmod(0o755)

    def start(self, **options) -> subprocess.Popen[str]:
        """Start the script; its path has the stubs and what a shell needs."""
        return subprocess.Popen(
            ["/bin/sh", self.folder / "config" / "make-venv", "requirements.txt", "350"],
            env={"PATH": f"{self.folder}/bin:/usr/bin:/bin", **options.pop("env", {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # A shell cannot trap what was ignored when it started, as in the background.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            **options,
        )

    def run(self, **options) -> tuple[int, str, str]:
        """Run the script; return its code and what it printed and complained of."""
        process = self.start(**options)
        out, err = process.communicate(timeout=20)
        return process.returncode, out, err

    @property
    def installs(self) -> int:
        """How often pip was called."""
        calls = self.folder / "installs"
        return len(calls.read_text().splitlines()) if calls.exists() else 0


@pytest.fixture
def checkout():
    """A checkout in a folder that others may enter, with a space in its name."""
    with tempfile.TemporaryDirectory(prefix="mis clases ") as folder:
        Path(folder).chmod(0o755)
        yield Checkout(Path(folder))


def hide_other_pythons(checkout):
    """Let each name on the path be a Python that does not run."""
    for name in ("python3.11", "python3.12", "python3.13", "python3.14", "python3"):
        program = checkout.folder / "bin" / name
        program.write_text("#!/bin/sh\nexit 127\n")
        program.chmod(0o755)


def test_first_time_says_what_it_installs_and_the_next_does_nothing(checkout):
    checkout.have_python()

    first, second = checkout.run(), checkout.run()

    said = "Installing up to 2 packages (about 350 MB) into .venv, once ...\n"
    assert first == (0, said, "")
    assert second == (0, "", "")
    assert checkout.installs == 1


def test_changed_lock_file_is_installed(checkout):
    checkout.have_python()
    checkout.run()
    checkout.lock.write_text("django==5.2.20\n")

    assert checkout.run() == (0, "Bringing .venv up to date with requirements.txt ...\n", "")
    assert checkout.installs == 2


def test_missing_ensurepip_is_named_each_time_and_poisons_nothing(checkout):
    checkout.have_python(venv=NO_ENSUREPIP)
    said = (
        "python3.11 has no ensurepip, which makes virtual environments."
        " On Debian: apt-get install python3.11-venv\n"
    )

    assert checkout.run() == (1, "", said)
    assert checkout.run() == (1, "", said)
    assert not checkout.venv.exists()
    checkout.have_python()
    assert checkout.run()[0] == 0


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.15"])
def test_unsupported_python_is_refused_in_one_line(checkout, version):
    hide_other_pythons(checkout)
    checkout.have_python(version, name="python3")

    code, out, err = checkout.run()

    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"Python 3.11 to 3.14 is needed, and python3 is {version}.")
    assert not checkout.venv.exists()


def test_python_that_has_gone_or_changed_gets_another_environment(checkout):
    checkout.have_python()
    checkout.run()

    (checkout.venv / "bin" / "python").unlink()
    gone = checkout.run()
    # The system's Python is a newer one now, and the packages are the old one's.
    checkout.have_python("3.13", name="python3.11")
    shutil.copy(checkout.folder / "bin" / "python3.11", checkout.venv / "bin" / "python")
    changed = checkout.run()

    assert (gone[0], changed[0], checkout.installs) == (0, 0, 3)
    assert (checkout.venv / "lib" / "python3.13").exists()


def test_failed_install_leaves_no_half_made_environment(checkout):
    checkout.have_python(pip="echo ERROR: no network; exit 1")

    code, _, err = checkout.run()

    assert code == 1
    assert err.startswith("ERROR: no network\nThe packages could not be installed")
    assert not checkout.venv.exists()


def test_failed_update_keeps_the_environment(checkout):
    checkout.have_python()
    checkout.run()
    checkout.lock.write_text("django==5.2.20\n")
    python = checkout.venv / "bin" / "python"
    python.write_text(STUB.format(version="3.11", venv=":", pip="exit 1"))

    assert checkout.run()[0] == 1
    assert python.exists()


@pytest.mark.parametrize("where", ["venv", "pip"])
def test_interrupt_leaves_nothing_half_made(checkout, where):
    reached = checkout.folder / "reached"
    checkout.have_python(**{where: f": >'{reached}'; exec sleep 20"})
    process = checkout.start()
    while not reached.exists():
        time.sleep(0.01)

    os.killpg(process.pid, signal.SIGINT)

    _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (130, "Stopped; nothing is left half-installed.\n")
    assert not checkout.venv.exists()


def test_full_disk_is_named_before_anything_is_installed(checkout):
    checkout.have_python()
    df = checkout.folder / "bin" / "df"
    df.write_text("#!/bin/sh\necho Filesystem; echo /dev/vda 9999999 9897599 102400 99% /\n")
    df.chmod(0o755)

    assert checkout.run() == (
        1,
        "",
        f"The packages need 437 MB in {checkout.folder}, and 100 MB are free."
        " Make room, or choose another folder: make run VENV=/path/to/venv\n",
    )
    assert not checkout.venv.exists()


def test_folder_that_is_no_environment_is_left_alone(checkout):
    checkout.have_python()
    file = checkout.folder / "home" / "thesis.txt"
    file.parent.mkdir()
    file.touch()

    code, _, err = checkout.run(env={"VENV": "home"})

    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith("home is no virtual environment")
    assert file.exists()
