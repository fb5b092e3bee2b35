"""Which image a tree needs: the one that is configured, or what its setup commands made of it.

A change set may change a lock file; then its tree needs another image than the base.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from fnmatch import fnmatchcase

from pathspec import GitIgnoreSpec

from runner.changes import ChangeSet
from runner.deps import Deps, box_spec
from runner.errors import TaskError
from runner.ports import Box, Setup
from runner.reading import everything
from runner.snapshot import Entry, Snapshot
from runner.state import Options, RunState
from runner.workspace import materialise

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

_RESTORE = """\
kept="$CAIRN_PREPARED/home"
if [ -n "$CAIRN_PREPARED" ] && [ -d "$kept" ]; then cp -R "$kept/." "$HOME/"; fi
"""


async def prepared_image(state: RunState, deps: Deps, base: Snapshot, changes: ChangeSet) -> str:
    """Return the image for base + change set, made now when no task needed it before.

    Raises ``TaskError`` (kind ``environment``) when a setup command fails, ``Outage`` when the
    engine does.
    """
    options = state.request.options
    if not options.setup or options.verify_mode in ("syntax", "off"):
        return options.image

    setup = setup_of(options, changes.entries(base))
    # an answer reaches what is kept only through the files the key is made of: any other change of
    # it would work on in later runs, though it was never published
    kept = ChangeSet({p: w for p, w in changes.files.items() if _matters(options, p)})

    async def fill(box: Box) -> None:
        await materialise(box, await everything(deps, base, kept))

    return await deps.sandbox.prepare(box_spec(state), setup, fill)


async def restore_home(box: Box) -> None:
    """Copy what setup commands left in HOME into the HOME of a fresh box.

    Raises ``TaskError`` (kind ``environment``) when it does not fit.
    """
    result = await box.run(["sh", "-c", _RESTORE])
    if result.exit_code:
        said = result.stderr.decode(errors="replace").strip()[-500:]
        raise TaskError(
            "environment",
            f"What sandbox.setup left in HOME cannot be copied ({said}). Raise the sandbox's disk "
            "limit, or let setup write below $CAIRN_PREPARED.",
        )


def setup_of(options: Options, entries: Mapping[str, Entry]) -> Setup:
    """Return the setup of a tree: the same for every tree with the same lock and manifest files."""
    found = {
        path: (entry.mode, entry.sha)
        for path, entry in sorted(entries.items())
        if _matters(options, path)
    }
    return Setup(
        commands=options.setup,
        inputs=hashlib.sha256(json.dumps(found).encode()).hexdigest(),
        project=options.project,
        network=options.setup_network,
    )


def _matters(options: Options, path: str) -> bool:
    """Say whether a file decides on what is installed."""
    name = path.rpartition("/")[2]
    if any(fnmatchcase(name, pattern) for pattern in INPUTS):
        return True
    return GitIgnoreSpec.from_lines(options.setup_files).match_file(path)
