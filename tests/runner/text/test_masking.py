"""What the mask hides, and what it leaves alone."""

from __future__ import annotations

import json
import time
from base64 import b64encode, urlsafe_b64encode
from binascii import hexlify
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from runner.nodes.generate import put_back, still_hidden
from runner.state.changes import ChangeSet, Write
from runner.text.mask import HIDDEN, Mask, is_secret_file, masked

# put together here, so that no other tool takes this file for a leak
STRIPE = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
LINES = ["MIIEpAIBAAKCAQEA7bq2mT8vKx0wZ1hXc9Qy4LrSdF3gJ6nPuVtB5kWoEiYsRaMz", "Ab9+" * 16, "xY1="]
BEGIN, END = (f"-----{word} RSA PRIVATE KEY-----" for word in ("BEGIN", "END"))
KEY = "\n".join((BEGIN, *LINES, END))
FORMS = {
    "plain": KEY,
    "with line ends written out": repr(KEY),
    "in JSON": json.dumps({"key": KEY}),
    "in JSON in a string": json.dumps(repr(KEY)),
    "as pytest shows it": "\n".join(f"E       {line}" for line in KEY.split("\n")),
    "as a diff shows it": "\n".join(f"+{line}" for line in KEY.split("\n")),
    "as a list": "[\n" + "".join(f"    '{line}',\n" for line in KEY.split("\n")) + "]",
    "with headers": KEY.replace(LINES[0], f"Proc-Type: 4,ENCRYPTED\n\n{LINES[0]}"),
    "cut off": KEY[: KEY.index(LINES[2])],
}


@pytest.mark.parametrize("form", FORMS)
def test_a_private_key_is_hidden_as_a_block(form: str) -> None:
    """Of no form of a key a line is left, and what stands around it is."""
    said = Mask()(f"before {FORMS[form]}\n(after)")

    assert said.startswith("before ")
    assert said.endswith("(after)")
    assert not [line for line in LINES[:2] if line[:16] in said or line[-16:] in said]


def test_a_known_key_is_hidden_as_a_block_and_by_its_lines() -> None:
    """Knowing the lines of a key does not keep its block from being found."""
    mask = Mask([KEY])

    assert mask(f"a\n{KEY}\nb") == f"a\n{HIDDEN}\nb"
    assert mask(f"line 2 is {LINES[1]}.") == f"line 2 is {HIDDEN}."


HARMLESS = [
    f'if "{BEGIN}" in text:\n    return load(text)\n',
    f"{BEGIN}\n...\n{END}",
    ".sk-folding-cube-wrapper .sk-circle-fade-dot { color: red }",
    'engine = create_engine("postgresql://scott:tiger@localhost/test")',
    'password = os.environ["DB_PASSWORD2"]',
    "API_KEY=${API_KEY1}",
    'curl -H "Authorization: Bearer $CAIRN_ADMIN_TOKEN1"',
    'headers = {"Authorization": f"Bearer {token}"}',
    'api_key = "your-api-key-123"',
    "tree a94a8fe5ccb19ba61c4c0873d391e987982fbccd",
    "sha512-4kGHx1Zb4Yz0nE1kKkQd8r8d0aP2Xg==",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_is_left_alone(text: str) -> None:
    """Markers in code, examples, references, names and hashes stay as they are."""
    assert Mask()(text) == text


def test_this_project_has_no_secrets() -> None:
    """Of our own code and pages nothing would be hidden from a model."""
    root = Path(__file__).parents[3]
    files = [
        *root.glob("docs/*.md"),
        *(f for n in ("app", "runner") for f in root.glob(f"{n}/*.py")),
    ]
    texts = {file: file.read_text() for file in files}

    assert [file for file, text in texts.items() if Mask()(text) != text] == []


SHOWN = {
    "assignment": (f'KEY = "{STRIPE}"', f'KEY = "{HIDDEN}"'),
    "variable": ("export DB_PASSWORD=Tr0ub4dorX9", f"export DB_PASSWORD={HIDDEN}"),
    "address": ("postgres://app:t0pGr4ssH@db/x", f"postgres://app:{HIDDEN}@db/x"),
    "header": ("Authorization: Bearer 9f8e7d6c5b4a39281706", f"Authorization: Bearer {HIDDEN}"),
}


@pytest.mark.parametrize("case", SHOWN)
def test_only_the_value_is_hidden(case: str) -> None:
    """What tells a reader which secret it was stays."""
    text, wanted = SHOWN[case]
    assert Mask()(text) == wanted


def test_of_an_address_the_password_is_the_secret() -> None:
    """A database's address without a password is none; the password is hidden anywhere."""
    mask = Mask(["sqlite:///data/cairn.db", "postgresql://cairn:p%40ssphrase@db/cairn"])

    assert mask("sqlite:///data/cairn.db") == "sqlite:///data/cairn.db"
    assert mask("at p%40ssphrase or p@ssphrase") == f"at {HIDDEN} or {HIDDEN}"


def test_a_secret_can_be_learned() -> None:
    """A token that is given out later is hidden from then on."""
    mask = Mask()
    mask.learn("a token without a form")

    assert mask("it is 'a token without a form'") == f"it is '{HIDDEN}'"


@pytest.mark.parametrize("before", ["", "a", "ab", "HOME=/root\0KEY="])
@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode, hexlify])
def test_an_encoded_secret_is_hidden(before: str, encode: Callable[[bytes], bytes]) -> None:
    """As code prints it that wants to get it past the mask: of no part of it enough is left."""
    secret = "s>?cr~t value 17 of the server"
    learned = Mask()
    learned.learn(secret)
    for mask in (Mask([secret]), learned):
        shown = mask(encode(f"{before}{secret}\0PATH=/bin".encode()).decode())
        assert HIDDEN in shown
        assert len(shown) <= 2 * len(f"{before}PATH=/bin") + 12


@pytest.mark.parametrize("safe", ["", "/"])
def test_a_known_key_is_hidden_as_in_an_address(safe: str) -> None:
    """Each of its lines, with what stands for the line ends between them."""
    key, line = KEY.replace("b9+", "/9+"), "A/9+" * 16
    shown = Mask([key])(quote(f"of {key}", safe=safe))

    assert quote(LINES[0]) not in shown
    assert quote(line, safe=safe) not in shown


def test_by_value_alone_nothing_else_changes() -> None:
    """What must stay exact loses the process's own secrets and no other text."""
    text = f"{KEY}\n{STRIPE}\n"

    assert Mask(["hunter2-own"]).values(text + "hunter2-own") == text + HIDDEN


def test_json_is_masked_text_by_text() -> None:
    """Numbers, names and shapes stay."""
    value = {"a": [1, None, f"x {STRIPE}"], STRIPE: True}

    assert masked(value, Mask()) == {"a": [1, None, f"x {HIDDEN}"], STRIPE: True}


@pytest.mark.parametrize(
    "piece",
    [
        "password=",
        "eyJ.",
        "aws",
        "sk-a1b2c3",
        f"{BEGIN}\nMIIE+AAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAA+",
    ],
)
def test_a_hostile_output_is_masked_in_bounded_time(piece: str) -> None:
    """A megabyte without a line break, full of what could be secrets, takes seconds at most."""
    began = time.thread_time()
    Mask()(piece * (1_000_000 // len(piece)))

    assert time.thread_time() - began < 10


FILE = f"A = 1\nKEY = '{STRIPE}'\nPEM = '''{KEY}'''\nB = 2\n"


def test_hidden_lines_are_put_back() -> None:
    """A file that is repeated as it was shown is the file itself, blocks included."""
    mask = Mask()
    shown = mask(FILE)

    assert shown == f"A = 1\nKEY = '{HIDDEN}'\nPEM = '''{HIDDEN}'''\nB = 2\n"
    assert put_back(shown.replace("B = 2", "B = 3"), [FILE.encode()], mask) == FILE.replace(
        "B = 2", "B = 3"
    )
    assert put_back(f"+   KEY = '{HIDDEN}'", [FILE.encode()], mask) == f"+   KEY = '{STRIPE}'"


def test_a_line_that_stands_for_two_values_is_not_guessed() -> None:
    """It stays hidden, and the file is refused rather than given another one's value."""
    mask = Mask()
    other = FILE.replace(STRIPE, STRIPE.replace("4eC", "9xZ"))
    answer = f"KEY = '{HIDDEN}'\n"

    assert put_back(answer, [FILE.encode(), other.encode()], mask) == answer
    changes = ChangeSet({"a.py": Write(answer.encode())})
    (complaint,) = still_hidden(changes, {"a.py": FILE.encode()}, mask)
    assert (complaint.path, complaint.error) == ("a.py", "HiddenValue")


def test_stars_that_hide_nothing_are_text() -> None:
    """A file without secrets may have as many as it likes."""
    changes = ChangeSet({"a.md": Write(b"***\n"), "b.md": None})

    assert still_hidden(changes, {"a.md": b"# A\n"}, Mask()) == ()


@pytest.mark.parametrize(
    "path",
    [
        *(
            ".env",
            "a/.env.local",
            ".env.production",
            "prod.env",
            ".envrc",
            "id_rsa",
            "k/id_ed25519",
        ),
        *(
            "server.pem",
            "tls.key",
            "cert.p12",
            "cert.PFX",
            "app.jks",
            ".netrc",
            "_netrc",
            ".pgpass",
        ),
        *(".npmrc", ".pypirc", ".git-credentials", "credentials.json", ".aws/credentials"),
        *("service-account.json", "my_service_account_prod.json", "client_secret_1.json"),
        *("kubeconfig", "prod.kubeconfig", ".kube/config", "main.tfvars", "x.auto.tfvars.json"),
        *("terraform.tfstate", "terraform.tfstate.backup", "config/secrets.yml", "secret.json"),
        *(".docker/config.json", ".ssh/config", "config/master.key"),
    ],
)
def test_files_that_hold_secrets_are_known_by_name(path: str) -> None:
    """Wherever they lie."""
    assert is_secret_file(path)


@pytest.mark.parametrize(
    "path",
    [
        *(
            ".env.example",
            ".env.sample",
            ".env.template",
            "example.env",
            ".env.dist",
            "a/.env.defaults",
        ),
        *("id_rsa.pub", "terraform.tfvars.example", "credentials.example.json", "env.py", "key.py"),
        *("keys.json", "secrets.py", "service_account.py", "environment.yml", "monkey.txt"),
        *("credentials.py", "src/config.json", "docs/env.md", "package.json", "kubeconfig.py"),
    ],
)
def test_other_files_are_shown(path: str) -> None:
    """Examples, templates, public halves, and code about secrets."""
    assert not is_secret_file(path)
