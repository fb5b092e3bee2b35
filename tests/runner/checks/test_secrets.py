"""Secrets that a change adds are refused, without being repeated."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.checks.validate import check_secrets
from tests.runner.checks.trees import complaints

BODY = "MIIEpAIBAAKCAQEA7bq2mT8vKx0wZ1hXc9Qy4LrSdF3gJ6nPuVtB5kWoEiYsRaMz"
JWT = "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl"
KEY = "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----"
# put together here, so that no other tool takes this file for a leak
SECRETS = {
    "AWS Access Key": ("a.py", 'KEY = "{}"', "AKIA" + "Z7QWERT2YUIO5PLK"),
    "AWS secret": ("a.py", 'aws_secret_key = "{}"', "wJalrXUtnFEMIK7MDENGbPxRfiCYzzPQ8LKkEYab"),
    "GitHub Token": ("a.js", 'const t = "{}";', "ghp_" + "a8Kd02LmQz7Yx1WvUt3Rs5Pn9Bc4Hj6Ge0Fi"),
    "GitHub PAT": ("a.yml", "t: {}", "github_pat_" + "11AQWERTY0zXcVbNmLkJhG_fDsApOiUyT"),
    "Slack Token": ("a.py", "t = '{}'", "xoxb-" + "834710293847-918273645546-qPzMxNwOeIrUtYlAk"),
    "OpenAI Token": ("a.py", "t = '{}'", "sk-" + "proj-Ab3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hI5kL7nO9"),
    "Stripe": ("a.rb", "t = '{}'", "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"),
    "JSON Web Token": ("a.py", "t = '{}'", JWT),
    "Basic Auth Credentials": ("a.py", "u = 'postgres://admin:{}@db/x'", "t0pGr4ssH"),
    "Secret Keyword": ("a.py", 'password = "{}"', "Tr0ub4dor-X9"),
    "keyword in .env": (".env", "DB_PASSWORD={}", "Tr0ub4dorX9"),
    "Private Key": ("a.pem", KEY, BODY),
}  # fmt: skip
HARMLESS = {
    "environment": ("a.py", 'password = os.environ["DB_PASSWORD2"]'),
    "placeholder": ("a.py", 'api_key = "your-api-key-123"'),
    "aws documentation": ("a.py", 'KEY = "AKIAIOSFODNN7EXAMPLE"'),
    "template": ("a.py", 'password = "${DB_PASSWORD1}"'),
    "f-string": ("a.py", 'url = f"postgres://{user}:{password}@{host}/x"'),
    "message": ("a.py", 'password_error = "Password must have 8 characters"'),
    "name": ("a.py", 'SECRET_NAME = "prod/db/main-1"'),
    "hash": ("a.lock", "sha512-4kGHx1Zb4Yz0nE1kKkQd8r8d0aP2Xg=="),
    "key marker in code": ("a.py", 'if "BEGIN RSA PRIVATE KEY" in text: pass'),
    "test": ("tests/test_a.py", 'password = "Tr0ub4dor-X9"'),
    "fixture": ("src/fixtures/key.pem", f"-----BEGIN PRIVATE KEY-----\n{BODY}"),
    "example": (".env.example", "API_KEY=9f8e7d6c5b4a"),
    "git url": ("a.md", "git clone https://user:pass@host/x"),
    "repeated": ("a.py", 'token = "ghp_' + "a" * 36 + '"'),
}


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_refused_and_not_repeated(kind):
    """The complaint names line and kind; neither message nor excerpt holds the value."""
    path, template, value = SECRETS[kind]

    found = list(check_secrets(path, ("x = 1\n" + template.format(value)).encode(), None))

    assert (found[0].path, found[0].error, found[0].line) == (path, "Secret", 2)
    assert all(value not in c.for_model + c.excerpt for c in found)
    assert ">    2 | " in found[0].excerpt


def test_the_message_names_the_kind():
    """A person learns what kind of secret it is and what to do."""
    path, template, value = SECRETS["GitHub Token"]
    message = next(iter(check_secrets(path, template.format(value).encode(), None))).for_model
    assert "Line 1 adds what looks like a secret (GitHub Token)" in message
    assert "environment" in message


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_no_secret_passes(name):
    """References, placeholders, names, messages and fakes of tests are not flagged."""
    path, text = HARMLESS[name]
    assert list(check_secrets(path, text.encode(), None)) == []


def test_only_what_the_change_adds_counts():
    """A secret that stands in the old file is not held against the change; another one is."""
    path, template, value = SECRETS["Secret Keyword"]
    old = template.format(value)

    assert complaints({path: f"x = 1\n{old}\n"}, {path: old}) == []
    assert complaints({path: f"{old}\n{old}\n"}, {path: old}) == [(path, "Secret")]


def test_a_huge_line_is_read_in_bounded_time():
    """A long text without a line break, full of triggers, takes seconds at most."""
    for piece in (b"://a:", b"password=", b"eyJ.", b"aws", b"BEGIN PRIVATE KEY "):
        began = time.thread_time()
        list(check_secrets("a.js", piece * (60_000 // len(piece)), None))
        assert time.thread_time() - began < 10, piece


@settings(max_examples=200, deadline=None)
@given(st.text(), st.binary(max_size=400), st.one_of(st.none(), st.binary(max_size=200)))
def test_any_bytes_are_answered(path, content, old):
    """No content and no path makes it raise."""
    assert all(c.error == "Secret" for c in check_secrets(path, content, old))


def test_a_key_far_down_in_a_file():
    """Its lines are found wherever they stand, and only those that are new."""
    lines = "name = 1\n\n" * 20
    key = KEY.format(BODY)
    found = list(check_secrets("conf/a.pem", f"{lines}{key}\n".encode(), lines.encode()))

    assert [(each.error, each.line) for each in found] == [("Secret", 41)]
    assert list(check_secrets("conf/a.pem", f"{lines}{key}\n".encode(), key.encode())) == []


def test_ten_secrets_are_enough():
    """More are not told one by one."""
    template, value = SECRETS["Secret Keyword"][1:]
    lines = "".join(f"{template.format(value + str(n))}\n" for n in range(20))

    assert len(list(check_secrets("a.py", lines.encode(), None))) == 10
