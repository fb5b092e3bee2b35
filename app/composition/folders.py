"""Part of the composition root: what lies in the data folder for each repository."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.github.mirror import Mirror
from runner.adapters.file_memory import FileMemory
from runner.adapters.run_files import RunFiles


class Folders:
    """One mirror and one project memory a repository, whichever of its runs asks."""

    def __init__(self, data: Path, *, mask: Callable[[str], str]) -> None:
        self._data = data
        self._mask = mask
        self._mirrors: dict[int, Mirror] = {}
        self._memories: dict[int, FileMemory] = {}

    def mirror(self, repository_id: int) -> Mirror:
        """The bare mirror that snapshots are read from."""
        if repository_id not in self._mirrors:
            self._mirrors[repository_id] = Mirror(self._data / "mirrors" / str(repository_id))
        return self._mirrors[repository_id]

    def memory(self, repository_id: int) -> FileMemory:
        """What runs of the repository left to know."""
        if repository_id not in self._memories:
            path = self._left_behind(repository_id) / "memory.json"
            self._memories[repository_id] = FileMemory(path, mask=self._mask)
        return self._memories[repository_id]

    def run_files(self, repository_id: int) -> RunFiles:
        """Writes what a run leaves behind."""
        return RunFiles(self._left_behind(repository_id), mask=self._mask)

    def _left_behind(self, repository_id: int) -> Path:
        return self._data / "executor" / str(repository_id)
