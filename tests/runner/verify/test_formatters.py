"""Which formatter a repository configures, and what of its result is taken."""

from __future__ import annotations

import pytest

from runner.verify.formatters import formatter_of, only_changed_lines

HOOKS = ".pre-commit-config.yaml"


@pytest.mark.parametrize(
    ("path", "settings", "name"),
    [
        ("a.py", {"pyproject.toml": "[tool.ruff.format]\n"}, "ruff"),
        ("a.py", {"pyproject.toml": "[tool.ruff]\nline-length = 9\n"}, ""),
        ("a.py", {HOOKS: "    - id: ruff-format\n"}, "ruff"),
        ("a.py", {HOOKS: "    - id: ruff\n"}, ""),
        ("a.py", {".github/workflows/ci.yml": "run: ruff format --check ."}, "ruff"),
        ("a.py", {"pyproject.toml": "[tool.black]\n"}, "black"),
        ("a.js", {".prettierrc.json": "{}"}, "prettier"),
        ("a.js", {"package.json": '{"prettier": {"semi": false}}'}, "prettier"),
        ("a.js", {"package.json": '{"devDependencies": {"prettier": "^3.0.0"}}'}, ""),
        ("a.go", {"go.mod": "module x\n"}, "gofmt"),
        ("a.md", {".prettierrc": ""}, ""),
    ],
)
def test_a_formatter_is_found_by_its_configuration(
    path: str, settings: dict[str, str], name: str
) -> None:
    """A linter's configuration, or a package that is installed, configures none."""
    found = formatter_of(path, {each: text.encode() for each, text in settings.items()})
    assert (found[0].name if found else "") == name


def taken(old: str, new: str, formatted: str, *, was: bool) -> str:
    """What becomes of a Python file."""
    return only_changed_lines("a.py", new, formatted, old=old, was_formatted=was)


def test_beside_a_changed_line_a_formatted_file_is_formatted_whole() -> None:
    """The new element makes the list too long: its other lines change with it."""
    old, new = "x = [1, 2]\ny = 3\n", "x = [1, 2,\n 4]\ny = 3\n"
    formatted = "x = [\n    1,\n    2,\n    4,\n]\ny = 3\n"
    assert taken(old, new, formatted, was=True) == formatted


def test_in_a_file_that_was_not_formatted_old_lines_stay() -> None:
    """A hunk with an old line in it is left alone."""
    old = "a=1\n\n\n\nb=2\n"
    new = "a=1\nc=3\n\n\n\nb=2\nd=4\n"
    formatted = "a = 1\nc = 3\n\n\nb = 2\nd = 4\n"
    assert taken(old, new, formatted, was=False) == new
    apart = "a=1\n\nc=3\n\nb=2\n"
    assert taken("a=1\n\n\nb=2\n", apart, "a = 1\n\nc = 3\n\nb = 2\n", was=False) == (
        "a=1\n\nc = 3\n\nb=2\n"
    )


def test_half_a_hunk_that_breaks_the_code_is_not_taken() -> None:
    """Only the opening bracket would be in a changed line."""
    old, new = "f(1)\nh\ng(2)\n", "f(3)\nh\ng(2)\n"
    assert taken(old, new, "f((3)\nh\ng(2))\n", was=False) == new
