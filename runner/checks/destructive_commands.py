"""Which commands and SQL statements destroy something for good: one table."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from runner.checks.sql import DIALECTS, PIECE, sqlglot, statements

Category = Literal["filesystem", "database", "git", "cloud", "process"]
Verdict = tuple[Category, str]
"""(category, pattern as people write it)"""

_DEEPEST = 4
_WRAPPERS = frozenset((
    "sudo", "doas", "env", "nohup", "time", "nice", "ionice", "exec", "command", "builtin",
    "xargs", "timeout", "stdbuf", "setsid", "then", "do", "else", "!", "{", "watch", "parallel",
    "chronic",
))  # fmt: skip
_SHELLS = frozenset((
    "sh", "bash", "zsh", "dash", "ksh", "ssh", "su", "eval", "trap", "cmd", "powershell",
    "pwsh", "script",
))  # fmt: skip
_ASSIGNMENT = re.compile(r"\w+=.*", re.DOTALL)
_SPLIT = re.compile(r"&&|\|\||[;|&\n]")
_SQL_CLIENTS = frozenset((
    "psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "clickhouse-client", "duckdb",
))  # fmt: skip


def judge(words: Sequence[str], *, depth: int = 0) -> Iterator[Verdict]:
    """Yield what a command destroys; those it starts (``sudo``, ``bash -c``) are looked into."""
    words = _unwrapped(words)
    if not words or depth > _DEEPEST:
        return
    name, rest = _plain_name(words[0]), list(words[1:])
    rule = _RULES.get(name) or _RULES.get(name.partition(".")[0])
    if rule and (verdict := rule(rest)):
        yield verdict
    if name in _SHELLS:
        for word in rest:
            yield from judge_text(word, depth=depth + 1)
    elif name == "find" and "-exec" in rest:
        yield from judge(rest[rest.index("-exec") + 1 :], depth=depth + 1)
    elif name in _SQL_CLIENTS:
        yield from _in_sql(rest)


def judge_text(text: str, *, depth: int = 0) -> Iterator[Verdict]:
    """Yield what one line of shell destroys, without a grammar."""
    for piece in _SPLIT.split(text[:5_000]):
        try:
            words = shlex.split(piece, comments=True)
        except ValueError:
            words = piece.split()
        yield from judge(words, depth=depth)


def _in_sql(arguments: Sequence[str]) -> Iterator[Verdict]:
    for word in arguments:
        for pattern in judge_sql(word):
            yield "database", pattern


def _plain_name(word: str) -> str:
    return word.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")


def _unwrapped(words: Sequence[str]) -> list[str]:
    """Drop what only starts another command, with its options, and assignments before it."""
    at = 0
    while at < len(words):
        if _ASSIGNMENT.fullmatch(words[at]):
            at += 1
        elif _plain_name(words[at]) in _WRAPPERS:
            at += 1
            while at < len(words) and (words[at].startswith("-") or words[at][:1].isdigit()):
                at += 1
        else:
            break
    return list(words[at:])


def _flags(words: Sequence[str]) -> str:
    """Return the letters of all short options."""
    return "".join(w[1:] for w in words if re.fullmatch(r"-[A-Za-z]+", w))


def _rm(words: list[str]) -> Verdict | None:
    short = _flags(words).lower()
    recursive = "r" in short or "--recursive" in words
    forced = "f" in short or "--force" in words
    if recursive:
        return "filesystem", "rm -rf" if forced else "rm -r"
    return None


def _git(words: list[str]) -> Verdict | None:
    while words and words[0] in {"-C", "-c", "--git-dir", "--work-tree"}:
        words = words[2:]
    given = set(words[1:])
    short = _flags(words[1:])
    found = {
        "push": "push --force" if given & {"--force", "--mirror"} or "f" in short
        or any(w.startswith(("+", "--force-with-lease")) for w in given)
        else "push --delete" if given & {"--delete", "-d"} or any(w.startswith(":") for w in given)
        else "",
        "reset": "reset --hard" if "--hard" in given else "",
        "clean": "clean -f" if "f" in short or "--force" in given else "",
        "branch": "branch -D" if "D" in short else "",
        "checkout": "checkout -f" if "f" in short or "--force" in given else "",
        "stash": f"stash {words[1]}" if words[1:2] in (["drop"], ["clear"]) else "",
        "filter-branch": "filter-branch", "filter-repo": "filter-repo",
        "reflog": "reflog expire" if "expire" in given else "",
        "update-ref": "update-ref -d" if "d" in short else "",
    }.get(words[0] if words else "", "")  # fmt: skip
    return ("git", f"git {found}") if found else None


def _verb(category: Category, name: str, verbs: str) -> Callable[[list[str]], Verdict | None]:
    """Make a rule: the first word that is one of these verbs (patterns) destroys."""
    pattern = re.compile(verbs)

    def rule(words: list[str]) -> Verdict | None:
        plain = [word for word in words[:8] if not word.startswith("-")][:4]
        for at, word in enumerate(plain):
            if pattern.fullmatch(word):
                return category, " ".join([name, *plain[: at + 1]])
        return None

    return rule


def _option(category: Category, name: str, *options: str) -> Callable[[list[str]], Verdict | None]:
    """Make a rule: one of these options destroys."""

    def rule(words: list[str]) -> Verdict | None:
        found = next((o for o in options for w in words if w == o or w.startswith(o + "=")), None)
        return (category, f"{name} {found}") if found else None

    return rule


def _always(category: Category, name: str) -> Callable[[list[str]], Verdict | None]:
    return lambda _words: (category, name)


def _aws(words: list[str]) -> Verdict | None:
    plain = [word for word in words if not word.startswith("-")][:3]
    if plain[:2] == ["s3", "rb"] or (plain[:2] == ["s3", "rm"] and "--recursive" in words):
        return "cloud", f"aws s3 {plain[1]}"
    return _verb("cloud", "aws", r"(?:delete|terminate|destroy|purge)-[\w-]+")(words)


def _dd(words: list[str]) -> Verdict | None:
    return ("filesystem", "dd of=/dev") if any(w.startswith("of=/dev/") for w in words) else None


def _kill(words: list[str]) -> Verdict | None:
    return ("process", "kill -9") if {"-9", "-KILL", "-SIGKILL"} & set(words) else None


_RULES: dict[str, Callable[[list[str]], Verdict | None]] = {
    "rm": _rm,
    "rmdir": _option("filesystem", "rmdir", "/s", "/S"),
    "rd": _option("filesystem", "rd", "/s", "/S"),
    "del": _option("filesystem", "del", "/s", "/S", "/q", "/Q"),
    "remove-item": _option("filesystem", "Remove-Item", "-Recurse", "-recurse", "-Force"),
    "find": _option("filesystem", "find", "-delete"),
    "rimraf": _always("filesystem", "rimraf"),
    "shred": _always("filesystem", "shred"),
    "wipefs": _always("filesystem", "wipefs"),
    "mkfs": _always("filesystem", "mkfs"),
    "dd": _dd,
    "dropdb": _always("database", "dropdb"),
    "redis-cli": _verb("database", "redis-cli", r"(?i:flushall|flushdb)"),
    "rails": _verb("database", "rails", r"db:(?:drop|reset|purge).*"),
    "rake": _verb("database", "rake", r"db:(?:drop|reset|purge).*"),
    "prisma": _verb("database", "prisma", r"reset"),
    "git": _git,
    "terraform": _option("cloud", "terraform", "-destroy"),
    "kubectl": _verb("cloud", "kubectl", r"delete|drain"),
    "helm": _verb("cloud", "helm", r"uninstall|delete"),
    "aws": _aws,
    "gcloud": _verb("cloud", "gcloud", r"delete"),
    "gsutil": _verb("cloud", "gsutil", r"rm|rb"),
    "az": _verb("cloud", "az", r"delete|purge"),
    "doctl": _verb("cloud", "doctl", r"delete"),
    "eksctl": _verb("cloud", "eksctl", r"delete"),
    "heroku": _verb("cloud", "heroku", r"\w*:?(?:destroy|reset)"),
    "pulumi": _verb("cloud", "pulumi", r"destroy"),
    "cdk": _verb("cloud", "cdk", r"destroy"),
    "docker": _verb("cloud", "docker", r"prune"),
    "kill": _kill,
    "killall": _always("process", "killall"),
    "pkill": _always("process", "pkill"),
    "taskkill": _option("process", "taskkill", "/F", "/f"),
    "shutdown": _always("process", "shutdown"),
    "reboot": _always("process", "reboot"),
    "halt": _always("process", "halt"),
    "poweroff": _always("process", "poweroff"),
    "systemctl": _verb("process", "systemctl", r"stop|kill|poweroff|reboot|halt"),
}
_destroy = _verb("cloud", "terraform", r"destroy")
_RULES["terraform"] = lambda words: (
    _destroy(words) or (("cloud", "terraform apply -destroy") if "-destroy" in words else None)
)
_RULES["tofu"] = _verb("cloud", "tofu", r"destroy")


_TRIGGER = re.compile(r"\b(?:DROP|TRUNCATE|DELETE)\b", re.IGNORECASE)
_DROPPED = frozenset({"TABLE", "DATABASE", "SCHEMA", "COLUMN", "USER", "ROLE"})
_DROP = re.compile(r"\s*(DROP\s+(?:TABLE|DATABASE|SCHEMA|USER|ROLE)|TRUNCATE(?:\s+TABLE)?)\b", re.I)
_LEADING = re.compile(r"(?:\s|--[^\n]*|/\*.*?\*/)*", re.DOTALL)
_LONGEST = 16_000


def judge_sql(text: str) -> Iterator[str]:
    """Yield the pattern of each statement that destroys."""
    for _, pattern in placed(text):
        yield pattern


def placed(text: str) -> Iterator[tuple[int, str]]:
    """Yield offset and pattern of each statement that destroys."""
    if not _TRIGGER.search(text):
        return
    start = 0
    for found in (*PIECE.finditer(text), None):
        if found and not found["end"]:
            continue
        end = found.start() if found else len(text)
        statement = text[start:end]
        if len(statement) <= _LONGEST and _TRIGGER.search(statement):
            blanks = _LEADING.match(statement)
            at = start + (blanks.end() if blanks else 0)
            yield from ((at, pattern) for pattern in _patterns(statement))
        start = end + 1


def _patterns(statement: str) -> Iterator[str]:
    trees = next((t for d in DIALECTS[:4] if (t := statements(statement, d)) is not None), None)
    if trees is None:  # no grammar accepts it; plain words still count
        if found := _DROP.match(_LEADING.sub("", statement, count=1)):
            yield " ".join(found[1].upper().split())
        return
    kinds = sqlglot().exp
    for tree in trees:
        for node in tree.find_all(kinds.Drop, kinds.TruncateTable, kinds.Delete):
            if pattern := _pattern(node):
                yield pattern
        if isinstance(tree, kinds.Command) and (found := _DROP.match(statement)):
            yield " ".join(found[1].upper().split())


def _pattern(node: Any) -> str:
    kinds = sqlglot().exp
    if isinstance(node, kinds.Drop):
        kind = str(node.args.get("kind") or "").upper()
        return f"DROP {kind}" if kind in _DROPPED else ""
    if isinstance(node, kinds.TruncateTable):
        return "TRUNCATE TABLE"
    return "" if node.args.get("where") or node.args.get("limit") else "DELETE without WHERE"
