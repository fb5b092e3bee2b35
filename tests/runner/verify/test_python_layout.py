"""What a Python project's own files say about how it is imported."""

from __future__ import annotations

import pytest

from runner.verify.python_layout import PythonLayout, compiled_sources, layout_of

SHOP = '[project]\nname = "shop"\nversion = "1.2"\n'


def layout(files: dict[str, str]) -> PythonLayout:
    return layout_of(files, {path: text.encode() for path, text in files.items()}.get)


@pytest.mark.parametrize(
    "files",
    [
        {"shop/__init__.py": "", "tests/test_shop.py": ""},
        {"pyproject.toml": "[tool.ruff]\n", "src/shop.py": ""},
        {"setup.cfg": "[flake8]\nignore = E1\n", "src/shop.py": ""},
        {"pyproject.toml": "[project\n", "src/shop.py": ""},
        {"setup.cfg": "[metadata\n[[", "shop.py": ""},
    ],
    ids=["no manifest", "settings of a tool", "of a linter", "not TOML", "not INI"],
)
def test_what_is_no_project_is_left_alone(files: dict[str, str]) -> None:
    """Its files are imported from where they are, as ever."""
    assert not layout(files)


@pytest.mark.parametrize(
    "settings",
    [
        '[tool.setuptools]\npackage-dir = {"" = "../else"}\n',
        '[tool.setuptools]\npackage-dir = {"" = "/usr/lib"}\n',
        "[tool.setuptools]\npackage-dir = 7\n",
        '[tool.setuptools.packages.find]\nwhere = [1, "docs"]\n',
        '[tool.poetry]\nname = "shop"\npackages = "shop"\n',
    ],
)
def test_folders_that_lead_nowhere_are_not_used(settings: str) -> None:
    """A folder outside the tree, without modules or of a wrong type says nothing."""
    found = layout({"pyproject.toml": SHOP + settings, "shop/__init__.py": "", "docs/a.md": ""})

    assert found.roots == ()


def test_a_folder_that_would_hide_the_standard_library_is_not_used() -> None:
    """``src/types.py`` is a script's, not the ``types`` of everybody."""
    assert layout({"pyproject.toml": SHOP, "src/types.py": "", "src/main.py": ""}).roots == ()


def test_a_src_that_is_a_package_itself_is_not_looked_into() -> None:
    """Its tests import ``src.shop``."""
    assert layout({"pyproject.toml": SHOP, "src/__init__.py": "", "src/shop.py": ""}).roots == ()


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ("", "src/shop/__init__.py"),
        ('[tool.hatch.version]\npath = "src/shop/about.py"\n', "src/shop/about.py"),
        ('[tool.flit.module]\nname = "shop_kit"\n', "src/shop_kit.py"),
    ],
)
def test_where_a_version_is_looked_for(settings: str, path: str) -> None:
    """Whatever the build back end is told: in the modules that usually say it."""
    files = {"src/shop/__init__.py": "", "src/shop/about.py": "", "src/shop_kit.py": ""}
    files |= {"src/shop/cart.py": "", "tests/shop.py": ""}
    dynamic = '[project]\nname = "shop"\ndynamic = ["version"]\n'
    found = layout({"pyproject.toml": dynamic + settings, **files})

    assert found.version == ""
    assert path in found.version_from
    assert not {"src/shop/cart.py", "tests/shop.py"} & set(found.version_from)


def test_a_version_file_that_git_has_is_not_written() -> None:
    """It is as good as any other file."""
    scm = '[tool.setuptools_scm]\nversion_file = "src/shop/_version.py"\n'
    found = layout({"pyproject.toml": SHOP + scm, "src/shop/_version.py": "version = '1'\n"})

    assert found.version_files == ()


def test_pytest_and_the_standard_library_are_nobodys_own() -> None:
    """What judges is never taken from the workspace, though the project be called like it."""
    files = {"src/pytest/__init__.py": "", "src/_pytest/__init__.py": "", "src/kit.py": ""}
    found = layout({"pyproject.toml": '[project]\nname = "pytest"\n', **files})

    assert found.own == ("kit",)


@pytest.mark.parametrize(
    "manifest",
    [
        {"setup.py": "from setuptools import setup\nsetup(ext_modules=[])\n"},
        {"setup.py": "from Cython.Build import cythonize\n"},
        {"pyproject.toml": '[build-system]\nrequires = ["meson-python>=0.15"]\n'},
        {"pyproject.toml": '[build-system]\nrequires = ["maturin>=1,<2"]\n'},
        {"pyproject.toml": '[build-system]\nrequires = ["scikit_build_core"]\n'},
        {"pyproject.toml": '[[tool.setuptools.ext-modules]]\nname = "kit._fast"\n'},
    ],
)
def test_the_sources_of_extension_modules_are_known(manifest: dict[str, str]) -> None:
    """Of a project that builds any; everywhere else such files are somebody else's."""
    files = {"kit/_fast.c": "", "kit/_fast.pyx": "", "src/lib.rs": "", "kit/__init__.py": ""}
    read = {path: text.encode() for path, text in manifest.items()}.get

    assert compiled_sources(files, read) == files.keys() - {"kit/__init__.py"}
    plain = {"setup.py": b"setup(name='gossip')", "pyproject.toml": b"[build-system]\n"}
    assert compiled_sources(files, plain.get) == frozenset()
