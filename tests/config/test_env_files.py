"""Values that stand in files: of their own, as secrets are mounted, or together in one."""

import pytest

from config.env.environment import load_env
from tests.config.environments import KEY, production, read_settings, refusal


@pytest.fixture
def file(tmp_path):
    """Write a file and give its path."""

    def written(content, name="secret"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return written


def test_any_value_may_stand_in_a_file(file):
    env = read_settings(
        {
            "SECRET_KEY_FILE": file("a-real-key\n", "secret"),
            "FIELD_KEYS_FILE": file(f" {KEY} \n", "keys"),
            "BASE_URL_FILE": file("https://clases.example", "address"),
            "DATABASE_URL_FILE": file("postgres://ana:pass@db/classes\n", "database"),
            "SERVICE_ACCOUNT_JSON_FILE": file('{"type": "service_account"}', "account"),
            "TRUSTED_PROXIES_FILE": file("1", "proxies"),
        }
    )

    assert (env.SECRET_KEY, env.FIELD_KEYS) == ("a-real-key", [KEY])
    assert (env.BASE_URL, env.TRUSTED_PROXIES) == ("https://clases.example", 1)
    database = env.DATABASES["default"]
    assert (database["USER"], database["PASSWORD"]) == ("ana", "pass")
    assert env.CALENDAR_SERVICE_ACCOUNT == {"type": "service_account"}


def test_value_beside_its_file_is_refused(file):
    said = refusal(GITHUB_SECRET="s3cret", GITHUB_SECRET_FILE=file("an0ther"))

    assert "GITHUB_SECRET and GITHUB_SECRET_FILE are both set" in said
    assert "s3cret" not in said
    assert "an0ther" not in said


@pytest.mark.parametrize("content", [b"", b" \n", b"s3cret\xff"], ids=["empty", "blank", "binary"])
def test_file_without_a_value_is_refused(file, content):
    said = refusal(GITHUB_SECRET_FILE=file(content))

    assert "GITHUB_SECRET_FILE must name a file with a value in it." in said
    assert "s3cret" not in said


@pytest.mark.parametrize("path", ["/nowhere/at/all", "/"])
def test_file_that_is_none_is_refused(path):
    assert "SECRET_KEY_FILE must name a file" in refusal(SECRET_KEY_FILE=path)


def test_values_print_as_nothing():
    env = production().ENV

    for text in (repr(env), str(env), f"{[env]}"):
        assert not any(secret in text for secret in ("a-real-key", KEY))


@pytest.fixture
def env_file(tmp_path, monkeypatch):
    """An environment that names a file and holds nothing else of ours."""
    for name in ("DEBUG", "SITE_NAME", "ADMIN_EMAIL", "AUTH_PROVIDER_SECRET", "GITHUB_SECRET"):
        monkeypatch.delenv(name, raising=False)
    file = tmp_path / "settings.env"
    monkeypatch.setenv("ENV_FILE", str(file))
    return file


def test_file_completes_the_environment(env_file, monkeypatch):
    env_file.write_text("DEBUG=true\nSITE_NAME=From the file\nADMIN_EMAIL=file@example.com\n")
    monkeypatch.setenv("SITE_NAME", "From the process")

    env = load_env()

    assert env.text("SITE_NAME") == "From the process"
    assert env.text("ADMIN_EMAIL") == "file@example.com"


def test_file_may_hold_quotes_comments_and_dollars(env_file):
    env_file.write_text(
        "# what follows is made up\nDEBUG=true\nSITE_NAME='Clases # 1'\n"
        'AUTH_PROVIDER_SECRET="$ecret"\nexport GITHUB_SECRET=s3cret\n'
    )

    env = load_env()

    assert env.text("SITE_NAME") == "Clases # 1"
    assert env.text("AUTH_PROVIDER_SECRET") == "$ecret"
    assert env.text("GITHUB_SECRET") == "s3cret"
