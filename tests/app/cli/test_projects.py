"""A repository of several projects on a checkout: one plan and one environment each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.app.checkout import checkout
from tests.scenarios.projects import answer

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
CONFIG = b"""\
projects:
  - {name: api, path: services/api, verify: [python -m pytest -q], model: gpt-6.2-sol}
  - name: web
    path: web
    verify: [npm test]
    setup: [echo ready > ready.txt]
    budget: {tokens_per_task: 90000}
"""
API_PLAN = b"# Roadmap\n\n- [ ] 1.1 Add `shop/double.py` with `double(n)`, and its tests\n"
WEB_PLAN = b"# Roadmap\n\n- [ ] 1.1 Let `half` in `half.js` round down (depends on api#1.1)\n"
FILES = {
    ".github/cairn.yml": CONFIG,
    "README.md": b"# A shop\n",
    "services/api/ROADMAP.md": API_PLAN,
    "services/api/pyproject.toml": b'[project]\nname = "api"\nversion = "1"\n',
    "services/api/shop/__init__.py": b"",
    "services/api/tests/test_shop.py": b"import shop\n\n\ndef test_shop():\n    assert shop\n",
    "web/ROADMAP.md": WEB_PLAN,
    "web/package.json": b'{"name": "web", "scripts": {"test": "node --test"}}\n',
    "web/half.js": b"exports.half = (n) => n / 2;\n",
    "web/test/half.test.js": b"const { half } = require('../half');\n"
    b"test = require('node:test');\n"
    b"test('half', () => require('node:assert').equal(half(4), 2));\n",
}
DOUBLE = answer(
    {
        "services/api/shop/double.py": "def double(n):\n    return n * 2\n",
        "services/api/tests/test_double.py": "from shop.double import double\n\n\n"
        "def test_double():\n    assert double(4) == 8\n",
    }
)
FLOOR = answer(
    {
        "web/half.js": "exports.half = (n) => Math.floor(n / 2);\n",
        "web/test/floor.test.js": "const { half } = require('../half');\n"
        "const test = require('node:test');\n"
        "test('floor', () => require('node:assert').equal(half(5), 2));\n",
    }
)


@needs_node
async def test_a_project_is_worked_on_in_its_own_surroundings(tmp_path: Path) -> None:
    """Its plan is read, its commands judge in its folder, its model is asked; ids are its own.

    What needs a task of another project waits for it.
    """
    async with checkout(tmp_path / "here", FILES) as here:
        here.model.says(DOUBLE, FLOOR)

        either = await here.cairn("run")
        unknown = await here.cairn("run", "apu")
        looked = await here.cairn("roadmap", "lint", "web/ROADMAP.md")
        early = await here.cairn("run", "web")
        api = await here.cairn("run", "api#1.1")
        left = here.left("report.json")
        web = await here.cairn("run", "web")

        assert either.code == 2
        assert "More than one project has open tasks:\n\n- `api`: `services/api/R" in either.err
        assert "Name it: `cairn run api`." in either.err
        assert "There is no project called 'apu' in .github/cairn.yml" in unknown.err
        assert looked.out == "web/ROADMAP.md: no findings.\n"
        assert early.code == 2
        assert ": waits for `api#1.1`\n" in early.err
        assert api.code == 0, api.out + api.err
        assert left["timeline"][0]["verdict"] == "shown"
        assert "services/api/tests/test_double.py::test_double" in str(left["trust"])
        assert "[x] 1.1" in (here.folder / "services/api/ROADMAP.md").read_text()
        assert web.code == 0, web.out + web.err
        left = here.left("report.json")
        assert left["timeline"][0]["verdict"] == "shown"
        assert "[x] 1.1" in (here.folder / "web/ROADMAP.md").read_text()
        first, second = here.model.requests
        assert first.body["model"] == "gpt-6.2-sol" != second.body["model"]
        assert "This plan is about the project in `web/`" in second.prompt
