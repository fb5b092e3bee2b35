"""What verifies where no test is found: asked for once, read strictly, refused if harmful."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runner.loop.deps import Deps, TaskWork
from runner.nodes.context import build_context
from runner.nodes.verify import own_commands, read_command
from runner.state.changes import ChangeSet, Write
from runner.state.run_state import RunState
from runner.verify import Commands
from tests.runner.fields import changed
from tests.runner.golden import compare
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import ScriptedModel, deps
from tests.runner.states import ROADMAP, at, run_state

CHANGES = ChangeSet({"calc.c": Write(b"int main(void) { return 0; }\n"), "gone.c": None})
OWN = (("make", "check"),)


def ports(*replies: str) -> Deps:
    """A repository without tests, and what the model says."""
    files = {"ROADMAP.md": ROADMAP, "calc.h": "int add(int, int);\n"}
    return deps(model=ScriptedModel(*replies), repository=MemoryRepository(files))


def verifying(mode: str, **options: object) -> RunState:
    """A task at its verification."""
    state = at("verify_task", answers=1, changes=CHANGES)
    chosen = changed(state.request.options, verify_mode=mode, **options)
    return replace(state, request=replace(state.request, options=chosen))


async def chosen(state: RunState, used: Deps, *paths: str) -> tuple[RunState, Commands | None]:
    """What the task is verified with in a tree of these paths."""
    return await own_commands(state, used, paths=paths, read=lambda _path: None)


async def test_a_command_is_asked_for_once_an_attempt() -> None:
    """The answer is kept with the attempt, and runs in a shell."""
    used = ports("cc -o /tmp/calc calc.c && /tmp/calc\n")
    state, first = await chosen(verifying("agent"), used, "calc.c")
    _, second = await chosen(state, used, "calc.c")

    command = ("sh", "-c", "cc -o /tmp/calc calc.c && /tmp/calc")
    assert first == second == Commands((command,), proposed=True)
    assert len(used.model.questions) == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("mode", ["auto", "tests", "syntax", "off"])
async def test_other_modes_ask_nobody(mode: str) -> None:
    """Only who wants the model to propose pays for it."""
    _, own = await chosen(verifying(mode), ports(), "calc.c")

    assert own is None


async def test_where_there_are_tests_nobody_is_asked() -> None:
    """A tool that is found needs no proposal."""
    _, own = await chosen(verifying("agent"), ports(), "test_calc.py")

    assert own is None


async def test_commands_of_the_repository_come_first() -> None:
    """They are taken in every mode, before tools and proposals."""
    state = verifying("agent", verify_commands=OWN, verify_report="*.xml")
    _, own = await chosen(state, ports(), "test_calc.py")

    assert own == Commands(OWN, "*.xml")


async def test_a_refused_proposal_leaves_its_reason() -> None:
    """It is not run and not asked for again."""
    state, own = await chosen(verifying("agent"), ports("git push --force"), "calc.c")
    state, again = await chosen(state, ports(), "calc.c")

    assert own is None
    assert again is None
    assert "was not run: it destroys something" in state.attempt.spent.reasons[-1]


@pytest.mark.parametrize(
    ("answer", "command"),
    [
        ("make check", "make check"),
        ("```sh\nmake check\n```\n", "make check"),
        ("`make check`", "make check"),
        ("$ make check", "make check"),
        ("\n\n  php tests.php  \n", "php tests.php"),
        ("NONE", ""),
        ("None.", ""),
        ("", ""),
        ("You can run:\nmake check", ""),
    ],
)
def test_one_line_is_a_command(answer: str, command: str) -> None:
    """Fences and prompts are taken off; more than one line is no command."""
    assert read_command(answer) == (command, "")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("rm -rf build && make", "destroys"),
        ("sh -c 'git push --force'", "destroys"),
        ("true", "always exits with 0"),
        ("echo done", "always exits with 0"),
        ("make check || true", "always exits with 0"),
        ("make check; exit 0", "always exits with 0"),
        ("make\x1b[2Kcheck", "not a single line"),
        ("make " + "x" * 600, "not a single line"),
    ],
)
def test_what_harms_or_proves_nothing_is_refused(answer: str, why: str) -> None:
    """The reason says which of the two it is."""
    assert why in read_command(answer)[1]


async def test_the_question(request: pytest.FixtureRequest) -> None:
    """The question reads as it did."""
    used = ports("NONE")
    built = (
        await build_context(at("execute_task", run_state(), changes=CHANGES), used, TaskWork())
    ).state
    options = changed(built.request.options, verify_mode="agent")
    asking = replace(built, request=replace(built.request, options=options))
    await chosen(asking, used, "calc.c")

    [put] = used.model.questions  # type: ignore[attr-defined]
    text = "\n".join(f"<!-- {message.role} -->\n{message.content}" for message in put.messages)
    compare(request)("prompts/propose_verification.md", text)
