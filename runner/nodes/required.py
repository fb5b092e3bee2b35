"""Files a task names must be there in the end, as far as what it names is surely a file."""

from __future__ import annotations

import re

from runner.changes import ChangeSet
from runner.findings import Complaint
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

# what is read or looked at need not be in the repository: "shows the notes of `data/notes.json`"
_LOOKED_AT = (
    r"\b(?:for|from|of|by|via|like|see|than|reads?|loads?|parses?|opens?|finds?|deletes?|removes?)"
    r"\s+(?:(?:the|a|an|its|file|files)\s+)*[`\"'*(\[]*"
)


def missing_files(task: Task, changes: ChangeSet, base: Snapshot) -> tuple[Complaint, ...]:
    """Complain of files the task names that neither the base has nor the answer makes.

    A file of the same name elsewhere counts; one that the answer deletes or moves was there. A
    file the task speaks of only as one that is read is not asked for.
    """
    said = "\n".join((task.text, task.details, *task.acceptance))
    there = {*base.entries, *changes.entries(base)}
    names = {path.rpartition("/")[2] for path in there}
    return tuple(
        Complaint(path, "MissingFile", "the task names this file, but the answer did not make it")
        for path in task.files
        if _is_file(path) and path.rpartition("/")[2] not in names and not _looked_at(path, said)
    )


def _is_file(path: str) -> bool:
    return _FILE.fullmatch(path.rpartition("/")[2]) is not None


def _looked_at(path: str, said: str) -> bool:
    name = re.escape(path)
    looked = len(re.findall(_LOOKED_AT + name, said, re.IGNORECASE))
    return 0 < looked == len(re.findall(rf"(?<![\w./-]){name}", said))
