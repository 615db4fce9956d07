"""Image, compose.yaml, systemd's units, deploy scripts, config/make-venv and probe, without root.

Docker, systemd and each program that writes outside of the test's folder are stand-ins that note
how they were called; the scripts find nothing else.
"""

import http.server
import os
import re
import shutil
import subprocess
import threading

import pytest
import yaml
from cryptography.fernet import Fernet

from config.monitoring import probe
from tests.processes import ROOT

DEPLOY = ROOT / "config" / "deploy"
UNITS = DEPLOY / "systemd"
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES = sorted(COMPOSE["services"])
MOST_EXPOSED = 1.5  # of ten, by systemd's own count; a plain unit has 9.6

# --- What may reach what --------------------------------------------------------------------------


@pytest.mark.parametrize("name", SERVICES)
def test_container_may_do_little(name):
    service = COMPOSE["services"][name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not service.get("privileged")
    assert service["mem_limit"]


def test_only_the_proxy_is_reached_from_outside_and_data_has_no_way_out():
    assert [name for name in SERVICES if "ports" in COMPOSE["services"][name]] == ["proxy"]
    assert COMPOSE["networks"]["data"] == {"internal": True}
    for name in ("database", "redis"):
        assert COMPOSE["services"][name]["networks"] == ["data"]


def test_image_of_the_service_is_what_a_build_without_a_target_makes():
    stages = re.findall(r"^FROM .+", (ROOT / "Dockerfile").read_text(), re.MULTILINE)

    assert stages[-2:] == ["FROM service AS demo", "FROM service"]


def test_no_secret_stands_in_the_environment():
    for name in SERVICES:
        environment = COMPOSE["services"][name].get("environment", {})
        for variable, value in environment.items():
            is_secret = re.search("KEY|SECRET|PASSWORD|TOKEN|DATABASE_URL", variable)
            assert not is_secret or value.startswith("/run/secrets/")


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
@pytest.mark.parametrize("name", sorted(one.name for one in UNITS.glob("classes-*.service")))
def test_unit_is_valid_and_hardly_exposed(name, tmp_path):
    for file in UNITS.glob("classes-*"):
        shutil.copy(file, tmp_path)
    drop_in = tmp_path / "classes-.service.d"
    drop_in.mkdir()
    shutil.copy(UNITS / "hardening.conf", drop_in)

    def analyze(*arguments):
        command = ["systemd-analyze", "--no-pager", *arguments, str(tmp_path / name)]
        environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        return done.stdout + done.stderr

    assert not analyze("verify", "--man=no")
    exposed = analyze("security", "--offline=true")
    assert float(re.search(r"exposure level for \S+: ([\d.]+)", exposed)[1]) <= MOST_EXPOSED


# --- The scripts ----------------------------------------------------------------------------------

STAND_IN = """#!/bin/sh
echo "$(/usr/bin/basename "$0") $*" >> {calls}
case "$*" in *"{failing}"*) exit 1 ;; esac
{body}
"""
CHANGING = ("chown", "cmp", "docker", "git", "install", "ln", "mv", "nginx", "python3", "systemctl")
REAL = (
    *("cat", "chmod", "cp", "date", "dirname", "env", "find", "mkdir", "openssl", "readlink"),
    *("realpath", "rm", "sed", "tr"),
)


class Machine:
    """A folder with the shipped scripts, and a PATH of stand-ins for what they call."""

    def __init__(self, folder):
        self.app = folder / "app"
        self.programs = folder / "programs"
        self.calls_file = folder / "calls"
        shutil.copytree(DEPLOY, self.app / "config" / "deploy")
        self.programs.mkdir()
        for name in REAL:
            self.use_real(name)
        for name in CHANGING:
            self.stand_in(name)

    def use_real(self, name):
        """Have a program do what it does; by no link, through which a stand-in would be written."""
        self.put(self.programs / name, f'#!/bin/sh\nexec {shutil.which(name)} "$@"\n')

    def stand_in(self, name, *, body="", failing="nothing"):
        """Have a program note its calls and do ``body``.

        name: of a program, or a path in the folder. failing: words of the call that ends with 1.
        """
        file = self.app / name if "/" in name else self.programs / name
        self.put(file, STAND_IN.format(calls=self.calls_file, failing=failing, body=body))

    def put(self, file, text):
        assert file.resolve().is_relative_to(self.app.parent)
        file.write_text(text)
        file.chmod(0o755)

    def run(self, script, *arguments, typed=""):
        return subprocess.run(
            [self.app / "config" / "deploy" / script, *arguments],
            env={"PATH": str(self.programs)},
            input=typed,
            capture_output=True,
            text=True,
        )

    @property
    def calls(self):
        return self.calls_file.read_text().splitlines() if self.calls_file.exists() else []

    def index(self, part):
        """Return the place of the first call with these words."""
        return next(at for at, call in enumerate(self.calls) if part in call)


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


@pytest.fixture
def site(machine):
    """Containers of release v1 run, and v2 is checked out."""
    (machine.app / ".env").write_text("BASE_URL=https://clases.example\nRELEASE=v1\n")
    machine.stand_in("git", body="echo v2")
    return machine


def test_release_is_built_and_migrated_before_what_runs_is_touched(site):
    done = site.run("compose/release")

    assert done.returncode == 0, done.stderr
    build, migrate, up = map(site.index, ("compose build", "run --rm -T migrate", "compose up"))
    assert build < migrate < up
    assert "RELEASE=v2\n" in (site.app / ".env").read_text()


@pytest.mark.parametrize("failing", ["compose build", "run --rm -T migrate"])
def test_release_that_is_not_ready_leaves_what_runs_alone(site, failing):
    site.stand_in("docker", failing=failing)

    assert site.run("compose/release").returncode
    assert not [call for call in site.calls if "compose up" in call]
    assert "RELEASE=v1\n" in (site.app / ".env").read_text()


@pytest.mark.parametrize("failing", ["pg_dump", "pg_restore", "nothing"])
def test_copy_of_the_database_gets_its_name_once_it_is_whole(machine, tmp_path, failing):
    machine.use_real("mv")
    body = """case "$*" in *pg_dump*) echo archive ;; *pg_restore*) cat > restored ;; esac"""
    machine.stand_in("docker", body=body, failing=failing)

    done = machine.run("compose/backup", str(tmp_path / "copy"))

    assert (done.returncode == 0) == (failing == "nothing")
    assert [one.read_text() for one in tmp_path.glob("copy*")] == ["archive\n"] * (
        failing == "nothing"
    )


def test_secrets_are_made_or_asked_for_and_their_owner_s_alone(machine):
    machine.use_real("install")
    (machine.app / ".env").write_text("BASE_URL=https://clases.example\n")

    done = machine.run("compose/make-secrets", "github_secret", typed="google\n\nsmtp://\ngit\n")

    assert done.returncode == 0, done.stderr
    folder = machine.app / "secrets"
    secrets = {file.name: file for file in folder.rglob("*") if file.is_file()}
    assert secrets["auth_provider_secret"].read_text() == "google\n"
    assert secrets["github_secret"].read_text() == "git\n"
    assert Fernet(secrets["field_keys"].read_text().strip())
    assert {file.stat().st_mode & 0o077 for file in secrets.values()} == {0}


@pytest.fixture
def release(machine):
    """A release in a folder called "app"; its commands are stand-ins."""
    for name in ("config/deploy/systemd/classes", "sed", "grep"):
        machine.stand_in(name)
    return machine


def test_switch_moves_the_link_once_settings_and_tables_suit_it(release):
    done = release.run("systemd/switch")

    assert done.returncode == 0, done.stderr
    steps = ("classes check --deploy", "classes migrate", "daemon-reload", "mv -T", "restart")
    places = [release.index(step) for step in steps]
    assert places == sorted(places)
    assert "mv -T /srv/classes.new /srv/classes" in release.calls


@pytest.mark.parametrize("failing", ["check", "migrate"])
def test_switch_to_what_does_not_suit_leaves_what_runs_alone(release, failing):
    release.stand_in("config/deploy/systemd/classes", failing=failing)

    assert release.run("systemd/switch").returncode
    touched = ("systemctl", "ln", "mv", "sed", "nginx")
    assert not [call for call in release.calls if call.split()[0] in touched]


# --- config/make-venv -----------------------------------------------------------------------------

# Answers as Python does where it is asked: whether it is supported, -m venv, -m pip.
PYTHON = """#!/bin/sh
case "$1 $2" in
    "-c "*) exit {refuses} ;;
    "-m venv") mkdir -p "$4/bin"; touch "$4/pyvenv.cfg"; cp "$0" "$4/bin/python" ;;
    "-m pip") [ "$3" != install ] || {{ echo "$@" >>installs; {pip}; }} ;;
esac
"""


@pytest.fixture
def make_venv(tmp_path):
    """Run make-venv with a Python, and what its pip does; return code and complaint."""
    (tmp_path / "config").mkdir()
    shutil.copy(ROOT / "config" / "make-venv", tmp_path / "config")
    (tmp_path / "requirements.txt").write_text("django==5.2.19\n")

    def run(refuses=0, pip=":", **environment):
        for name in ("python3.11", "python3.12", "python3.13", "python3.14", "python3"):
            program = tmp_path / name
            program.write_text(PYTHON.format(refuses=refuses, pip=pip))
            program.chmod(0o755)
        done = subprocess.run(
            ["/bin/sh", tmp_path / "config" / "make-venv", "requirements.txt"],
            env={"PATH": f"{tmp_path}:/usr/bin:/bin", **environment},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stderr

    return run


def test_environment_is_made_once_for_each_lock_file(make_venv, tmp_path):
    codes = [make_venv(), make_venv()]
    (tmp_path / "requirements.txt").write_text("django==5.2.20\n")
    codes.append(make_venv())

    assert codes == [(0, "")] * 3
    assert len((tmp_path / "installs").read_text().splitlines()) == 2


def test_unsupported_python_is_refused_and_a_failed_install_is_repeated(make_venv, tmp_path):
    code, complaint = make_venv(refuses=1)
    assert (code, (tmp_path / ".venv").exists()) == (1, False)
    assert complaint.startswith("Python 3.11 to 3.14 is needed")

    assert make_venv(pip="echo ERROR: no network >&2; exit 1") == (1, "ERROR: no network\n")
    shutil.rmtree(tmp_path / ".venv")  # the stub of the environment fails for ever
    assert make_venv() == (0, "")


def test_chosen_python_that_is_unsupported_is_refused(make_venv, tmp_path):
    code, complaint = make_venv(PYTHON="/bin/false")

    assert (code, (tmp_path / ".venv").exists()) == (1, False)
    assert complaint.startswith("PYTHON=/bin/false is no Python 3.11 to 3.14")


def test_folder_that_is_no_environment_is_left_alone(make_venv, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.txt").touch()

    code, complaint = make_venv(VENV="home")

    assert code == 1
    assert complaint.startswith("home is no virtual environment")
    assert (tmp_path / "home" / "thesis.txt").exists()


# --- The probe ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("answer", "end"), [(200, 0), (503, 1)])
def test_probe_tells_whether_the_server_can_serve(answer, end, monkeypatch):
    asked = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, self.headers["Host"]))
            self.send_response(answer)
            self.end_headers()

        def log_message(self, *_):
            """Say nothing."""

    monkeypatch.setenv("BASE_URL", "https://clases.example")
    with http.server.HTTPServer(("127.0.0.1", 0), Server) as server:
        thread = threading.Thread(target=server.handle_request, daemon=True)
        thread.start()
        assert probe.main(f"http://127.0.0.1:{server.server_port}") == end
        thread.join(5)

    assert asked == [("/readyz", "clases.example")]


def test_probe_fails_where_nobody_listens():
    assert probe.main("http://127.0.0.1:9") == 1
