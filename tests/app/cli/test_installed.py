"""What a person has installed in a checkout is there for the tests of a run."""

from __future__ import annotations

import shutil
import venv
from pathlib import Path

import pytest

from tests.app.checkout import Checkout, checkout

PACKAGE = b'{"name": "calc", "scripts": {"test": "node --test"}}\n'
HALF = b"const { two } = require('two');\nexports.half = (n) => n / two;\n"
TEST = b"""\
const test = require('node:test');
const assert = require('node:assert');
const { half } = require('../src/half');
test('half', () => assert.strictEqual(half(4), 2));
"""
ROADMAP = b"- [ ] Add `double(n)` to `src/double.js` and test it in `test/double.test.js`\n"
FILES = {
    "ROADMAP.md": ROADMAP,
    ".gitignore": b"node_modules\n.venv\n",
    "package.json": PACKAGE,
    "src/half.js": HALF,
    "test/half.test.js": TEST,
}
DOUBLE = (
    "src/double.js\n```js\nconst { two } = require('two');\nexports.double = (n) => n * two;\n```\n"
    "\ntest/double.test.js\n```js\n"
    + TEST.decode().replace("half(4), 2", "double(4), 8").replace("half", "double")
    + "```\n"
)
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def installed(here: Checkout) -> Path:
    """A package of Node in the checkout; its file."""
    file = here.folder / "node_modules" / "two" / "index.js"
    file.parent.mkdir(parents=True)
    file.write_text("exports.two = 2;\n")
    return file


@needs_node
async def test_packages_of_node_are_found_without_configuration(tmp_path: Path) -> None:
    """A change that uses one is verified; the checkout's own folder stays as it is."""
    async with checkout(tmp_path / "here", FILES) as here:
        file = installed(here)
        here.model.says(DOUBLE)
        said = await here.cairn("run")

        assert said.code == 0, said.out + said.err
        assert here.left("report.json")["timeline"][0]["verified"]
        assert file.read_text() == "exports.two = 2;\n"
        assert [path.name for path in (here.folder / "node_modules").iterdir()] == ["two"]


@needs_node
async def test_packages_that_are_not_installed_cost_nothing(tmp_path: Path) -> None:
    """The tests of the base cannot load them, so nothing is asked."""
    async with checkout(tmp_path / "here", FILES) as here:
        said = await here.cairn("run")

        assert said.code == 2
        assert "The tests cannot start" in said.err
        assert "Cannot find module 'two'" in said.err
        assert "- npm install" in said.err
        assert "pip" not in said.err
        assert here.model.requests == []


PYTHON = {
    "ROADMAP.md": b"- [ ] Add `double(n)` to `calc/double.py`\n",
    ".gitignore": b".venv\n",
    "calc/__init__.py": b"",
    "tests/test_it.py": b"import only_here\n\n\ndef test_it():\n    assert only_here.TWO == 2\n",
}


async def test_the_virtual_environment_of_a_checkout_is_used(tmp_path: Path) -> None:
    """Where none is active; its packages are the tests'."""
    async with checkout(tmp_path / "here", PYTHON) as here:
        venv.create(here.folder / ".venv", system_site_packages=True)
        (site,) = (here.folder / ".venv").glob("lib/*/site-packages")
        (site / "only_here.py").write_text("TWO = 2\n")
        (site / "tools.pth").write_text(f"{Path(pytest.__file__).parent.parent}\n")
        here.model.says("calc/double.py\n```python\ndef double(n):\n    return n * 2\n```\n")
        said = await here.cairn("run")

        assert said.code == 0, said.out + said.err
