"""A repository whose own configuration names programs: no command of ours starts one of them."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from tests.app.checkout import Checkout
from tests.marks import MORE
from tests.scenarios.projects import note

PROGRAMS = (
    "filter.x.clean", "filter.x.smudge", "filter.x.process", "filter.lfs.clean",
    "filter.lfs.smudge", "filter.lfs.process", "core.fsmonitor", "core.sshCommand", "core.pager",
    "core.editor", "core.askPass", "core.gitProxy", "core.alternateRefsCommand", "diff.external",
    "diff.x.command", "diff.x.textconv", "merge.x.driver", "gpg.program", "gpg.ssh.program",
    "gpg.x509.program", "gpg.ssh.defaultKeyCommand", "sequence.editor", "trailer.x.cmd",
    "credential.helper", "interactive.diffFilter", "pager.log", "alias.status",
    "uploadpack.packObjectsHook", "remote.origin.uploadpack",
)  # fmt: skip
HOOKS = ("pre-commit", "commit-msg", "post-commit", "post-checkout", "reference-transaction",
         "post-index-change", "prepare-commit-msg", "pre-auto-gc", "post-merge")  # fmt: skip


@pytest.mark.parametrize(
    "where",
    ["config", pytest.param("config.worktree", marks=MORE), pytest.param("included", marks=MORE)],
)
async def test_no_program_of_a_repositorys_configuration_is_started(
    here: Checkout, tmp_path: Path, where: str
) -> None:
    """Filters, hooks, drivers, helpers: each would leave a file behind."""
    (here.folder / ".gitattributes").write_text("* filter=x diff=x merge=x\n*.bin filter=lfs\n")
    (here.folder / "data.bin").write_text("version https://git-lfs.github.com/spec/v1\n")
    here.git("add", "-A")
    here.git("commit", "-qm", "Attributes")
    canaries = tmp_path / "canaries"
    canaries.mkdir()
    folder = here.folder / ".git"
    aim = {"config": "config", "config.worktree": "config.worktree", "included": "more"}[where]
    if where == "config.worktree":
        here.git("config", "extensions.worktreeConfig", "true")
    if where == "included":
        here.git("config", "include.path", "more")
    for name in PROGRAMS:
        program = f"touch {canaries / name}; cat #"
        value = f"!{program}" if name.startswith(("alias", "credential")) else program
        here.git("config", "--file", str(folder / aim), name, value)
    here.git("config", "--file", str(folder / aim), "commit.gpgsign", "true")
    (folder / "hooks").mkdir(exist_ok=True)
    for name in HOOKS:
        hook = folder / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {canaries / name}\n")
        hook.chmod(0o755)
    here.model.says(note("one.md"), note("two.md"))

    ran = await here.cairn("run")
    for command in (("status",), ("show", "1.1"), ("undo", "1.1"), ("init",), ("doctor",)):
        await here.cairn(*command)

    assert ran.code == 0, ran.err
    assert "- [x] 1.2" in (here.folder / "ROADMAP.md").read_text()
    assert sorted(path.name for path in canaries.iterdir()) == []
    (here.folder / "more.md").write_text("More.\n")
    added = ["git", "add", "more.md"]
    await asyncio.to_thread(subprocess.run, added, cwd=here.folder, check=False)
    assert list(canaries.iterdir()) != []  # git by itself starts some of them


async def test_a_commit_cannot_lay_out_cairns_own_folder(here: Checkout, tmp_path: Path) -> None:
    """Its links would lead what a run writes there to other places, its files be taken for ours."""
    outside = tmp_path / "outside"
    (here.folder / ".executor").mkdir()
    (here.folder / ".executor" / ".gitignore").symlink_to(outside)
    here.git("add", "-A", "-f")
    here.git("commit", "-qm", "Links")

    ran = await here.cairn("run")

    assert not outside.exists()
    assert ran.code != 0
    assert ".executor is in the commits of this repository" in ran.err
