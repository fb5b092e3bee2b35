"""Which commands and SQL statements destroy something for good: one table."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Literal

from runner.checks import sql

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
_STARTED = (
    rf"[ \t]*(?>(?:(?:{'|'.join(map(re.escape, sorted(_WRAPPERS)))}|\w+=\S*|-\S+|\d\S*)\s+)*)"
)
_DOWNLOAD = re.compile(
    rf"(?:^|[;&|(\n]){_STARTED}(?:[\w./-]*/)?(?P<by>curl|wget)\s(?:\\\n|(?!&&|\|\|)[^;\n]){{0,500}}?"
    rf"(?<!\|)\|(?!\|)\s*{_STARTED}(?:[\w./-]*/)?"
    r"(?P<into>(?:ba|z|da|k)?sh(?![\w.-])|python[\d.]*+(?=\s*(?:$|-(?:\s|$)|[;&|)\n\"'])))"
)
"""A download that a shell runs; Python does so only without a script, a module or a command."""

_SQL_CLIENTS = frozenset((
    "psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "clickhouse-client", "duckdb",
))  # fmt: skip


def judge(words: Sequence[str], *, depth: int = 0) -> Iterator[Verdict]:
    """Yield what a command destroys; those it starts (``sudo``, ``bash -c``) are looked into."""
    words = _unwrapped(words)
    if not words or depth > _DEEPEST:
        return
    name, rest = _plain_name(words[0]), list(words[1:])
    special = _SPECIAL.get(name)
    if verdict := special(rest) if special else _ruled(name, rest):
        yield verdict
    if name in _SHELLS:
        for word in rest:
            yield from judge_text(word, depth=depth + 1)
    elif name == "find" and "-exec" in rest:
        yield from judge(rest[rest.index("-exec") + 1 :], depth=depth + 1)
    elif name in _SQL_CLIENTS:
        yield from (("database", pattern) for word in rest for pattern in judge_sql(word))


def judge_text(text: str, *, depth: int = 0) -> Iterator[Verdict]:
    """Yield what one line of shell destroys, without a grammar."""
    yield from judge_downloads(text)
    for piece in _SPLIT.split(text[:5_000]):
        try:
            words = shlex.split(piece, comments=True)
        except ValueError:
            words = piece.split()
        yield from judge(words, depth=depth)


def judge_downloads(text: str) -> Iterator[Verdict]:
    """Yield each download that is piped into a shell: nobody knows what it does."""
    for found in _DOWNLOAD.finditer(text[:5_000]):
        yield "process", f"{found['by']} | {found['into']}"


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
    if "r" not in short and "--recursive" not in words:
        return None
    return "filesystem", "rm -rf" if "f" in short or "--force" in words else "rm -r"


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


def _aws(words: list[str]) -> Verdict | None:
    plain = [word for word in words if not word.startswith("-")][:3]
    if plain[:2] == ["s3", "rb"] or (plain[:2] == ["s3", "rm"] and "--recursive" in words):
        return "cloud", f"aws s3 {plain[1]}"
    return _ruled("aws", words)


def _ruled(name: str, words: list[str]) -> Verdict | None:
    """Judge a command by its row: one of its verbs destroys, or of its options; or it always does.

    The row says how people write the command, and which verbs and options (patterns) those are.
    """
    row = _RULES.get(name) or _RULES.get(name.partition(".")[0])
    if row is None:
        return None
    category, written, verbs, options = row
    if not verbs and not options:
        return category, written
    plain = [word for word in words[:8] if not word.startswith("-")][:4]
    for at, word in enumerate(plain):
        if re.fullmatch(verbs, word):
            return category, " ".join([written, *plain[: at + 1]])
    found = (word for word in words if options and re.fullmatch(options, word))
    return next(((category, f"{written} {word}") for word in found), None)


_SPECIAL = {"rm": _rm, "git": _git, "aws": _aws}
_RULES: dict[str, tuple[Category, str, str, str]] = {
    "rmdir": ("filesystem", "rmdir", "", "/[sS]"),
    "rd": ("filesystem", "rd", "", "/[sS]"),
    "del": ("filesystem", "del", "", "/[sSqQ]"),
    "remove-item": ("filesystem", "Remove-Item", "", "(?i:-recurse|-force)"),
    "find": ("filesystem", "find", "", "-delete"),
    "rimraf": ("filesystem", "rimraf", "", ""),
    "shred": ("filesystem", "shred", "", ""),
    "wipefs": ("filesystem", "wipefs", "", ""),
    "mkfs": ("filesystem", "mkfs", "", ""),
    "dd": ("filesystem", "dd", "", "of=/dev/.*"),
    "dropdb": ("database", "dropdb", "", ""),
    "redis-cli": ("database", "redis-cli", "(?i:flushall|flushdb)", ""),
    "rails": ("database", "rails", "db:(?:drop|reset|purge).*", ""),
    "rake": ("database", "rake", "db:(?:drop|reset|purge).*", ""),
    "prisma": ("database", "prisma", "reset", ""),
    "terraform": ("cloud", "terraform", "destroy", "-destroy"),
    "tofu": ("cloud", "tofu", "destroy", "-destroy"),
    "kubectl": ("cloud", "kubectl", "delete|drain", ""),
    "helm": ("cloud", "helm", "uninstall|delete", ""),
    "aws": ("cloud", "aws", r"(?:delete|terminate|destroy|purge)-[\w-]+", ""),
    "gcloud": ("cloud", "gcloud", "delete", ""),
    "gsutil": ("cloud", "gsutil", "rm|rb", ""),
    "az": ("cloud", "az", "delete|purge", ""),
    "doctl": ("cloud", "doctl", "delete", ""),
    "eksctl": ("cloud", "eksctl", "delete", ""),
    "heroku": ("cloud", "heroku", r"\w*:?(?:destroy|reset)", ""),
    "pulumi": ("cloud", "pulumi", "destroy", ""),
    "cdk": ("cloud", "cdk", "destroy", ""),
    "docker": ("cloud", "docker", "prune", ""),
    "kill": ("process", "kill", "", "-(?:9|KILL|SIGKILL)"),
    "killall": ("process", "killall", "", ""),
    "pkill": ("process", "pkill", "", ""),
    "taskkill": ("process", "taskkill", "", "/[Ff]"),
    "shutdown": ("process", "shutdown", "", ""),
    "reboot": ("process", "reboot", "", ""),
    "halt": ("process", "halt", "", ""),
    "poweroff": ("process", "poweroff", "", ""),
    "systemctl": ("process", "systemctl", "stop|kill|poweroff|reboot|halt", ""),
}


_TRIGGER = re.compile(r"\b(?:DROP|TRUNCATE|DELETE)\b", re.IGNORECASE)
_DROPPED = frozenset({"TABLE", "DATABASE", "SCHEMA", "COLUMN", "USER", "ROLE"})
_DROP = re.compile(
    r"(?:\s|--[^\n]*|/\*.*?\*/)*(DROP\s+(?:TABLE|DATABASE|SCHEMA|USER|ROLE)|TRUNCATE(?:\s+TABLE)?)\b",
    re.IGNORECASE | re.DOTALL,
)
_LEADING = re.compile(r"(?:\s|--[^\n]*|/\*.*?\*/)*", re.DOTALL)


def judge_sql(text: str) -> Iterator[str]:
    """Yield the pattern of each statement that destroys."""
    yield from (pattern for _, pattern in placed(text))


def placed(text: str) -> Iterator[tuple[int, str]]:
    """Yield offset and pattern of each statement that destroys."""
    if not _TRIGGER.search(text):
        return
    for start, statement in sql.statements(text):
        if _TRIGGER.search(statement):
            at = start + len(statement) - len(_LEADING.sub("", statement, count=1))
            yield from ((at, pattern) for pattern in _patterns(statement))


def _patterns(statement: str) -> Iterator[str]:
    trees = sql.read(statement)
    plain = _DROP.match(statement)  # for what no grammar accepts
    by_word = " ".join(plain[1].upper().split()) if plain else ""
    if isinstance(trees, sql.SqlRefusal):
        yield from filter(None, [by_word])
        return
    kinds = sql.sqlglot().exp
    for tree in trees:
        for node in tree.find_all(kinds.Drop, kinds.TruncateTable, kinds.Delete):
            kind = str(node.args.get("kind") or "").upper()
            if isinstance(node, kinds.TruncateTable):
                yield "TRUNCATE TABLE"
            elif isinstance(node, kinds.Drop) and kind in _DROPPED:
                yield f"DROP {kind}"
            elif isinstance(node, kinds.Delete) and not (
                node.args.get("where") or node.args.get("limit")
            ):
                yield "DELETE without WHERE"
        if isinstance(tree, kinds.Command):
            yield from filter(None, [by_word])
