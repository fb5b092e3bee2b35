"""Projects of the bench in folders, and their tests in the sandbox."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

from app.bench.texts import bench_texts
from app.local.compose import checkout_in, local_deps, sandbox_of
from app.local.options import FOLDER, LocalRun, options_for, read_config
from app.settings import RunSettings
from runner.errors import PortError, TaskError
from runner.git.command import hermetic
from runner.git.folder_repository import FolderRepository
from runner.loop.deps import TaskSandbox
from runner.loop.reading import reader
from runner.nodes.preflight import configured
from runner.nodes.work import NodeWork, work_on
from runner.ports import Fanout
from runner.sandbox.choose import MaskedSandbox
from runner.state.changes import EXECUTABLE, FILE, ChangeSet, Write
from runner.state.options import Request
from runner.state.run_state import RunState
from runner.verify import PATIENT, is_pytest, run_tests, tools_of


@dataclass(frozen=True)
class BoxedResults:
    """What tests did, by function: one with parameters passes if it does with all of them.

    ``unloaded`` are files of tests that could not be read.
    """

    passed: frozenset[str] = frozenset()
    unloaded: frozenset[str] = frozenset()


@dataclass(frozen=True)
class BoxedTests:
    """Runs the tests of a checkout's newest commit, with changes."""

    work: NodeWork

    async def results(
        self, texts: Mapping[str, str | None], only: Collection[str] = ()
    ) -> BoxedResults:
        """Run all tests with these texts in place of the files (None: without the file).

        ``only`` are the test files for pytest to run, in place of everything. Raises ``TaskError``
        where they cannot run, ``Outage`` when the engine is gone.
        """
        work = self.work
        changes = ChangeSet(
            {
                path: None if text is None else Write(text.encode("utf-8", "surrogateescape"))
                for path, text in texts.items()
            }
        )
        session = await work.session(changes)
        paths, read = sorted(changes.entries(work.base)), reader(work.settings, changes)
        tools = tools_of(paths, read, tools=PATIENT)
        found = await run_tests(
            session,
            tree=changes.tree(work.base),
            of={tool.name for tool in tools},
            paths=paths,
            read=read,
            timeout=work.seconds,
            tools=PATIENT,
            own=work.own,
            only=[(tool, sorted(only)) for tool in tools if only and is_pytest(tool)],
        )
        red = {failure.test for level in found.tests for failure in level.failures}
        failed = {test.partition("[")[0] for test in red}
        green = {test.partition("[")[0] for level in found.tests for test in level.found}
        unloaded = frozenset(test for test in red if "::" not in test)
        return BoxedResults(frozenset(green - failed), unloaded)


@asynccontextmanager
async def opened_box(
    folder: Path, sandbox: str, settings: RunSettings
) -> AsyncIterator[BoxedTests]:
    """Open the sandbox that a run in this checkout would have. Raises ``Outage``."""
    asked = LocalRun(folder, sandbox=sandbox)
    choice = await sandbox_of(asked, settings, sandbox or settings.cairn_sandbox)
    used = TaskSandbox({})
    async with local_deps(asked, settings, Fanout(), dry=True) as here:
        deps = replace(here.deps, sandbox=MaskedSandbox(choice.sandbox, here.deps.mask))
        tip = (await here.repository.stack()).tip
        request = Request("bench", "", options_for(asked, await read_config(here.deps, tip)))
        state, base = RunState(request), await here.repository.snapshot(tip)
        try:
            yield BoxedTests(await work_on(state, deps, used, base, configured(state)))
        finally:
            await used.close()


async def copy_project(named: str, place: Path) -> None:
    """Put a folder (of git: its newest commit), or an installed package, into a checkout.

    Raises ``PortError`` where there is neither.
    """
    folder = Path(named)
    looked = (place, folder, folder / ".git")
    made, there, of_git = await asyncio.to_thread(lambda: [each.exists() for each in looked])
    if made:
        return
    if named and there:
        # a folder within a checkout is a project of its own
        apart = FolderRepository(folder, store=folder / FOLDER / "folder.git", keep=False)
        repository = (await checkout_in(folder) if of_git else None) or apart
        entries = (await repository.snapshot((await repository.stack()).tip)).entries
        wanted = {path: e for path, e in entries.items() if e.mode in (FILE, EXECUTABLE)}
        blobs = await repository.blobs(sorted({entry.sha for entry in wanted.values()}))
        files = {path: blobs[entry.sha] for path, entry in wanted.items()}
    else:
        try:
            listed = metadata.files(named) or []
        except (metadata.PackageNotFoundError, ValueError):
            raise PortError("file", bench_texts.no_project(named)) from None
        inside = [each for each in listed if ".." not in each.parts and each.suffix != ".pyc"]
        files = {str(each): each.read_binary() for each in inside}
    if not files:
        raise PortError("file", bench_texts.empty(named))
    await checkout(place, files)


async def checkout(place: Path, files: Mapping[str, bytes], project: Path | None = None) -> None:
    """Make a repository of one commit, completely or not at all, from a project and files."""
    new = place.with_name(f"{place.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    if project:
        left = shutil.ignore_patterns(".git", FOLDER)
        await asyncio.to_thread(shutil.copytree, project, new, ignore=left, dirs_exist_ok=True)
    for path, content in files.items():
        (new / path).parent.mkdir(parents=True, exist_ok=True)
        (new / path).write_bytes(content)
    git = hermetic("-C", str(new))
    for command in (
        ("init", "--quiet", "--initial-branch=main"),
        ("config", "user.name", "cairn bench"),
        ("config", "user.email", "bench@cairn.invalid"),
        ("add", "--all", "--force"),
        ("commit", "--quiet", "--message=A task of cairn bench"),
    ):
        await git.output(*command)
    new.rename(place)


async def judged(
    folder: Path,
    hidden: Mapping[str, str | None],
    expected: Collection[str],
    sandbox: str,
    settings: RunSettings,
) -> frozenset[str]:
    """Return which tests pass on what is committed; none where they cannot run.

    Where one that is expected does not, all run once more: a flaky test is nobody's fault.
    """
    passed = frozenset[str]()
    async with opened_box(folder, sandbox, settings) as box:
        for _ in range(2):
            with suppress(TaskError):
                passed |= (await box.results(hidden)).passed
            if passed.issuperset(expected):
                break
    return passed
