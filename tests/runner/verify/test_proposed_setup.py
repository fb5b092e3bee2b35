"""What is proposed for a repository's tests: commands of its own files, with a reason for each."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from runner.config.model import parse_config
from runner.verify.proposed_setup import ProposedSetup, proposed_setup

PROJECT = b'[project]\nname = "calc"\nversion = "1"\n'
EXTRAS = PROJECT + b'[project.optional-dependencies]\ntest = ["pytest"]\ndocs = ["sphinx"]\n'
POETRY = b"""\
[tool.poetry]
name = "calc"
[tool.poetry.extras]
fast = ["told"]
docs = ["sphinx"]
[tool.poetry.group.test.dependencies]
pytest = "*"
[tool.poetry.group.lint.dependencies]
ruff = "*"
"""
GROUPS = b'[dependency-groups]\ntest = ["pytest >= 8"]\n'


def proposed(files: Mapping[str, bytes], *missing: str) -> ProposedSetup:
    """What is proposed for some files beside one test."""
    return proposed_setup({"tests/test_it.py", *files}, files.get, missing)


def commands(setup: ProposedSetup) -> list[str]:
    """The commands as a run would take them; the file must be one that Cairn reads."""
    config = parse_config(setup.text.encode())
    return [each[-1] for each in config.sandbox.setup] + [
        each[-1] for each in config.verify.commands
    ]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"requirements.txt": b"pytest\n"}, ["pip install -r requirements.txt"]),
        ({"pyproject.toml": EXTRAS}, ['pip install -e ".[test]"']),
        (
            {"pyproject.toml": GROUPS},
            ["pip install --upgrade pip", "pip install --group test"],
        ),
        (
            {"uv.lock": b"", "pyproject.toml": GROUPS},
            [
                "pip install uv",
                "uv sync --frozen --no-install-project --no-default-groups --group test",
            ],
        ),
        (
            {"uv.lock": b"", "pyproject.toml": EXTRAS},
            ["pip install uv", "uv sync --frozen --no-install-project --extra test"],
        ),
        (
            {"pdm.lock": b"", "pyproject.toml": EXTRAS + GROUPS},
            [
                "pip install pdm",
                "pdm install --frozen-lockfile --no-self --group test",
            ],
        ),
        (
            {"poetry.lock": b"", "pyproject.toml": POETRY},
            ["pip install poetry", "poetry install --no-root --extras fast --only main,test"],
        ),
        ({"setup.py": b"pytest "}, ["pip install -e ."]),
        ({"setup.py": b""}, ["pip install -e .", "pip install pytest"]),
        (
            {"manage.py": b"", "requirements.txt": b"pytest\n"},
            ["pip install -r requirements.txt", "python manage.py test"],
        ),
    ],
    ids=[
        *("requirements", "extras", "groups", "uv", "uv extra", "pdm", "poetry", "setup.py"),
        *("no pytest", "django"),
    ],
)
def test_each_line_has_a_reason(files: Mapping[str, bytes], expected: list[str]) -> None:
    """What the file says is what the reasons are given for, in the same order."""
    setup = proposed(files)

    assert commands(setup) == expected
    assert [line.text for line in setup.lines] == ["network: setup", *expected]
    assert all(line.why for line in setup.lines)


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("package-lock.json", "npm ci"),
        ("pnpm-lock.yaml", "npx --yes pnpm install --frozen-lockfile"),
        ("yarn.lock", "npx --yes yarn install --frozen-lockfile"),
    ],
)
def test_the_lock_file_names_the_installer(path: str, command: str) -> None:
    """One installer, although all of them read ``package.json``."""
    setup = proposed_setup({"package.json", path}, {}.get)

    assert commands(setup) == [command]
    assert f"`{path}`" in setup.lines[-1].why


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"package.json": b'{"packageManager": "pnpm@9.1.0+sha512.ab"}', "pnpm-lock.yaml": b""},
            ["npx --yes pnpm@9.1.0 install --frozen-lockfile"],
        ),
        (
            {"package.json": b"{}", "yarn.lock": b"", ".yarnrc.yml": b""},
            ["npx --yes @yarnpkg/cli-dist install --immutable"],
        ),
        (
            {"web/package.json": b"{}", "web/package-lock.json": b"", "app/package.json": b"{}"},
            ["npm --prefix app install", "npm --prefix web ci"],
        ),
        (
            {"package.json": b"{}", "package-lock.json": b"", "packages/a/package.json": b"{}"},
            ["npm ci"],
        ),
        (
            {"api/requirements.txt": b"", "jobs/pyproject.toml": PROJECT, "jobs/a.py": b""},
            [
                "pip install -r api/requirements.txt",
                "pip install -e ./jobs",
                "pip install pytest",
            ],
        ),
        ({"$(touch x)/package.json": b"{}", "a b/package.json": b"{}"}, []),
    ],
    ids=["manager", "yarn 2", "packages alone", "workspace", "services", "hostile"],
)
def test_what_projects_below_the_root_need(files: Mapping[str, bytes], expected: list[str]) -> None:
    """A workspace is installed from its root, other projects each by themselves."""
    assert commands(proposed_setup(files, files.get)) == expected


def test_the_second_way_is_pip_with_the_groups_of_the_tests() -> None:
    """A lock file's installer can fail for reasons that pip does not have."""
    files = {"uv.lock": b"", "pyproject.toml": GROUPS}

    second = proposed_setup({"tests/test_it.py", *files}, files.get, by_pip=True)

    assert commands(second) == ["pip install --upgrade pip", "pip install --group test"]


def test_a_name_that_no_file_names_is_shown_and_never_installed() -> None:
    """Of a module only the name is known, and a package of that name may be anybody's."""
    setup = proposed(
        {"requirements.txt": b"pytest\n", "setup.cfg": b"[metadata]\nname=told\n"}, "told"
    )

    assert "told" not in setup.text
    assert setup.unnamed == ("told",)


def test_every_file_of_requirements_can_name_what_is_missing() -> None:
    """Also one that is not installed whole, because it is for one version of Python."""
    setup = proposed({"requirements-tests39.txt": b"pytest-cov==7.1.0\n"}, "pytest-cov")

    assert "pip install pytest-cov" in commands(setup)
    assert setup.unnamed == ()


def test_pytest_that_ran_is_not_installed_again() -> None:
    """Nothing would change, so nothing is proposed."""
    assert proposed_setup({"test_it.py"}, {}.get, pytest=True) == ProposedSetup()


EXTRAS = b'[project.optional-dependencies]\ntest = ["pytest", "Told.It>=1"]\ndocs = ["sphinx"]\n'


@pytest.mark.parametrize(
    ("files", "missing", "expected"),
    [
        (
            {"requirements-test.txt": b"# for tests\npytest==8\ntold_it[x] ; python_version>'3'\n"},
            "told-it",
            ["pip install -r requirements-test.txt"],
        ),
        (
            {"requirements.txt": b"pytest\ntold-1.0-py3-none-any.whl\n"},
            "told",
            ["pip install -r requirements.txt"],
        ),
        ({"pyproject.toml": PROJECT + EXTRAS}, "told_it", ['pip install -e ".[test]"']),
        (
            {"pyproject.toml": PROJECT + EXTRAS},
            "sphinx",
            ['pip install -e ".[test]"', "pip install sphinx"],
        ),
        (
            {
                "requirements.txt": b"pytest\n",
                "pytest.ini": b"[pytest]\nrequired_plugins = a told>=2\n",
            },
            "told",
            ["pip install -r requirements.txt", "pip install told"],
        ),
        (
            {"requirements.txt": b"pytest\n", "tox.ini": b"[testenv]\ndeps =\n    told\n"},
            "told",
            ["pip install -r requirements.txt", "pip install told"],
        ),
    ],
    ids=["a requirement", "a wheel", "an extra", "another extra", "a plug-in", "tox"],
)
def test_what_a_file_installs_is_not_installed_by_name(
    files: dict[str, bytes], missing: str, expected: list[str]
) -> None:
    """What another line brings needs none of its own, what nobody names gets none."""
    assert commands(proposed(files, missing)) == expected


@pytest.mark.parametrize("name", ["-ievil.example", "-r", "--pre", "a b", "told\n", "", "x;y", "ё"])
def test_what_is_no_name_of_a_package_is_not_installed(name: str) -> None:
    """The names come from what the repository's tests print: pip must not take one as an option."""
    files = {
        "requirements.txt": b"pytest\n",
        "pytest.ini": f"[pytest]\nrequired_plugins = {name} told".encode(),
    }

    assert commands(proposed(files, name, "told")) == [
        "pip install -r requirements.txt",
        "pip install told",
    ]


def test_a_hostile_manifest_gives_no_command() -> None:
    """Names of files, extras and groups are taken only where they are those that are known."""
    manifest = (
        PROJECT + b'[project.optional-dependencies]\n"test; touch x" = []\n"test\\n" = []\n'
        b'[dependency-groups]\n"dev`touch x`" = []\n'
    )
    files = {
        "pyproject.toml": manifest,
        "requirements.txt\n": b"",
        "requirements-$(touch x).txt": b"",
        "requirements-test.txt; touch x": b"",
    }

    assert commands(proposed(files)) == ["pip install -e .", "pip install pytest"]


def test_nothing_known_is_nothing_proposed() -> None:
    """A repository without a manifest that is known."""
    assert proposed_setup({"Makefile"}, {}.get) == ProposedSetup()
