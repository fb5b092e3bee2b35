"""Where a change set may write: plain paths inside the tree, except for protected patterns.

Patterns are gitignore patterns (https://git-scm.com/docs/gitignore).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from runner.roadmap.plans import form_of
from runner.state.changes import SUBMODULE, SYMLINK, Snapshot
from runner.state.findings import Complaint

_LONGEST_PATH, _LONGEST_NAME = 1_000, 255
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
# ignored by HFS+ when it compares names: git's is_hfs_dotgit (CVE-2014-9390)
_HFS_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_FOREIGN = re.compile('[:*?"<>|\u200c-\u200f\u202a-\u202e\u2066-\u206f\ufeff]')
_DEVICE = re.compile(r"con|conin\$|conout\$|prn|aux|nul|com[0-9]|lpt[0-9]")
_SHORT = re.compile(r"(?:gitmod|gi7eba)~[0-9]")
# git's is_ntfs_dotgit: short names, trailing blanks and dots, alternate data streams
_DOT_GIT = {".git", "git~1"}


def check_shape(path: str) -> Complaint | None:
    """Return why a path is not a path of a tree, or None."""
    if not path or path.startswith("/") or "\\" in path or re.match(r"[A-Za-z]:", path):
        return _unsafe(path, "is not relative with forward slashes")
    if _CONTROL.search(path):
        return _unsafe(path, "holds a control or broken character")
    parts = path.split("/")
    if any(part in {"", ".", ".."} for part in parts):
        return _unsafe(path, "has an empty, '.' or '..' part")
    raw = path.encode("utf-8")
    if len(raw) > _LONGEST_PATH or any(len(p.encode("utf-8")) > _LONGEST_NAME for p in parts):
        return _unsafe(path[:100], "is too long")
    if any(_folded(part) in _DOT_GIT for part in parts):
        return _unsafe(path, "is inside git's own folder")
    if any(_only_here(part) for part in parts):
        return _unsafe(path, "has a name that Windows or macOS refuses or takes for another one")
    return None


def _only_here(part: str) -> bool:
    """Say whether Windows or macOS would take the name for another one, or refuse it.

    https://learn.microsoft.com/windows/win32/fileio/naming-a-file
    """
    # Windows takes superscript digits for digits, and no notice of blanks before the suffix
    stem = unicodedata.normalize("NFKC", part.partition(".")[0]).casefold().rstrip(" ")
    return (
        part.endswith((".", " "))
        or _FOREIGN.search(part) is not None
        or _DEVICE.fullmatch(stem) is not None
        or _SHORT.fullmatch(part.casefold()) is not None
    )


def _folded(part: str) -> str:
    plain = _HFS_IGNORED.sub("", part).casefold()
    return plain.partition(":")[0].rstrip(" .")


def check_target(path: str, base: Snapshot) -> Complaint | None:
    """Return why the tree cannot take a file here: links, submodules, a file as folder, or None."""
    entry = base.entries.get(path)
    if entry and entry.mode in {SYMLINK, SUBMODULE}:
        kind = "a symbolic link" if entry.mode == SYMLINK else "a submodule"
        return _unsafe(path, f"is {kind}, which cannot be written")
    for folder in _folders(path):
        above = base.entries.get(folder)
        if above and above.mode in {SYMLINK, SUBMODULE}:
            return _unsafe(path, f"leads through {folder}, a link or submodule")
    return None


def collisions(written: list[str], deleted: set[str], base: Snapshot) -> Iterator[Complaint]:
    """Yield conflicts among the files after the change: file against folder, and case alone."""
    added = [path for path in written if path not in base.entries]
    if not added:
        return
    kept = {path for path in base.entries if path not in deleted}
    old_folders = {folder for path in kept for folder in _folders(path)}
    files = kept.union(added)
    folders = old_folders.union(folder for path in added for folder in _folders(path))
    spellings = {_same(name): name for name in (*kept, *old_folders)}
    for path in added:
        if path in folders or any(folder in files for folder in _folders(path)):
            yield _unsafe(path, "would be a file and a folder at once", error="PathConflict")
            continue
        for name in (path, *_folders(path)):
            other = spellings.setdefault(_same(name), name)
            if other != name:
                what = f"differs from {other} only by case or accents"
                yield _unsafe(path, what, error="CaseCollision")
                break


def _same(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def _folders(path: str) -> Iterator[str]:
    at = path.find("/")
    while at > 0:
        yield path[:at]
        at = path.find("/", at + 1)


def _unsafe(path: str, why: str, *, error: str = "UnsafePath") -> Complaint:
    return Complaint(path, error, f"The path {path!r} {why}.")


DEFAULT_PROTECT = ("/.github/workflows/**", "/.github/cairn.yml", ".gitmodules")
"""Protected whatever the configuration says."""
_BUILT_IN = (".github/workflows/ci.yml", ".github/cairn.yml", ".gitmodules")
_CI = """
    /.github/actions/** .gitlab-ci.y*ml /.gitlab/ci/** .circleci/ .travis.yml .buildkite/ .drone.yml
    .woodpecker/ .woodpecker.y*ml .cirrus.yml .cirrus.star .semaphore/ .appveyor.yml appveyor.yml
    azure-pipelines*.y*ml .azure-pipelines/ bitbucket-pipelines.yml jenkinsfile* .teamcity/ .tekton/
    .gitea/workflows/ .forgejo/workflows/ .build.yml .builds/ buildspec*.y*ml cloudbuild*.y*ml
    bitrise.yml codemagic.yaml wercker.yml netlify.toml vercel.json .readthedocs.y*ml
"""
PROTECTED_CI = tuple(_CI.split())
"""What CI of other providers runs on every branch, also on that of a proposal: protected, unless
``protect`` frees it.
"""
_REVIEWS = (
    "codeowners /.github/dependabot.yml renovate.json* .renovaterc* .mergify.yml .kodiak.toml"
)
_HOOKS = """
    .husky/ .githooks/ .lefthook/ lefthook*.y*ml .lefthook*.y*ml .pre-commit-config.y*ml
    .overcommit.yml .gitattributes .gitconfig .lfsconfig
"""
_LOADED_BY_SHELLS_AND_PACKAGERS = """
    .envrc .mise.toml mise.toml .mise/ .cargo/config .cargo/config.toml .npmrc .yarnrc* .yarn/
    .pnpmfile.cjs pip.conf .pypirc .bundle/ nuget.config .mvn/ gradle/wrapper/
"""
_LOADED_BY_EDITORS = """
    .vscode/ .idea/ .fleet/ .zed/ .devcontainer/ .devcontainer.json *.code-workspace .exrc .nvimrc
    .nvim.lua .vimrc .dir-locals.el .gdbinit .lldbinit
"""
_LOADED_BY_AGENTS = """
    agents.md agent.md claude*.md gemini.md /.github/copilot-* /.github/instructions/
    /.github/prompts/ /.github/agents/ /.github/chatmodes/ .claude/ .codex/ .gemini/ .cursor/
    .cursorrules .windsurf/ .windsurfrules .clinerules* .roo/ .continue/ .aider* .goosehints
    .mcp.json .kiro/steering/ .kiro/hooks/ .kiro/settings/ /.specify/memory/
"""
ASKED_ABOUT = (
    *PROTECTED_CI,
    *f"{_REVIEWS} {_HOOKS} {_LOADED_BY_SHELLS_AND_PACKAGERS}".split(),
    *f"{_LOADED_BY_EDITORS} {_LOADED_BY_AGENTS}".split(),
)
"""Files that act on machines and people without being run by a test: they are written only if the
task names them and a person approves. In small letters, as paths are compared in both.
"""


def protect_file(path: str) -> str:
    """Return the pattern that means exactly this file."""
    return "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", path)


def protect_plan(roadmap: str, task: str) -> tuple[str, ...]:
    """Return patterns for a plan, and the specification beside it but for what a task names."""
    folder = form_of(roadmap).folder(roadmap)
    if not folder:
        return (protect_file(roadmap),)
    named = {name.rpartition("/")[2] for name in _NAMED.findall(task)}
    free = (f"!{protect_file(folder)}**{protect_file(name)}" for name in sorted(named))
    return (f"{protect_file(folder)}**", *free, protect_file(roadmap))


_NAMED = re.compile(r"[\w./-]+\.\w+")


def protection(protect: Sequence[str]) -> Callable[[str], bool]:
    """Return a test for protected paths: the defaults, and what ``protect`` says.

    A ``!`` pattern frees what earlier patterns of ``protect`` match, never a default. Paths are
    also compared as on a file system that ignores case.
    """
    always, configured = _matcher(DEFAULT_PROTECT), _matcher(tuple(protect))
    return lambda path: always(path) or configured(path)


def frees_built_in(protect: Sequence[str]) -> list[int]:
    """Find the ``!`` patterns, by place, that are meant to free what is always protected.

    Such a pattern matches a default, and no earlier pattern of ``protect`` does: it cannot mean to
    free what the configuration itself protects.
    """
    always = _matcher(DEFAULT_PROTECT)
    found = []
    for at, pattern in enumerate(protect):
        if not pattern.startswith("!"):
            continue
        named = pattern[1:].strip("/")
        # the pattern itself, read as a path, stands for files with other names than the examples
        examples = [path for path in (*_BUILT_IN, named) if always(path)]
        freed = [path for path in examples if _matcher((pattern[1:],))(path)]
        earlier = _matcher(tuple(protect[:at]))
        if any(not earlier(path) for path in freed):
            found.append(at)
    return found


def asked_about(patterns: Sequence[str], paths: Iterable[str]) -> list[str]:
    """Return the paths that are written only when a person agrees."""
    if not patterns:
        return []
    matches = _matcher(tuple(patterns))
    return [path for path in paths if matches(path)]


def takes_effect(path: str) -> bool:
    """Whether a file acts on machines and people without being run by a test."""
    return _matcher((*DEFAULT_PROTECT, *ASKED_ABOUT))(path)


@lru_cache(maxsize=64)
def _matcher(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    from runner.text.gitignore import ignoring

    spec = ignoring(patterns)
    return lambda path: spec.match_file(path) or spec.match_file(path.casefold())
