"""Read a tree (base and change set together), and choose the sandbox image that it needs.

A change set may change a lock file; then its tree needs another image than the base.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import translate

from runner.errors import TaskError
from runner.loop.at_work import AtWork
from runner.loop.deps import Deps, session_spec
from runner.loop.workspace import File, materialise, tree_files
from runner.ports import CommandResult, SandboxSession, Setup
from runner.state.changes import (
    EXECUTABLE,
    FILE,
    SUBMODULE,
    ChangeSet,
    Snapshot,
    TreeEntry,
    tree_sha,
)
from runner.state.options import Options
from runner.state.run_state import RunState
from runner.text.encoding import in_utf8
from runner.text.mask import NOT_SHOWN, is_secret_file
from runner.text.sanitize import as_typed
from runner.verify.python_layout import MANIFESTS, compiled_sources, version_variables

Read = Callable[[str], bytes | None]


async def base_of(state: RunState, deps: Deps) -> Snapshot:
    """The tree that the current attempt builds on.

    A revision builds on what is below its pull request, with what people pushed to its branch: so
    the change that is validated, verified and described is the whole change of the pull request.
    """
    base = await deps.repository.snapshot(state.attempt.base)
    revision = state.attempt.planned.revision
    if revision is None:
        return base
    head = await deps.repository.snapshot(revision.head)
    entries = {path: e for path, e in base.entries.items() if path not in revision.kept}
    entries |= {path: head.entries[path] for path in revision.kept if path in head.entries}
    return Snapshot(base.commit, tree_sha(entries), entries)


async def seen_of(state: RunState, deps: Deps) -> Snapshot:
    """The tree that the model is shown: of a revision the head of its branch.

    After a conflict it is the newer base, with what nothing was in the way of.
    """
    revision = state.attempt.planned.revision
    if revision is None:
        return await base_of(state, deps)
    head = await deps.repository.snapshot(revision.head)
    if revision.conflict is None:
        return head
    base, applied = await base_of(state, deps), revision.conflict.applied
    entries = {path: e for path, e in base.entries.items() if path not in applied}
    entries |= {path: head.entries[path] for path in applied if path in head.entries}
    return Snapshot(base.commit, tree_sha(entries), entries)


async def contents(deps: Deps, base: Snapshot, paths: Iterable[str]) -> dict[str, bytes]:
    """Contents of those ``paths`` that are files of ``base`` (not links, not submodules).

    A plan that is no file is the same on every commit.
    """
    paths = list(paths)
    found = ((path, base.entries.get(path)) for path in paths)
    wanted = {path: e.sha for path, e in found if e and e.mode in (FILE, EXECUTABLE)}
    by_sha = await deps.repository.blobs(sorted(set(wanted.values())))
    apart = {path: deps.apart[path] for path in deps.apart if path in paths}
    return {path: by_sha[sha] for path, sha in wanted.items()} | apart


async def texts(deps: Deps, base: Snapshot, paths: Iterable[str]) -> dict[str, bytes]:
    """Contents as checks read them: in UTF-8, whatever the encoding of the file."""
    found = await contents(deps, base, paths)
    return {path: in_utf8(path, content) for path, content in found.items()}


def as_texts(changes: ChangeSet, read: Read) -> tuple[ChangeSet, Read]:
    """Return a change set, and what was there before, as checks read them: in UTF-8."""
    files = {
        path: replace(write, content=in_utf8(path, write.content)) if write else None
        for path, write in changes.files.items()
    }
    return ChangeSet(
        files
    ), lambda path: None if (content := read(path)) is None else in_utf8(path, content)


async def everything(
    deps: Deps, base: Snapshot, changes: ChangeSet, known: dict[str, bytes]
) -> dict[str, File]:
    """Return the whole tree after the change, with contents, to fill a sandbox with.

    ``known`` are contents by blob sha that are not read again; it gets what is.
    """
    kept = (entry for path, entry in base.entries.items() if path not in changes.files)
    shas = {entry.sha for entry in kept if entry.mode != SUBMODULE}
    known |= await deps.repository.blobs(sorted(shas - known.keys()))
    return tree_files(base, known, changes)


def reader(old: dict[str, bytes], changes: ChangeSet | None = None) -> Read:
    """Make a function from path to content: the change set's where it has one, else the base's."""
    files = changes.files if changes else {}

    def read(path: str) -> bytes | None:
        if path in files:
            write = files[path]
            return write.content if write else None
        return old.get(path)

    return read


@dataclass(frozen=True, slots=True)
class Quoted:
    """A file as it is shown to a model; ``fence`` is longer than any inside, ``partial`` if cut."""

    path: str
    text: str
    language: str
    fence: str
    partial: bool = False


def quote(path: str, text: str, *, limit: int) -> Quoted:
    """Show a text file, cut at ``limit`` characters; of a secret one only that it exists."""
    if is_secret_file(path):
        return Quoted(path, NOT_SHOWN, "", "```", partial=True)
    text = text.rstrip("\n")
    partial = len(text) > limit
    if partial:
        text = text[:limit] + "\n[... cut ...]"
    longest = max(map(len, re.findall("`+", text)), default=0)
    suffix = path.rpartition(".")[2]
    return Quoted(path, text, _LANGUAGES.get(suffix, ""), "`" * max(3, longest + 1), partial)


_LANGUAGES = {"py": "python", "js": "javascript", "ts": "typescript", "md": "markdown"} | {
    same: same for same in ("json", "yaml", "toml", "html", "css", "sql", "go", "rust", "sh")
}


def named_in(text: str, paths: Collection[str]) -> list[str]:
    """Those ``paths`` whose file name occurs in ``text``: all that an answer can be about."""
    return [path for path in paths if path.rpartition("/")[2] in text]


# Names of files, in any folder, that say what has to be installed.
INPUTS = (
    *("requirements*.txt", "constraints*.txt", "requirements*.in", "pyproject.toml", "setup.py"),
    *("setup.cfg", "uv.lock", "poetry.lock", "pdm.lock", "Pipfile", "Pipfile.lock", "pylock*.toml"),
    *("environment.yml", "package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock"),
    *("pnpm-lock.yaml", "pnpm-workspace.yaml", "bun.lock", ".npmrc", ".python-version", ".nvmrc"),
    *("go.mod", "go.sum", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "Gemfile"),
    *("Gemfile.lock", "composer.json", "composer.lock", "pom.xml", "build.gradle*"),
    *("gradle.lockfile",),
)
_INPUT = re.compile("|".join(map(translate, INPUTS)))


async def prepared_image(state: RunState, deps: Deps, base: Snapshot, changes: ChangeSet) -> str:
    """Return the image for base + change set, made now when no task needed it before.

    Raises ``TaskError`` (kind ``environment``) when a setup command fails, ``Outage`` when the
    engine does.
    """
    options = state.request.options
    if not options.sandbox.setup or options.verify.verify_mode in ("syntax", "off"):
        return options.sandbox.image

    compiled = await compiled_files(deps, base, changes)
    entries = changes.entries(base)
    setup = await asyncio.to_thread(setup_of, options, entries, compiled)
    changed = await _not_merged(state, deps, entries) if setup.network else ()
    setup = replace(setup, network=setup.network and not changed)
    # the variables that tell a build its version
    manifests = reader(await contents(deps, base, MANIFESTS), changes)
    if version_variables(manifests):
        tags = await deps.repository.tags(base.commit)
        variables = version_variables(manifests, tags=tags)
        setup = replace(setup, variables=tuple(sorted(variables.items())))
    # an answer reaches what is kept only through the files the key is made of: any other change of
    # it would work on in later runs, though it was never published
    reached = deciding(options, changes.files) | compiled
    kept = ChangeSet({path: write for path, write in changes.files.items() if path in reached})

    left = [f"Setting up: {as_typed(command)}" for command in setup.commands]
    async with AtWork(state, deps, "Setting up (sandbox.setup)") as work:

        async def fill(session: SandboxSession) -> None:
            await materialise(session, await everything(deps, base, kept, {}))
            await work.now(left.pop(0) if left else "Setting up")

        async def ran(command: Sequence[str], result: CommandResult, seconds: float) -> None:
            await work.now(left.pop(0) if left else "Setting up: keeping what was installed")

        try:
            return await deps.sandbox.prepare(session_spec(state), setup, fill, ran)
        except TaskError as error:
            if not changed or deps.sandbox.name == "process":
                raise
            raise TaskError(
                error.kind,
                f"{error.message}\nSetup had no network, because the base branch has another "
                f"{', '.join(changed)}: a model may have chosen what is installed. Merge that "
                "change first, or have the operator set CAIRN_ALLOW_SETUP_NETWORK=changed.",
            ) from None


async def _not_merged(
    state: RunState, deps: Deps, entries: Mapping[str, TreeEntry]
) -> tuple[str, ...]:
    """Files that say what is installed and are not as people have them, where that matters."""
    options = state.request.options
    if options.sandbox.setup_changed:
        return ()
    merged = await deps.repository.snapshot(state.stack.base or state.stack.tip)
    every = {*entries, *merged.entries}
    differing = {path for path in every if entries.get(path) != merged.entries.get(path)}
    return tuple(sorted(await asyncio.to_thread(deciding, options, differing)))


async def compiled_files(deps: Deps, base: Snapshot, changes: ChangeSet) -> frozenset[str]:
    """The sources of the project's extension modules, with those that the change deletes."""
    read = reader(await contents(deps, base, MANIFESTS), changes)
    return compiled_sources(changes.entries(base).keys() | changes.files.keys(), read)


def setup_of(
    options: Options, entries: Mapping[str, TreeEntry], compiled: Collection[str] = ()
) -> Setup:
    """Return the setup of a tree: the same for every tree with the same lock and manifest files.

    So must the sources be that it compiles.
    """
    found = {
        path: (entries[path].mode, entries[path].sha)
        for path in sorted({*deciding(options, entries), *compiled} & entries.keys())
    }
    return Setup(
        commands=options.sandbox.setup,
        inputs=hashlib.sha256(json.dumps(found).encode()).hexdigest(),
        project=options.sandbox.project,
        network=options.sandbox.setup_network,
    )


def deciding(options: Options, paths: Collection[str]) -> set[str]:
    """Return those files that decide on what is installed. With patterns it takes a while."""
    found = {path for path in paths if _INPUT.match(path.rpartition("/")[2])}
    if options.sandbox.setup_files:
        from runner.text.gitignore import ignoring

        found.update(ignoring(options.sandbox.setup_files).match_files(paths))
    return found
