"""What is kept of compiled templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jinja2 import DictLoader, Environment, FileSystemLoader

from runner.text.compiled import Compiled


class Reading(Environment):
    """Compiles nothing."""

    def _generate(self, *args: Any, **named: Any) -> str:
        raise AssertionError("it is compiled again")


def _rendered(kind: type[Environment], folder: Path, **named: Any) -> str:
    kept = Compiled(keeps=True)
    loader = FileSystemLoader(folder)
    environment = kind(loader=loader, optimized=False, bytecode_cache=kept)
    return environment.get_template("greeting.md.j2").render(**named)


def test_a_template_is_compiled_once(tmp_path: Path) -> None:
    """The next process reads what the first one made, until the text is another."""
    template = tmp_path / "greeting.md.j2"
    template.write_text("Hello {{ name }}")
    assert _rendered(Environment, tmp_path, name="Ann") == "Hello Ann"
    assert _rendered(Reading, tmp_path, name="Bob") == "Hello Bob"
    template.write_text("Bye {{ name }}")
    with pytest.raises(AssertionError, match="compiled again"):
        _rendered(Reading, tmp_path, name="Bob")
    assert _rendered(Environment, tmp_path, name="Bob") == "Bye Bob"


def test_it_works_where_nothing_can_be_kept(tmp_path: Path) -> None:
    """A folder that cannot be written, a spoilt file, a template in no file."""
    (tmp_path / "greeting.md.j2").write_text("Hello {{ name }}")
    (tmp_path / "__pycache__").write_text("no folder")
    assert _rendered(Environment, tmp_path, name="Ann") == "Hello Ann"
    (tmp_path / "__pycache__").unlink()
    assert _rendered(Environment, tmp_path, name="Ann") == "Hello Ann"
    (kept,) = (tmp_path / "__pycache__").iterdir()
    kept.write_bytes(kept.read_bytes()[:20])
    assert _rendered(Environment, tmp_path, name="Ann") == "Hello Ann"
    inside = Environment(
        loader=DictLoader({"a": "{{ 1 }}"}),
        bytecode_cache=Compiled(keeps=True),
        optimized=False,
        autoescape=False,  # noqa: S701 - no page
    )
    assert inside.get_template("a").render() == "1"
