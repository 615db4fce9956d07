"""What the guides tell people to type: files that are there, and lines that cron can carry out."""

import re
import shutil
import subprocess

import pytest

from tests.processes import ROOT

DEPLOY = ROOT / "config" / "deploy"
GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SHIPPED = [ROOT / "compose.yaml", ROOT / "Dockerfile", *sorted(DEPLOY.rglob("*"))]
TEXTS = [file for file in [*GUIDES, *SHIPPED] if file.is_file()]
BLOCK = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def name(file):
    return str(file.relative_to(ROOT))


def list_typed():
    """Give each first word of a line, and each hook, in the blocks that people copy."""
    for guide in GUIDES:
        for block in BLOCK.findall(guide.read_text()):
            lines = block.replace("\\\n", " ").splitlines()
            yield from (line.split()[0] for line in lines if line.strip())
            yield from re.findall(r"--deploy-hook (/\S+)", block)


def list_named(pattern):
    """Give each file with what it names of this kind."""
    for file in TEXTS:
        for found in re.findall(pattern, file.read_text()):
            yield name(file), found


def test_shipped_file_that_is_named_is_there():
    named = list_named(r"config/deploy/[\w./-]*\w")

    assert not [(file, path) for file, path in named if not (ROOT / path).exists()]


def test_unit_that_is_named_is_there():
    named = list_named(r"\bclasses-\w+\.(?:service|socket|timer)\b")

    assert not [(file, unit) for file, unit in named if not (DEPLOY / "systemd" / unit).exists()]


def test_shipped_program_that_is_typed_or_hooked_may_be_run():
    typed = [word.partition("config/deploy/") for word in list_typed()]
    programs = {DEPLOY / path for _, _, path in typed if path}

    assert {program.name for program in programs} > {"release", "renewed", "prepare", "switch"}
    assert not [program for program in programs if not program.stat().st_mode & 0o111]


@pytest.fixture
def repository(tmp_path):
    """A repository of two releases: the first has a tag, the second is a commit only."""
    folder = tmp_path / "repository"
    git = shutil.which("git") or pytest.skip("no git on this machine")
    author = ["-c", "user.name=Ana", "-c", "user.email=ana@example.com"]

    def run(*arguments):
        done = subprocess.run([git, *arguments], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    run("init", "--quiet", str(folder))
    for number in "12":
        commit = ["commit", "--quiet", "--allow-empty", "--message", number]
        run("-C", str(folder), *author, *commit)
        if number == "1":
            run("-C", str(folder), "tag", "v1")
    return folder


@pytest.mark.parametrize("release", ["v1", "commit"])
def test_guide_deploys_a_tag_or_a_commit(repository, tmp_path, release):
    def read(name, *folder):
        command = ["git", "-C", *folder, "rev-parse", name]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    wanted = read("v1" if release == "v1" else "HEAD", repository)
    name = "v1" if release == "v1" else wanted[:10]
    (tmp_path / "srv/releases").mkdir(parents=True)
    guide = (ROOT / "docs" / "deploy.md").read_text()
    lines = [line for block in BLOCK.findall(guide) for line in block.splitlines()]
    typed = "\n".join(line for line in lines if line.startswith(("git ", "cd ")))
    first, _, newer = typed.partition("git fetch")
    for commands in (first, f"cd /srv/classes\ngit fetch{newer}"):
        shutil.rmtree(tmp_path / "srv/releases")
        script = commands.replace("/srv", f"{tmp_path}/srv").replace("RELEASE", name)
        script = script.replace("ADDRESS-OF-THIS-REPOSITORY", str(repository))
        subprocess.run(["/bin/sh", "-euc", script], check=True, capture_output=True)

        for folder in ("classes", f"releases/{name}"):
            assert read("HEAD", tmp_path / "srv" / folder) == wanted
