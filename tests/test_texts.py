"""The texts that people read are templates: what the code asks of them, they have."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from jinja2 import Environment, UndefinedError, nodes

from app import texts as app_texts
from app.bench import texts as bench_texts
from app.features import NAMES
from app.github import texts as github_texts
from app.plan_issue import text as plan_text
from app.progress import text as progress_text
from handlers import texts
from runner.people import texts as runner_texts
from runner.people.texts import PEOPLE, Texts

ROOT = Path(__file__).parent.parent
FEATURES = [
    import_module(f"app.features.{name}{'.texts' if name == 'undo' else ''}")
    for name in NAMES
    if (ROOT / "app/features" / name / "templates").is_dir()
]
TEXTS: dict[str, Texts] = {
    name: each
    for module in (
        runner_texts,
        texts,
        app_texts,
        bench_texts,
        github_texts,
        progress_text,
        plan_text,
        *FEATURES,
    )
    for name, each in vars(module).items()
    if isinstance(each, Texts)
}
"""Every template of sentences, by the name that the code has for it."""


SOURCES = [
    (str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
    for folder in ("app", "handlers", "runner", "tools")
    for path in (ROOT / folder).rglob("*.py")
]


@cache
def _macros(template: str) -> dict[str, nodes.Macro]:
    each = TEXTS[template]
    environment: Environment = each._environment
    assert environment.loader is not None
    source, _, _ = environment.loader.get_source(environment, f"{each._name}.md.j2")
    return {found.name: found for found in environment.parse(source).find_all(nodes.Macro)}


@cache
def _asked() -> list[tuple[str, str, str, ast.Call | None]]:
    """Where, of which template, for which text, and how it is called if it is."""
    found = []
    for path, source in SOURCES:
        if not any(name in source for name in TEXTS):
            continue
        tree = ast.parse(source)
        imported = {
            alias.asname or alias.name: alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if alias.name in TEXTS
        }
        names = {name: name for name in TEXTS if f"\n{name} = Texts(" in source} | imported
        calls = {id(n.func): n for n in ast.walk(tree) if isinstance(n, ast.Call)}
        found += [
            (f"{path}:{node.lineno}", names[node.value.id], node.attr, calls.get(id(node)))
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            if isinstance(node.value, ast.Name) and node.value.id in names
        ]
    return found


def test_every_text_that_is_asked_for_is_there() -> None:
    """The name of each text is that of a macro, and each call gives what the macro takes."""
    wrong = []
    for where, template, name, call in _asked():
        macro = _macros(template).get(name)
        if macro is None:
            wrong.append(f"{where}: {template} has no {name}")
        elif call and not any(isinstance(a, ast.Starred) for a in call.args):
            if any(key.arg is None for key in call.keywords):
                continue  # its values come from elsewhere
            takes = [arg.name for arg in macro.args]
            given = [*takes[: len(call.args)], *(str(key.arg) for key in call.keywords)]
            needed = takes[: len(takes) - len(macro.defaults)]
            if len(call.args) > len(takes) or set(given) - set(takes) or set(needed) - set(given):
                wrong.append(f"{where}: {template}.{name} takes {takes}")
    assert wrong == []


def test_no_text_is_left_over() -> None:
    """Each macro is called from the code or from a template."""
    asked = {(template, name) for _, template, name, _ in _asked()}
    templates = "\n".join(path.read_text("utf-8") for path in ROOT.glob("*/**/*.md.j2"))
    left = [
        f"{template}.{name}"
        for template in TEXTS
        for name in _macros(template)
        if (template, name) not in asked and templates.count(f"{name}(") < 2
    ]
    assert left == []


def test_what_a_text_is_not_given_is_a_bug() -> None:
    """No sentence has a hole in it that nobody sees."""
    with pytest.raises(UndefinedError, match="name"):
        PEOPLE.from_string("Task {{ name }}").render()


def test_a_value_is_no_template() -> None:
    """What people or models write is never read as a template, but files of patterns are."""
    assert "{{ 7 * 7 }}" in texts.replies.unknown_word("{{ 7 * 7 }}")
    found = {str(path) for path, source in SOURCES if "from_string(" in source}
    assert found == {"runner/patterns/pattern.py"}
