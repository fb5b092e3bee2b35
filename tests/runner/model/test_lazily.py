"""A package's own code runs when a name of it is asked for; ``openai`` works as it does else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from runner.model.lazily import load_when_asked, without_types

_OPENAI = """
import sys
from runner.model.lazily import without_types
without_types()
import openai
few = len(sys.modules)
assert "openai.types.responses.response" not in sys.modules
from openai.types import Model, responses
from openai.types.responses import Response
assert openai.types.Model is Model and openai.types.responses is responses
assert Response.model_validate is not None and len(sys.modules) > few + 200
"""


@pytest.fixture
def package(tmp_path: Path) -> Iterator[str]:
    """A package whose own code imports one of its two modules."""
    folder = tmp_path / "lazily_tried" / "inner"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("from . import inner\n")
    (folder / "__init__.py").write_text("from .heavy import name\n")
    (folder / "heavy.py").write_text("name = 'heavy'\n")
    (folder / "light.py").write_text("name = 'light'\n")
    sys.path.insert(0, str(tmp_path))
    yield "lazily_tried"
    sys.path.remove(str(tmp_path))
    for name in [each for each in sys.modules if each.startswith("lazily_tried")]:
        del sys.modules[name]


def test_asked(package: str) -> None:
    load_when_asked(f"{package}.inner")
    top = import_module(package)
    assert import_module(f"{package}.inner.light").name == "light"
    assert f"{package}.inner.heavy" not in sys.modules
    assert top.inner.name == "heavy"
    with pytest.raises(AttributeError, match="nothing"):
        _ = top.inner.nothing


def test_not_there(package: str) -> None:
    for name in ("lazily_nowhere.inner", f"{package}.nowhere"):
        load_when_asked(name)
        assert name not in sys.modules
    import_module(package)
    load_when_asked(f"{package}.inner")
    assert import_module(f"{package}.inner").__dict__["name"] == "heavy"


def test_openai() -> None:
    subprocess.run([sys.executable, "-c", _OPENAI], check=True)
    without_types()  # of a process that has imported it already, or has not
    assert sys.modules["openai.types"]
