"""Whole runs in which a task cannot be finished as it stands, with real tests in a real folder."""

from __future__ import annotations

import uuid
from pathlib import Path
from textwrap import dedent

import pytest

from runner.loop.driver import drive
from runner.loop.task_pool import Ended
from runner.nodes import NODES
from runner.sandbox.process import ProcessSandbox
from runner.state.options import Options, Request
from runner.state.run_state import Failure, RunState
from tests.plain_python import plain_path
from tests.runner.fields import changed
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import Reply, ScriptedModel, block, deps


@pytest.fixture
def sandbox(tmp_path: Path) -> ProcessSandbox:
    """Folders in which ``python3`` is the tests' own Python, without all our pytest plugins."""
    return ProcessSandbox(owner=f"test-{uuid.uuid4()}", path=plain_path(), parent=tmp_path)


async def run(
    sandbox: ProcessSandbox,
    model: ScriptedModel,
    files: dict[str, str],
    *said: Reply,
    **options: object,
) -> tuple[Ended, MemoryRepository]:
    """Drive a run to its end or rest."""
    model.says(*said)
    repository = MemoryRepository({path: dedent(text) for path, text in files.items()})
    ports = deps(model=model, repository=repository, sandbox=sandbox)  # type: ignore[arg-type]
    request = Request("r1", options=changed(Options(), **{"approval_mode": "auto", **options}))
    return await drive(request, NODES, ports), repository


def answered(**files: str) -> str:
    """Files as a model answers them; ``__`` in a name stands for a slash."""
    return "\n".join(
        block(f"{name.replace('__', '/')}.py", dedent(text).strip()) for name, text in files.items()
    )


def statuses(state: RunState) -> dict[str, str]:
    """Each task's status by its id, replaced ones too."""
    return {str(t.id): str(state.status(t)) for t in (*state.tasks, *state.replaced.tasks)}


def failure_of(state: RunState, name: str) -> Failure:
    """Why the task with this id failed."""
    [task] = [task for task in (*state.tasks, *state.replaced.tasks) if task.id == name]
    failure = state.attempts[task.key].failure
    assert failure is not None
    return failure


async def test_a_vague_task_is_rewritten(sandbox: ProcessSandbox, model: ScriptedModel) -> None:
    """Scenario ``rewrite``: after two questions; what the new text names is written."""
    ended, repository = await run(
        sandbox,
        model,
        {"ROADMAP.md": "- [ ] 1.1 Add some useful utility functions to `src/utils.py`\n"},
        *["Which functions do you mean?"] * 2,
        '{"title": "Add `double(n)` to `src/utils.py`", "acceptance": ["`double(2)` is 4"]}',
        answered(src__utils="def double(n):\n    return 2 * n"),
    )
    state = ended.state
    [new] = state.tasks

    assert ended.status == "ended"
    assert (new.id, state.status(new)) == ("1.1", "completed")
    assert [str(state.attempts[old.key].status) for old in state.replaced.tasks] == ["replaced"]
    roadmap = repository.text(state.stack.tip, "ROADMAP.md")
    assert "- [x] 1.1 Add `double(n)` to `src/utils.py`" in roadmap
    assert "<!-- Original: 1.1 Add some useful utility functions" in roadmap
    assert "<!-- Reason: task_too_vague: The task does not say what to do" in roadmap


async def test_a_question_about_a_vague_task_is_enough(
    sandbox: ProcessSandbox, model: ScriptedModel
) -> None:
    """What the lint calls vague is rewritten after the first question; nothing more is spent."""
    ended, _ = await run(
        sandbox,
        model,
        {"ROADMAP.md": "- [ ] 1.1 Improve everything\n", "src/utils.py": "x = 1\n"},
        "What should be improved?",
        '{"title": "Add `double(n)` to `src/utils.py`", "acceptance": ["`double(2)` is 4"]}',
        answered(src__utils="x = 1\n\n\ndef double(n):\n    return 2 * n"),
    )

    [new] = ended.state.tasks
    assert (new.title, ended.state.status(new)) == ("Add double(n) to src/utils.py", "completed")


CART = (
    "- [ ] 2.1 Implement a shopping cart with products, items, discounts, tax, checkout and error "
    "handling in `cart.py`\n- [ ] 2.2 Write `NOTES.md`\n"
)
WRONG = answered(
    cart="def total(items):\n    return {n}",
    test_cart="from cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3",
)


async def test_a_large_task_is_decomposed(sandbox: ProcessSandbox, model: ScriptedModel) -> None:
    """Scenario ``decompose``: the parts are done in order, before what came after the task."""
    ended, repository = await run(
        sandbox,
        model,
        {"ROADMAP.md": CART},
        *[WRONG.replace("{n}", str(n)) for n in range(10, 15)],
        '[{"title": "Write `total(items)` in `cart.py`"}, {"title": "Write `tax` in `tax.py`"}]',
        answered(cart="def total(items):\n    return sum(items)"),
        answered(tax="def tax(total):\n    return total * 0.19"),
        block("NOTES.md", "Done."),
    )

    assert ended.status == "ended"
    assert statuses(ended.state) == {
        "2.1": "replaced",
        "2.1.1": "completed",
        "2.1.2": "completed",
        "2.2": "completed",
    }
    assert repository.text(ended.state.stack.tip, "ROADMAP.md").count("- [x]") == 3


async def test_a_task_waits_for_a_later_one(sandbox: ProcessSandbox, model: ScriptedModel) -> None:
    """Scenario ``missing-module``: the service comes before its model, is put off, and is done."""
    service = answered(
        src__service="from src.models import User\n\n\ndef register(name):\n    return User(name)",
        tests__test_service="from src.service import register\n\n\ndef test_register():\n"
        '    assert register("ann").name == "ann"',
    )
    ended, _ = await run(
        sandbox,
        model,
        {
            "ROADMAP.md": "- [ ] 1.1 Write `src/service.py` with `register(name)`\n"
            "- [ ] 1.2 Write the `User` model in `src/models.py`\n",
            "src/__init__.py": "",
            "conftest.py": "",
        },
        service,
        answered(
            src__models="class User:\n    def __init__(self, name):\n        self.name = name"
        ),
        service,
    )
    [first, _second] = ended.state.tasks

    assert ended.status == "ended"
    assert statuses(ended.state) == {"1.1": "completed", "1.2": "completed"}
    assert ended.state.attempts[first.key].number == 2


async def test_a_missing_package_is_skipped(sandbox: ProcessSandbox, model: ScriptedModel) -> None:
    """Scenario ``missing-package``: skipped with the package named; the other task completes."""
    loader = answered(
        loader="import surely_not_installed",
        tests__test_loader="import loader\n\n\ndef test_it():\n    assert loader.load('a') == 'a'",
    )
    ended, _ = await run(
        sandbox,
        model,
        {
            "ROADMAP.md": "- [ ] 1.1 Load YAML in `loader.py`\n"
            "- [ ] 1.2 Join paths in `paths.py`\n",
            "pyproject.toml": '[project]\nname = "x"\n',
            "conftest.py": "",
        },
        *[f"{loader}\n{block(f'n{n}.py', f'N = {n}')}" for n in range(4)],
        answered(paths="def join(a, b):\n    return a + '/' + b"),
    )
    failure = failure_of(ended.state, "1.1")

    assert statuses(ended.state) == {"1.1": "skipped", "1.2": "completed"}
    assert (failure.type, failure.reason) == ("import", "environment_issue")
    assert "surely_not_installed is not installed: no manifest lists it" in failure.evidence[0]


async def test_task_against_test(sandbox: ProcessSandbox, model: ScriptedModel) -> None:
    """Scenario ``exhausted``: a person is asked, with both sides, and the old test as it was."""
    raises = answered(div="def div(a, b):\n    return a / b  # {n}")
    returns = answered(
        div="def div(a, b):\n    return a / b if b else 0  # {n}",
        tests__test_zero="from div import div\n\n\ndef test_zero():\n    assert div(1, 0) == 0",
    )
    old = (
        "import pytest\nfrom div import div\n\n\ndef test_div():\n"
        "    with pytest.raises(ZeroDivisionError):\n        div(1, 0)\n"
    )
    both = f"{raises}\n{returns.partition('tests/')[1]}{returns.partition('tests/')[2]}"
    said = [returns, both, returns, both]
    ended, repository = await run(
        sandbox,
        model,
        {
            "ROADMAP.md": "- [ ] 1.1 Dividing by zero returns 0, with `tests/test_zero.py`\n",
            "div.py": "def div(a, b):\n    return a / b\n",
            "tests/test_div.py": old,
            "conftest.py": "",
        },
        *[text.replace("{n}", str(n)) for n, text in enumerate(said)],
    )
    failure = failure_of(ended.state, "1.1")
    evidence = "\n".join(failure.evidence)

    assert ended.status == "waiting"
    assert statuses(ended.state) == {"1.1": "awaiting_approval"}
    assert (failure.reason, failure.found_by) == ("unknown", "pattern")
    assert "an existing test: tests/test_div.py::test_div" in evidence
    assert "the task: 1.1 Dividing by zero returns 0" in evidence
    assert repository.text(ended.state.stack.tip, "tests/test_div.py") == old
