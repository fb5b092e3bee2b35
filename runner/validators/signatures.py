"""What a function takes, and whether a new version takes less than the old one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; ``named`` when callers can give it by its name."""

    name: str
    required: bool
    named: bool = True


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a function takes: in order, by name only, and whether any number of either.

    ``typed`` says that the names are types, as in Go.
    """

    ordered: tuple[Parameter, ...] = ()
    by_name: tuple[Parameter, ...] = ()
    more: bool = False
    more_by_name: bool = False
    typed: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """What one call gives: how many in order, which by name; ``open`` when that is not all."""

    count: int
    names: tuple[str, ...] = ()
    open: bool = False


def of_python(function: Function, *, bound: bool) -> Parameters:
    """Return what a function takes; ``bound`` leaves out what a method is called on."""
    args = function.args
    ordered = [*args.posonlyargs, *args.args]
    first_optional = len(ordered) - len(args.defaults)
    found = [
        Parameter(arg.arg, at < first_optional, at >= len(args.posonlyargs))
        for at, arg in enumerate(ordered)
    ]
    named = [
        Parameter(arg.arg, default is None)
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    ]
    ordered_ones = tuple(found[1:] if bound else found)
    return Parameters(ordered_ones, tuple(named), args.vararg is not None, args.kwarg is not None)


def of_text(text: str, *, typed: bool) -> Parameters | None:
    """Return what a function of another language takes, read from its list of parameters.

    ``typed`` is Go: the text of a parameter's type is its name, for names do not matter there. None
    when the list has no end.
    """
    found: tuple[Parameter, ...]
    inner = _inside(text)
    if inner is None:
        return None
    parts = [part.strip() for part in _split(inner) if part.strip()]
    more = bool(parts) and (parts[-1].startswith("...") or (typed and "..." in parts[-1]))
    kept = parts[:-1] if more else parts
    if typed:
        found = tuple(Parameter(kind, True, False) for kind in _types(kept))
        return Parameters(found, more=more, typed=True)
    found = tuple(Parameter(_name(part), not _optional(part), False) for part in kept)
    return Parameters(found, more=more)


def lost(old: Parameters, new: Parameters) -> str:
    """Say what callers of the old version could give that the new one does not take ('')."""
    return next(_losses(old, new), "")


def _losses(old: Parameters, new: Parameters) -> Iterator[str]:
    if old.ordered and not old.ordered[0].named:
        yield from _losses_in_order(old, new)
    else:
        yield from _losses_by_name(old, new)
    if (old.more and not new.more) or (old.more_by_name and not new.more_by_name):
        yield "no longer takes any number of arguments"


def _losses_by_name(old: Parameters, new: Parameters) -> Iterator[str]:
    places = {parameter.name: at for at, parameter in enumerate(new.ordered)}
    before = {p.name: p for p in (*old.ordered, *old.by_name)}
    after = {p.name: p for p in (*new.ordered, *new.by_name)}
    for at, parameter in enumerate(old.ordered):
        name = parameter.name
        if name in places and places[name] != at:
            yield f"takes `{name}` at another place"
        elif name in after and name not in places and not new.more:
            yield f"takes `{name}` by name only"
    for name, parameter in before.items():
        if name not in after and parameter.named and not new.more_by_name:
            yield f"has no parameter `{name}` any more"
        if name in after and after[name].required and not parameter.required:
            yield f"has no default for `{name}` any more"
    for name, parameter in after.items():
        if parameter.required and name not in before:
            yield f"requires `{name}`"


def _losses_in_order(old: Parameters, new: Parameters) -> Iterator[str]:
    """For languages whose callers know no names; a new name is no loss."""
    first, second = ([p.name for p in each.ordered] for each in (old, new))
    needed = [sum(p.required for p in each.ordered) for each in (old, new)]
    if len(second) < len(first) and not new.more:
        yield f"takes {len(second)} arguments, no longer {len(first)}"
    if needed[1] > needed[0]:
        yield f"requires {needed[1]} arguments, no longer {needed[0]}"
    if first != second and sorted(first) == sorted(second):
        yield "takes its arguments in another order"


def fits(call: Given, parameters: Parameters) -> bool:
    """Whether a call gives what a function takes; of an open call nobody can say it does not."""
    if call.open:
        return True
    if call.count > len(parameters.ordered) and not parameters.more:
        return False
    left = parameters.ordered[call.count :]
    known = {p.name for p in (*parameters.ordered, *parameters.by_name) if p.named}
    if not parameters.more_by_name and not set(call.names) <= known:
        return False
    return all(p.name in call.names for p in (*left, *parameters.by_name) if p.required)


def same_places(call: Given, old: Parameters, new: Parameters) -> bool:
    """Whether what a call gives in order still means the same; a parameter may have a new name."""
    first, second = ([p.name for p in each.ordered[: call.count]] for each in (old, new))
    if old.typed:
        return first == second
    before, after = ({p.name for p in (*each.ordered, *each.by_name)} for each in (old, new))
    pairs = zip(first, second, strict=False)
    return all(a == b or (a not in after and b not in before) for a, b in pairs)


def given_by(call: ast.Call) -> Given:
    """Return what a call of Python gives."""
    stars = any(isinstance(arg, ast.Starred) for arg in call.args)
    names = tuple(keyword.arg for keyword in call.keywords if keyword.arg)
    return Given(len(call.args), names, stars or len(names) < len(call.keywords))


def given_in(text: str) -> Given | None:
    """Return what a call of another language gives; ``text`` begins at its bracket."""
    inner = _inside(text)
    if inner is None:
        return None
    parts = [part.strip() for part in _split(inner) if part.strip()]
    return Given(len(parts), open=any("..." in part[:3] + part[-3:] for part in parts))


def _inside(text: str) -> str | None:
    """Return what stands in the bracket that the text begins with."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0:
            return text[1:at]
    return None


def _split(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            yield text[start:at]
            start = at + 1
    yield text[start:]


def _name(part: str) -> str:
    found = re.match(r"(?:(?:public|private|protected|readonly)\s+)*([\w$]+)", part)
    return found[1] if found else part.partition("=")[0].strip()


def _optional(part: str) -> bool:
    return "=" in part.replace("=>", "") or re.match(r"[\w$ ]+\?", part) is not None


def _types(parts: Sequence[str]) -> list[str]:
    """Return the type of each parameter of Go; ``a, b int`` shares one."""
    found: list[str] = []
    for part in reversed(parts):
        words = part.split(None, 1)
        found.append(words[1] if len(words) > 1 else found[-1] if found else part)
    return found[::-1]
