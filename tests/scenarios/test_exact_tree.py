"""A commit differs from its parent in the change set and one byte of the roadmap: all modes too."""

from __future__ import annotations

import pytest

from tests.scenarios.bot import Bot
from tests.scenarios.projects import answer, on

SEEN = b"""\
import os
import pathlib

ROOT = pathlib.Path(__file__).parent.parent


def test_tree():
    assert (ROOT / "dos.txt").read_bytes() == b"one\\r\\ntwo\\r\\n"
    assert (ROOT / "subst.txt").read_bytes() == b"$Format:%H$\\n"
    assert os.access(ROOT / "run.sh", os.X_OK)
    assert os.readlink(ROOT / "link") == "dos.txt"
    assert (ROOT / "\xc3\xbcber.md").exists()
"""
MIXED: dict[str, object] = {
    "ROADMAP.md": b"# Plan\r\n\r\n- [ ] 1.1 Say hello in `hello.py`\r\n",
    ".gitattributes": b"tests/ export-ignore\nsubst.txt export-subst\n*.txt text=auto eol=crlf\n",
    "tests/test_tree.py": SEEN,
    "dos.txt": b"one\r\ntwo\r\n",
    "subst.txt": b"$Format:%H$\n",
    "run.sh": ("100755", b"#!/bin/sh\r\necho hello\r\n"),
    "link": ("120000", "dos.txt"),
    "über.md": "Ü\n".encode(),
    "binary": bytes(range(256)),
}
SUBMODULE = "160000 commit " + "1" * 40 + "\tvendor"
HELLO = answer({"hello.py": 'print("hello")\n'})


def with_submodule(bot: Bot) -> None:
    """Give the default branch an entry of a submodule, which no API writes."""
    bare = bot.view.state.bare
    listed = bare.git("ls-tree", "-z", "main") + SUBMODULE.encode() + b"\0"
    tree = bare.git("mktree", "-z", "--missing", stdin=listed).decode().strip()
    commit = bare.text(
        "-c", "user.name=w", "-c", "user.email=w@x", "commit-tree", tree, "-m", "Add"
    )
    bare.update("refs/heads/main", commit)


@on(MIXED)
async def test_everything_else_stays_as_it_is(bot: Bot) -> None:
    """Every mode and content but those of the change set and the roadmap are the parent's."""
    with_submodule(bot)
    bot.model.says(HELLO)

    await bot.comment("/execute")

    bot.says()
    (pull,) = bot.pulls
    before, after = bot.view.files("main"), bot.view.files(pull.pull.head)
    assert {p for p in before | after if before.get(p) != after.get(p)} == {
        "ROADMAP.md",
        "hello.py",
    }
    assert after["vendor"] == ("160000", "1" * 40)
    assert after["run.sh"][0] == "100755"
    assert after["link"][0] == "120000"


@pytest.mark.nightly("test_a_tick_is_one_byte")
@on(MIXED)
async def test_a_crlf_roadmap_changes_by_one_byte(bot: Bot) -> None:
    """The tick is the only byte that differs."""
    bot.model.says(HELLO)

    await bot.comment("/execute")

    bot.says()
    assert bot.changed(bot.pulls[0])["ROADMAP.md"] == (
        b"# Plan\r\n\r\n- [x] 1.1 Say hello in `hello.py`\r\n"
    )


@on(MIXED)
async def test_the_tests_saw_the_tree_and_not_an_archive(bot: Bot) -> None:
    """Export-ignored tests ran, on bytes no attribute has changed."""
    bot.model.says(HELLO)

    await bot.comment("/execute")

    bot.says()
    assert "| tests | ✅ passed |" in (bot.pulls[0].body or "")


@on(MIXED)
async def test_a_changed_file_keeps_mode_and_line_ends(bot: Bot) -> None:
    """An executable with CRLF stays one when the model writes it with plain line ends."""
    bot.model.says("run.sh\n```sh\n#!/bin/sh\necho hi\n```\n" + HELLO)

    await bot.comment("/execute")

    bot.says()
    (pull,) = bot.pulls
    assert bot.view.files(pull.pull.head)["run.sh"][0] == "100755"
    assert bot.changed(pull)["run.sh"] == b"#!/bin/sh\r\necho hi\r\n"


@on(MIXED)
async def test_a_link_is_not_written_through(bot: Bot) -> None:
    """An answer for a symbolic link is refused; the link and its target stay."""
    bot.model.says("link\n```text\nover\n```\n" + HELLO, HELLO)

    await bot.comment("/execute")

    bot.says()
    assert "is a symbolic link" in bot.prompts[1]
    assert set(bot.changed(bot.pulls[0])) == {"ROADMAP.md", "hello.py"}
