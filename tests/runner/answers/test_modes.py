"""What an answer says of files beside their text: another name, and whether they are executable."""

from __future__ import annotations

import pytest

from runner.answers.reply import parse_reply
from runner.state.changes import EXECUTABLE, FILE, Write

RUN = b"#!/bin/sh\necho run\n"
TREE = {"run.sh": RUN, "lib/a.py": b"A = 1\nB = 2\n", "lib/b.py": b"B = 1\n"}
MODES = {"run.sh": EXECUTABLE, "lib/a.py": FILE, "lib/b.py": FILE}


def changed(text: str, *, executable: bool = False) -> dict[str, Write | None]:
    reply = parse_reply(
        text, paths=TREE, read=TREE.get, modes=MODES, named=["lib/b.py"], executable=executable
    )
    assert not reply.complaints
    return dict(reply.changes.files)


HUNK = "--- a/lib/a.py\n+++ b/lib/c.py\n@@ -1,2 +1,2 @@\n-A = 1\n+A = 3\n B = 2\n"


@pytest.mark.parametrize(
    ("answer", "source", "target", "content"),
    [
        (
            "```diff\ndiff --git a/lib/a.py b/lib/c.py\nsimilarity index 100%\n"
            "rename from lib/a.py\nrename to lib/c.py\n```",
            *("lib/a.py", "lib/c.py", TREE["lib/a.py"]),
        ),
        (
            "diff --git a/lib/a.py b/lib/c.py\nsimilarity index 60%\nrename from lib/a.py\n"
            f"rename to lib/c.py\n{HUNK}",
            *("lib/a.py", "lib/c.py", b"A = 3\nB = 2\n"),
        ),
        (
            "*** Begin Patch\n*** Update File: lib/a.py\n*** Move to: lib/c.py\n@@\n-A = 1\n"
            "+A = 3\n*** End Patch",
            *("lib/a.py", "lib/c.py", b"A = 3\nB = 2\n"),
        ),
        (
            "*** Begin Patch\n*** Update File: run.sh\n*** Move to: bin/go\n*** End Patch",
            *("run.sh", "bin/go", RUN),
        ),
        ("```bash\ngit mv run.sh bin/go\n```", "run.sh", "bin/go", RUN),
    ],
)
def test_a_file_is_moved(answer: str, source: str, target: str, content: bytes) -> None:
    """It keeps what the answer does not change of it, and may be executed as before."""
    assert changed(answer) == {target: Write(content, MODES[source]), source: None}


def test_a_copy_leaves_the_file_that_it_is_of() -> None:
    """A diff of git's may say that a file began as a copy."""
    answer = "```diff\ndiff --git a/run.sh b/go.sh\ncopy from run.sh\ncopy to go.sh\n```"

    assert changed(answer) == {"go.sh": Write(RUN, EXECUTABLE)}


@pytest.mark.parametrize(
    ("answer", "path", "mode"),
    [
        (
            "```diff\ndiff --git a/x b/x\nnew file mode 100755\n--- /dev/null\n+++ b/x\n"
            "@@ -0,0 +1 @@\n+#!/bin/sh\n```",
            *("x", EXECUTABLE),
        ),
        (
            "```diff\ndiff --git a/lib/b.py b/lib/b.py\nold mode 100644\nnew mode 100755\n```",
            *("lib/b.py", EXECUTABLE),
        ),
        (
            "```diff\ndiff --git a/run.sh b/run.sh\nold mode 100755\nnew mode 100644\n```",
            *("run.sh", FILE),
        ),
        ("```bash\nchmod +x lib/b.py\n```", "lib/b.py", EXECUTABLE),
        ("stop.sh\n```sh\n#!/bin/sh\n```", "stop.sh", EXECUTABLE),  # as run.sh beside it
        ("tools/stop.sh\n```sh\n#!/bin/sh\n```", "tools/stop.sh", EXECUTABLE),  # as all such
        (
            "```diff\ndiff --git a/x b/x\nnew file mode 100999\n--- /dev/null\n+++ b/x\n"
            "@@ -0,0 +1 @@\n+a\n```",
            *("x", None),
        ),
        ("```bash\nchmod 999 lib/b.py\nchmod +x lib/b.py\n```", "lib/b.py", EXECUTABLE),
        ("lib/c.py\n```python\n#!/usr/bin/env python3\n```", "lib/c.py", None),
        ("stop.txt\n```\nno program\n```", "stop.txt", None),
        ("run.sh\n```sh\n#!/bin/sh\necho go\n```", "run.sh", None),  # keeps its own
    ],
)
def test_which_files_are_executable(answer: str, path: str, mode: str | None) -> None:
    """A diff and a command say so; else a new script is what the ones beside it are."""
    write = changed(answer)[path]

    assert write is not None
    assert write.mode == mode


def test_the_task_says_what_is_executable() -> None:
    """It means new scripts, and files that it names."""
    script = "#!/usr/bin/env python3\n"
    answer = "".join(f"{p}\n```python\n{script}```\n" for p in ("lib/b.py", "lib/c.py", "lib/a.py"))

    modes = {path: write and write.mode for path, write in changed(answer, executable=True).items()}

    assert modes == {"lib/b.py": EXECUTABLE, "lib/c.py": EXECUTABLE, "lib/a.py": None}
