"""The packages of the Action: what the cache brings is used only if the lock file names it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.action.runner_kit import ROOT

WHEEL = "tiny-1.0-py3-none-any.whl"


def wheel(folder: Path, said: str) -> Path:
    """A wheel of one module that says something."""
    path = folder / WHEEL
    parts = {
        "tiny.py": f"SAID = {said!r}\n",
        "tiny-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
        "tiny-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in (*parts, "tiny-1.0.dist-info/RECORD"))
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {**parts, "tiny-1.0.dist-info/RECORD": record}.items():
            archive.writestr(name, text)
    return path


class Machine:
    """A machine with the Action's scripts, and an index that has one package."""

    def __init__(self, folder: Path) -> None:
        self.index, self.temp, self._root = folder / "index", folder / "temp", folder / "action"
        for made in (self.index, self.temp, self._root / "scripts"):
            made.mkdir(parents=True)
        shutil.copy(ROOT / "scripts/action-setup", self._root / "scripts")
        digest = hashlib.sha256(wheel(self.index, "ours").read_bytes()).hexdigest()
        lock = f"tiny==1.0 --hash=sha256:{digest}\n"
        (self._root / "requirements.lock").write_text(lock)
        self.place = dict(line.split("=", 1) for line in self.step("place").stdout.splitlines())

    def step(self, name: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run one step of action.yml."""
        env = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "RUNNER_TEMP": str(self.temp),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.index),
            "SANDBOX": "process",
        }
        argv = [str(self._root / "scripts/action-setup"), name]
        return subprocess.run(argv, env=env | more, capture_output=True, text=True, check=False)

    def install(self) -> subprocess.CompletedProcess[str]:
        """Put the packages there."""
        place = self.place
        folders = {"FOLDER": place["folder"], "WHEELS": place["wheels"]}
        return self.step("install", WITH_PYTHON=place["python"], **folders)

    def said(self) -> str:
        """What the package says that is installed."""
        argv = [f"{self.place['folder']}/bin/python", "-c", "import tiny; print(tiny.SAID)"]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.long("installs packages")
def test_a_cache_with_something_else_is_not_used(tmp_path: Path) -> None:
    """Another wheel of the same name is fetched anew, and what was planted beside is gone."""
    machine = Machine(tmp_path)
    cached, folder = Path(machine.place["wheels"]), Path(machine.place["folder"])
    cached.mkdir()
    wheel(cached, "theirs")
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/python").symlink_to("/bin/true")
    (folder / "complete").touch()

    ran = machine.install()

    assert (ran.returncode, machine.said()) == (0, "ours"), ran.stdout + ran.stderr
    assert (cached / WHEEL).read_bytes() == (machine.index / WHEEL).read_bytes()


@pytest.mark.long("installs packages")
def test_the_wheels_of_the_lock_file_are_enough(tmp_path: Path) -> None:
    """Nothing is fetched where the cache has them; without either it is said and nothing runs."""
    machine = Machine(tmp_path)
    cached = Path(machine.place["wheels"])
    shutil.copytree(machine.index, cached)
    shutil.rmtree(machine.index)

    ran = machine.install()

    assert (ran.returncode, machine.said()) == (0, "ours"), ran.stdout + ran.stderr
    wheel(cached, "theirs")
    failed = machine.install()
    assert failed.returncode == 2
    assert "The packages could not be installed" in failed.stdout
