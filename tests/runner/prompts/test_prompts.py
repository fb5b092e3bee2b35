"""Every question a model is asked, as it was when a person last read it (tests/golden/prompts)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from os.path import commonprefix
from pathlib import Path
from typing import get_args

import pytest
from jinja2 import UndefinedError

import runner.prompts
from runner.loop.deps import Deps, TaskWork
from runner.loop.driver import Node
from runner.loop.reading import quote
from runner.money import Usage
from runner.nodes.asked_test import KnownInterface
from runner.nodes.context import build_context
from runner.nodes.generate import execute_task, repair_code, repair_test
from runner.nodes.plan import plan_task
from runner.nodes.told import about_task
from runner.people.report import markdown
from runner.prompts import question, render_text
from runner.prompts.task_kinds import Kind
from runner.state.changes import ChangeSet, Write
from runner.state.findings import AskedTest, Complaint, Level, TestFailure, Verification
from runner.state.revising import Point
from runner.state.run_state import AcceptedChange, Failure, Plan, RunState, Status
from tests.runner.fields import with_attempt
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import ScriptedModel, deps
from tests.runner.states import at, run_state, with_status

ROADMAP = """# Calculator

A small library. Keep it simple.

## 1. Operations

Each operation is a function of `calc.py`.

- [x] 1.1 Add
- [ ] **1.2** Divide two numbers in `calc.py`
  and raise on zero
  - tests go to `tests/test_calc.py`
- [ ] 1.3 Write `docs/` with
"""
FILES = {
    "ROADMAP.md": ROADMAP,
    "calc.py": "def add(a, b):\n    return a + b\n",
    "tests/test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    "README.md": "```python\nadd(1, 2)\n```\n",
}
CODE = ChangeSet({"calc.py": Write(b"def divide(a, b):\n    return a // b\n")})
BROKEN = ChangeSet({"calc.py": Write(b"def divide(a, b:\n    return a / b\n")})
COMPLAINT = Complaint(
    "calc.py",
    "SyntaxError",
    "'(' was never closed",
    line=1,
    column=11,
    excerpt=">    1 | def divide(a, b:\n     2 |     return a / b",
)
RED = Verification(
    "t",
    (
        Level("files", "passed"),
        Level(
            "tests",
            "failed",
            failures=(
                TestFailure(
                    "tests/test_calc.py::test_divide", "assert 0 == 0.5", "tests/test_calc.py", 9
                ),
            ),
        ),
    ),
)
CRASHED = Verification(
    "t", (Level("tests", "failed", output="Fatal Python error: Segmentation fault", exit_code=139),)
)
PLAN = Plan(("calc.py",), ("write divide", "test it"), ("zero raises",), "low")

Golden = Callable[[str, str], None]


def state(node: str, **attempt: object) -> RunState:
    """The roadmap's second task at a node."""
    return at(node, run_state(ROADMAP), number=1, **attempt)


def ports() -> Deps:
    """The ports of the calculator's repository and a model that answers anything."""
    return deps(model=ScriptedModel("?"), repository=MemoryRepository(FILES))


async def asked(node: Node, before: RunState) -> str:
    """What a node asks, with its roles."""
    used = ports()
    await node(before, used, TaskWork())
    [put] = used.model.questions  # type: ignore[attr-defined]
    return "\n".join(f"<!-- {message.role} -->\n{message.content}" for message in put.messages)


async def with_context(node: str, **attempt: object) -> RunState:
    """A task whose context is built."""
    return (await build_context(state(node, **attempt), ports(), TaskWork())).state


async def test_context(check_golden: Golden) -> None:
    """The context of a task reads as it did."""
    before = await with_context("execute_task", plan=PLAN)

    check_golden("prompts/context.md", before.attempt.planned.context.decode())


async def test_plan_task(check_golden: Golden) -> None:
    """The question for a plan reads as it did."""
    check_golden("prompts/plan_task.md", await asked(plan_task, state("plan_task")))


async def test_execute_task(check_golden: Golden) -> None:
    """The first question reads as it did."""
    check_golden(
        "prompts/execute_task.md", await asked(execute_task, await with_context("execute_task"))
    )


async def test_execute_task_afresh(check_golden: Golden) -> None:
    """The question after failures names them and reads as it did."""
    avoid = ("calc.py: SyntaxError: '(' was never closed",)
    before = await with_context("execute_task", answers=2, avoid=avoid)

    check_golden("prompts/execute_task_afresh.md", await asked(execute_task, before))


async def test_the_questions_of_a_task_begin_alike() -> None:
    """The plan's and the first one share what is fixed: long guides, and files in one order."""
    code = "def divide_two_numbers(a, b):\n    if not b:\n        raise ZeroDivisionError\n"
    files = {f"m{n}.py": f"{code}\n\nNUMBER = {n}\n" for n in range(4)}
    guide = "".join(f"- Rule {n} of dividing numbers holds everywhere.\n" for n in range(60))
    model = ScriptedModel('{"likely_files": ["m3.py"], "steps": ["divide as there"]}', "?")
    used = deps(model=model, repository=MemoryRepository({**FILES, **files, "AGENTS.md": guide}))
    before = run_state(ROADMAP, context_tokens=6_000)

    planned = await plan_task(at("plan_task", before, number=1), used, TaskWork())
    built = await build_context(replace(planned.state, node="build_context"), used, TaskWork())
    await execute_task(replace(built.state, node="execute_task"), used, TaskWork())
    plan, first = ("".join(m.content for m in each.messages) for each in model.questions)

    common = len(commonprefix((plan, first)))  # noqa: RUF071 - of texts
    assert "m3.py\n```" in plan[:common]
    assert "Rule 30" in plan[:common]
    assert common > 0.85 * min(len(plan), len(first))


async def test_a_repair_begins_with_the_task_as_it_was_told() -> None:
    """Up to what is wrong it is word for word the first question."""
    first = await asked(execute_task, await with_context("execute_task"))
    repair = await asked(repair_code, state("repair_code", changes=BROKEN, complaints=(COMPLAINT,)))

    assert first.startswith(repair.partition("\n# What is wrong")[0])


@pytest.mark.parametrize("kind", get_args(Kind))
def test_each_kind_has_its_hint(check_golden: Golden, kind: str) -> None:
    """Code, tests, configuration, scripts and documentation are each asked for in their way."""
    text = render_text(
        "execute_task",
        context="(the context)",
        avoid=(),
        files=(),
        partial=(),
        long=(),
        looks=False,
        kind=kind,
        revising=False,
        repairing=False,
        redoing=False,
    )

    check_golden(f"prompts/kinds/{kind}.md", text)


def test_execute_task_with_a_file_shown_in_part(check_golden: Golden) -> None:
    """Of such a file edits are asked for, of the others the whole content."""
    text = render_text(
        "execute_task",
        context="(the context)",
        avoid=(),
        files=(),
        partial=("big.py", "large.py"),
        long=(),
        looks=True,
        kind="code",
        revising=False,
        repairing=False,
        redoing=False,
    )

    check_golden("prompts/execute_task_in_part.md", text)


@pytest.mark.parametrize(
    ("partial", "long", "said"),
    [
        ((), ("a.py",), "but not of a.py: it is long, so write edits"),
        ((), ("a.py", "b.py"), "but not of a.py, b.py: these are long, so write edits"),
        (("a.py",), ("b.py",), "but not of a.py, b.py: these are long or shown in part, so"),
        (("a.py",), ("a.py",), "but not of a.py: it is long or shown in part, so write edits"),
    ],
)
def test_of_long_files_edits_are_asked_for(
    partial: tuple[str, ...], long: tuple[str, ...], said: str
) -> None:
    """In first answers, too; and never also their whole content."""
    kinds = [
        render_text(
            "execute_task", context="(the context)", avoid=(), files=(), partial=partial, long=long,
            looks=False, kind=kind,
        revising=False,
        repairing=False,
        redoing=False,
        )
        for kind in get_args(Kind)
    ]  # fmt: skip

    assert all(said in text and text.count("SEARCH") == 1 for text in kinds)
    assert not any("whole file" in text for text in kinds)


async def test_repair_code_of_a_long_file(check_golden: Golden) -> None:
    """Of a long file only the faulty lines are asked for."""
    lines = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(20))
    long = ChangeSet(
        {"calc.py": Write(b"def divide(a, b:\n    return a / b\n\n\n" + lines.encode())}
    )
    before = state("repair_code", answers=1, changes=long, complaints=(COMPLAINT,))

    check_golden("prompts/repair_code_long.md", await asked(repair_code, before))


async def test_repair_code(check_golden: Golden) -> None:
    """The question about a fault reads as it did."""
    before = state("repair_code", answers=1, changes=BROKEN, complaints=(COMPLAINT,))

    check_golden("prompts/repair_code.md", await asked(repair_code, before))


async def test_repair_code_of_an_unreadable_answer(check_golden: Golden) -> None:
    """The question after an answer that was not understood reads as it did."""
    complaint = Complaint("", "UnreadableAnswer", "No file was found in the answer.")
    built = await with_context("repair_code", answers=1)
    before = with_attempt(built, complaints=(complaint,))

    check_golden("prompts/repair_code_unreadable.md", await asked(repair_code, before))


async def test_repair_test(check_golden: Golden) -> None:
    """The question about red tests reads as it did."""
    before = state("repair_test", answers=1, changes=CODE, verification=RED)

    check_golden("prompts/repair_test.md", await asked(repair_test, before))


async def test_repair_test_without_a_name(check_golden: Golden) -> None:
    """The question about a test process that crashed reads as it did."""
    before = state("repair_test", answers=1, changes=CODE, verification=CRASHED)

    check_golden("prompts/repair_test_crashed.md", await asked(repair_test, before))


async def test_repair_test_for_linters(check_golden: Golden) -> None:
    """The question about what only linters say reads as it did."""
    unused = TestFailure("F401", "`os` imported but unused", "calc.py", 1)
    found = Verification("tree", (Level("lint", "failed", tool="ruff", failures=(unused,)),))
    before = state("repair_test", answers=1, changes=CODE, verification=found)
    attempt = before.attempt
    kept = AcceptedChange(attempt.answered, attempt.checked, attempt.tested)

    asking = with_attempt(before, accepted=kept)
    check_golden("prompts/repair_test_linters.md", await asked(repair_test, asking))


async def test_repair_test_for_a_test_apart(check_golden: Golden) -> None:
    """The question about a test that its author did not write reads as it did."""
    fails = TestFailure("tests/test_a.py::test_zero", "assert 1 == 0", "tests/test_a.py", 3)
    asked_test = AskedTest("tests/test_a.py", b"def test_zero():\n    assert divide() == 0\n")
    found = Verification("tree", (Level("tests", "failed", failures=(fails,)),))
    before = state(
        "repair_test", answers=1, changes=CODE, verification=found, asked_test=asked_test
    )

    check_golden("prompts/repair_test_apart.md", await asked(repair_test, before))


async def test_repair_test_for_an_old_failure(check_golden: Golden) -> None:
    """The question about what failed before, beside a change that tests show, reads as it did."""
    fails = TestFailure("tests/test_a.py::test_old", "assert 1 == 7", "tests/test_a.py", 9)
    found = Verification("tree", (Level("tests", "failed", failures=(fails,)),))
    before = state("repair_test", answers=1, changes=CODE, verification=found)
    kept = AcceptedChange(before.attempt.answered, before.attempt.checked, before.attempt.tested)

    asking = with_attempt(before, accepted=kept)
    check_golden("prompts/repair_test_earlier.md", await asked(repair_test, asking))


@pytest.mark.parametrize("said", ["", "smoke.py: divide(1, 0) never ends"], ids=["", "repair"])
def test_ask_test(check_golden: Golden, said: str) -> None:
    """The question for a test apart reads as it did; of a repair also what failing checks say."""
    asking = question(
        "ask_test",
        **about_task(state("verify_task").task),
        interfaces=[
            KnownInterface("calc.py", ["def add(a, b)"], ["divide"]),
            KnownInterface("zero.py (new)", [], []),
        ],
        example=quote(
            "tests/test_calc.py", "def test_add():\n    assert add(1, 2) == 3\n", limit=99
        ),
        path="tests/test_calc_as_asked.py",
        points=[Point(text=said, by="ci")] if said else [],
    )

    check_golden(f"prompts/ask_test{'_repair' if said else ''}.md", asking[1].content)


@pytest.mark.parametrize("unknown", [[], ["lost/a.py"]], ids=["none", "unknown"])
def test_refine_plan(check_golden: Golden, unknown: list[str]) -> None:
    """What is asked about a plan that leads nowhere reads as it did."""
    name = "refine_plan_unknown.md" if unknown else "refine_plan.md"
    check_golden(f"prompts/{name}", render_text("refine_plan", unknown=unknown))


def test_what_an_agent_is_told(check_golden: Golden) -> None:
    """The task and its context; for a repair what is wrong, for a fresh start what was tried."""
    wrong = Complaint("cart.py", "SyntaxError", "expected ':'", line=3)
    failure = TestFailure("test_cart.py::test_total", "assert 1 == 2", file="test_cart.py", line=7)
    first = {"context": "# The task\n\nAdd a cart", "roadmap": "ROADMAP.md"}
    none: dict[str, object] = {"avoid": (), "complaints": (), "failures": ()}
    told = (
        first | none | {"avoid": ["cart.py: SyntaxError: expected ':'"]},
        first | none | {"complaints": [wrong], "failures": [failure]},
    )
    check_golden("prompts/agent.md", "\n".join(render_text("agent", **each) for each in told))


def test_report(check_golden: Golden) -> None:
    """The report for people reads as it did."""
    failure = Failure("test", "the tests | still fail", node="verify_task")
    usage = {"execute_task": Usage(9.5, 2000, 0.01, 1), "verify_task": Usage(2.5)}
    done = with_status(
        run_state(ROADMAP), Status.FAILED, number=1, failure=failure, answers=5, usage=usage
    )

    check_golden("prompts/report.md", markdown(done))


def test_the_form_of_an_answer_for_small_models(check_golden: Golden) -> None:
    """Few words, no example."""
    check_golden("prompts/system_small.md", render_text("system_small", deletes=True))


def test_every_template_has_a_golden_file() -> None:
    """No template was added without a person having read what it makes."""
    templates = Path(runner.prompts.__file__).parent / "templates"
    names = {path.name.removesuffix(".j2") for path in templates.glob("*.j2")}
    golden_files = {path.name for path in (Path(__file__).parents[2] / "golden/prompts").iterdir()}

    assert names - {"system.md", "system_plan.md"} <= golden_files


def test_a_missing_value_is_a_bug() -> None:
    """A template that wants a value it does not get fails loudly."""
    with pytest.raises(UndefinedError):
        question("execute_task")


def test_values_are_not_templates() -> None:
    """What a roadmap or a file says is shown as it is, never evaluated."""
    [_, user] = question("plan_task", context="{{ 1 + 1 }} {% raw %}")

    assert user.content.startswith("{{ 1 + 1 }} {% raw %}")


def test_texts_can_be_sent() -> None:
    """A lone surrogate, which no encoding carries, does not get into a question."""
    assert "\ufffd" in render_text("plan_task", context="a\udce9b")
