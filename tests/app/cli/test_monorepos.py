"""Projects below the root of a checkout are verified by their own tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.app.checkout import checkout
from tests.scenarios.projects import answer

HALF = b"def half(n):\n    return n / 2\n"
TEST = b"from app.half import half\n\n\ndef test_half():\n    assert half(4) == 2\n"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def service(name: str) -> dict[str, bytes]:
    """A Python project; the modules of all are called the same."""
    return {
        f"services/{name}/pyproject.toml": f'[project]\nname = "{name}"\nversion = "1"\n'.encode(),
        f"services/{name}/src/app/__init__.py": b"",
        f"services/{name}/src/app/half.py": HALF,
        f"services/{name}/tests/test_half.py": TEST,
    }


SERVICES = {
    "ROADMAP.md": b"- [ ] Add `double(n)` to `services/two/src/app/double.py`, with tests\n",
    **service("one"),
    **service("two"),
}
DOUBLE = "def double(n):\n    return n * 2\n"
DOUBLE_TEST = TEST.decode().replace("half(4) == 2", "double(4) == 8").replace("half", "double")


def double(code: str = DOUBLE, test: str = DOUBLE_TEST) -> str:
    """An answer to the task."""
    files = {"src/app/double.py": code, "tests/test_double.py": test}
    return answer({f"services/two/{path}": text for path, text in files.items()})


async def test_services_are_tested_in_their_folders(tmp_path: Path) -> None:
    """The new test must fail without the change there, too; the other service is left alone."""
    async with checkout(tmp_path / "here", SERVICES) as here:
        here.model.says(double())
        said = await here.cairn("run")

        report = here.left("report.json")
        assert said.code == 0, said.out + said.err
        assert report["timeline"][0]["verified"]
        assert "services/two/tests/test_double.py::test_double" in str(report["trust"])
        assert report["trust"][0]["changed_lines"] == {"run": 2, "of": 2, "not_run": []}


@pytest.mark.nightly("test_a_package_s_failing_tests_are_named_and_run_again")
async def test_a_red_test_of_a_service_is_shown_with_its_whole_path(tmp_path: Path) -> None:
    """The repair sees where it is."""
    async with checkout(tmp_path / "here", SERVICES) as here:
        here.model.says(double(code=DOUBLE.replace("*", "+")), double())
        said = await here.cairn("run")

        assert said.code == 0, said.out + said.err
        assert "Test failed: services/two/tests/test_double.py::test_double" in said.err
        assert "services/two/tests/test_double.py" in here.model.requests[1].prompt


PACKAGES = {
    "ROADMAP.md": b"- [ ] Let `half` in `packages/a/half.js` round down\n",
    "package.json": b'{"workspaces": ["packages/*"], "scripts": {"test": "npm test -ws"}}\n',
    "packages/a/package.json": b'{"name": "@s/a", "scripts": {"test": "node --test"}}\n',
    "packages/a/half.js": b"exports.half = (n) => n / 2;\n",
    "packages/a/test/half.test.js": b"require('node:assert').equal(require('../half').half(4), 2);",
    "packages/b/package.json": b'{"name": "@s/b", "scripts": {"test": "node --test"},'
    b' "dependencies": {"@s/a": "*"}}\n',
    "packages/b/test/b.test.js": b"require('node:assert').equal(require('@s/a/half').half(6), 3);",
}


@pytest.mark.nightly("test_a_change_concerns_what_it_touches_and_what_needs_that")
@needs_node
async def test_packages_that_need_the_changed_one_are_tested_with_it(tmp_path: Path) -> None:
    """What breaks them is repaired, though the package's own tests are green."""
    async with checkout(tmp_path / "here", PACKAGES) as here:
        scope = here.folder / "node_modules" / "@s"
        scope.mkdir(parents=True)
        for name in ("a", "b"):
            (scope / name).symlink_to(f"../../packages/{name}")
        here.model.says(
            answer({"packages/a/half.js": "exports.half = (n) => (n === 6 ? 0 : n / 2);\n"}),
            answer({"packages/a/half.js": "exports.half = (n) => Math.floor(n / 2);\n"}),
        )
        said = await here.cairn("run", "--allow-dirty")

        assert said.code == 0, said.out + said.err
        assert "Test failed: packages/b/test/b.test.js" in said.err
        assert here.left("report.json")["timeline"][0]["verdict"] == "unbroken"
