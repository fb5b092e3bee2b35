"""``cairn merge-roadmap`` as git calls it: real repositories, real merges and rebases."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BASE = "# Plan\n\n- [ ] 1.1 Write a\n- [ ] 1.2 Write b\n- [ ] 1.3 Write c\n"


class Repository:
    """A repository in which ROADMAP.md is merged by Cairn."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Somebody")
        self.git("config", "user.email", "somebody@example.org")
        driver = f"{sys.executable} -m app merge-roadmap %O %A %B %P"
        self.git("config", "merge.cairn.driver", driver)
        (folder / ".gitattributes").write_text("ROADMAP.md merge=cairn\n")
        self.commit(BASE)

    def git(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run git here."""
        return subprocess.run(
            ["git", *arguments], cwd=self.folder, capture_output=True, text=True, check=False
        )

    def commit(self, roadmap: str) -> None:
        """Commit this roadmap."""
        (self.folder / "ROADMAP.md").write_bytes(roadmap.encode())
        self.git("add", "-A")
        assert self.git("commit", "-q", "-m", "Edit").returncode == 0

    def sides(self, ours: str, theirs: str) -> None:
        """Give two branches their own roadmap; ours is checked out."""
        self.git("switch", "-q", "-c", "other")
        self.commit(theirs)
        self.git("switch", "-q", "main")
        self.commit(ours)

    @property
    def roadmap(self) -> str:
        """The roadmap in the work tree."""
        return (self.folder / "ROADMAP.md").read_bytes().decode()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """One whose driver finds Cairn."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    return Repository(tmp_path)


def ticked(text: str, *ids: str) -> str:
    """A roadmap with these boxes ticked."""
    for each in ids:
        text = text.replace(f"[ ] {each}", f"[x] {each}")
    return text


def test_neighbouring_ticks_are_no_conflict(repository: Repository) -> None:
    """To git alone they are one."""
    repository.sides(ticked(BASE, "1.1"), ticked(BASE, "1.2"))

    assert repository.git("merge", "-q", "other", "-m", "Merge").returncode == 0
    assert repository.roadmap == ticked(BASE, "1.1", "1.2")


def test_a_rebase_keeps_both_ticks(repository: Repository) -> None:
    """There the sides are the other way round."""
    repository.sides(ticked(BASE, "1.1"), ticked(BASE, "1.2"))

    assert repository.git("rebase", "-q", "other").returncode == 0
    assert repository.roadmap == ticked(BASE, "1.1", "1.2")


@pytest.mark.parametrize("ours_ticks", [True, False])
def test_tasks_that_both_added_at_the_end_all_stay(
    repository: Repository, *, ours_ticks: bool
) -> None:
    """Also beside a tick, and if the last line has no line break."""
    ours = BASE + "- [ ] 1.4 Write d"
    repository.sides(ticked(ours, "1.3") if ours_ticks else ours, BASE + "- [ ] 1.5 Write e\n")

    assert repository.git("merge", "-q", "other", "-m", "Merge").returncode == 0
    wanted = BASE + "- [ ] 1.4 Write d\n- [ ] 1.5 Write e\n"
    assert repository.roadmap == (ticked(wanted, "1.3") if ours_ticks else wanted)


def test_a_box_that_one_side_cleared_is_clear(repository: Repository) -> None:
    """Clearing counts as much as ticking does, and a task that moved keeps its tick."""
    repository.commit(ticked(BASE, "1.1"))
    moved = "# Plan\n\n- [ ] 1.2 Write b\n- [ ] 1.3 Write c\n- [x] 1.1 Write a\n"
    repository.sides(BASE, moved.replace("[ ] 1.3", "[x] 1.3"))

    assert repository.git("merge", "-q", "other", "-m", "Merge").returncode == 0
    assert "- [ ] 1.1 Write a" in repository.roadmap
    assert "- [x] 1.3 Write c" in repository.roadmap


def test_a_task_that_one_side_removed_and_the_other_ticked_is_gone(
    repository: Repository,
) -> None:
    """What is done and removed is both."""
    removed = BASE.replace("- [ ] 1.2 Write b\n", "")
    repository.sides(removed, ticked(BASE, "1.2"))

    assert repository.git("merge", "-q", "other", "-m", "Merge").returncode == 0
    assert repository.roadmap == removed


def test_two_texts_for_one_task_are_for_a_person(repository: Repository) -> None:
    """Both stand between markers, and git says that there is a conflict."""
    repository.sides(BASE.replace("Write b", "Write bb"), BASE.replace("Write b", "Write bbb"))

    done = repository.git("merge", "-q", "other", "-m", "Merge")

    assert done.returncode == 1
    assert "ROADMAP.md: both sides changed the same lines" in done.stderr
    assert "<<<<<<< ours" in repository.roadmap
    assert "Write bb\n" in repository.roadmap
    assert "Write bbb\n" in repository.roadmap


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    """Nothing is written; exit code 2."""
    (tmp_path / "a").write_text(BASE)
    root = Path(__file__).parents[3]
    words = [sys.executable, "-m", "app", "merge-roadmap", "none", str(tmp_path / "a"), "none"]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert "none does not exist" in done.stderr
    assert (tmp_path / "a").read_text() == BASE
