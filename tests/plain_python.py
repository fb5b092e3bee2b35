"""The Python that the projects of the tests are tested with: ours, without our plug-ins of pytest.

A project's tests are run several times for each task, and loading hypothesis, xdist, coverage and
the others is most of what such a run takes.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sysconfig
import tempfile
import venv
from functools import cache
from pathlib import Path


def plain_path(*behind: Path) -> str:
    """A PATH with that Python at its head, then these folders, then what was there before."""
    before = os.environ.get("PATH", os.defpath)
    return os.pathsep.join((str(plain_python().parent), *map(str, behind), before))


@cache
def plain_python() -> Path:
    """The ``python3`` of a virtual environment that is made once for each test process."""
    top = Path(tempfile.mkdtemp(prefix="cairn-plain-python-"))
    atexit.register(_remove, top, os.getpid())
    venv.create(top, symlinks=True)
    ours = Path(sysconfig.get_path("purelib"))
    theirs = Path(sysconfig.get_path("purelib", vars={"base": str(top)}))
    for entry in ours.iterdir():
        if not _is_left_out(entry):
            (theirs / entry.name).symlink_to(entry)
    # its module looks for the program beside Python
    (top / "bin" / "ruff").symlink_to(Path(sysconfig.get_path("scripts")) / "ruff")
    return top / "bin" / "python3"


def _is_left_out(entry: Path) -> bool:
    """Whether it is a plug-in of pytest, makes one known, or leads to this project."""
    points = entry / "entry_points.txt"
    is_known = points.is_file() and "[pytest11]" in points.read_text()
    is_plugin = entry.name.startswith("pytest_") or entry.name == "xdist"
    return is_known or is_plugin or entry.suffix == ".pth" or "__editable__" in entry.name


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # a process that was forked off leaves it to the first one
        shutil.rmtree(folder, ignore_errors=True)
