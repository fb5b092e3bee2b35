"""Values made of groups with some fields changed, by name, whichever group holds them."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from runner.state.run_state import RunState

V = TypeVar("V")


def changed(value: V, **changes: Any) -> V:
    """The value with fields of its own or of one of its groups replaced."""
    for each in fields(value):  # type: ignore[arg-type]
        if is_dataclass(each.default_factory) and each.name not in ("changes", "routing"):
            inner = {f.name for f in fields(each.default_factory)} & changes.keys()
            held = changes.get(each.name, getattr(value, each.name))
            if inner:
                changes[each.name] = replace(held, **{name: changes.pop(name) for name in inner})
    return replace(value, **changes)  # type: ignore[type-var]


def with_attempt(state: RunState, **changes: Any) -> RunState:
    """The run with fields of its current attempt replaced."""
    return state.put(changed(state.attempt, **changes))


def with_stack(state: RunState, **changes: Any) -> RunState:
    """The run with fields of what its tasks build on replaced."""
    return replace(state, stack=replace(state.stack, **changes))
