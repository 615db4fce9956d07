"""config/deploy: what its scripts do, in which order, and what they leave alone.

Docker, systemd and whatever writes outside the test's folder are stand-ins that note how they were
called; nothing else is found by the scripts, so nothing here can be touched.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from cryptography.fernet import Fernet

from tests.processes import ROOT

# Does nothing but note its call, unless that is the one that is to fail.
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
RELOAD = "docker compose exec -T proxy nginx -c /etc/nginx/classes/compose.conf -s reload"


class Machine:
    """A folder with the shipped scripts, and a PATH of stand-ins for what they call."""

    def __init__(self, folder):
        self.app = folder / "app"
        self.programs = folder / "programs"
        self.calls_file = folder / "calls"
        shutil.copytree(ROOT / "config" / "deploy", self.app / "config" / "deploy")
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

    def run(self, script, *arguments, typed="", **environment):
        return subprocess.run(
            [self.app / "config" / "deploy" / script, *arguments],
            env={"PATH": str(self.programs), **environment},
            input=typed,
            check=False,
            capture_output=True,
            text=True,
        )

    @property
    def calls(self):
        return self.calls_file.read_text().splitlines() if self.calls_file.exists() else []

    def index(self, part):
        """Give the place of the first call with these words."""
        return next(at for at, call in enumerate(self.calls) if part in call)


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


# --- Containers: a release ---


@pytest.fixture
def site(machine):
    """Containers of release v1 run, and v2 is checked out."""
    (machine.app / ".env").write_text("BASE_URL=https://clases.example\nRELEASE=v1\n")
    machine.stand_in("git", body="echo v2")
    machine.stand_in("docker", body=proxies("old", "old"))
    return machine


def proxies(before, after):
    """Give a body that names the proxy's container, before and after everything was started."""
    return f"""case "$*" in
    "compose up"*) : > up ;;
    "compose ps --quiet proxy") if [ -e up ]; then echo {after}; else echo {before}; fi ;;
    esac"""


def test_release_is_built_and_migrated_before_what_runs_is_touched(site):
    done = site.run("compose/release")

    assert done.returncode == 0, done.stderr
    build, migrate, up = map(site.index, ("compose build", "run --rm -T migrate", "compose up"))
    assert build < migrate < up
    assert "RELEASE=v2\n" in (site.app / ".env").read_text()
    assert site.calls[-1] == "install -m 644 config/deploy/compose/cron /etc/cron.d/classes"


def test_proxy_is_not_made_anew_with_the_web_server_that_it_waits_for(site):
    site.run("compose/release")

    ups = [call for call in site.calls if "compose up" in call]
    assert ups == ["docker compose up --detach web worker", "docker compose up --detach"]


@pytest.mark.parametrize("failing", ["compose build", "run --rm -T migrate"])
def test_release_that_is_not_ready_leaves_what_runs_alone(site, failing):
    site.stand_in("docker", failing=failing)

    assert site.run("compose/release").returncode
    assert not [call for call in site.calls if "compose up" in call]
    assert "RELEASE=v1\n" in (site.app / ".env").read_text()


@pytest.mark.parametrize(
    ("before", "after", "is_told"),
    [("old", "old", True), ("old", "new", False), ("", "new", False)],
    ids=["stays", "is made anew", "is the first"],
)
def test_proxy_that_stays_reads_its_files_again(site, before, after, is_told):
    site.stand_in("docker", body=proxies(before, after))

    assert site.run("compose/release").returncode == 0
    assert (RELOAD in site.calls) == is_told


def test_proxy_can_read_what_was_checked_out_for_root_alone(site):
    file = site.app / "config" / "deploy" / "nginx" / "compose.conf"
    file.chmod(0o600)

    site.run("compose/release")

    assert file.stat().st_mode & 0o777 == 0o644


# --- Containers: copies of the database ---

DUMP = """case "$*" in *pg_dump*) echo archive ;; *pg_restore*) cat > restored ;; esac"""


@pytest.fixture
def database(machine):
    machine.use_real("mv")
    machine.stand_in("docker", body=DUMP)
    return machine


def test_copy_is_read_to_its_end_and_is_its_owner_s_alone(database, tmp_path):
    copy = tmp_path / "not there yet" / "before-v2"

    done = database.run("compose/backup", str(copy))

    assert done.returncode == 0, done.stderr
    assert copy.read_text() == "archive\n"
    assert copy.stat().st_mode & 0o777 == 0o600
    assert copy.parent.stat().st_mode & 0o777 == 0o700
    assert (database.app / "restored").read_text() == "archive\n"
    assert "pg_restore --file=/dev/null" in database.calls[-1]


@pytest.mark.parametrize("failing", ["pg_dump", "pg_restore"])
def test_copy_that_is_not_whole_gets_no_name(database, tmp_path, failing):
    database.stand_in("docker", body=DUMP, failing=failing)

    assert database.run("compose/backup", str(tmp_path / "copy")).returncode
    assert not list(tmp_path.glob("copy*"))


def test_copy_replaces_no_other_that_is_named(database, tmp_path):
    copy = tmp_path / "copy"
    copy.write_text("another")

    assert database.run("compose/backup", str(copy)).returncode == 1
    assert copy.read_text() == "another"


# --- Containers: certificates and secrets ---


def test_renewed_certificate_reaches_the_proxy_without_stopping_it(machine, tmp_path):
    tls = machine.app / "secrets" / "tls"
    tls.mkdir(parents=True)
    for name in ("fullchain.pem", "privkey.pem"):
        (tmp_path / name).write_text(f"new {name}")

    done = machine.run("compose/renewed", RENEWED_LINEAGE=str(tmp_path))

    assert done.returncode == 0, done.stderr
    assert (tls / "fullchain.pem").read_text() == "new fullchain.pem"
    assert (tls / "privkey.pem").read_text() == "new privkey.pem"
    assert machine.calls == ["chown -R 101 secrets/tls", RELOAD]


@pytest.fixture
def empty(machine):
    """A machine with settings, and no secrets yet."""
    machine.use_real("install")
    (machine.app / ".env").write_text("BASE_URL=https://clases.example\n")
    return machine


def read_secrets(machine):
    folder = machine.app / "secrets"
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {str(file.relative_to(folder)): file.read_text() for file in files}


def test_secrets_are_made_or_asked_for(empty):
    done = empty.run("compose/make-secrets", "github_secret", typed="google\n\nsmtp://\ngit\n")

    assert done.returncode == 0, done.stderr
    secrets = read_secrets(empty)
    assert secrets["service/auth_provider_secret"] == "google\n"
    assert secrets["service/email_url"] == "smtp://\n"
    assert secrets["service/github_secret"] == "git\n"
    assert len(secrets["service/secret_key"]) == 65
    assert Fernet(secrets["service/field_keys"].strip())
    password = secrets["database_password"].strip()
    assert secrets["service/database_url"].strip() == (
        f"postgres://classes:{password}@database:5432/classes"
    )
    assert "BEGIN CERTIFICATE" in secrets["tls/fullchain.pem"]
    assert "PRIVATE KEY" in secrets["tls/privkey.pem"]


def test_secrets_that_are_there_stay(empty):
    empty.run("compose/make-secrets", typed="google\nsmtp://\n")
    before = read_secrets(empty)

    assert empty.run("compose/make-secrets").returncode == 0
    assert read_secrets(empty) == before


def test_secrets_are_for_those_who_read_them(empty):
    empty.run("compose/make-secrets", typed="google\nsmtp://\n")

    files = [file for file in (empty.app / "secrets").rglob("*") if file.is_file()]
    assert {file.stat().st_mode & 0o077 for file in files} == {0}
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    service = re.search(r"USER (\d+)", (ROOT / "Dockerfile").read_text())[1]
    database = services["database"]["user"].split(":")[0]
    assert empty.calls == [
        f"chown -R {service} secrets/service",
        "chown -R 101 secrets/tls",
        f"chown {database} secrets/database_password",
    ]


# --- systemd ---


@pytest.fixture
def release(machine):
    """A release in a folder called "app"; its commands are stand-ins."""
    machine.stand_in("config/deploy/systemd/classes")
    machine.stand_in("sed")
    machine.stand_in("grep")
    return machine


def test_switch_moves_the_link_once_settings_and_tables_suit_it(release):
    done = release.run("systemd/switch")

    assert done.returncode == 0, done.stderr
    steps = ("classes check --deploy", "classes migrate", "daemon-reload", "mv -T", "restart")
    places = [release.index(step) for step in steps]
    assert places == sorted(places)
    assert f"ln -sfn {release.app} /srv/classes.new" in release.calls
    assert "mv -T /srv/classes.new /srv/classes" in release.calls
    assert "sed -i s/^RELEASE=.*/RELEASE=app/ /etc/classes/env" in release.calls
    assert "systemctl restart classes-web classes-worker" in release.calls


def test_switch_to_another_door_restarts_it_too(release):
    release.stand_in("cmp", failing="classes-web.socket")

    release.run("systemd/switch")

    assert "systemctl restart classes-web.socket classes-web classes-worker" in release.calls


def test_switch_writes_a_release_that_the_settings_did_not_name(release):
    release.stand_in("grep", failing="RELEASE")

    release.run("systemd/switch")

    assert release.index("sed -i $a RELEASE=") < release.index("sed -i s/^RELEASE")


@pytest.mark.parametrize("failing", ["check", "migrate"])
def test_switch_to_what_does_not_suit_leaves_what_runs_alone(release, failing):
    release.stand_in("config/deploy/systemd/classes", failing=failing)

    assert release.run("systemd/switch").returncode
    touched = ("systemctl", "ln", "mv", "sed", "nginx")
    assert not [call for call in release.calls if call.split()[0] in touched]


def test_switch_installs_every_unit(release):
    release.run("systemd/switch")

    units = next(call for call in release.calls if call.endswith("/etc/systemd/system/"))
    for unit in (ROOT / "config" / "deploy" / "systemd").glob("classes-*"):
        assert f"config/deploy/systemd/{unit.name} " in units


def test_preparing_leaves_a_release_that_everybody_may_read(machine):
    body = f"""[ "$1" != -m ] || for one in pip python; do
        mkdir -p .venv/bin && cp {machine.programs}/git .venv/bin/$one
    done"""
    machine.stand_in("python3", body=body)
    file = machine.app / "manage.py"
    file.touch(0o600)

    done = machine.run("systemd/prepare")

    assert done.returncode == 0, done.stderr
    assert file.stat().st_mode & 0o777 == 0o644
    assert "pip install" in machine.calls[1]
    assert "--require-hashes" in machine.calls[1]
    assert machine.calls[2] == "python manage.py collectstatic --noinput"


@pytest.mark.skipif(not Path("/usr/sbin/runuser").exists(), reason="Linux only")
def test_command_of_the_service_finds_its_programs_from_cron(machine):
    script = machine.app / "config" / "deploy" / "systemd" / "classes"
    done = subprocess.run(
        [script, "check"],
        env={"PATH": "/usr/bin:/bin"},
        check=False,
        capture_output=True,
        text=True,
    )

    # Nobody here is called "classes", or it has no packages; a shell would say "not found".
    assert done.stderr.startswith(("runuser: ", "/usr/bin/env: "))
