"""Where a change set may write."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.checks.paths import protect_file, protect_plan
from runner.checks.validate import Limits, validate
from runner.state.changes import SUBMODULE, SYMLINK, ChangeSet, Snapshot, Write
from tests.runner.checks.trees import complaints

BASE = {"src/utils/text.py": "x = 1\n", "link": "target", "sub": "", "Docs/a.md": "a\n"}


@pytest.mark.parametrize("path", ["src/new.py", "a/b/c.txt", "src/utils/text.py", ".gitignore"])
def test_ordinary_paths_are_fine(path):
    """A plain path inside the tree is not complained about."""
    assert complaints({path: "x = 1\n"}, BASE) == []


@pytest.mark.parametrize(
    "path",
    [
        "", "/etc/x", "../x", "a/../../x", "a//b", "./a", "a/.", "C:/x", "a\\b",
        ".git/config", "a/.git/hooks/pre-commit", ".GIT/config", ".git./x", ".git /x", "GIT~1/x",
        "src/aux.py", "con", "CONIN$", "conout$.txt", "COM\u00b9", "prn .txt", "a./b", "a /b",
        ".git::$INDEX_ALLOCATION/x", ".g\u200cit/config", "a\nb", "a\0b", "a\udc80b", "x" * 256,
        "/".join(["abcdefgh"] * 200),
    ],
)  # fmt: skip
def test_unsafe_paths_are_refused(path):
    """Paths that leave the tree, reach git's folder or that no checkout can hold."""
    assert [error for _, error in complaints({path: "x\n"}, BASE)] == ["UnsafePath"]


@pytest.mark.parametrize(
    "path",
    [".github/workflows/ci.yml", ".github/cairn.yml", ".gitmodules", "ROADMAP.md",
     "conf/prod/a.yml", ".GitHub/workflows/ci.yml"],
)  # fmt: skip
@pytest.mark.parametrize("deleted", [False, True])
def test_protected_paths_are_refused(path, deleted):
    """Defaults, the roadmap and configured patterns hold for writing and deleting."""
    protect = (protect_file("ROADMAP.md"), "conf/prod/**")
    found = complaints({path: None if deleted else "a: 1\n"}, BASE, protect=protect)

    assert found == [(path, "ProtectedPath")]


def test_protecting_one_file_protects_no_namesake():
    """The roadmap's pattern is anchored."""
    assert complaints({"sub-docs/ROADMAP.md": "x\n"}, protect=(protect_file("ROADMAP.md"),)) == []


def test_links_and_submodules_are_not_written():
    """A symbolic link, a submodule and what lies behind them cannot be written."""
    modes = {"link": SYMLINK, "sub": SUBMODULE}
    files = {"link": "x\n", "link/a": "x\n", "sub": "x\n", "sub/a": "x\n"}

    found = complaints(files, BASE, modes=modes)

    assert found == [(path, "UnsafePath") for path in files]


def test_lfs_pointers_are_left_alone():
    """A file that is a Git LFS pointer in the base is not replaced."""
    pointer = {"big.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:0\n"}

    assert complaints({"big.bin": "x\n"}, pointer) == [("big.bin", "UnsafePath")]


def test_a_file_does_not_become_a_folder():
    """Neither an existing file nor a new one is a folder of another, unless it is deleted."""
    base = {"a": "x\n"}

    assert complaints({"a/b": "x\n"}, base) == [("a/b", "PathConflict")]
    assert complaints({"a/b": "x\n", "a": None}, base) == []
    assert complaints({"n": "x\n", "n/m": "x\n"}) == [
        ("n", "PathConflict"),
        ("n/m", "PathConflict"),
    ]


@pytest.mark.parametrize("path", ["docs/b.md", "SRC/utils/text.py", "Src/new.py", "Docs/A.md"])
def test_case_alone_does_not_make_a_new_file(path):
    """A new path that some checkouts cannot tell from an old one is refused."""
    assert complaints({path: "x = 1\n"}, BASE) == [(path, "CaseCollision")]


def test_two_new_files_may_not_collide():
    """New files are compared with each other, too."""
    assert complaints({"New.py": "", "new.py": ""}) == [("new.py", "CaseCollision")]


def test_a_case_rename_is_allowed():
    """Deleting the old spelling in the same change set frees the name."""
    assert complaints({"Docs/A.md": "a\n", "Docs/a.md": None}, BASE) == []


def test_a_slip_in_the_folder_is_noticed():
    """``src/util/text.py`` beside ``src/utils/text.py`` is asked about before it is written."""
    assert complaints({"src/util/text.py": "x = 1\n"}, BASE) == [
        ("src/util/text.py", "NearMissPath")
    ]


@pytest.mark.parametrize(
    ("path", "there", "asked"),
    [
        ("libs/text.py", "lib/text.py", True),  # three letters are enough
        ("lb/text.py", "lib/text.py", False),
        ("bin/text.py", "lib/text.py", False),
        ("src/util/deep/text.py", "src/utils/text.py", False),
        ("scr/util/text.py", "src/utils/text.py", False),  # two parts differ
    ],
)
def test_how_alike_two_folders_must_be(path: str, there: str, asked: bool):
    """One part of the path differs, by a letter or two of at least three."""
    found = complaints({path: "x = 1\n"}, {there: "x = 1\n"})

    assert found == ([(path, "NearMissPath")] if asked else [])


def test_at_most_ten_broken_files_are_named():
    """The model repairs them a few at a time, and a hostile answer costs no minutes."""
    broken = complaints({f"m{number}.py": "x = (\n" for number in range(12)})

    assert [path for path, _ in broken] == [f"m{number}.py" for number in range(10)]


def test_moving_a_file_is_no_slip():
    """When the twin is deleted the new folder is meant."""
    assert complaints({"src/util/text.py": "x = 1\n", "src/utils/text.py": None}, BASE) == []


def test_limits_are_kept():
    """Too many files, a too large file and too much in all are each said."""
    limits = Limits(files=1, file_bytes=10, total_bytes=15)
    change = ChangeSet({"a.txt": Write(b"x" * 11), "b.txt": Write(b"y" * 9)})

    found = validate(change, Snapshot("", "", {}), read=lambda _path: None, limits=limits)

    assert [(c.path, c.error) for c in found] == [
        ("a.txt", "TooLarge"), ("", "TooLarge"), ("", "TooLarge"),
    ]  # fmt: skip


@given(st.dictionaries(st.text(), st.one_of(st.none(), st.builds(Write, st.binary())), max_size=5))
def test_any_change_set_is_answered(files):
    """No path and no content makes ``validate`` raise."""
    found = validate(ChangeSet(files), Snapshot("", "", {}), read=lambda _path: None)
    assert all(complaint.message for complaint in found)


def test_a_long_path_is_shown_in_part():
    """The first hundred characters tell which it is."""
    path = "x" * 256
    (complaint,) = validate(
        ChangeSet({path: Write(b"")}), Snapshot("", "", {}), read=lambda _path: None
    )

    assert complaint.path == path[:100]
    assert complaint.message == f"The path {path[:100]!r} is too long."


@pytest.mark.parametrize(
    ("path", "task", "written"),
    [
        ("specs/001-a/spec.md", "Add the cart", False),
        ("specs/001-a/contracts/api.yaml", "Add the cart", False),
        ("specs/001-a/contracts/api.yaml", "Write contracts/api.yaml", True),
        ("specs/001-a/quickstart.md", "Update specs/001-a/quickstart.md", True),
        ("specs/001-a/tasks.md", "Update tasks.md", False),
        ("src/spec.md", "Add the cart", True),
    ],
)
def test_the_specification_of_a_plan(path: str, task: str, written: bool) -> None:
    """What is beside the list says what to build: a task writes it only if it names it."""
    protect = protect_plan("specs/001-a/tasks.md", task)
    assert (complaints({path: "x\n"}, protect=protect) == []) is written
