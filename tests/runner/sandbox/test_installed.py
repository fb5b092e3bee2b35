"""What is installed in a checkout is there for tests in plain processes, as a copy."""

from __future__ import annotations

import logging
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from runner.loop.workspace import materialise, restore
from runner.sandbox.installed import copy_of_installed
from runner.sandbox.prepared import PreparedFolders, made
from runner.sandbox.process import ProcessSandbox
from tests.runner.sandbox.sandbox_bench import SPEC, opened

TREE = {
    "package.json": ("100644", b"{}"),
    "packages/a/package.json": ("100644", b'{"name": "@s/a"}'),
    "packages/a/index.js": ("100644", b"module.exports = require('told') + 1;\n"),
    "main.js": ("100644", b"console.log(require('@s/a'), require('told'));\n"),
}
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def install(checkout: Path, folder: str, value: int) -> Path:
    """A package ``told`` in a folder of a checkout; its file."""
    file = checkout / folder / "node_modules" / "told" / "index.js"
    file.parent.mkdir(parents=True)
    file.write_text(f"module.exports = {value};\n")
    return file


def workspaces(checkout: Path) -> Path:
    """A checkout whose package ``a`` is linked, and has another version of what the top has."""
    told = install(checkout, "", 1)
    install(checkout, "packages/a", 41)
    scope = checkout / "node_modules" / "@s"
    scope.mkdir()
    (scope / "a").symlink_to("../../packages/a")
    return told


async def ran(sandbox: ProcessSandbox, script: str) -> str:
    """What a script prints in a new session that holds the tree."""
    async with opened(sandbox, replace(SPEC, disk=64 << 20)) as session:
        await materialise(session, TREE)
        await restore(session)
        result = await session.run(["sh", "-c", script])
    return (result.stdout + result.stderr).decode()


def sandbox_on(checkout: Path, kept: Path) -> ProcessSandbox:
    """Plain processes that may use what the checkout has installed."""
    return ProcessSandbox(owner=str(checkout), prepared=kept, checkout=checkout)


@needs_node
async def test_packages_of_a_checkout_and_of_its_workspaces_are_found(tmp_path: Path) -> None:
    """Each file gets the version nearest to it; a workspace's package is the tree's own."""
    workspaces(tmp_path / "here")

    assert await ran(sandbox_on(tmp_path / "here", tmp_path / "kept"), "node main.js") == "42 1\n"


async def test_what_a_test_writes_never_reaches_the_checkout(tmp_path: Path) -> None:
    """Neither into a file nor beside it; and the next run starts from the checkout again."""
    told = workspaces(tmp_path / "here")
    harm = (
        "chmod -R u+w node_modules/told/; echo bad >node_modules/told/index.js;"
        "echo bad >node_modules/told/more.js; rm -rf node_modules"
    )
    await ran(sandbox_on(tmp_path / "here", tmp_path / "kept"), harm)

    assert told.read_text() == "module.exports = 1;\n"
    assert [path.name for path in told.parent.iterdir()] == ["index.js"]
    again = sandbox_on(tmp_path / "here", tmp_path / "kept")
    assert await ran(again, "cat node_modules/told/*") == "module.exports = 1;\n"


async def test_a_folder_that_a_tree_made_a_link_is_left_out(tmp_path: Path) -> None:
    """Nothing is made where it leads."""
    workspaces(tmp_path / "here")
    (tmp_path / "elsewhere" / "a").mkdir(parents=True)
    sandbox = sandbox_on(tmp_path / "here", tmp_path / "kept")
    link = {"packages": ("120000", str(tmp_path / "elsewhere").encode())}
    async with opened(sandbox) as session:
        await materialise(session, {"package.json": TREE["package.json"], **link})
        await restore(session)

    assert list((tmp_path / "elsewhere" / "a").iterdir()) == []


def copied(here: Path) -> Path | None:
    """Where the copy of a checkout lies; None where there is none."""
    kept = copy_of_installed(here, PreparedFolders(here.parent / "kept"))
    return made(kept) if kept else None


def test_the_copy_is_made_again_only_when_something_else_is_installed(tmp_path: Path) -> None:
    """What tools keep between two runs is no installation."""
    here = tmp_path / "here"
    told = workspaces(here)
    first = copied(here)
    assert first is not None
    began = first.stat().st_ctime_ns
    cache = here / "node_modules" / ".cache"
    cache.mkdir()
    (cache / "results").write_text("x")

    assert copied(here) == first
    assert first.stat().st_ctime_ns == began
    told.write_text("module.exports = 2;\n")
    assert copied(here) == first
    assert (first / "node_modules/told/index.js").read_text() == "module.exports = 2;\n"
    assert not (first / "node_modules/.cache").exists()


def test_links_that_lead_out_of_a_checkout_still_lead_there(tmp_path: Path) -> None:
    """As those of ``npm link`` do."""
    here = tmp_path / "here"
    install(here, "", 1)
    (here / "node_modules" / "linked").symlink_to("../../linked")
    copy = copied(here)

    assert copy is not None
    assert (copy / "node_modules/linked").readlink() == tmp_path / "linked"


def test_without_node_modules_there_is_nothing_to_copy(tmp_path: Path) -> None:
    """No folder is made for it."""
    (tmp_path / "here" / "src").mkdir(parents=True)

    assert copied(tmp_path / "here") is None
    assert not (tmp_path / "kept").exists()


def test_a_huge_installation_is_not_copied_and_that_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The limit is a number of files."""
    install(tmp_path / "here", "", 1)
    with caplog.at_level(logging.WARNING):
        found = copy_of_installed(tmp_path / "here", PreparedFolders(tmp_path / "kept"), most=2)

    assert found is None
    assert "node_modules has more than 2 files, so it is not copied" in caplog.text
