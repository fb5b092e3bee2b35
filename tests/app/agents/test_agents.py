"""``agent:`` has another program write the code; Cairn judges it like any other answer."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.app.agents.scripted_agent import AGENT
from tests.app.checkout import KEY, Checkout, checkout
from tests.marks import MORE
from tests.model_server import Reply

TASK = "- [ ] 1.1 Write `slug(text)` in `slug.py`: lower case, dashes for spaces\n"
TEST = "from slug import slug\n\n\ndef test_slug():\n    assert slug('A b') == 'a-b'\n"
RIGHT = "def slug(text):\n    return text.lower().replace(' ', '-')\n"
WRONG = "def slug(text):\n    return text.lower()\n"
Made = Callable[..., Awaitable[Checkout]]


def answer(code: str, path: str = "slug.py") -> str:
    return f"{path}\n```python\n{code}```\n"


@pytest.fixture
async def made(tmp_path: Path) -> AsyncIterator[Made]:
    """Make a checkout whose agent is ``agent.py`` with these steps."""
    async with AsyncExitStack() as stack:

        async def make(*steps: str, files: Mapping[str, str] | None = None) -> Checkout:
            config = {"agent": {"name": "command", "command": ["python3", "agent.py", *steps]}}
            content = {
                "ROADMAP.md": TASK,
                "agent.py": AGENT,
                "test_slug.py": TEST,
                ".github/cairn.yml": json.dumps(config),
                **(files or {}),
            }
            encoded = {path: text.encode() for path, text in content.items()}
            return await stack.enter_async_context(checkout(tmp_path / "here", encoded))

        yield make


NO_BOX = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")


@pytest.mark.parametrize("sandbox", ["process", pytest.param("bubblewrap", marks=NO_BOX)])
async def test_an_agent_writes_and_cairn_judges(made: Made, sandbox: str) -> None:
    """It asks the model through Cairn, without a key, and what it wrote is verified and ticked."""
    here = await made("ask", "Do this:")
    here.model.says(answer(RIGHT))

    said = await here.cairn("run", "--sandbox", sandbox)

    assert said.code == 0, said.err
    assert here.git("show", "HEAD:slug.py") == RIGHT.strip()
    assert "[x] 1.1" in here.git("show", "HEAD:ROADMAP.md")
    assert sorted(here.git("show", "--name-only", "--format=", "HEAD").split()) == [
        "ROADMAP.md",
        "slug.py",
    ]
    [asked] = here.model.requests
    assert asked.key == KEY
    assert "Write `slug(text)`" in asked.prompt


async def test_an_agent_that_calls_tools(made: Made) -> None:
    """The conversation goes to the model as it is, with Cairn's key, and is kept like any other."""
    here = await made("call", "Do this:")
    here.model.says(Reply(None, calls=[("write", {"path": "slug.py", "text": RIGHT})]), "Done.")

    said = await here.cairn("run")

    assert said.code == 0, said.err
    assert here.git("show", "HEAD:slug.py") == RIGHT.strip()
    first, second = here.model.requests
    assert (first.key, second.key) == (KEY, KEY)
    assert [turn["role"] for turn in second.messages] == ["system", "user", "assistant", "tool"]
    kept = [file.read_text() for file in (here.folder / ".executor").rglob("agent-*.json")]
    assert [text.count("tool_calls") > 0 for text in kept] == [True, True]


@pytest.mark.nightly("test_a_failing_test_is_told")
async def test_a_red_test_is_the_agents_next_turn(made: Made) -> None:
    """It goes on from what it wrote, and is told which test fails."""
    here = await made("ask", "Do this:")
    here.model.says(answer(WRONG), answer(RIGHT))

    said = await here.cairn("run")

    assert said.code == 0, said.err
    first, second = here.model.requests
    assert "assert 'a b' == 'a-b'" in second.prompt
    assert "assert 'a b' == 'a-b'" not in first.prompt


async def test_work_counts_and_words_do_not(made: Made) -> None:
    """What an agent does to the roadmap and to git is nothing; good work counts though it fails."""
    commit = "git add -A; git -c user.name=a -c user.email=a@b commit -qm mine; rm -rf .git; exit 7"
    here = await made(
        *("write", "slug.py", RIGHT, "write", "ROADMAP.md", "- [x] all of it\n"),
        *("write", "__pycache__/slug.pyc", "x", "print", "All done!"),
        files={"agent.sh": f'python3 agent.py "$@"; {commit}\n'},
    )
    config = here.folder / ".github/cairn.yml"
    config.write_text(config.read_text().replace('"python3", "agent.py"', '"sh", "agent.sh"'))
    here.git("commit", "-qam", "Another agent")

    said = await here.cairn("run")

    assert said.code == 0, said.err
    changed = here.git("show", "--name-only", "--format=", "HEAD").split()
    assert sorted(changed) == ["ROADMAP.md", "slug.py"]
    assert here.git("show", "HEAD:ROADMAP.md") == TASK.replace("[ ]", "[x]").strip()
    assert not here.model.requests


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    ("steps", "says"),
    [
        (("print", "I am done!"), "The agent changed nothing and ended with code 0. It printed: I"),
        (("exit", "4"), "The agent changed nothing and ended with code 4."),
    ],
    ids=["nothing done", "an error"],
)
async def test_an_agent_that_does_nothing(made: Made, steps: tuple[str, ...], says: str) -> None:
    """Its task fails, with what it printed."""
    here = await made(*steps)

    said = await here.cairn("run", "--no-recovery")

    assert said.code == 1
    assert says in said.err
    assert here.git("log", "--format=%s").count("\n") == 0


async def test_an_agent_that_is_not_there(made: Made) -> None:
    """Nothing is asked, and what to install is said."""
    here = await made()

    said = await here.cairn("run", "--no-recovery", "--agent", "mini-swe-agent")

    assert said.code == 4
    assert (
        "The agent mini-swe-agent is not in the sandbox: there is no mini on its PATH" in said.out
    )
    assert "pip install mini-swe-agent" in said.out
    assert not here.model.requests


@MORE
async def test_a_broken_test_is_no_work(made: Made) -> None:
    """An agent that turns the tests to its code gets its task refused as any model does."""
    here = await made("write", "slug.py", WRONG, "delete", "test_slug.py")

    said = await here.cairn("run", "--no-recovery")

    assert said.code != 0
    assert here.git("show", "HEAD:test_slug.py") == TEST.strip()
