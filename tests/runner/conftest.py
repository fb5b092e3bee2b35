"""Fixtures of the runner's tests, and the option that rewrites golden files."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from runner.ports import Sandbox, SandboxSession
from tests.runner.golden import OPTION, compare
from tests.runner.sandbox.sandbox_bench import EVERY, opened, working_sandbox
from tests.runner.scripted import ScriptedModel


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option; it is known when the tests below this folder are named on the line."""
    parser.addoption(OPTION, action="store_true", help="rewrite golden files; look at the diff")


@pytest.fixture
def check_golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with its golden file."""
    return compare(request)


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A model to be scripted with ``says``; replies that nobody asked for fail the test."""
    scripted = ScriptedModel()
    yield scripted
    scripted.assert_all_said()


@pytest.fixture(params=EVERY)
async def sandbox(request: pytest.FixtureRequest) -> AsyncIterator[Sandbox]:
    """Each sandbox in turn; at the end nothing of it may be left."""
    sandbox = await working_sandbox(request.param)
    yield sandbox

    assert await sandbox.sweep() == 0


@pytest.fixture
async def box(sandbox: Sandbox) -> AsyncIterator[SandboxSession]:
    """An open box of each sandbox."""
    async with opened(sandbox) as box:
        yield box
