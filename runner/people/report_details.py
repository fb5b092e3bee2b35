"""The part of the Markdown report that says everything the JSON report says. Pure.

Every value of the JSON object is on a line of its own entry here; text of others is made harmless.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from runner.text.sanitize import sanitize

NameOf = Callable[[str], str]
"""What people call a task, by its key."""

_LISTS: Final = {
    "timeline": "Attempts",
    "errors": "Errors",
    "proposals": "Proposals",
    "decisions": "Decisions",
    "roadmap_modifications": "Changes of the roadmap",
    "trust": "Trust, in full",
    "warnings": "Warnings",
}


def details(report: Mapping[str, Any], name_of: NameOf) -> str:
    """Return the sections in Markdown."""
    parts = ["## Details", *_numbers(report, name_of)]
    for key, title in _LISTS.items():
        if report[key]:
            parts += [f"### {title}", "\n".join(_item(each, name_of) for each in report[key])]
    return "\n\n".join(parts)


def _numbers(report: Mapping[str, Any], name_of: NameOf) -> Iterator[str]:
    tasks, recoveries = report["tasks"], report["recoveries"]
    if report["timeline"]:
        rate = 100 * report["success_rate"]
        yield f"Success rate: {rate:.2f} % of the tasks that the run took up."
    else:
        yield "The run took up no task."
    yield f"Tasks: {_pairs(tasks)}."
    numbers = {key: value for key, value in recoveries.items() if key != "by_strategy"}
    yield f"Recoveries: {_pairs(numbers)}."
    lines = [f"- {name}: {_pairs(used)}" for name, used in report["nodes"].items()]
    lines += [f"- {_plain(name)}: {_pairs(used)}" for name, used in report["models"].items()]
    lines.append(f"- the model in all: {_pairs(report['model_usage'])}")
    yield "\n".join(lines)
    if report["deferrals"]:
        yield f"Deferred: {', '.join(_plain(name_of(key)) for key in report['deferrals'])}."


def _item(entry: Mapping[str, Any], name_of: NameOf) -> str:
    named = f"**{_plain(name_of(str(entry['task'])))}**"
    rest = {key: value for key, value in entry.items() if key != "task"}
    return f"- {named}: {_pairs(rest)}"


def _pairs(entry: Mapping[str, Any]) -> str:
    told = [(key.replace("_", " "), _value(value)) for key, value in entry.items()]
    return "; ".join(f"{key} {value}" for key, value in told if value)


def _value(value: Any) -> str:
    """One value on one line; '' for what says nothing."""
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return f"({_pairs(value)})"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(filter(None, map(_value, value)))
    return _plain(str(value))


def _plain(text: str) -> str:
    return sanitize(" ".join(text.split()), plain=True)
