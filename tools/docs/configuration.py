"""The keys of ``.github/cairn.yml`` as a table, and what each way to run makes of its defaults."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.action.job import Inputs, laid_over
from app.local.options import EVERY_TASK, LocalRun, options_for
from handlers.grammar import ExecuteCommand
from handlers.pushes import MOST_TASKS
from runner.config.model import RepositoryConfig, config_schema

_UNITS = {20: "m", 30: "g"}


def configuration() -> str:
    """Return a Markdown table of every key: default, what it may be, what it does."""
    schema = config_schema()
    head = ["| key | default | values | what it does |", "|---|---|---|---|"]
    return "\n".join([*head, *_rows("", schema, schema.get("$defs", {}))])


def doors() -> str:
    """Return a Markdown table of the defaults that are not the same in every way to run."""
    app = RepositoryConfig()
    action = laid_over(Inputs(), app)
    seen, unseen = (options_for(LocalRun(Path(), answers=yes), app) for yes in (True, False))
    every = "all" if seen.scope.max_tasks == EVERY_TASK else str(seen.scope.max_tasks)
    modes = (
        f"`{seen.approvals.approval_mode}` on a terminal, else `{unseen.approvals.approval_mode}`"
    )
    server = f"{ExecuteCommand().max_tasks} for `/execute`, {MOST_TASKS} for a push"
    rows = [
        ("a push that changes the roadmap", app.triggers.push, action.triggers.push, "nothing"),
        ("tasks of one run, at most", server, str(action.limits.tasks), every),
        ("`approval_mode`", f"`{app.approval_mode}`", f"`{action.approval_mode}`", modes),
        (
            "`pause_destructive`",
            *(
                f"`{json.dumps(each)}`"
                for each in (app.pause_destructive, action.pause_destructive)
            ),
            f"`{json.dumps(seen.approvals.pause_destructive)}`",
        ),
    ]
    head = ["| default of | the App | the Action | `cairn run` |", "|---|---|---|---|"]
    return "\n".join([*head, *(f"| {' | '.join(row)} |" for row in rows)])


def _rows(prefix: str, group: dict[str, Any], known: dict[str, Any]) -> Iterator[str]:
    for name, key in group["properties"].items():
        below = known.get(str(key.get("$ref", "")).rpartition("/")[2])
        if below and "properties" in below:
            yield from _rows(f"{prefix}{name}.", below, known)
        else:
            cells = (f"`{prefix}{name}`", _default(key), _values(key), key["description"])
            yield f"| {' | '.join(cells)} |"


def _default(key: dict[str, Any]) -> str:
    value = key.get("default")
    if value in (None, [], ""):
        return "none"
    if "anyOf" in key and isinstance(value, int):
        shift = max((bits for bits in _UNITS if value % (1 << bits) == 0), default=0)
        return f"`{value >> shift}{_UNITS.get(shift, '')}`"
    return f"`{json.dumps(value).strip(chr(34))}`"


def _values(key: dict[str, Any]) -> str:
    if "enum" in key:
        return ", ".join(f"`{value}`" for value in key["enum"])
    if "anyOf" in key:
        kinds = [each for each in key["anyOf"] if each.get("type") != "null"]
        if any("const" in kind for kind in kinds):
            return ", ".join(f"`{k['const']}`" if "const" in k else _values(k) for k in kinds)
        if len(kinds) == 1:
            return _values(kinds[0])
        lists = any(kind.get("type") == "array" for kind in kinds)
        return "text, or a list" if lists else "bytes, or like `512m`"
    low, high = key.get("minimum"), key.get("maximum")
    kind = str(key.get("type", ""))
    if low is not None and high is not None:
        return f"{low} … {high}"
    return {"array": "a list", "boolean": "`true`, `false`", "string": "text"}.get(kind, kind)
