"""Trees, refs and histories that the fake handles itself are those that git makes and sees."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.fake_github.bare import Bare, Person, write_files
from tests.fake_github.objects import GitError
from tests.fake_github.trees import Line, changed

SOMEBODY = Person("A", "a@example.com", datetime.fromtimestamp(0, UTC))
FILES = {"a": "1", "a.b": "2", "a0/b": "3", "d/e/f": "4", "d/g": "5", "é/ü": "6"}


@pytest.fixture
def bare(tmp_path: Path) -> Bare:
    return Bare.create(tmp_path / "bare.git")


LAID: list[Sequence[tuple[str, str | None, str]]] = [
    [],
    [("100644", "new", "d/e/f")],
    [("100755", "new", "x/y/z"), ("120000", "new", "d/link")],
    [("100644", None, "d/e/f")],
    [("100644", None, "d/g"), ("100644", None, "d/e/f")],
    [("100644", None, "not/there"), ("100644", None, "a/below/a/file"), ("100644", None, "d")],
    [("100644", "new", "a/file/in/its/place")],
    [("100644", "new", "d")],
    [("100644", "one", "a"), ("100644", "two", "a")],
]


@pytest.mark.parametrize("lines", LAID)
def test_what_is_laid_over_a_tree_is_what_git_makes_of_it(
    bare: Bare, tmp_path: Path, lines: Sequence[tuple[str, str | None, str]]
) -> None:
    """The same lines in git's index give the same tree."""
    base = write_files(bare, None, FILES)
    own: list[Line] = [(m, text and bare.blob(text.encode()), path) for m, text, path in lines]
    index = str(tmp_path / "index")
    bare.git("read-tree", base, index=index)
    raw = "".join(f"{m if sha else 0} {sha or '0' * 40}\t{p}\0" for m, sha, p in own)
    bare.git("update-index", "-z", "--index-info", stdin=raw.encode(), index=index)
    assert bare.tree(base, own) == bare.git("write-tree", index=index).decode().strip()


def test_a_whole_tree_takes_the_place_of_what_was_there(bare: Bare) -> None:
    """A tree is put where a file or another tree stood."""
    inner = write_files(bare, None, {"x": "1"})
    base = write_files(bare, None, FILES)
    made = bare.tree(base, [("040000", inner, "d"), ("040000", inner, "a")])
    names = bare.text("ls-tree", "-r", "--name-only", "-z", made).rstrip("\0").split("\0")
    assert names == ["a.b", "a/x", "a0/b", "d/x", "é/ü"]


@pytest.mark.parametrize("path", ["../a", "a/.git/b", ".GIT/b", "a//b", "a/./b", ""])
def test_paths_that_git_refuses_are_refused(bare: Bare, path: str) -> None:
    """No tree holds a path that leads out of it or into git's own folder."""
    with pytest.raises(GitError):
        bare.tree(None, [("100644", bare.blob(b""), path)])


def test_an_object_that_is_not_there_is_refused(bare: Bare) -> None:
    """As git refuses to write such a tree."""
    with pytest.raises(GitError):
        bare.tree(None, [("100644", "1" * 40, "a")])


def test_lines_of_a_tree_are_those_that_git_lists(bare: Bare) -> None:
    """Mode, kind, sha, size and path, in git's order."""
    tree = write_files(bare, None, {**FILES, "bin": ("100755", b"#!"), "at": ("120000", "a")})
    tree = bare.tree(tree, [("160000", "1" * 40, "module")])
    said = bare.git("ls-tree", "-r", "-t", "-l", "-z", "--full-tree", tree).decode().split("\0")
    lines = [
        f"{e.mode} {e.type} {e.sha} {'-' if e.size is None else e.size:>7}\t{e.path}"
        for e in bare.entries(tree, recursive=True)
    ]
    assert lines == said[:-1]


def test_what_changed_is_what_git_says(bare: Bare) -> None:
    """Files that came, went and changed, also where one took the place of a folder."""
    old = write_files(bare, None, FILES)
    new = write_files(bare, old, {"a": "9", "d/e/f": None, "x/y": "1", "a.b/c": "1"})
    said = bare.text("diff-tree", "-r", "--no-renames", "--name-status", old, new)
    wanted = sorted((line.split("\t")[0], line.split("\t")[1]) for line in said.splitlines())
    assert sorted(changed(bare.objects, old, new)) == wanted


def _history(bare: Bare) -> dict[str, str]:
    """A fork of two commits each, merged; and a commit that has nothing to do with it."""
    made: dict[str, str] = {}
    for name, parents in {
        "root": "", "a": "root", "b": "a", "c": "root", "d": "c", "merge": "b d", "on": "merge",
        "other": "",
    }.items():  # fmt: skip
        tree = write_files(bare, None, {"file": name})
        above = [made[parent] for parent in parents.split()]
        made[name] = bare.commit(tree, above, name, author=SOMEBODY)
        bare.update(f"refs/heads/{name}", made[name])
    return made


def test_ancestry_is_what_git_says(bare: Bare) -> None:
    """Of every two commits: which contains the other, their fork, and what one has alone."""
    made = list(_history(bare).values())
    contains = {sha: set(bare.text("rev-list", sha).split()) for sha in made}
    for one in made:
        for two in made:
            assert bare.is_ancestor(one, two) == (one in contains[two])
            fork = bare.text("merge-base", one, two) if contains[one] & contains[two] else None
            assert bare.merge_base(one, two) == fork
            said = bare.text("rev-list", "--reverse", "--topo-order", two, f"^{one}").split()
            assert bare.between(one, two) == said


def test_refs_are_those_that_git_sees(bare: Bare) -> None:
    """Made, moved, deleted, and refused where one stands in the other's way."""
    made = _history(bare)
    bare.update("refs/heads/a", made["b"])
    bare.update("refs/heads/b", None)
    bare.update("refs/heads/deep/er", made["a"])
    bare.update("refs/heads/deep/er", None)
    bare.update("refs/heads/deep", made["a"])
    with pytest.raises(GitError):
        bare.update("refs/heads/deep/er", made["a"])
    with pytest.raises(GitError):
        bare.update("refs/heads/blob", bare.blob(b""))
    with pytest.raises(GitError):
        bare.update("refs/heads/a..b", made["a"])
    said = bare.text("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    assert bare.refs("refs/") == dict(line.split(" ") for line in said)
    assert bare.refs()["refs/heads/a"] == made["b"]
    bare.git("pack-refs", "--all")
    bare.update("refs/heads/c", None)
    assert "refs/heads/c" not in bare.refs()
