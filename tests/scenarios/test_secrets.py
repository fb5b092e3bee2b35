"""Secrets reach neither the model nor GitHub, the database, the files of a run or the log."""

from __future__ import annotations

from base64 import b64encode
from urllib.parse import quote

import pytest

from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import answer, note, notes, on

# put together here, so that no other tool takes this file for a leak
TOKEN = "ghp_" + "a8Kd02LmQz7Yx1WvUt3Rs5Pn9Bc4Hj6Ge0Fi"
STRIPE = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
BODY = "MIIEpAIBAAKCAQEA7bq2mT8vKx0wZ1hXc9Qy4LrSdF3gJ6nPuVtB5kWoEiYsRaMz"
KEY = (
    f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n{BODY[::-1]}\nxYz1\n-----END RSA PRIVATE KEY-----\n"
)
VALUE = "correct-horse-battery"  # has no form by which it could be known
ONE = "/execute --max-tasks 1"

SECRET_FILES = {
    ".env": f"PASSPHRASE={VALUE}-env\n",
    "deploy/production.env": f"PASSPHRASE={VALUE}-production\n",
    "id_rsa": f"{VALUE}-rsa\n",
    "certs/server.pem": f"{VALUE}-pem\n",
    ".netrc": f"machine x login y password {VALUE}-netrc\n",
    ".npmrc": f"//registry/:_authToken={VALUE}-npmrc\n",
    "infra/main.tfvars": f'passphrase = "{VALUE}-tfvars"\n',
    "service-account.json": f'{{"x": "{VALUE}-account"}}\n',
    "kubeconfig": f"token: {VALUE}-kube\n",
}
NAMED = ", ".join(f"`{path}`" for path in SECRET_FILES)
SHOWN = {".env.example": b"PASSPHRASE=shown-example\n", ".env.template": b"X=shown-template\n"}


@on(
    notes(
        f"- [ ] 1.1 Describe {NAMED}, `.env.example` and `.env.template` in `one.md`\n",
        **{path: text.encode() for path, text in SECRET_FILES.items()},
        **SHOWN,
        **{".github/cairn.yml": b"planning: never\n"},
    )
)
async def test_files_that_hold_secrets_are_not_shown(bot: Bot) -> None:
    """A task names them all: the model sees their names, and only the examples' contents."""
    bot.model.says(note("one.md"))

    await bot.comment("/execute")

    bot.says()
    asked = "\n".join(bot.prompts)
    assert VALUE not in asked
    assert "`deploy/production.env` may hold secrets and is not shown." in asked
    assert "shown-example" in asked
    assert "shown-template" in asked


@on(
    notes(
        "- [ ] 1.1 Set `TIMEOUT` in `.env` and describe it in `one.md`\n", **{".env": b"A=1\nB=2\n"}
    )
)
async def test_a_file_that_is_not_shown_is_not_replaced(bot: Bot) -> None:
    """No failed edit is answered with its nearest lines, and no whole file takes its place."""
    edit = ".env\n```\n<<<<<<< SEARCH\nB=3\n=======\nTIMEOUT=1\n>>>>>>> REPLACE\n```\n"
    whole = answer({".env": "TIMEOUT=1\n"})
    bot.model.says(edit + note("one.md"), whole + note("one.md"), note("one.md"))

    await bot.comment("/execute")

    bot.says()
    assert "B=2" not in "\n".join(bot.prompts)
    assert set(bot.changed(bot.pulls[0])) == {"ROADMAP.md", "one.md"}


PRINTS = """\
import calc.add


def test_prints():
    print({text!r})
    assert calc.add.add(2, 3) == 5, {text!r}
"""
WRONG = answer(
    {
        "calc/add.py": "def add(a, b):\n    return a - b\n",
        "tests/test_add.py": "from calc.add import add\n\n\n"
        "def test_zero():\n    assert add(0, 0) == 0\n",
    }
)


@pytest.mark.sample(1, "each kind of secret", whole=True)
@pytest.mark.parametrize(
    ("printed", "secret"),
    [(f"token={TOKEN}", TOKEN), (f"pay with {STRIPE}", STRIPE), (KEY, BODY)],
    ids=["GitHub", "Stripe", "private key"],
)
async def test_a_secret_that_a_test_prints_goes_nowhere(
    bot: Bot, printed: str, secret: str
) -> None:
    """A test prints it until the task has failed: it is in no prompt, comment, row or file."""
    await bot.github.push(REPOSITORY, {"tests/test_prints.py": PRINTS.format(text=printed)})
    bot.model.when(contains="or you are not sure").says("unknown")
    bot.model.says(*[WRONG] * 3)

    await bot.comment(ONE)

    said = "\n".join([*bot.says(), *bot.proposes()])
    assert "test_prints" in said
    assert "***" in "\n".join(bot.prompts)
    assert [where for where in traces(bot, secret) if "mirrors" not in where] == []


async def test_the_servers_own_secrets_go_nowhere(bot: Bot) -> None:
    """Without isolation a test may find them; wherever it prints them, they are hidden.

    Also in base64, in hexadecimal and as in an address. The fixture looks for them everywhere when
    the conversation is over.
    """
    key = bot.settings.openai_api_key
    assert key is not None
    texts = [
        key.get_secret_value(),
        bot.settings.github_webhook_secret.get_secret_value(),
        bot.settings.github_app_private_key.get_secret_value(),
    ]
    codes = [(b64encode(data), data.hex(), quote(data)) for data in map(str.encode, texts)]
    leaking = PRINTS.format(text="\n".join(map(str, (*texts, *codes))))
    await bot.github.push(REPOSITORY, {"tests/test_prints.py": leaking})
    bot.model.when(contains="or you are not sure").says("unknown")
    bot.model.says(*[WRONG] * 3)

    await bot.comment(ONE)

    said = "\n".join([*bot.says(), *bot.proposes()])
    assert "test_prints" in said


CONFIGURED = f'NAME = "shop"\nSTRIPE_KEY = "{STRIPE}"\n\nRETRIES = 1\n'


@on(
    notes(
        "- [ ] 1.1 Set `RETRIES` to 2 in `shop.py`\n- [ ] 1.2 Set `RETRIES` to 3 in `shop.py`\n",
        **{"shop.py": CONFIGURED.encode()},
    )
)
async def test_a_hidden_value_stays_in_its_file(bot: Bot) -> None:
    """The model sees *** and repeats it, in a whole file or an edit: the file keeps its value."""
    whole = answer({"shop.py": 'NAME = "shop"\nSTRIPE_KEY = "***"\n\nRETRIES = 2\n'})
    edit = (
        'shop.py\n```python\n<<<<<<< SEARCH\nSTRIPE_KEY = "***"\n\nRETRIES = 2\n=======\n'
        'STRIPE_KEY = "***"\n\nRETRIES = 3\n>>>>>>> REPLACE\n```\n'
    )
    bot.model.says(whole, edit)

    await bot.comment("/execute")

    bot.says()
    assert STRIPE not in "\n".join(bot.prompts)
    assert 'STRIPE_KEY = "***"' in bot.prompts[0]
    for pull, retries in zip(bot.pulls, ("2", "3"), strict=True):
        kept = CONFIGURED.replace("RETRIES = 1", f"RETRIES = {retries}")
        assert bot.changed(pull)["shop.py"] == kept.encode()


@on(
    notes(
        "- [ ] 1.1 Add `KEY`, another name of `STRIPE_KEY`, to `shop.py`\n",
        **{"shop.py": CONFIGURED.encode()},
    )
)
async def test_a_hidden_value_is_not_overwritten(bot: Bot) -> None:
    """A line that is not repeated as it was shown would lose its value: it is refused."""
    lost = CONFIGURED.replace(STRIPE, "***").replace("STRIPE_KEY", "KEY")
    kept = 'NAME = "shop"\nSTRIPE_KEY = "***"\nKEY = STRIPE_KEY\n\nRETRIES = 1\n'
    bot.model.says(answer({"shop.py": lost}), answer({"shop.py": kept}))

    await bot.comment("/execute")

    bot.says()
    assert "in the place of a value that was hidden" in bot.prompts[1]
    assert bot.changed(bot.pulls[0])["shop.py"] == kept.replace("***", STRIPE).encode()


def traces(bot: Bot, secret: str) -> list[str]:
    """Where a text is found: prompts, what GitHub was sent, files of the data directory."""
    found = [f"prompt {n}" for n, text in enumerate(bot.prompts) if secret in text]
    found += [r.path for r in bot.github.requests if secret in str(r.body)]
    files = [file for file in bot.settings.cairn_data_dir.rglob("*") if file.is_file()]
    return found + [str(file) for file in files if secret.encode() in file.read_bytes()]
