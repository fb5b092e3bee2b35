"""Setup commands run once, and what they install is there for the next box."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import time
import venv
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from runner.errors import Outage, TaskError
from runner.loop.workspace import materialise, restore
from runner.ports import CommandResult, Sandbox, SandboxSession, Setup
from runner.sandbox.prepared import KEEP, Kept, PreparedFolders, made, superfluous
from runner.sandbox.process import ProcessSandbox
from tests.runner.sandbox.sandbox_bench import (
    EVERY,
    ISOLATED,
    ROOMY,
    opened,
    remove_images,
    working_sandbox,
)
from tests.runner.sandbox.wheels import wheel

pytestmark = pytest.mark.sample(2, "each sandbox")


@dataclass
class Project:
    """A sandbox and a tree; ``fills`` counts how often setup began."""

    sandbox: Sandbox
    files: dict[str, tuple[str, bytes]]
    fills: int = 0

    async def prepare(self, *commands: str, inputs: str = "1", project: str = "p") -> str:
        """Prepare with shell commands; the image."""
        words = tuple(("sh", "-c", command) for command in commands)
        setup = Setup(commands=words, inputs=inputs, project=project, timeout=120)
        return await self.sandbox.prepare(ROOMY, setup, self.fill)

    async def run(self, image: str, script: str) -> bytes:
        """Run a script in a new box of the image; what it prints."""
        async with opened(self.sandbox, replace(ROOMY, image=image)) as box:
            result = await box.run(["sh", "-c", script])
        return result.stdout + result.stderr

    async def fill(self, box: SandboxSession) -> None:
        self.fills += 1
        await materialise(box, self.files)


@pytest.fixture(params=EVERY)
async def project(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Project]:
    """A project with one file, in each sandbox."""
    async with started(request.param, tmp_path) as project:
        yield project


@asynccontextmanager
async def started(name: str, folder: Path) -> AsyncIterator[Project]:
    """A project in the named sandbox; at the end nothing of it is left."""
    owner = f"test-{folder}"
    sandbox = await working_sandbox(name, prepared=folder / "prepared", owner=owner)
    yield Project(sandbox, {"seen.txt": ("100644", b"tree\n")})

    assert await sandbox.sweep() == 0
    if name == "docker":
        await remove_images(owner)


async def test_what_is_put_into_the_folder_is_kept(project: Project) -> None:
    """A program that a command puts into the kept folder is on PATH of the next box."""
    image = await project.prepare(
        'cd "$CAIRN_PREPARED/bin"; printf "#!/bin/sh\\necho kept" >tool; chmod +x tool'
    )

    assert await project.run(image, "tool") == b"kept\n"


async def test_commands_see_the_tree(project: Project) -> None:
    """Setup runs in a workspace that holds the tree, and leaves nothing of it there."""
    image = await project.prepare('cp seen.txt "$CAIRN_PREPARED"; touch left')

    assert await project.run(image, 'cat "$CAIRN_PREPARED/seen.txt"; ls -A') == b"tree\n"


async def test_the_same_is_made_once(project: Project) -> None:
    """The second task with the same commands and files gets what the first made."""
    first = await project.prepare("true")

    assert await project.prepare("true") == first
    assert project.fills == 1


async def test_two_at_once_make_one(project: Project) -> None:
    """Tasks that need the same at the same time wait for one of them."""
    images = await asyncio.gather(*(project.prepare("true") for _ in range(3)))

    assert (len(set(images)), project.fills) == (1, 1)


async def test_other_inputs_make_another(project: Project) -> None:
    """Other contents of the lock file are prepared anew."""
    assert await project.prepare("true") != await project.prepare("true", inputs="2")
    assert project.fills == 2


async def test_other_commands_make_another(project: Project) -> None:
    """Other commands are prepared anew."""
    assert await project.prepare("true") != await project.prepare("true", "true")
    assert project.fills == 2


async def test_a_failing_command_is_the_task_s_trouble(project: Project) -> None:
    """A setup that fails tells command, exit code and output, and nothing is kept."""
    with pytest.raises(TaskError, match=r"exit 7.*exit code 7(.|\n)*no such package") as error:
        await project.prepare("echo no such package >&2; exit 7")

    assert error.value.kind == "environment"
    await project.prepare("true")
    assert project.fills == 2


async def test_each_command_that_ended_is_told(project: Project) -> None:
    """Also the one that failed, with its exit code and time; what is kept runs nothing."""
    told: list[tuple[str, int]] = []

    async def ran(command: Sequence[str], result: CommandResult, seconds: float) -> None:
        assert seconds > 0
        told.append((command[-1], result.exit_code))

    async def prepare(*commands: str) -> None:
        words = tuple(("sh", "-c", command) for command in commands)
        setup = Setup(commands=words, inputs="1", project="p", timeout=120)
        await project.sandbox.prepare(ROOMY, setup, project.fill, ran)

    with pytest.raises(TaskError):
        await prepare("true", "exit 7", "exit 8")
    await prepare("true")
    await prepare("true")

    assert told == [("true", 0), ("exit 7", 7), ("true", 0)]


async def test_an_outage_in_between_keeps_nothing(project: Project) -> None:
    """When the engine fails while the box is filled, the next try begins anew."""

    async def away(box: SandboxSession) -> None:
        raise Outage("sandbox", "away")

    setup = Setup(commands=(("sh", "-c", "true"),), inputs="1", project="p")
    with pytest.raises(Outage):
        await project.sandbox.prepare(ROOMY, setup, away)

    await project.prepare("true")
    assert project.fills == 1


@pytest.mark.sample(1, "installs packages in each sandbox")
async def test_pip_installs_for_the_tests(project: Project) -> None:
    """``pip install -r requirements.txt`` makes a package importable in later boxes."""
    project.files |= {
        "requirements.txt": ("100644", b"--no-index\n./told-1.0-py3-none-any.whl\n"),
        "told-1.0-py3-none-any.whl": ("100644", wheel("told", "ANSWER = 42\n")),
    }
    image = await project.prepare("pip install -r requirements.txt")

    assert await project.run(image, "python3 -c 'import told; print(told.ANSWER)'") == b"42\n"


BACKEND = b"""\
import pathlib, zipfile
try:
    import only_here
except ImportError:
    pass
else:
    raise SystemExit('the active environment leaks into an isolated build')
NAME = 'told-1.0.dist-info'
def build_wheel(folder, settings=None, metadata=None):
    with zipfile.ZipFile(pathlib.Path(folder, 'told-1.0-py3-none-any.whl'), 'w') as wheel:
        wheel.writestr(NAME + '/METADATA', 'Metadata-Version: 2.1\\nName: told\\nVersion: 1.0\\n')
        text = 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n'
        wheel.writestr(NAME + '/WHEEL', text)
        wheel.writestr(NAME + '/RECORD', '')
        wheel.writestr('told.py', '')
    return 'told-1.0-py3-none-any.whl'
"""
BUILD = b'[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'


async def test_setup_sees_the_active_environment_and_isolated_builds_do_not(
    tmp_path: Path,
) -> None:
    """What Cairn was started in is there for setup and the tests, but not in a build of pip's."""
    active = tmp_path / "active"
    await asyncio.to_thread(venv.create, active)
    (site,) = active.glob("lib/*/site-packages")
    (site / "only_here.py").touch()
    path = f"{active / 'bin'}{os.pathsep}{os.environ['PATH']}"
    sandbox = ProcessSandbox(owner="x", path=path, parent=tmp_path, prepared=tmp_path / "kept")
    files = {"backend.py": ("100644", BACKEND), "pyproject.toml": ("100644", BUILD)}
    project = Project(sandbox, files)
    image = await project.prepare("python -c 'import only_here'", "pip install --no-index .")

    assert await project.run(image, "python -c 'import only_here, told; print(1)'") == b"1\n"


async def test_packages_of_node_are_found(project: Project) -> None:
    """A ``node_modules`` that a command leaves is found by programs of later boxes."""
    image = await project.prepare(
        "mkdir -p node_modules/told node_modules/.bin;"
        "echo 'module.exports = 42' >node_modules/told/index.js;"
        "printf '#!/bin/sh\\necho run' >node_modules/.bin/told; chmod +x node_modules/.bin/told"
    )

    script = "echo 'console.log(require(\"told\"))' >main.js; node main.js; told"
    assert await project.run(image, script) == b"42\nrun\n"


async def test_packages_of_workspaces_are_found(project: Project) -> None:
    """Every ``node_modules`` is there again where setup left it, beside the files of the task."""
    project.files |= {
        "packages/a/package.json": ("100644", b'{"name": "@s/a"}'),
        "packages/a/index.js": ("100644", b"module.exports = require('told') + 1;\n"),
    }
    image = await project.prepare(
        "mkdir -p node_modules/@s node_modules/told packages/a/node_modules/told;"
        "ln -s ../../packages/a node_modules/@s/a;"
        "echo 'module.exports = 1' >node_modules/told/index.js;"
        "echo 'module.exports = 41' >packages/a/node_modules/told/index.js"
    )
    async with opened(project.sandbox, replace(ROOMY, image=image)) as box:
        await materialise(box, project.files)
        await restore(box)
        script = "console.log(require('@s/a'), require('told'))"
        result = await box.run(["node", "-e", script])

    assert (result.stdout, result.stderr) == (b"42 1\n", b"")


async def test_extension_modules_stand_where_setup_built_them(project: Project) -> None:
    """Only beside the tree's own files: what a tree has, or leads out of it, is left alone."""
    project.files |= {
        "kit/__init__.py": ("100644", b""),
        "kit/own.so": ("100644", b"of the tree"),
        "lib/__init__.py": ("100644", b""),
    }
    image = await project.prepare(
        "echo built | tee kit/_fast.so kit/own.so lib/_fast.so; mkdir build; cp kit/*.so build"
    )
    project.files |= {"lib": ("120000", b"/tmp")}
    del project.files["lib/__init__.py"]
    async with opened(project.sandbox, replace(ROOMY, image=image)) as box:
        await materialise(box, project.files)
        await restore(box)
        script = "find . -name '*.so' | sort; cat kit/*.so; ls /tmp/_fast.so"
        result = await box.run(["sh", "-c", script])

    assert result.stdout == b"./kit/_fast.so\n./kit/own.so\nbuilt\nof the tree"


NATIVE = BACKEND.replace(b"'told.py', ''", b"'kit/_fast.so', 'built'").replace(
    b"'/RECORD', ''", b"'/RECORD', 'kit/_fast.so,,'"
)


@pytest.mark.sample(1, "installs packages in each sandbox")
async def test_an_installed_projects_modules_stand_in_its_package(project: Project) -> None:
    """The workspace's package hides the installed one, which ``pip install .`` has built."""
    project.files |= {
        "backend.py": ("100644", NATIVE),
        "pyproject.toml": ("100644", BUILD),
        "src/kit/__init__.py": ("100644", b""),
    }
    image = await project.prepare("pip install --no-index .")
    async with opened(project.sandbox, replace(ROOMY, image=image)) as box:
        await materialise(box, project.files)
        await restore(box)
        result = await box.run(["sh", "-c", "cat src/kit/_fast.so"])

    assert result.stdout == b"built"


@pytest.mark.sample(1, "installs packages in each sandbox")
async def test_only_the_newest_are_kept(project: Project) -> None:
    """Of one project the result used longest ago goes first; others' stay."""
    other = await project.prepare("true", project="other")
    for number in range(KEEP):
        await project.prepare("true", inputs=str(number))
    await project.prepare("true", inputs="0")
    await project.prepare("true", inputs="one more")

    began = project.fills
    await project.prepare("true", inputs="0")
    assert await project.prepare("true", project="other") == other
    assert project.fills == began
    await project.prepare("true", inputs="1")
    assert project.fills == began + 1


@pytest.mark.parametrize("name", ISOLATED)
async def test_what_is_kept_cannot_be_changed(name: str, tmp_path: Path) -> None:
    """A task can neither add to nor remove from what setup made."""
    async with started(name, tmp_path) as project:
        image = await project.prepare('touch "$CAIRN_PREPARED/x"')
        script = "touch /prepared/y; rm /prepared/x; [ -e /prepared/x ] && echo ok"
        said = await project.run(image, script)

    assert said.count(b"Read-only file system") == 2
    assert said.startswith(b"ok\n")


@pytest.mark.parametrize("name", ISOLATED)
async def test_setup_has_no_network_unless_asked_for(name: str, tmp_path: Path) -> None:
    """Without ``network`` nothing listens on the loopback interface, which is all there is."""
    async with started(name, tmp_path) as project:
        listening = "cat /proc/net/tcp /proc/net/dev | sed 's/^ *//' >$CAIRN_PREPARED/seen"
        seen = await project.run(await project.prepare(listening), "cat $CAIRN_PREPARED/seen")

    assert [line.split(b":")[0] for line in seen.splitlines() if b":" in line] == [b"lo"]


@pytest.mark.sample(1, "each sandbox")
async def test_what_setup_made_is_measured(project: Project) -> None:
    """The image that it was made of, and the tools of the machine, are not counted."""
    before = await project.sandbox.kept()
    await project.prepare('head -c 3000000 /dev/urandom >"$CAIRN_PREPARED/data"')

    assert before == 0
    assert 3_000_000 <= await project.sandbox.kept() < 30_000_000


async def test_what_a_session_uses_is_not_removed(tmp_path: Path) -> None:
    """Neither by another process, which knows nothing of the session, nor however old it is."""
    project = Project(ProcessSandbox(owner="x", prepared=tmp_path), {})
    image = await project.prepare("true")
    other = PreparedFolders(tmp_path, room=0)
    async with opened(project.sandbox, replace(ROOMY, image=image)):
        aged(Path(image), days=30)
        other.tidy()
        assert other.holds(Path(image))
    other.tidy()

    assert not other.holds(Path(image))


async def test_a_copy_that_somebody_removed_is_an_outage(tmp_path: Path) -> None:
    """What the checkout has installed is copied once; the next run copies it again."""
    checkout, kept = tmp_path / "checkout", tmp_path / "kept"
    (checkout / "node_modules" / "a").mkdir(parents=True)
    sandbox = ProcessSandbox(owner="x", prepared=kept, checkout=checkout)
    async with opened(sandbox):
        (copy,) = await asyncio.to_thread(lambda: list(kept.iterdir()))
    shutil.rmtree(copy)

    with pytest.raises(Outage, match="is gone"):
        await sandbox.open(ROOMY)


def test_what_is_too_much_is_removed(tmp_path: Path) -> None:
    """Of all projects together, what was used longest ago first; what was just used stays."""
    folders, kept = PreparedFolders(tmp_path, room=5_000_000), []
    for number in range(4):
        with folders.making(f"p{number}", "key") as folder:
            (made(folder) / "data").write_bytes(os.urandom(2_000_000))
        kept.append(folder)
        aged(folder, days=1 - number / 10)
    folders.find("p0", "key")

    folders.make_room()

    assert sorted(tmp_path.iterdir()) == sorted([kept[0], kept[3]])
    assert 4_000_000 <= folders.used() < 5_000_000
    tight = PreparedFolders(tmp_path, room=1)
    tight.make_room()
    assert list(tmp_path.iterdir()) == [kept[0]]


@pytest.mark.parametrize(
    "script",
    [
        "mkdir -p $(printf 'aa/%.0s' $(seq 1300))",
        "mkdir -p locked/in; chmod 0 locked/in locked",
        "mkdir listed; : >listed/file; chmod 444 listed",
    ],
    ids=["too deep", "locked", "names only"],
)
def test_nothing_that_setup_leaves_is_there_for_ever(tmp_path: Path, script: str) -> None:
    """It is measured and removed, whatever it is; others are made and removed beside it."""
    folders = PreparedFolders(tmp_path, room=2_000_000)
    with folders.making("hostile", "key") as hostile:
        whole = f"set -e; (head -c 1000000 /dev/zero >data); {script}"
        subprocess.run(["sh", "-c", whole], cwd=made(hostile), check=True)
    with folders.making("p", "key") as kept:
        (made(kept) / "data").write_bytes(bytes(1_500_000))

    assert folders.used() > 2_500_000
    aged(hostile, days=1)
    folders.make_room()
    assert list(tmp_path.iterdir()) == [kept]


def test_an_interrupted_removal_leaves_nothing_to_use(tmp_path: Path) -> None:
    """The first thing that goes is what says that all is there."""
    folders = PreparedFolders(tmp_path)
    with folders.making("p", "key") as kept:
        (made(kept) / "data").write_bytes(b"x")
    (kept / "complete").unlink()

    assert folders.find("p", "key") is None
    folders.tidy()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("found", "room", "gone"),
    [
        ([("a", 400, 6), ("b", 500, 6)], 10, ["b"]),
        ([("a", 400, 6), ("b", 500, 6)], 12, []),
        ([("a", 400, 6), ("b", 500, 1), ("c", 600, 1)], 6, ["b", "c"]),
        ([("a", 10, 6), ("b", 20, 6)], 0, []),
        ([("a", 15 * 86_400, 0)], 9, ["a"]),
    ],
)
def test_what_is_to_go(found: list[tuple[str, float, int]], room: int, gone: list[str]) -> None:
    """By age and size: what was used in the last minutes stays, whatever its size."""
    now = time.time()
    kept = [Kept(name, name, now - seconds, size) for name, seconds, size in found]

    assert superfluous(kept, room) == gone


def aged(folder: Path, *, days: float) -> None:
    """Have a folder look as if it was used so long ago."""
    then = time.time() - days * 86_400
    os.utime(folder, (then, then))


def test_what_is_old_or_unfinished_is_tidied(tmp_path: Path) -> None:
    """At the start, what nobody used for two weeks and what a kill interrupted is removed."""
    folders = PreparedFolders(tmp_path)
    with folders.making("p", "old") as old, folders.making("p", "new") as new:
        pass
    (tmp_path / "unfinished").mkdir()
    aged(old, days=30)

    folders.tidy()

    assert list(tmp_path.iterdir()) == [new]
