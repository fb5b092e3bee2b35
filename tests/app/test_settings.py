"""Settings are read once, checked whole, and never printed."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from app.logs import mask_for, secrets_of
from app.settings import (
    ServerSettings,
    SettingsError,
    load_run_settings,
    load_server_settings,
    settings_table,
)


def pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()


PEM = pem(rsa.generate_private_key(public_exponent=65537, key_size=2048))
GOOD = {
    "GITHUB_APP_ID": "123",
    "GITHUB_APP_PRIVATE_KEY": PEM,
    "GITHUB_WEBHOOK_SECRET": "webhook-secret-value",
    "OPENAI_API_KEY": "sk-model-secret-value",
}


@pytest.fixture
def environment(monkeypatch):
    """Set exactly these settings; the good ones unless given as None."""
    for name in os.environ:
        if name.startswith("CAIRN_") or name.lower() in ServerSettings.model_fields:
            monkeypatch.delenv(name)

    def use(**changes):
        for name, value in {**GOOD, **changes}.items():
            if value is None:
                monkeypatch.delenv(name, raising=False)
            else:
                monkeypatch.setenv(name, value)

    return use


def problems(load=load_server_settings):
    with pytest.raises(SettingsError) as raised:
        load()
    return {problem.name: problem.message for problem in raised.value.problems}


def test_four_variables_are_enough_for_a_server(environment):
    """All else has the defaults that the design names."""
    environment()

    settings = load_server_settings()

    assert settings.github_app_id == 123
    assert settings.github_app_private_key.get_secret_value() == PEM
    assert settings.github_api_url == "https://api.github.com"
    assert settings.github_server_url == "https://github.com"
    assert settings.openai_base_url == "https://api.openai.com/v1"
    assert settings.cairn_model == "gpt-6.1-terra"
    assert settings.database_url.get_secret_value() == "sqlite:///data/cairn.db"
    assert (settings.cairn_sandbox, settings.cairn_sandbox_image) == (
        "auto",
        "cairn-sandbox:latest",
    )
    assert settings.cairn_allow_unsandboxed == "0"
    assert settings.cairn_concurrency == 2
    assert (settings.host, settings.port) == ("127.0.0.1", 8080)


def test_a_run_needs_no_github_secrets(environment):
    """The command line asks for nothing of the App."""
    environment(**dict.fromkeys(GOOD))

    settings = load_run_settings()

    assert settings.cairn_sandbox == "auto"
    assert "OPENAI_BASE_URL" in settings.missing_model_key


@pytest.mark.parametrize(
    "change",
    [{"OPENAI_API_KEY": "k"}, {"OPENAI_API_KEY": None, "OPENAI_BASE_URL": "http://[::1]:1/v1/"}],
)
def test_a_key_or_another_server_is_enough_for_a_model(environment, change):
    """A model server of one's own may need no key."""
    environment(**change)

    assert load_run_settings().missing_model_key is None
    assert load_server_settings()


def test_all_problems_are_told_at_once(environment):
    """Nobody has to start seven times to find seven mistakes."""
    environment(
        GITHUB_APP_ID="x",
        GITHUB_APP_PRIVATE_KEY="nonsense",
        GITHUB_WEBHOOK_SECRET=None,
        OPENAI_API_KEY="",
        GITHUB_API_URL="api.github.com",
        CAIRN_SANDBOX="vm",
        CAIRN_CONCURENCY="3",
        CAIRN_CONCURRENCY="0",
        CAIRN_ADMIN_TOKEN="a",
        PORT="70000",
    )

    found = problems()

    assert set(found) == {
        "GITHUB_APP_ID", "GITHUB_APP_PRIVATE_KEY", "GITHUB_WEBHOOK_SECRET", "OPENAI_API_KEY",
        "GITHUB_API_URL", "CAIRN_SANDBOX", "CAIRN_CONCURENCY", "CAIRN_CONCURRENCY", "PORT",
        "CAIRN_ADMIN_TOKEN",
    }  # fmt: skip
    assert "should have at least 16 characters" in found["CAIRN_ADMIN_TOKEN"]
    assert "did you mean CAIRN_CONCURRENCY?" in found["CAIRN_CONCURENCY"]
    assert "set it" in found["GITHUB_WEBHOOK_SECRET"]


def test_a_message_has_one_line_a_problem(environment):
    """The error reads as a list of variables, each with what to do."""
    environment(GITHUB_APP_ID=None, CAIRN_NONSENSE="1")

    with pytest.raises(SettingsError) as raised:
        load_server_settings()

    assert str(raised.value).split("\n") == [
        "The settings (environment variables) have problems:",
        "  CAIRN_NONSENSE is not a setting of Cairn; unset it.",
        "  GITHUB_APP_ID is not set; set it (The App's id, from its settings page).",
    ]


def test_an_unknown_name_is_refused_for_a_run_too(environment):
    """A misspelt variable does not pass on the command line; the server's names do."""
    environment(CAIRN_MODLE="m", CAIRN_CONCURRENCY="3")

    assert set(problems(load_run_settings)) == {"CAIRN_MODLE"}


@pytest.mark.parametrize("secret", ["", None])
def test_without_a_webhook_secret_the_server_does_not_start(environment, secret):
    """An empty webhook secret is no secret."""
    environment(GITHUB_WEBHOOK_SECRET=secret)

    assert set(problems()) == {"GITHUB_WEBHOOK_SECRET"}


def test_the_key_may_have_escaped_line_breaks(environment):
    r"""A key in one line with \n, as many hosts want it, is the same key."""
    environment(GITHUB_APP_PRIVATE_KEY=PEM.replace("\n", "\\n"))

    assert load_server_settings().github_app_private_key.get_secret_value() == PEM


def test_the_key_may_be_in_a_file(environment, tmp_path):
    """A file's key is read and checked."""
    (tmp_path / "app.pem").write_text(PEM)
    environment(GITHUB_APP_PRIVATE_KEY=None, GITHUB_APP_PRIVATE_KEY_FILE=str(tmp_path / "app.pem"))

    assert load_server_settings().github_app_private_key.get_secret_value() == PEM


PUBLIC = "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n"
CURVE = pem(ec.generate_private_key(ec.SECP256R1()))


@pytest.mark.parametrize("key", ["x", PUBLIC, CURVE, PEM[:200]])
def test_a_wrong_key_is_told_without_showing_it(environment, key):
    """A key of another kind or cut in half is refused when read, not at the first call."""
    environment(GITHUB_APP_PRIVATE_KEY=key)

    assert "RSA private key" in problems()["GITHUB_APP_PRIVATE_KEY"]


@pytest.mark.parametrize(
    ("key", "file", "says"),
    [(PEM, "app.pem", "unset one"), (None, None, "is not set"), (None, "nowhere.pem", "nowhere")],
)
def test_exactly_one_key_is_wanted(environment, key, file, says):
    """Two keys, none, or a file that is not there are refused with what to do."""
    environment(GITHUB_APP_PRIVATE_KEY=key, GITHUB_APP_PRIVATE_KEY_FILE=file)

    assert says in problems()["GITHUB_APP_PRIVATE_KEY"]


@pytest.mark.parametrize(
    "url", ["https://h/api/v3/", "https://h/api/v3", "http://127.0.0.1:8000/api/v3"]
)
def test_urls_lose_their_last_slash_and_keep_their_path(environment, url):
    """A GitHub Enterprise address with a path works with and without the slash."""
    environment(GITHUB_API_URL=url)

    assert load_server_settings().github_api_url == url.rstrip("/")


@pytest.mark.parametrize(
    "url", ["h", "ftp://h", "https://", "https://u:p@h", "https://h?a=b", "https://h:x", "//h"]
)
def test_what_is_no_base_url_is_refused(environment, url):
    """Anything but scheme, host, port and path is refused."""
    environment(GITHUB_SERVER_URL=url)

    assert set(problems()) == {"GITHUB_SERVER_URL"}


def test_the_database_is_in_the_data_folder(environment):
    """Moving the data folder moves the database."""
    environment(CAIRN_DATA_DIR="/srv/cairn")

    url = load_server_settings().database_url.get_secret_value()
    assert url == "sqlite:////srv/cairn/cairn.db"


@pytest.mark.parametrize(
    "url", ["sqlite://", "sqlite:///:memory:", "postgresql://u:pw@h", "mysql://u:pw@h/d", "x"]
)
def test_a_database_that_cannot_be_used_is_refused(environment, url):
    """Only a SQLite file or PostgreSQL keeps deliveries; the message shows no password."""
    environment(DATABASE_URL=url)

    message = problems()["DATABASE_URL"]
    assert "sqlite:///path" in message
    assert "pw" not in message


def test_a_password_that_ends_the_address_is_not_shown(environment):
    """What comes behind an @ in it would be taken for the host."""
    environment(DATABASE_URL="postgresql://cairn:a/b@pw+d=e#f%@127.0.0.1:5432/cairn")

    message = problems()["DATABASE_URL"]
    assert "%40" in message
    assert "pw" not in message


@pytest.mark.parametrize("scheme", ["postgresql", "postgresql+psycopg"])
def test_postgresql_may_keep_the_data(environment, scheme):
    """The address of a PostgreSQL database is taken as it is."""
    environment(DATABASE_URL=f"{scheme}://u:pw@h/d")

    assert load_server_settings().database_url.get_secret_value() == f"{scheme}://u:pw@h/d"


def test_the_server_refuses_to_run_without_isolation_unasked(environment):
    """CAIRN_SANDBOX=process needs CAIRN_ALLOW_UNSANDBOXED=1 on a server, and no more."""
    environment(CAIRN_SANDBOX="process")
    assert "isolates nothing" in problems()["CAIRN_ALLOW_UNSANDBOXED"]
    assert load_run_settings().cairn_sandbox == "process"

    environment(CAIRN_SANDBOX="process", CAIRN_ALLOW_UNSANDBOXED="1")
    assert load_server_settings().may_run_bare

    environment(CAIRN_SANDBOX="auto", CAIRN_ALLOW_UNSANDBOXED="1")
    assert not load_server_settings().may_run_bare  # because nothing else works is no reason


def test_lists_are_written_with_commas(environment):
    """Names between commas, with or without spaces, are one tuple."""
    environment(CAIRN_ALLOWED_BOTS="renovate[bot], me[bot],")

    assert load_server_settings().cairn_allowed_bots == ("renovate[bot]", "me[bot]")


def test_an_option_wins_over_the_environment(environment):
    """What the command line says is taken, and checked the same way."""
    environment(CAIRN_SANDBOX="docker")

    assert load_run_settings(CAIRN_SANDBOX="process").cairn_sandbox == "process"
    with pytest.raises(SettingsError, match="CAIRN_SANDBOX"):
        load_run_settings(CAIRN_SANDBOX="vm")


def test_a_missing_price_file_is_told(environment):
    """A price file that is not there is found at the start."""
    environment(CAIRN_PRICES="nowhere.json")

    assert "does not name a file" in problems()["CAIRN_PRICES"]


def test_no_secret_is_printed(environment):
    """Neither the settings nor an error about them show a secret."""
    environment()
    shown = repr(load_server_settings()) + str(load_server_settings())
    environment(GITHUB_APP_ID="sk-in-the-wrong-place", GITHUB_APP_PRIVATE_KEY="half-a-key")
    try:
        load_server_settings()
    except SettingsError as error:
        shown += "".join(traceback.format_exception(error))

    assert not [
        s for s in (*GOOD.values(), "wrong-place", "half-a-key") if s in shown and s != "123"
    ]


READS_ITS_PARENT = """
import os, subprocess, sys
from app.settings import keep_private

keep_private() if "private" in sys.argv else None
read = ["sh", "-c", 'cat "/proc/$PPID/environ"']
found = subprocess.run(read, env={"PATH": "/usr/bin:/bin"}, capture_output=True)
sys.stdout.buffer.write(found.stdout + os.environ["OPENAI_API_KEY"][:3].encode())
"""
ORDINARY = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
@pytest.mark.parametrize("as_root", [False, True])
def test_other_processes_of_the_user_cannot_read_our_environment(as_root: bool):
    """A child without our environment does not find it in /proc; root finds no secret in it."""
    if as_root and os.geteuid() != 0:
        pytest.skip("this is not root")
    plain = ORDINARY if os.geteuid() == 0 and not as_root else ()
    command = [*plain, sys.executable, "-c", READS_ITS_PARENT]
    environment = {**os.environ, "OPENAI_API_KEY": "sk-of-the-parent", "CANARY": "seen"}
    seen, hidden = (
        subprocess.run([*command, *how], env=environment, capture_output=True, check=True).stdout
        for how in ([], ["private"])
    )

    assert b"OPENAI_API_KEY=sk-of-the-parent" in seen
    assert b"sk-of-the-parent" not in hidden
    assert hidden.endswith(b"sk-")  # we ourselves still know it
    assert (b"\0CANARY=seen\0" in hidden) is as_root


def test_the_table_names_every_setting_and_no_secret():
    """The documentation's table has a row for each variable, with its default."""
    table = settings_table()

    rows = table.split("\n")[2:-1]
    assert [row.split("`")[1].lower() for row in rows] == list(ServerSettings.model_fields)
    assert "| `PORT` | `8080` | server |" in table
    assert "| `CAIRN_MODEL` | `gpt-6.1-terra` | all |" in table
    assert "*" not in table
    assert str(Path.cwd()) not in table


def test_events_go_nowhere_unsigned(environment):
    """An address needs a secret, and must be one; nothing of either is shown."""
    environment(CAIRN_EVENTS_URL="https://ours.example/hook?token=t0ken")
    assert "set it to a long random text" in problems()["CAIRN_EVENTS_SECRET"]

    environment(CAIRN_EVENTS_URL="ftp://ours.example", CAIRN_EVENTS_SECRET="s3cret")
    assert "is not a URL" in problems()["CAIRN_EVENTS_URL"]

    environment(CAIRN_EVENTS_URL="https://ours.example/?token=t0ken", CAIRN_EVENTS_SECRET="s3cret")
    shown = repr(load_server_settings())
    assert "t0ken" not in shown
    assert "s3cret" not in shown


def test_addresses_of_notices_are_secret_and_must_be_known(environment):
    """Each is masked as a whole and in its parts; the message names the place, not the address."""
    environment(CAIRN_NOTIFY="json://localhost:1/t0ken-of-ours-1 nope://t0ken-of-ours-2/")
    assert "in place 2" in problems()["CAIRN_NOTIFY"]
    assert "t0ken" not in str(problems())

    environment(CAIRN_NOTIFY=" json://ada:s3cret@localhost:1/t0ken-of-ours-1  json://localhost:2 ")
    settings = load_server_settings()
    mask = mask_for(secrets_of(settings))
    assert len(settings.cairn_notify) == 2
    assert "t0ken" not in repr(settings)
    assert mask("/t0ken-of-ours-1 and s3cret at localhost") == "/*** and *** at localhost"
