"""Read a tree: base and change set together, contents fetched once for the paths that matter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from runner.changes import ChangeSet
from runner.deps import Deps
from runner.secret_files import NOT_SHOWN, is_secret_file
from runner.snapshot import EXECUTABLE, FILE, SUBMODULE, Snapshot
from runner.state import RunState
from runner.workspace_tar import File, tree_files

Read = Callable[[str], bytes | None]


async def base_of(state: RunState, deps: Deps) -> Snapshot:
    """The tree the attempt in hand builds on."""
    return await deps.repository.snapshot(state.attempt.base)


async def contents(deps: Deps, base: Snapshot, paths: Iterable[str]) -> dict[str, bytes]:
    """Contents of those ``paths`` that are files of ``base`` (not links, not submodules)."""
    wanted = {p: base.entries[p].sha for p in paths if _is_file(base, p)}
    by_sha = await deps.repository.blobs(sorted(set(wanted.values())))
    return {path: by_sha[sha] for path, sha in wanted.items()}


async def everything(deps: Deps, base: Snapshot, changes: ChangeSet) -> dict[str, File]:
    """Return the whole tree after the change, with contents, to fill a box with."""
    kept = (entry for path, entry in base.entries.items() if path not in changes.files)
    shas = sorted({entry.sha for entry in kept if entry.mode != SUBMODULE})
    return tree_files(base, await deps.repository.blobs(shas), changes)


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


def quote(path: str, content: bytes, *, limit: int) -> Quoted:
    """Show a text file, cut at ``limit`` characters; of a secret one only that it is there."""
    if is_secret_file(path):
        return Quoted(path, NOT_SHOWN, "", "```", partial=True)
    text = content.decode("utf-8", "replace").replace("\r\n", "\n").rstrip("\n")
    partial = len(text) > limit
    if partial:
        text = text[:limit] + "\n[... cut ...]"
    longest = max((len(run) for run in _ticks(text)), default=0)
    suffix = path.rpartition(".")[2]
    return Quoted(path, text, _LANGUAGES.get(suffix, ""), "`" * max(3, longest + 1), partial)


_LANGUAGES = {"py": "python", "js": "javascript", "ts": "typescript", "md": "markdown"} | {
    same: same for same in ("json", "yaml", "toml", "html", "css", "sql", "go", "rust", "sh")
}


def _ticks(text: str) -> Iterable[str]:
    run = ""
    for char in text + " ":
        if char == "`":
            run += char
        elif run:
            yield run
            run = ""


def named_in(text: str, paths: Collection[str]) -> list[str]:
    """Those ``paths`` whose file name occurs in ``text``: all that an answer can be about."""
    return [path for path in paths if path.rpartition("/")[2] in text]


def _is_file(base: Snapshot, path: str) -> bool:
    return path in base.entries and base.entries[path].mode in (FILE, EXECUTABLE)
