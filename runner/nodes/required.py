"""Which of the files that a task speaks of it asks for, and which of those nobody made."""

from __future__ import annotations

import re

from runner.changes import ChangeSet
from runner.findings import Complaint
from runner.roadmap.files import listed_files
from runner.roadmap.task import Task
from runner.snapshot import Snapshot

# `os.path`, `application/json` and `owner/name` look like paths and are none; a task that says
# them could never be finished, so only endings that files are known to have are required
_FILE = re.compile(
    r"[^/]*\.(?:bash|bat|c|cc|cfg|conf|cpp|cs|css|csv|dart|diff|env|ex|exs|go|gradle|graphql|h|hpp|hs|htm|"
    r"html|ini|ipynb|java|js|json|jsonc|jsx|kt|lock|lua|md|mdx|mjs|mk|php|pl|proto|ps1|py|pyi|r|rb|"
    r"rs|rst|scala|scss|sh|sql|svelte|svg|swift|tex|tf|toml|ts|tsv|tsx|txt|vue|xml|yaml|yml)",
    re.IGNORECASE,
)

# what is read, run or looked at need not be in the repository: "shows the notes of `notes.json`"
_LOOKED_AT = re.compile(
    r"\b(?:for|from|of|by|via|like|see|than|reads?|loads?|parses?|opens?|finds?|deletes?|removes?"
    r"|runs?|running|pass(?:es)?|satisf\w+|use[sd]?|using|per|against|until|under|follow\w*"
    r"|(?:as|described|specified|shown|given|tests? (?:are|is|stay|live)) in|according to)"
    r"\s+(?:(?:the|a|an|its|file|files|tests?|test file|existing)\s+)*[`\"'*(\[]*$",
    re.IGNORECASE,
)
_SPOKEN_OF = re.compile(
    r"[`\"'*)\]]*\s*(?:\(?\s*(?:already|exists?\b|existing|do not|don't|unchanged|as is)"
    r"|(?:must |should |can |will |to |now |then |still )*"
    r"(?:pass|succeed|work|turns? green|is green|uses?|calls?|imports?|checks?"
    r"|is (?:checked|used))\b)",
    re.IGNORECASE,
)
_CREATED = re.compile(
    r"\b(?:creat|writ|add|mak|implement|generat|introduc|build|produc|provid|put|sav|stor|plac"
    r"|scaffold|extract|mov|split|renam|copy)\w*"
    r"(?:\s|,|:|\b(?:the|an?|new|files?|modules?|scripts?|tests?|pages?|named|called|also|and|or|to"
    r"|into|in|as|at|it|them|this|that)\b|`[^`\n]*`|[*\"'(\[])*$",
    re.IGNORECASE,
)


def missing_files(task: Task, changes: ChangeSet, base: Snapshot) -> tuple[Complaint, ...]:
    """Complain of files the task asks for that neither the base has nor the answer makes.

    A file of the same name elsewhere counts; one that the answer deletes or moves was there.
    """
    there = {*base.entries, *changes.entries(base)}
    names = {path.rpartition("/")[2] for path in there}
    return tuple(
        Complaint(path, "MissingFile", "the task names this file, but the answer did not make it")
        for path in task.files
        if _is_file(path) and path.rpartition("/")[2] not in names and asked_for(path, task)
    )


def asked_for(path: str, task: Task) -> bool:
    """Whether the task says to make or change the file, and does not only speak of it.

    It does in its title, after "Files:", and in its details after a word that says to make it.
    """
    details = "\n".join((task.details, *task.acceptance))
    if path in listed_files(f"{task.text}\n{details}"):
        return True
    in_title = _mentions(path, task.text)
    in_details = [mention for mention in _mentions(path, details) if _CREATED.search(mention[0])]
    return any(not _in_passing(*mention) for mention in (*in_title, *in_details))


def _mentions(path: str, said: str) -> list[tuple[str, str]]:
    """Return what stands before and after each mention of a path."""
    found = re.finditer(rf"(?<![\w./-]){re.escape(path)}(?![\w/-])", said)
    return [
        (said[max(0, m.start() - 120) : m.start()], said[m.end() : m.end() + 60]) for m in found
    ]


def _in_passing(before: str, after: str) -> bool:
    return bool(_LOOKED_AT.search(before) or _SPOKEN_OF.match(after))


def _is_file(path: str) -> bool:
    return _FILE.fullmatch(path.rpartition("/")[2]) is not None
