"""What pyproject.toml cannot say: a wheel also carries the demo, from where the tests have it."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

DEMO = (
    "tests/__init__.py",
    "tests/data/github",
    "tests/fake_github",
    "tests/model_server",
    "tools/__init__.py",
    "tools/demo",
    "tools/pictures/__init__.py",
    "tools/pictures/sheet.css",
    "tools/pictures/sheet.py",
)


class WithDemo(build_py):
    """Copies the demo's parts to ``app/demo``, where ``cairn demo`` looks for them."""

    def run(self) -> None:
        """Build; a source without the tests, as the images have it, gets no demo."""
        super().run()
        if self.editable_mode:
            return
        for part in filter(Path.exists, map(Path, DEMO)):
            target = Path(self.build_lib) / "app/demo" / part
            if part.is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(part, target, ignore=ignored, dirs_exist_ok=True)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(part, target)


setup(cmdclass={"build_py": WithDemo})
