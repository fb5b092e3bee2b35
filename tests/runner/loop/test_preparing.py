"""Which setup a tree needs, and that its box is the one that was prepared for it."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from runner.errors import TaskError
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import setup_of
from runner.nodes.verify import verify_task, write_files
from runner.state.changes import FILE, ChangeSet, TreeEntry, Write
from runner.state.options import Options
from runner.state.run_state import RunState
from tests.runner.fields import changed
from tests.runner.memory_repository import MemoryRepository
from tests.runner.recording_box import RecordingSandbox
from tests.runner.scripted import deps
from tests.runner.states import ROADMAP, at

OPTIONS = changed(
    Options(), setup=(("sh", "-c", "pip install -r requirements.txt"),), project="octo/hello"
)
TREE = {
    "requirements.txt": TreeEntry(FILE, "a" * 40, 1),
    "app/main.py": TreeEntry(FILE, "b" * 40, 1),
}
BASE = {"ROADMAP.md": ROADMAP, "requirements.txt": "one\n", "test_a.py": "def test():\n    pass\n"}


def ports(sandbox: RecordingSandbox) -> Deps:
    """The ports of a repository with tests and requirements."""
    return deps(repository=MemoryRepository(BASE), sandbox=sandbox)


def verifying(path: str, content: str = "x = 1\n", options: Options = OPTIONS) -> RunState:
    """A task that writes one file."""
    state = at("verify_task", answers=1, changes=ChangeSet({path: Write(content.encode())}))
    return replace(state, request=replace(state.request, options=options))


@pytest.mark.parametrize(
    "path",
    ["requirements.txt", "requirements-dev.txt", "web/package-lock.json", "uv.lock", "sub/go.mod"],
)
def test_a_lock_file_counts(path: str) -> None:
    """Another content of a lock or manifest file, in any folder, is another setup."""
    changed = TREE | {path: TreeEntry(FILE, "c" * 40, 1)}

    assert setup_of(OPTIONS, changed) != setup_of(OPTIONS, TREE)


def test_code_does_not_count() -> None:
    """A change of code, or of the order of files, needs no other setup."""
    other = dict(reversed((TREE | {"app/main.py": TreeEntry(FILE, "c" * 40, 1)}).items()))

    assert setup_of(OPTIONS, other) == setup_of(OPTIONS, TREE)


def test_files_of_the_configuration_count() -> None:
    """A file that ``setup_files`` names is an input like a lock file."""
    options = changed(OPTIONS, setup_files=("app/",))
    other = TREE | {"app/main.py": TreeEntry(FILE, "c" * 40, 1)}

    assert setup_of(options, other) != setup_of(options, TREE)


def test_many_files_and_patterns_hold_up_nobody() -> None:
    """The patterns are read once, and not for each file."""
    options = changed(OPTIONS, setup_files=tuple(f"**/x{n}*y*z/**/q*r*{n}" for n in range(50)))
    tree = {f"some/folder/of{n % 90}/file{n}.py": TREE["app/main.py"] for n in range(5_000)}
    begun = time.process_time()

    assert setup_of(options, tree | TREE) == setup_of(options, TREE)
    assert time.process_time() - begun < 2


async def test_sources_that_setup_compiles_count() -> None:
    """Where the project builds an extension module, its change is set up, with its own content."""
    sandbox = RecordingSandbox()
    base = BASE | {"setup.py": "setup(ext_modules=[])\n", "kit/_fast.c": "int one;\n"}
    asked = deps(repository=MemoryRepository(base), sandbox=sandbox)
    await write_files(verifying("a.py"), asked, TaskWork())
    await write_files(verifying("kit/_fast.c", "int two;\n"), asked, TaskWork())

    assert len({setup.inputs for setup in sandbox.setups}) == 2


async def test_the_box_has_the_prepared_image() -> None:
    """A task and the base beside it are tested in boxes of the image that the setup made."""
    sandbox = RecordingSandbox()
    await verify_task(verifying("a.py"), ports(sandbox), TaskWork())

    images = {box.spec.image for box in sandbox.boxes}
    assert images == {f"prepared-{sandbox.setups[0].inputs[:8]}"}
    assert sandbox.setups[0].project == "octo/hello"


async def test_a_task_that_changes_the_lock_file_gets_another_box() -> None:
    """The same task with other requirements is written into another box than the base."""
    sandbox = RecordingSandbox()
    asked = ports(sandbox)
    await write_files(verifying("a.py"), asked, TaskWork())
    await write_files(verifying("requirements.txt", "two\n"), asked, TaskWork())

    assert len({box.spec.image for box in sandbox.boxes}) == 2


async def test_only_setup_of_what_people_merged_has_a_network() -> None:
    """Where the operator does not say otherwise; the error says which file it is about."""
    sandbox = RecordingSandbox()
    options = changed(OPTIONS, setup_network=True, setup_changed=False)
    requirements = verifying("requirements.txt", "two\n", options)
    await write_files(verifying("a.py", options=options), ports(sandbox), TaskWork())
    await write_files(requirements, ports(sandbox), TaskWork())
    allowed = changed(options, setup_changed=True)
    await write_files(verifying("setup.py", options=allowed), ports(sandbox), TaskWork())
    sandbox.outages.append(TaskError("environment", "pip: no network"))  # type: ignore[arg-type]

    with pytest.raises(TaskError, match=r"the base branch has another requirements.txt"):
        await write_files(requirements, ports(sandbox), TaskWork())
    assert [setup.network for setup in sandbox.setups] == [True, False, True]


async def test_without_commands_nothing_is_prepared() -> None:
    """A repository that configures no setup runs in the image it asked for."""
    sandbox = RecordingSandbox()
    await verify_task(
        verifying("a.py", options=changed(Options(), image="python:3.12")),
        ports(sandbox),
        TaskWork(),
    )

    assert (sandbox.setups, sandbox.boxes[0].spec.image) == ([], "python:3.12")


async def test_tests_that_do_not_run_need_no_setup() -> None:
    """With verification off or of the syntax only, setup is not run."""
    sandbox = RecordingSandbox()
    await verify_task(
        verifying("a.py", options=changed(OPTIONS, verify_mode="syntax")),
        ports(sandbox),
        TaskWork(),
    )

    assert sandbox.setups == []


async def test_a_failing_setup_is_this_task_s_error() -> None:
    """What the sandbox says of a setup command reaches the node's ``error`` edge as it is."""
    sandbox = RecordingSandbox()
    sandbox.outages.append(TaskError("environment", "pip: no such package"))  # type: ignore[arg-type]

    with pytest.raises(TaskError, match="no such package"):
        await write_files(verifying("a.py"), ports(sandbox), TaskWork())
