"""What the guides tell people to type: files that are there, and lines that cron can carry out."""

import re

import pytest

from tests.processes import ROOT

DEPLOY = ROOT / "config" / "deploy"
GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SHIPPED = [ROOT / "compose.yaml", ROOT / "Dockerfile", *sorted(DEPLOY.rglob("*"))]
TEXTS = [file for file in [*GUIDES, *SHIPPED] if file.is_file()]
# Fields of a time and date, then the command.
CRON_LINE = re.compile(r"^[\d*/,-]+(?: [\d*/,-]+){4} (.*)$", re.MULTILINE)
BLOCK = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def name(file):
    return str(file.relative_to(ROOT))


def list_cron_commands():
    """Give each command that a text gives cron, without the user of /etc/cron.d."""
    for file in TEXTS:
        for line in CRON_LINE.findall(file.read_text()):
            yield from line.removeprefix("root ").split(" && ")


def list_typed():
    """Give each first word of a line, and each hook, in the blocks that people copy."""
    for guide in GUIDES:
        for block in BLOCK.findall(guide.read_text()):
            lines = block.replace("\\\n", " ").splitlines()
            yield from (line.split()[0] for line in lines if line.strip())
            yield from re.findall(r"--deploy-hook (/\S+)", block)


@pytest.mark.parametrize("file", TEXTS, ids=name)
def test_shipped_file_that_is_named_is_there(file):
    paths = re.findall(r"config/deploy/[\w./-]*\w", file.read_text())

    assert not [path for path in paths if not (ROOT / path).exists()]


@pytest.mark.parametrize("file", TEXTS, ids=name)
def test_unit_that_is_named_is_there(file):
    units = re.findall(r"\bclasses-\w+\.(?:service|socket|timer)\b", file.read_text())

    assert not [unit for unit in units if not (DEPLOY / "systemd" / unit).exists()]


def test_shipped_program_that_is_typed_or_hooked_may_be_run():
    typed = [word.partition("config/deploy/") for word in list_typed()]
    programs = {DEPLOY / path for _, _, path in typed if path}

    assert {program.name for program in programs} > {"release", "renewed", "prepare", "switch"}
    assert not [program for program in programs if not program.stat().st_mode & 0o111]


def test_what_is_a_program_may_be_run():
    files = [file for file in DEPLOY.rglob("*") if file.is_file()]
    programs = [file for file in files if file.read_bytes().startswith(b"#!")]

    assert programs == [file for file in files if file.stat().st_mode & 0o111]


def test_cron_finds_every_program():
    commands = list(list_cron_commands())

    # Its PATH is /usr/bin:/bin, and the shell's own "cd" is needed in front of some.
    assert len(commands) > 5
    assert not [one for one in commands if not re.match(r"/|cd /", one)]


def test_a_timer_runs_a_service_and_is_started_by_the_guide():
    guide = (ROOT / "docs" / "deploy.md").read_text()

    for timer in (DEPLOY / "systemd").glob("*.timer"):
        assert timer.with_suffix(".service").exists()
        assert re.search(rf"systemctl enable --now .*{timer.name}", guide)


def test_no_program_of_a_block_takes_the_next_line_for_an_answer():
    for guide in GUIDES:
        for block in BLOCK.findall(guide.read_text()):
            lines = block.replace("\\\n", " ").splitlines()
            assert not [line for line in lines if re.match(r"apt-get install (?!--yes)", line)]
            # Pasted as a whole, the block would answer what these ask.
            asking = [
                line for line in lines[:-1] if re.search("certbot certonly|make-secrets", line)
            ]
            assert not asking
