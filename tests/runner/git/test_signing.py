"""``commit.gpgsign`` of a user's own configuration is obeyed; no program of a repository runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.errors import Outage
from runner.git.local_repository import LocalRepository
from tests.runner.git.checkpoints import checkpoint
from tests.runner.git.scratch_git import ScratchGit

SIGNS = "cat >/dev/null; echo '[GNUPG:] SIG_CREATED ' >&2; echo signed"
OWN = "[user]\nname = Ann\nemail = ann@example.com\n[commit]\ngpgsign = true\n[gpg]\nprogram = {}\n"


def program(place: Path, command: str) -> str:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\n{command}\n")
    place.chmod(0o755)
    return str(place)


@pytest.fixture
def git(tmp_path: Path) -> ScratchGit:
    git = ScratchGit(tmp_path / "here")
    git.commit({".gitattributes": b"*.txt filter=bad\n", "a.txt": b"a\n"})
    bad = program(tmp_path / "bad", f"touch {tmp_path}/ran; cat")
    for name in ("gpg.program", "filter.bad.clean", "filter.bad.smudge"):
        git("config", name, bad)
    program(git.root / ".git/hooks/pre-commit", f"touch {tmp_path}/ran")
    return git


async def _commit(git: ScratchGit, home: Path) -> str:
    repository = LocalRepository(git.root, environment={"HOME": str(home), "PATH": "/usr/bin:/bin"})
    await repository.check_clean()
    base = await repository.snapshot((await repository.stack()).tip)
    made = await repository.publish_checkpoint(checkpoint(base, {"a.txt": b"b\n"}))
    return git("cat-file", "commit", made.commit)


async def test_a_commit_is_signed(git: ScratchGit, tmp_path: Path) -> None:
    """By the user's own program, however the repository names another one."""
    (tmp_path / ".gitconfig").write_text(OWN.format(program(tmp_path / "sign", SIGNS)))

    assert "\ngpgsig signed\n" in await _commit(git, tmp_path)
    assert not (tmp_path / "ran").exists()
    assert (git.root / "a.txt").read_text() == "b\n"


async def test_a_commit_that_cannot_be_signed(git: ScratchGit, tmp_path: Path) -> None:
    """Nothing is committed, and the error says what to type."""
    (tmp_path / ".gitconfig").write_text(OWN.format(program(tmp_path / "sign", "exit 1")))

    with pytest.raises(Outage, match=r"(?s)could not be signed.*commit.gpgsign false"):
        await _commit(git, tmp_path)
    assert git("rev-list", "--count", "HEAD") == "1"


@pytest.mark.parametrize(("own", "here"), [(None, "true"), ("true", "false")])
async def test_a_commit_that_is_not_signed(
    git: ScratchGit, tmp_path: Path, own: str | None, here: str
) -> None:
    """A repository can turn signing off, and not on."""
    if own:
        (tmp_path / ".gitconfig").write_text(OWN.format(program(tmp_path / "sign", SIGNS)))
    git("config", "commit.gpgsign", here)

    assert "gpgsig" not in await _commit(git, tmp_path)
    assert not (tmp_path / "ran").exists()


async def test_what_does_not_run_is_known(git: ScratchGit, tmp_path: Path) -> None:
    """Hooks and settings by name, so that a run can say it."""
    repository = LocalRepository(git.root, environment={"HOME": str(tmp_path)})

    found = await repository.own_settings()

    assert found.hooks == ("pre-commit",)
    assert set(found.unused) == {"gpg.program", "filter.bad.clean", "filter.bad.smudge"}
