"""What stands in compose.yaml, the image and the units, as far as no engine is needed to tell."""

import http.server
import os
import re
import shutil
import subprocess
import threading

import pytest
import yaml

from config.gunicorn import graceful_timeout
from config.monitoring import probe
from tests.processes import ROOT

DEPLOY = ROOT / "config" / "deploy"
UNITS = DEPLOY / "systemd"
PROXY = DEPLOY / "nginx"
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES = sorted(COMPOSE["services"])
# Of ten, by systemd's own count; a plain unit has 9.6.
MOST_EXPOSED = 1.5


@pytest.mark.parametrize("name", SERVICES)
def test_container_may_do_little(name):
    service = COMPOSE["services"][name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not service.get("privileged")
    assert service["mem_limit"]


def test_only_the_proxy_is_reached_from_outside():
    assert [name for name in SERVICES if "ports" in COMPOSE["services"][name]] == ["proxy"]


def test_data_has_no_way_out():
    assert COMPOSE["networks"]["data"] == {"internal": True}
    for name in ("database", "redis"):
        assert COMPOSE["services"][name]["networks"] == ["data"]


def test_web_and_worker_begin_after_the_migrations():
    for name in ("web", "worker"):
        wait = COMPOSE["services"][name]["depends_on"]["migrate"]
        assert wait == {"condition": "service_completed_successfully"}


def test_no_secret_stands_in_the_environment():
    for name in SERVICES:
        environment = COMPOSE["services"][name].get("environment", {})
        for variable, value in environment.items():
            is_secret = re.search("KEY|SECRET|PASSWORD|TOKEN|DATABASE_URL", variable)
            assert not is_secret or value.startswith("/run/secrets/")


def test_settings_of_the_containers_are_known_and_careful():
    lines = (DEPLOY / "compose" / "env").read_text().splitlines()
    names = [name for line in lines if (name := re.match(r"#?([A-Z_]+?)(_FILE)?=", line))]
    known = (ROOT / "docs" / "configuration.md").read_text() + (ROOT / ".env.example").read_text()

    assert not [name[1] for name in names if name[1] not in known]
    # What is paid is asked as soon as payments are configured; until then check --deploy warns.
    assert "CALENDAR_TRIGGER_POLICY=auto" in lines
    assert "CALENDAR_TRIGGER_POLICY=auto" in (ROOT / ".env.example").read_text().splitlines()


def test_stops_are_as_patient_as_the_server():
    web = COMPOSE["services"]["web"]["stop_grace_period"]
    unit = (UNITS / "classes-web.service").read_text()

    assert int(web.removesuffix("s")) > graceful_timeout
    assert int(re.search(r"TimeoutStopSec=(\d+)", unit)[1]) > graceful_timeout


def test_image_runs_without_root_and_holds_what_is_named_only():
    stages = (ROOT / "Dockerfile").read_text()
    ignored = (ROOT / ".dockerignore").read_text().splitlines()

    assert "USER 10001:10001" in stages
    assert "--require-hashes" in stages
    assert next(line for line in ignored if not line.startswith("#")) == "*"


def test_who_comes_by_ipv6_keeps_their_address():
    proxy = COMPOSE["services"]["proxy"]

    assert COMPOSE["networks"]["edge"]["enable_ipv6"] is True
    assert proxy["networks"] == ["edge"]
    for port in proxy["ports"]:
        assert f"listen [::]:{port.split(':')[1]}" in (PROXY / "compose.conf").read_text()


def test_certificates_are_renewed_through_the_folder_that_the_proxy_serves():
    root = re.search(r"acme-challenge/ \{\s+root (\S+);", (PROXY / "plain.conf").read_text())[1]
    guide = (ROOT / "docs" / "deploy.md").read_text()

    assert f"./secrets/acme:{root}:ro" in COMPOSE["services"]["proxy"]["volumes"]
    assert re.findall(r"--webroot -w (\S+) --cert-name classes", guide) == [
        "/srv/classes/secrets/acme",
        root,
    ]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
@pytest.mark.parametrize("name", sorted(one.name for one in UNITS.glob("classes-*")))
def test_unit_is_valid(name, tmp_path):
    lay_out_units(tmp_path)

    assert not analyze(tmp_path, "verify", "--man=no", str(tmp_path / name))


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
@pytest.mark.parametrize("name", sorted(one.name for one in UNITS.glob("classes-*.service")))
def test_unit_is_hardly_exposed(name, tmp_path):
    lay_out_units(tmp_path)

    exposed = analyze(tmp_path, "security", "--offline=true", str(tmp_path / name))

    assert float(re.search(r"exposure level for \S+: ([\d.]+)", exposed)[1]) <= MOST_EXPOSED


@pytest.mark.parametrize("unit", sorted(UNITS.glob("classes-*.service")), ids=lambda one: one.name)
def test_unit_stays_with_the_release_it_was_started_in(unit):
    program = re.search(r"^ExecStart=(.*)", unit.read_text(), re.MULTILINE)[1]

    # Through /srv/classes, Python would load late what the link names by then.
    assert ".venv/bin/python" in program
    assert "/srv/classes" not in program


def test_requests_that_hang_take_no_server_out_of_the_proxy():
    """Its default counts them as failures, and refuses everybody for ten seconds."""
    configurations = [(PROXY / name).read_text() for name in ("machine.conf", "compose.conf")]

    servers = re.findall(r"^ +server (?:unix:|web:).*;", "".join(configurations), re.MULTILINE)

    assert len(servers) == 2
    assert all(" max_fails=0;" in server for server in servers)


def lay_out_units(folder):
    """Put the units where systemd would find them, the drop-in of all of them included."""
    for file in UNITS.glob("classes-*"):
        shutil.copy(file, folder)
    drop_in = folder / "classes-.service.d"
    drop_in.mkdir()
    shutil.copy(UNITS / "hardening.conf", drop_in)


def analyze(folder, *arguments):
    command = ["systemd-analyze", "--no-pager", *arguments]
    done = subprocess.run(
        command,
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{folder}:"},
        check=False,
        capture_output=True,
        text=True,
    )
    return done.stdout + done.stderr


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
