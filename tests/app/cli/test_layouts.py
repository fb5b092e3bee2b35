"""``cairn run`` on projects that nobody installed: their tests find the project all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.checkout import checkout
from tests.scenarios.projects import answer

HALF = b"def half(a):\n    return a / 2\n"
TEST = b"from shop.half import half\n\n\ndef test_half():\n    assert half(4) == 2\n"
PROJECT = '[project]\nname = "shop"\nversion = "1.2"\n'
HATCH = (
    '[project]\nname = "shop"\ndynamic = ["version"]\n[build-system]\nrequires = ["hatch-vcs"]\n'
)
NEW_TEST = "from shop.add import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"
VERSION_TEST = (
    b"from importlib.metadata import version\n\n\ndef test_version():\n"
    b"    assert version('shop') == '1.2'\n"
)


def added(folder: str) -> str:
    """The model's answer: a new module of the package in ``folder``, and its test."""
    module = f"{folder}/shop/add.py"
    return answer({module: "def add(a, b):\n    return a + b\n", "tests/test_add.py": NEW_TEST})


def project(folder: str, manifest: str, text: str, **more: str) -> dict[str, bytes]:
    """A project with its package in ``folder`` and a roadmap that asks for one more module."""
    asked = f"- [ ] 1.1 Add `add(a, b)` to `{folder}/shop/add.py`, with tests\n"
    return {
        "ROADMAP.md": asked.encode(),
        manifest: text.encode(),
        f"{folder}/shop/__init__.py": b"",
        f"{folder}/shop/half.py": HALF,
        "tests/test_half.py": TEST,
        **{path: content.encode() for path, content in more.items()},
    }


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    ("folder", "manifest", "text"),
    [
        ("src", "pyproject.toml", PROJECT),
        ("lib", "pyproject.toml", PROJECT + '[tool.setuptools]\npackage-dir = {"" = "lib"}\n'),
        ("code", "pyproject.toml", PROJECT + '[tool.setuptools.packages.find]\nwhere=["code"]\n'),
        ("lib", "setup.cfg", "[metadata]\nname = shop\n[options]\npackage_dir =\n    = lib\n"),
        ("lib", "setup.py", "setup(\n    name='shop',\n    package_dir={'': 'lib'},\n)\n"),
        (
            "lib",
            "pyproject.toml",
            '[tool.poetry]\nname = "shop"\npackages = [{ include = "shop", from = "lib" }]\n',
        ),
        (
            "lib",
            "pyproject.toml",
            PROJECT + '[tool.hatch.build.targets.wheel]\npackages = ["lib/shop"]\n',
        ),
    ],
    ids=["src", "package-dir", "find", "setup.cfg", "setup.py", "poetry", "hatch"],
)
async def test_modules_are_found_where_the_manifest_says(
    tmp_path: Path, folder: str, manifest: str, text: str
) -> None:
    """Nothing is installed: the package is imported from its folder."""
    async with checkout(tmp_path / "here", project(folder, manifest, text)) as here:
        here.model.says(added(folder))
        said = await here.cairn("run")

        assert said.code == 0, said.out
        assert "Cairn-Verified: yes" in here.git("log", "-1", "--format=%B")


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    "settings",
    [
        '[tool.hatch.build.hooks.vcs]\nversion-file = "src/shop/_version.py"\n',
        '[tool.setuptools_scm]\nversion_file = "src/shop/_version.py"\n',
        '[tool.setuptools_scm]\nwrite_to = "src/shop/_version.py"\n',
    ],
    ids=["hatch-vcs", "setuptools-scm", "write_to"],
)
async def test_a_version_that_only_git_knows_is_there_for_the_tests_alone(
    tmp_path: Path, settings: str
) -> None:
    """The file that a build would write is in the workspace and never in a commit."""
    files = project("src", "pyproject.toml", HATCH + settings)
    files["src/shop/__init__.py"] = b"from shop._version import version\n"
    async with checkout(tmp_path / "here", files) as here:
        here.model.says(added("src"))
        said = await here.cairn("run")

        assert said.code == 0, said.out
        assert "Cairn-Verified: yes" in here.git("log", "-1", "--format=%B")
        assert "_version.py" not in here.git("ls-tree", "-r", "--name-only", "HEAD")
        assert not (here.folder / "src/shop/_version.py").exists()


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    ("settings", "init"),
    [
        ('version = "1.2"\n', b""),
        ('dynamic = ["version"]\n', b'"""A shop."""\n\n__version__ = "1.2"\n'),
    ],
    ids=["written down", "in the package"],
)
async def test_what_an_installed_project_knows_of_itself(
    tmp_path: Path, settings: str, init: bytes
) -> None:
    """Its version, its programs and its pytest plugin are there, as after ``pip install -e .``."""
    points = (
        '[project.scripts]\nsell = "shop.half:sell"\n'
        '[project.entry-points.pytest11]\nshop = "shop.plugin"\n'
    )
    manifest = f'[project]\nname = "shop"\n{settings}{points}'
    files = project("src", "pyproject.toml", manifest)
    files |= {
        "src/shop/__init__.py": init,
        "src/shop/half.py": HALF + b"\n\ndef sell():\n    print('sold')\n",
        "src/shop/plugin.py": b"import pytest\n\n\n@pytest.fixture\ndef price():\n    return 7\n",
        "tests/test_version.py": VERSION_TEST,
        "tests/test_program.py": b"import subprocess\n\n\ndef test_sell(price, tmp_path):\n"
        b"    done = subprocess.run(['sell'], capture_output=True, cwd=tmp_path)\n"
        b"    assert (done.stdout, price) == (b'sold\\n', 7)\n",
    }
    async with checkout(tmp_path / "here", files) as here:
        here.model.says(added("src"))
        said = await here.cairn("run")

        assert said.code == 0, said.out
        body = here.git("log", "-1", "--format=%B")
        (line,) = here.left("report.json")["timeline"]
        assert "Cairn-Verified: yes" in body
        assert line["unchanged"] == []


async def test_the_workspace_is_tested_and_not_an_installed_copy(tmp_path: Path) -> None:
    """pytest itself brings a copy of this project: its tests see the one in the workspace."""
    test = "from iniconfig.add import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"
    files = {
        "ROADMAP.md": b"- [ ] 1.1 Add `add(a, b)` to `src/iniconfig/add.py`, with tests\n",
        "pyproject.toml": b'[project]\nname = "iniconfig"\nversion = "9.9"\n',
        "src/iniconfig/__init__.py": b"here = True\n",
        "tests/test_here.py": b"import iniconfig as it\n\n\ndef test_here():\n    assert it.here\n",
    }
    added = {
        "src/iniconfig/add.py": "def add(a, b):\n    return a + b\n",
        "tests/test_add.py": test,
    }
    async with checkout(tmp_path / "here", files) as here:
        here.model.says(answer(added))
        said = await here.cairn("run")

        assert said.code == 0, said.out
        assert "Cairn-Verified: yes" in here.git("log", "-1", "--format=%B")
        (line,) = here.left("report.json")["timeline"]
        assert line["unchanged"] == []


async def test_an_answer_cannot_bring_what_judges_it(tmp_path: Path) -> None:
    """A module of an answer that is called like a part of pytest stays out of pytest."""
    asked = b"- [ ] 1.1 Add `add(a, b)` to `src/shop/add.py`, and a stub to `src/pluggy.py`\n"
    tests = {"ROADMAP.md": asked, "tests/test_add.py": NEW_TEST.encode()}
    stub = "import os\n\nos._exit(0)\n"
    wrong = {"src/shop/add.py": "def add(a, b):\n    return a - b\n", "src/pluggy.py": stub}
    right = {"src/shop/add.py": "def add(a, b):\n    return a + b\n", "src/pluggy.py": stub}
    files = project("src", "pyproject.toml", PROJECT) | tests
    async with checkout(tmp_path / "here", files) as here:
        here.model.says(answer(wrong), answer(right))
        said = await here.cairn("run")

        assert said.code == 0, said.out
        assert "tests/test_add.py::test_add" in here.model.requests[1].prompt


async def test_compilers_are_found_where_the_user_has_them(tmp_path: Path) -> None:
    """A sandbox has its own home; rustup, cargo and go look for theirs in the user's. No key."""
    for folder in (".rustup", ".cargo", "go"):
        (tmp_path / folder).mkdir()
    test = (
        "import os\n\n\ndef test_environment():\n"
        f"    assert os.environ['RUSTUP_HOME'] == {str(tmp_path / '.rustup')!r}\n"
        f"    assert os.environ['CARGO_HOME'] == {str(tmp_path / '.cargo')!r}\n"
        "    assert os.environ['GOPATH'] == '/elsewhere/go'\n"
        "    assert 'GOCACHE' not in os.environ\n"
        "    assert not [name for name in os.environ if 'API' in name]\n"
    )
    files = project("src", "pyproject.toml", PROJECT) | {"tests/test_environment.py": test.encode()}
    async with checkout(tmp_path / "here", files) as here:
        here.environment["GOPATH"] = "/elsewhere/go"
        here.model.says(added("src"))
        said = await here.cairn("run")

        assert said.code == 0, said.out
        (line,) = here.left("report.json")["timeline"]
        assert line["unchanged"] == []
