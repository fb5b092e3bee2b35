"""An agent writes the code where the Action runs."""

from __future__ import annotations

import json

import pytest

from app.action.job import ActionRefused, laid_over, read_inputs
from runner.config.model import RepositoryConfig
from tests.action.job_kit import Workflows
from tests.app.agents.scripted_agent import AGENT
from tests.model_server import Reply
from tests.scenarios.projects import CALC, on

CONFIG = {"agent": {"name": "command", "command": ["python3", "agent.py", "call", "Do this:"]}}
FILES = {"agent.py": AGENT.encode(), ".github/cairn.yml": json.dumps(CONFIG).encode()}
DOUBLE = {
    "calc/double.py": "from calc.add import add\n\n\ndef double(a):\n    return add(a, a)\n",
    "tests/test_double.py": "from calc.double import double\n\n\n"
    "def test_double():\n    assert double(4) == 8\n",
}
SUM = {
    "calc/add.py": "def add(a, b):\n    return a + b\n",
    "tests/test_add.py": "from calc.add import add\n\n\n"
    "def test_add():\n    assert add(2, 3) == 5\n",
}


def writes(files: dict[str, str]) -> Reply:
    return Reply(None, calls=[("write", {"path": p, "text": t}) for p, t in files.items()])


@pytest.mark.long("test_an_agent_writes_and_cairn_judges shows it on a checkout")
@on(CALC | FILES)
async def test_an_agent_works_through_a_roadmap(ci: Workflows) -> None:
    """Each of its tasks ends as a pull request on the one before, verified like any other."""
    ci.model.says(writes(SUM), "Done.", writes(DOUBLE), "Done.")

    await ci.run("workflow_dispatch", ci.dispatch())

    first, second = ci.view.pulls
    assert [pull.title.partition(" ")[0] for pull in (first, second)] == ["1.1", "1.2"]
    assert all("**Verified by tests" in (pull.body or "") for pull in (first, second))
    assert {asked.key for asked in ci.model.requests} == {"sk-test"}


@pytest.mark.parametrize("name", ["cairn", "aider", "mini-swe-agent", "codex", "claude"])
def test_the_input_says_which_agent(name: str) -> None:
    """It holds over the repository's file; the command line there is another program's."""
    config = RepositoryConfig.model_validate(CONFIG)

    assert laid_over(read_inputs({}), config).agent == config.agent
    agent = laid_over(read_inputs({"WITH_AGENT": name}), config).agent
    assert (agent.name, agent.command) == (name, ())


def test_a_program_of_ones_own_is_named_in_the_file() -> None:
    """An input has no room for its command line."""
    with pytest.raises(ActionRefused, match="The input `agent` cannot be used: give one of cairn"):
        read_inputs({"WITH_AGENT": "command"})
