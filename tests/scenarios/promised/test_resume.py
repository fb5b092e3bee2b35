"""``resume``: six tasks in two phases, in three runs of which the second is killed."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.app.checkout import checkout
from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, conversation
from tests.scenarios.process import serving
from tests.scenarios.projects import note, notes
from tests.scenarios.promised.always import disagreements, invalid_files, within_bounds
from tests.scenarios.promised.doors import check_server, left_by, left_on, watching_python
from tests.scenarios.promised.left import Left

NAMES = ["one", "two", "three", "four", "five", "six"]
PHASES = [NAMES[:3], NAMES[3:]]
ROADMAP = "\n".join(
    f"## Phase {phase}\n\n"
    + "".join(f"- [ ] {phase}.{n} Write `{name}.md`\n" for n, name in enumerate(names, 1))
    for phase, names in enumerate(PHASES, 1)
)
SIX = {
    path: bytes(content) for path, content in notes(ROADMAP).items() if isinstance(content, bytes)
}


def answers() -> list[str]:
    """What the model says, in order."""
    return [note(f"{name}.md", f"{name}.") for name in NAMES]


def six_of_six(left: Left, *, asked: int) -> None:
    """Every task is done once, in six commits; the question under way is all that was repeated."""
    roadmap = left.tree["ROADMAP.md"].decode()
    assert (roadmap.count("- [x]"), roadmap.count("- [ ]")) == (6, 0)
    assert {f"{name}.md" for name in NAMES} <= left.changed.keys()
    assert len(left.commits) == 7
    assert len(left.prompts) == asked
    tasks = left.report["tasks"]  # on GitHub those of the first run wait for their review
    assert tasks["completed"] + tasks["in_review"] == tasks["total"] == 6
    assert all(todo["checked"] or todo["status"] == "in_review" for todo in left.todos)
    for iteration in left.files("iteration"):
        assert within_bounds(iteration) == []
    done = [each["task"] for each in left.files("iteration") if each["outcome"] == "completed"]
    assert len(done) == len(set(done)) == 6
    assert list(invalid_files(left, frozenset())) == []
    assert list(disagreements(left)) == []


@pytest.mark.sample(1, "a conversation for each case")
@pytest.mark.parametrize("again", ["run", "resume"])
async def test_resume_by_command(tmp_path: Path, again: str) -> None:
    """Killed with no time to clean up, a checkout is finished by a new run and by a resumed one."""
    async with checkout(tmp_path / "here", SIX) as here:
        here.environment["PATH"] = watching_python(tmp_path)
        kept = Held(answers()[2])
        here.model.says(*answers()[:2], kept, *answers()[2:])

        first = await here.cairn("run", "--max-tasks", "2")
        assert (first.code, len(here.log())) == (0, 3), first.err
        process = await here.start("run")
        await kept.asked.wait()
        process.kill()
        killed = await here.end(process)
        kept.go.set()
        assert (killed.code, len(here.log())) == (-9, 3)
        third = await here.cairn(again)

        assert third.code == 0, third.err
        assert here.git("status", "--porcelain") == ""
        six_of_six(left_by(here, third, tmp_path), asked=7)


@pytest.mark.long("each row once more, by another door")
async def test_resume_by_server(tmp_path: Path) -> None:
    """A server killed at the third task goes on with that run when it is started again."""
    more = {".github/cairn.yml": b"limits:\n  open_pull_requests: 6\n"}  # else five are enough
    async with conversation(tmp_path, SIX | more) as bot:
        kept = Held(answers()[2])
        bot.model.says(*answers()[:2], kept, *answers()[2:])
        async with serving(bot) as server:
            await bot.github.comment(
                REPOSITORY, bot.issue.number, "/execute --max-tasks 2", by="writer"
            )
            await server.until(": ended")
            assert len(bot.pulls) == 2
            await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
            await kept.asked.wait()
            await server.end(signal.SIGKILL)
        kept.go.set()
        async with serving(bot) as server:
            await server.until(": ended")

        watching_python(tmp_path)
        left = left_on(bot, bot.says(), tmp_path, lambda: [])
        check_server(bot)
        six_of_six(left, asked=7)
        assert len(bot.pulls) == 6
