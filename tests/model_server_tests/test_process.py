"""The scripted model as a process of its own, with its script in a file."""

from __future__ import annotations

import asyncio
import signal
import sys

import aiohttp
import pytest

from tests.model_server import Fault, Reply, Rule, read_script
from tests.model_server.turns import Asked

SCRIPT = """
rules:
  - contains: [greet]
    without: [failed]
    answers:
      - {fault: http_429, retry_after: 2}
      - "hello"
    repeat_last: true
answers:
  - {fault: truncated, text: abcdef}
"""


def asked(text: str) -> Asked:
    """Make a request."""
    return Asked({"messages": [{"role": "user", "content": text}]})


def test_script_file(tmp_path):
    """A file says what the calls would have said."""
    file = tmp_path / "script.yml"
    file.write_text(SCRIPT)
    model = read_script(file)

    assert model.answer(asked("Greet people")) == Fault.http_429(retry_after=2)
    assert model.answer(asked("greet, but it failed")) == Reply("abc", "length")
    assert model.answer(asked("Greet people")) == "hello"
    model.verify()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "known keys are answers, rules"),
        ("rules: [{contain: [x]}]", "rule 1: known keys"),
        ("rules: [{contains: x}]", "rule 1: contains is a list"),
        ("answers: [{fault: flood}]", "http_429"),
    ],
)
def test_bad_script(tmp_path, text, says):
    """A script that cannot be used is told with its place and what is allowed there."""
    file = tmp_path / "script.yml"
    file.write_text(text)

    with pytest.raises(ValueError, match=says):
        read_script(file)


def test_rule_defaults():
    """A rule without words speaks for every prompt."""
    assert Rule(answers=("x",)).matches("anything")


async def test_process(tmp_path):
    """The process says that it is scripted and where it listens, answers, and ends when told to."""
    file = tmp_path / "script.yml"
    file.write_text("answers: [hello]")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.model_server", "--script", str(file)),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    announced = (await process.stdout.readline()).decode()
    base_url = (await process.stdout.readline()).decode().strip().removeprefix("OPENAI_BASE_URL=")
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{base_url}/chat/completions", json={"messages": []}) as response,
    ):
        answer = await response.json()
    process.send_signal(signal.SIGTERM)

    assert await process.wait() == 0
    assert "no language model" in announced
    assert answer["choices"][0]["message"]["content"] == "hello"
