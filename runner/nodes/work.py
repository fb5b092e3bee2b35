"""A change of a task on its base, as the nodes look at it, and the session that holds it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from runner.loop.deps import Deps, TaskSandbox
from runner.loop.reading import Read, contents, everything, prepared_image, reader
from runner.loop.workspace import materialise, restore
from runner.ports import SandboxSession
from runner.state.changes import ChangeSet, Snapshot, TreeEntry, tree_sha
from runner.state.events import TestedTree, Verified
from runner.state.findings import Verification
from runner.state.run_state import RunState
from runner.verify import Commands, configuration, tools_of
from runner.verify.folders import below
from runner.verify.folders import reader as folder_reader
from runner.verify.judging import Tool
from runner.verify.python_layout import MANIFESTS, layout_of
from runner.verify.set_up import set_up, set_up_session


@dataclass(frozen=True)
class NodeWork:
    """Made once by a node, and handed to whatever looks at the current attempt's change.

    ``settings`` are the files of the base that say how it is tested, ``own`` the repository's own
    commands in place of tests that are found. ``replace(work, state=...)`` is the same for another
    change of the attempt.
    """

    state: RunState
    deps: Deps
    sandbox: TaskSandbox
    base: Snapshot
    settings: dict[str, bytes]
    own: Commands | None = None

    @property
    def changes(self) -> ChangeSet:
        return self.state.attempt.answered.changes

    @property
    def seconds(self) -> float:
        """How long one run of tests may take."""
        return self.state.request.options.sandbox.test_timeout

    @cached_property
    def entries(self) -> dict[str, TreeEntry]:
        """The tree with the change."""
        return self.changes.entries(self.base)

    @cached_property
    def paths(self) -> list[str]:
        return sorted(self.entries)

    @cached_property
    def tree(self) -> str:
        return tree_sha(self.entries)

    @cached_property
    def read(self) -> Read:
        """Reads what the change writes, and ``settings``."""
        return reader(self.settings, self.changes)

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """What can run the tests of the tree with the change."""
        return tools_of(self.paths, self.read)

    @cached_property
    def tools_before(self) -> tuple[Tool, ...]:
        """What can run the tests of the base."""
        return tools_of(sorted(self.base.entries), self.settings.get)

    async def contents(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Contents of those ``paths`` that are files of the base."""
        return await contents(self.deps, self.base, paths)

    async def tell(self, found: Verification, tested: TestedTree) -> None:
        """Report that tests ran."""
        run, attempt = self.state.request.id, self.state.attempt
        answer = max(1, attempt.answered.answers)  # work that was handed over counts as the first
        told = Verified(run, attempt.task, found, tested, attempt.number, answer)
        await self.deps.events.emit(told)

    async def session(self, changes: ChangeSet | None = None) -> SandboxSession:
        """Return a session that holds the base with ``changes`` (None: the attempt's) to run in.

        Nothing has run in it, and nobody else gets it as it is afterwards.
        """
        session = await self.filled(changes)
        self.sandbox.holds = ""
        return session

    async def filled(self, changes: ChangeSet | None = None) -> SandboxSession:
        """Return such a session, which stays fresh for the next one: nothing may run in it."""
        deps, base, sandbox = self.deps, self.base, self.sandbox
        changes = self.changes if changes is None else changes
        image = await prepared_image(self.state, deps, base, changes)
        session = await sandbox.session(self.state, deps.sandbox, image)
        old = await self.contents(MANIFESTS)
        before = layout_of(base.entries, old.get)
        layout = layout_of(changes.entries(base), reader(old, changes))
        # an answer cannot replace an installed module
        layout = replace(layout, own=tuple(name for name in layout.own if name in before.own))
        tree = changes.tree(base)
        if sandbox.holds != tree:
            sandbox.holds = ""
            files = await everything(deps, base, changes, sandbox.blobs)
            await materialise(session, files, sandbox.left)
            sandbox.left = files
            if self.state.request.options.sandbox.setup or deps.sandbox.installed:
                await restore(session)
            if layout:
                await set_up(session, layout)
            sandbox.holds = tree
        return set_up_session(session, layout) if layout else session


async def work_on(
    state: RunState, deps: Deps, sandbox: TaskSandbox, base: Snapshot, own: Commands | None = None
) -> NodeWork:
    """Return the work on a base: the current attempt's change, where it has one."""
    settings = await contents(deps, base, configuration(base.entries))
    own = own and laid_out(own, base, settings)
    return NodeWork(state, deps, sandbox, base, settings, own)


def laid_out(own: Commands, base: Snapshot, settings: dict[str, bytes]) -> Commands:
    """Return commands that work in a folder with the Python project that is laid out there."""
    if not own.folder:
        return own
    layout = layout_of(below(own.folder, base.entries), folder_reader(own.folder, settings.get))
    return replace(own, layout=replace(layout, own=()))
