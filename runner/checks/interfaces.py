"""What a file offers to others: its public names, and which arguments its functions take."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from runner.code.languages import Function, language_of, python_tree
from runner.code.symbols import Definition, symbols_of


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
        yield "no longer takes a variable number of arguments"


def _losses_by_name(old: Parameters, new: Parameters) -> Iterator[str]:
    places = {parameter.name: at for at, parameter in enumerate(new.ordered)}
    before = {p.name: p for p in (*old.ordered, *old.by_name)}
    after = {p.name: p for p in (*new.ordered, *new.by_name)}
    for at, parameter in enumerate(old.ordered):
        name = parameter.name
        if name in places and places[name] != at:
            yield f"takes `{name}` in another position"
        elif name in after and name not in places and not new.more:
            yield f"takes `{name}` by name only"
    for name, parameter in before.items():
        if name not in after and parameter.named and not new.more_by_name:
            yield f"no longer has a parameter `{name}`"
        if name in after and after[name].required and not parameter.required:
            yield f"no longer has a default for `{name}`"
    for name, parameter in after.items():
        if parameter.required and name not in before:
            yield f"requires `{name}`"


def _losses_in_order(old: Parameters, new: Parameters) -> Iterator[str]:
    """For languages whose callers know no names; a new name is not a loss."""
    first, second = ([p.name for p in each.ordered] for each in (old, new))
    needed = [sum(p.required for p in each.ordered) for each in (old, new)]
    if len(second) < len(first) and not new.more:
        yield f"takes {_arguments(len(second))}, no longer {len(first)}"
    if needed[1] > needed[0]:
        yield f"requires {_arguments(needed[1])}, no longer {needed[0]}"
    if first != second and sorted(first) == sorted(second):
        yield "takes its arguments in another order"


def _arguments(count: int) -> str:
    return "1 argument" if count == 1 else f"{count} arguments"


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
    """Return what is in the bracket that the text begins with."""
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


_MOST = 20_000
_SHORT = 2  # a constant with such a name is a type variable
_APART = re.compile(
    r"(?:^|/)(?:tests?|testing|specs?|__tests__|docs?|examples?|benchmarks?|fixtures?|tools?|scripts?)/"
    r"|(?:^|/)(?:conftest|setup|noxfile|test_[^/]*|[^/]*_test)\.py$|[._-](?:test|spec)\.\w+$|_test\.go$"
)
_PLAIN = frozenset((
    "staticmethod", "classmethod", "abstractmethod", "contextmanager", "asynccontextmanager",
    "cache", "lru_cache", "override", "final", "wraps",
))  # fmt: skip
"""Decorators that leave what a function takes as it is written."""

_WITHOUT_MEMBERS = frozenset({"object", "Protocol", "ABC", "Generic"})
"""Bases that give a class no member that anybody would call."""

_SCRIPTS = ("javascript", "typescript", "tsx")
_OTHERS = (*_SCRIPTS, "go", "rust", "java", "ruby", "php")
_EXPORTED = re.compile(
    r"module\.exports\s*=\s*(\{[^}]*\}|[\w$]+)|export\s*(?:default\s+)?(\{[^}]*\}|[\w$]+\s*;)"
    r"|exports\.([\w$]+)\s*="
)
_PASSED_ON = re.compile(r"\bexport\s*(?:type\s+)?\{([^}]*)\}\s*from\b[^\n]*")
_DECLARED = re.compile(
    r"^\s*(?:(?:export|default|public|static|pub|async|abstract|final)\s+)*"
    r"(?:(?:type|func|var|const|let|class|function|interface|enum|fn|struct|trait|mod|def)\s+)?"
    r"([\w$]+)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Offer:
    """One public name: its source, whether it is worth asking about, and what it takes, if known.

    ``inherits`` says that it belongs to a class which may have it from another one.
    """

    name: str
    source: str
    telling: bool = True
    takes: Parameters | None = None
    inherits: bool = False


@dataclass(frozen=True)
class Interface:
    """The offers of a file by qualified name, and every name that is bound in it (``there``).

    ``everything`` says that more may be there than can be read: a star import, ``__getattr__``.
    """

    offers: Mapping[str, Offer] = field(default_factory=dict)
    there: frozenset[str] = frozenset()
    everything: bool = False


NOTHING = Interface()


def is_looked_at(path: str) -> bool:
    """Whether others rely on the names of a file: code that is not a test, example or page."""
    known = path.endswith(".py") or language_of(path) in _OTHERS
    return known and _APART.search(path) is None


def is_private(path: str) -> bool:
    """Whether a module says by its name that it is nobody else's."""
    return any(part.startswith("_") and not part.startswith("__") for part in path.split("/"))


def interface(path: str, content: bytes) -> Interface | None:
    """Return what a file offers; None when it cannot be read."""
    if path.endswith(".py"):
        try:
            return _of_python(content)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return _of_others(path, content)


def _of_python(content: bytes) -> Interface:
    text = content.decode("utf-8", "replace")
    tree, lines = python_tree(text), text.split("\n")
    exported = _listed(tree)
    offers: dict[str, Offer] = {}
    there: set[str] = set()
    everything = False
    for node in _statements(tree.body):
        names = list(_bound(node))
        there |= set(names)
        everything = everything or "*" in names or "__getattr__" in names
        for name in names:
            if (name in exported or not name.startswith("_")) and not isinstance(
                node, ast.Import | ast.ImportFrom
            ):
                offers[name] = _offer(node, name, lines, telling=_telling(node, name, exported))
        if isinstance(node, ast.ClassDef) and node.name in offers:
            found = _methods(node, lines)
            there |= {f"{node.name}.{name}" for member in node.body for name in _bound(member)}
            offers |= found
    return Interface(offers, frozenset(there), everything)


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements of a module, those below conditions as well."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try):
            handlers = [s for h in getattr(node, "handlers", ()) for s in h.body]
            yield from _statements([*node.body, *handlers, *node.orelse])


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, Function | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        inner = [each for target in targets for each in ast.walk(target)]
        yield from (name.id for name in inner if isinstance(name, ast.Name))


def _listed(tree: ast.Module) -> frozenset[str]:
    """Return the names in ``__all__``."""
    lists = [n for n in tree.body if isinstance(n, ast.Assign) and "__all__" in _bound(n)]
    inner = [each for node in lists for each in ast.walk(node.value)]
    texts = (each.value for each in inner if isinstance(each, ast.Constant))
    return frozenset(text for text in texts if isinstance(text, str))


def _telling(node: ast.stmt, name: str, exported: frozenset[str]) -> bool:
    return (
        isinstance(node, Function | ast.ClassDef)
        or name in exported
        or (name.isupper() and len(name) > _SHORT)
    )


def _offer(
    node: ast.stmt, name: str, lines: Sequence[str], *, telling: bool = True, method: bool = False,
    inherits: bool = False,
) -> Offer:  # fmt: skip
    takes = _takes(node, method=method) if isinstance(node, Function) else None
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(each.lineno for each in decorators)])
    source = "\n".join(lines[first - 1 : node.end_lineno])
    return Offer(name, source, telling, takes, inherits)


def _takes(node: Function, *, method: bool) -> Parameters | None:
    """Return what a function takes; None where a decorator may have changed that."""
    named = {_decorator(each) for each in node.decorator_list}
    if not named <= _PLAIN:
        return None
    return of_python(node, bound=method and "staticmethod" not in named)


def _decorator(node: ast.expr) -> str:
    inner = node.func if isinstance(node, ast.Call) else node
    return inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "?")


def is_protocol(owner: ast.ClassDef) -> bool:
    """Whether a class says what others have, and nothing else: ``Protocol``, ``ABC``."""
    return any(_base(base) in ("Protocol", "ABC") for base in owner.bases)


def may_inherit(owner: ast.ClassDef) -> bool:
    """Whether a class may have members from another one."""
    return any(_base(base) not in _WITHOUT_MEMBERS for base in owner.bases)


def _base(node: ast.expr) -> str:
    inner = node.value if isinstance(node, ast.Subscript) else node
    return inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "?")


def _methods(owner: ast.ClassDef, lines: Sequence[str]) -> dict[str, Offer]:
    inherits = may_inherit(owner)
    found: dict[str, Offer] = {}
    for node in owner.body:
        if isinstance(node, Function) and (not node.name.startswith("_") or _is_call(node)):
            offer = _offer(node, node.name, lines, method=True, inherits=inherits)
            found[f"{owner.name}.{node.name}"] = offer
    return found


def _is_call(node: Function) -> bool:
    return node.name in ("__init__", "__call__", "__new__")


def _of_others(path: str, content: bytes) -> Interface | None:
    found = symbols_of(path, content, most=_MOST).definitions
    lines = content.decode("utf-8", "replace").split("\n")
    language = language_of(path)
    exported = _exports("\n".join(lines)) if language in _SCRIPTS else frozenset[str]()
    offers: dict[str, Offer] = {}
    for at, definition in enumerate(found):
        if _is_public(definition, language, lines, exported):
            source = "\n".join(lines[definition.line - 1 : definition.end_line])
            takes = _written(definition.name, source, language)
            offers.setdefault(definition.name, Offer(definition.name, source, True, takes))
            offers |= _script_methods(found, at, lines) if language in _SCRIPTS else {}
    declared = _DECLARED.findall("\n".join(lines))  # what the grammar's query does not name
    passed_on = _passed_on("\n".join(lines)) if language in _SCRIPTS else {}
    offers = passed_on | offers
    there = (*declared, *passed_on, *(definition.name for definition in found))
    return Interface(offers, frozenset(there))


_BEFORE_METHOD = (re.compile(r"\s*async\s+\*?"), re.compile(r"\s*\*?"))
_BRACKET = re.compile(r"\s*(?=\()")


def _script_methods(
    found: Sequence[Definition], owner_at: int, lines: Sequence[str]
) -> dict[str, Offer]:
    """Return the public methods of a class of JavaScript or TypeScript, and what they take.

    ``found`` are the definitions of a file in order, the class is at ``owner_at``. No pattern is
    made of a name: compiling one takes longer than all the rest, and a file has thousands of names.
    """
    offers: dict[str, Offer] = {}
    owner = found[owner_at]
    for place in range(owner_at + 1, len(found)):
        one = found[place]
        if one.line > owner.end_line:
            break
        public = not one.name.startswith(("_", "#", "constructor"))
        if one.line == owner.line or one.depth != owner.depth + 1 or not public:
            continue
        source = "\n".join(lines[one.line - 1 : one.end_line])
        starts = (begin.end() for each in _BEFORE_METHOD if (begin := each.match(source)))
        ends = (at + len(one.name) for at in starts if source.startswith(one.name, at))
        called = next((hit for at in ends if (hit := _BRACKET.match(source, at))), None)
        if called:
            takes = of_text(source[called.end() :], typed=False)
            name = f"{owner.name}.{one.name}"
            offers[name] = Offer(name, source, True, takes)
    return offers


def _passed_on(text: str) -> dict[str, Offer]:
    """Return the names that a module takes from another one and offers: ``export {a} from``."""
    return {
        name: Offer(name, found[0])
        for found in _PASSED_ON.finditer(text)
        for name in re.findall(r"(?:[\w$]+\s+as\s+)?([\w$]+)", found[1])
    }


def _exports(text: str) -> frozenset[str]:
    found = (group for match in _EXPORTED.finditer(text) for group in match.groups() if group)
    return frozenset(word for group in found for word in re.findall(r"[\w$]+", group))


def _is_public(
    definition: Definition, language: str, lines: Sequence[str], exported: frozenset[str]
) -> bool:
    name, line = definition.name, lines[definition.line - 1]
    if language in _SCRIPTS:
        return definition.depth == 0 and (line.lstrip().startswith("export") or name in exported)
    if language == "go":
        return definition.depth == 0 and name[:1].isupper()
    if language in ("rust", "java"):
        return re.search(r"\bpub\b|\bpublic\b", line) is not None
    return not name.startswith("_") and re.search(r"\b(?:private|protected)\b", line) is None


_KEYWORD = re.compile(r"(?:function\*?|func(?:\s*\([^)]*\))?)\s+\Z")
_CALLED = re.compile(r"\s*(?:\[[^\]]*\])?\s*(?=\()")
_ARROW = re.compile(r"\s*(?::[^=]+)?=\s*(?:async\s*)?(?=\((?:[^()]|\([^()]*\))*\)[^=;{]*=>)")


def _written(name: str, source: str, language: str) -> Parameters | None:
    """Return what a function of JavaScript, TypeScript or Go takes, as far as it is plain."""
    if language not in (*_SCRIPTS, "go"):
        return None
    head, at = source[:2000], -1
    while (at := head.find(name, at + 1)) >= 0:
        if at and (head[at - 1].isalnum() or head[at - 1] in "_$"):
            continue
        end = at + len(name)
        called = _CALLED.match(head, end) if _KEYWORD.search(head, 0, at) else None
        if found := called or _ARROW.match(head, end):
            return of_text(head[found.end() :], typed=language == "go")
    return None
