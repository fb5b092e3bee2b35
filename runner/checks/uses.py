"""Who uses a public name: the places of a repository that break when it is gone or takes less."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from runner.checks.interfaces import Given, given_by, given_in, is_protocol, of_python
from runner.code.imports import ModulePaths, imported
from runner.code.languages import Function, language_of, python_tree
from runner.code.symbols import symbols_of

_FAMILIES = {"typescript": "javascript", "tsx": "javascript"}
_NO_CODE = re.compile(
    rb"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|(?m:^\s*#[^\n]*)", re.DOTALL
)
_EXPORTERS = 3
_OF_BUILT_IN = frozenset(
    name for kind in (str, bytes, list, dict, set, int, float) for name in dir(kind)
)


@dataclass(frozen=True, slots=True)
class Use:
    """One place that uses a name; ``given`` when it is a call."""

    path: str
    line: int
    given: Given | None = None


@dataclass
class CodeFiles:
    """The code files of the tree after the change, by path; what is read of them is kept."""

    files: Mapping[str, bytes]
    _trees: dict[str, ast.Module | None] = field(default_factory=dict)

    def tree(self, path: str) -> ast.Module | None:
        """Return the syntax tree of a Python file; None where it does not parse."""
        if path not in self._trees:
            try:
                self._trees[path] = python_tree(self.files[path])
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                self._trees[path] = None
        return self._trees[path]

    def with_word(self, word: str, family: str) -> Iterator[str]:
        """Yield the paths of one family of languages whose text has the word."""
        pattern = re.compile(rf"(?<![\w$]){re.escape(word)}(?![\w$])".encode())
        for path, content in self.files.items():
            if family_of(path) == family and pattern.search(content):
                yield path


def family_of(path: str) -> str:
    """Name the languages that can use each other's names by one of them."""
    language = language_of(path)
    return _FAMILIES.get(language, language)


def uses_of(name: str, path: str, repository: CodeFiles, *, gone: bool) -> list[Use]:
    """Return the places that use a name which ``path`` offers, or offered, and nobody else does.

    ``name`` may be ``Class.method``. If it is unclear whose name it is, nothing is returned; but if
    it is ``gone`` from a protocol, every use of what other classes still have counts. A base or
    a protocol uses the methods of the classes that implement it.
    """
    owner, _, last = name.rpartition(".")
    if path.endswith(".py"):
        if last in ("__init__", "__new__"):
            return list(_of_name(owner, path, repository))
        if not owner:
            return list(_of_name(name, path, repository))
        if mine := _class(owner, path, repository):
            shared = gone and is_protocol(mine)
            asked = () if is_protocol(mine) else _of_bases(last, mine, path, repository)
            return [*asked, *_of_method(last, owner, repository, shared=shared)]
        return list(_of_method(last, owner, repository, shared=False))
    return _of_word(last, path, repository)


def _of_name(name: str, path: str, repository: CodeFiles) -> Iterator[Use]:
    """Yield uses of a name of a module: in it, by import, or as an attribute of the module."""
    modules = {path}
    users = [p for p in repository.with_word(name, "python") if repository.tree(p)]
    for _ in range(_EXPORTERS):  # a package that imports the name offers it, too
        modules |= {user for user in users if _imports_name(user, name, modules, repository)}
    for user in users:
        tree = repository.tree(user)
        assert tree is not None  # noqa: S101 - chosen so
        yield from _in_file(tree, user, name, path, modules, repository)


def _imports_name(user: str, name: str, modules: set[str], repository: CodeFiles) -> bool:
    tree = repository.tree(user)
    return any(
        alias.name == name and alias.asname in (None, name)
        for node in _from_imports(tree, user, modules, repository)
        for alias in node.names
    )


def _from_imports(
    tree: ast.Module | None, user: str, modules: set[str], repository: CodeFiles
) -> Iterator[ast.ImportFrom]:
    """Yield the statements that import from one of the modules and have to find what they name."""
    nodes = list(ast.walk(tree)) if tree else []
    optional = {id(each) for node in nodes for each in _tried(node)}
    for node in nodes:
        if not isinstance(node, ast.ImportFrom) or id(node) in optional:
            continue
        if _names(node, user, modules, repository):
            yield node


def _tried(node: ast.AST) -> list[ast.stmt]:
    """The statements after whose ImportError a file goes on."""
    handlers = node.handlers if isinstance(node, ast.Try) else []
    caught = (name for each in handlers for name in ast.walk(each.type or ast.Name("Exception")))
    names = {name.id for name in caught if isinstance(name, ast.Name)}
    wide = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
    return node.body if isinstance(node, ast.Try) and names & wide else []


def _names(node: ast.ImportFrom, user: str, modules: set[str], repository: CodeFiles) -> bool:
    """Whether the statement imports from one of the modules."""
    if node.level:
        folder = user
        for _ in range(node.level):
            folder = folder.rpartition("/")[0]
        start = "/".join(filter(None, (folder, (node.module or "").replace(".", "/"))))
        return bool(modules & {f"{start}.py", f"{start}/__init__.py".lstrip("/")})
    return any(node.module in dotted(module, repository) for module in modules)


def dotted(path: str, repository: CodeFiles) -> frozenset[str]:
    """Return the names a module can be imported by, from the root of its package or tree."""
    plain = path.removesuffix(".py").removesuffix("/__init__")
    parts = plain.split("/")
    root = len(parts) - 1
    while root and "/".join([*parts[:root], "__init__.py"]) in repository.files:
        root -= 1
    starts = {0, root} | ({1} if parts[0] in ("src", "lib") else set())
    return frozenset(".".join(parts[start:]) for start in starts)


def _in_file(
    tree: ast.Module, user: str, name: str, path: str, modules: set[str], repository: CodeFiles
) -> Iterator[Use]:
    direct = {name} if user == path and not _rebound(tree, name) else set[str]()
    for node in _from_imports(tree, user, modules, repository):
        for alias in node.names:
            if alias.name == name:
                direct.add(alias.asname or name)
                yield Use(user, node.lineno)
    aliases = set(_module_names(tree, user, modules, repository))
    calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for inner in ast.walk(tree):
        if isinstance(inner, ast.Name):
            uses = inner.id in direct and isinstance(inner.ctx, ast.Load)
        else:
            uses = (
                isinstance(inner, ast.Attribute)
                and inner.attr == name
                and bool(aliases)
                and ast.unparse(inner.value) in aliases
            )
        if uses and isinstance(inner, ast.expr):
            call = calls.get(id(inner))
            yield Use(user, inner.lineno, given_by(call) if call else None)


def _rebound(tree: ast.Module, name: str) -> bool:
    """Whether the name is bound somewhere inside, so that a use of it may mean something else."""
    return any(
        (isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.arg) and node.arg == name)
        or (isinstance(node, ast.alias) and (node.asname or node.name) == name)
        for node in ast.walk(tree)
    )


def _module_names(
    tree: ast.Module, user: str, modules: set[str], repository: CodeFiles
) -> Iterator[str]:
    """Yield what a file calls one of the modules."""
    names = {name for module in modules for name in dotted(module, repository)}
    stems = {name.rpartition(".")[2] for name in names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.asname or alias.name for alias in node.names if alias.name in names)
            tops = {alias.name.partition(".")[0] for alias in node.names}
            yield from (name for name in names if name.partition(".")[0] in tops)
        elif isinstance(node, ast.ImportFrom) and any(a.name in stems for a in node.names):
            for alias in node.names:
                module = ".".join(filter(None, (node.module, alias.name)))
                inner = ast.ImportFrom(module if not node.level else alias.name, [], node.level)
                if node.level and node.module:
                    inner.module = module
                if _names(inner, user, modules, repository):
                    yield alias.asname or alias.name


def _class(name: str, path: str, repository: CodeFiles) -> ast.ClassDef | None:
    tree = repository.tree(path) if path in repository.files else None
    classes = (node for node in (tree.body if tree else ()) if isinstance(node, ast.ClassDef))
    return next((node for node in classes if node.name == name), None)


def _of_bases(name: str, owner: ast.ClassDef, path: str, repository: CodeFiles) -> Iterator[Use]:
    """Yield what asks for a method: bases of the class, and protocols that it has all of."""
    bases = {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in owner.bases}
    has = {name, *(each for member in owner.body if (each := getattr(member, "name", "")))}
    words = ("Protocol", "ABC", *filter(None, bases))
    paths = dict.fromkeys(p for word in words for p in repository.with_word(word, "python"))
    for file in paths:
        tree = repository.tree(file)
        for node in tree.body if tree else ():
            if not isinstance(node, ast.ClassDef) or node is owner:
                continue
            methods = {each.name: each for each in node.body if isinstance(each, Function)}
            all_there = is_protocol(node) and methods.keys() <= has
            if name in methods and (all_there or node.name in bases):
                takes = of_python(methods[name], bound=True)
                needed = tuple(each.name for each in takes.by_name if each.required)
                yield Use(file, methods[name].lineno, Given(len(takes.ordered), needed))


def _of_method(name: str, owner: str, repository: CodeFiles, *, shared: bool) -> Iterator[Use]:
    """Yield uses of a method, unless another class or a built-in type has one of its name.

    Of a method that is ``shared``, others must have it: they are what implements a protocol.
    """
    if name == "__call__" or name in _OF_BUILT_IN:
        return
    users = [(p, repository.tree(p)) for p in repository.with_word(name, "python")]
    found: list[Use] = []
    defined = False
    for path, tree in users:
        for node in ast.walk(tree) if tree else ():
            defined = defined or _defines(node, name, owner)
            if defined and not shared:
                return
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == name:
                found.append(Use(path, node.lineno, given_by(node)))
    yield from found if defined or not shared else ()


def _defines(node: ast.AST, name: str, owner: str) -> bool:
    """Whether the node gives something else the name: a member of another class, a function."""
    if isinstance(node, ast.ClassDef) and node.name != owner:
        return any(getattr(member, "name", "") == name for member in node.body)
    stores = isinstance(node, ast.Attribute) and node.attr == name
    return stores and isinstance(getattr(node, "ctx", None), ast.Store)


def _of_word(name: str, path: str, repository: CodeFiles) -> list[Use]:
    """Return the places of a name of another language; none if a second file defines it."""
    family = family_of(path)
    users = list(repository.with_word(name, family))
    for user in users:
        known = symbols_of(user, repository.files[user], most=20_000).definitions
        if user != path and any(definition.name == name for definition in known):
            return []
    near = [user for user in users if user == path or _reaches(user, path, repository)]
    return [use for user in near for use in _words(user, name, repository.files[user])]


def _reaches(user: str, path: str, repository: CodeFiles) -> bool:
    """Whether a file can use the names of another one without a prefix, or imports it."""
    if family_of(path) not in ("javascript", "go"):
        return True
    if family_of(path) == "go" and user.rpartition("/")[0] == path.rpartition("/")[0]:
        return True
    statements = symbols_of(user, repository.files[user]).imports
    return path in imported(user, statements, ModulePaths({*repository.files, path}))


def _words(path: str, name: str, content: bytes) -> Iterator[Use]:
    """Yield where a name stands outside of comments and texts."""

    def blanked(found: re.Match[bytes]) -> bytes:
        return re.sub(rb"[^\n]", b" ", found[0])

    code, given = _NO_CODE.sub(blanked, content), given_in(path, content)
    own = {d.line for d in symbols_of(path, content, most=20_000).definitions if d.name == name}
    word = re.escape(name).encode()
    for found in re.finditer(rb"(?<![\w$\x80-\xff])%s(?![\w$\x80-\xff])" % word, code):
        line = code.count(b"\n", 0, found.start()) + 1
        if line not in own:
            yield Use(path, line, given.get(found.start()))
