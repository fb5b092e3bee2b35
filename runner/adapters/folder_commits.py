"""Commits of a plain folder, kept in files: a tree, what it builds on, and who made it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from runner.adapters.content_store import ContentStore
from runner.adapters.durable import telling, write_file
from runner.errors import Outage, TaskError
from runner.snapshot import Entry, object_sha

NONE = "0" * 40


@dataclass(frozen=True)
class Commit:
    """One state of the folder; ``run`` made it, '' for what the user made of it."""

    id: str
    parent: str
    tree: str
    run: str
    message: str
    entries: Mapping[str, Entry]


def commit_of(
    entries: Mapping[str, Entry], tree: str, *, parent: str, run: str = "", message: str = ""
) -> Commit:
    """Make a commit; the same one again has the same id."""
    about = json.dumps([parent, tree, run, message]).encode()
    return Commit(object_sha("commit", about), parent, tree, run, message, entries)


class FolderCommits:
    """Commits and contents in a folder. Methods raise ``Outage``.

    ``pending`` is a commit whose files are being written: a crash in between is made good.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.contents = ContentStore(folder / "contents")

    @property
    def head(self) -> str:
        """The newest commit, ``NONE`` when there is none."""
        return self._word("head") or NONE

    @head.setter
    def head(self, commit: str) -> None:
        write_file(self._folder / "head", commit.encode())

    @property
    def pending(self) -> str:
        """The commit that is being written, ''."""
        return self._word("pending")

    @pending.setter
    def pending(self, commit: str) -> None:
        write_file(self._folder / "pending", commit.encode())

    def put(self, commit: Commit) -> None:
        """Keep a commit."""
        write_file(self._file(commit.id), json.dumps(asdict(commit)).encode())

    def get(self, id: str) -> Commit:
        """Return a commit. Raises ``TaskError`` when there is none."""
        try:
            data = json.loads(self._file(id).read_bytes())
            entries = {path: Entry(**entry) for path, entry in data.pop("entries").items()}
            return Commit(**data, entries=entries)
        except FileNotFoundError:
            raise TaskError("file", f"There is no state {id} of this folder.") from None
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise Outage("file", f"{self._file(id)} cannot be read: {error}. Remove it.") from error

    def back_to(self, commit: str) -> list[Commit] | None:
        """The commits made since one, the newest first; None when HEAD does not build on it."""
        since, at = [], self.head
        while at not in (commit, NONE):
            since.append(self.get(at))
            at = since[-1].parent
        return since if at == commit else None

    def _word(self, name: str) -> str:
        with telling(f"read {self._folder / name}"):
            file = self._folder / name
            return file.read_text().strip() if file.exists() else ""

    def _file(self, id: str) -> Path:
        return self._folder / "commits" / f"{id}.json"
