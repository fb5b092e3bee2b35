"""Keep state between workflow runs: an archive on a branch, one commit without parents.

The branch moves by compare-and-swap, and we read only what our own account committed. Anybody who
can push may copy our name, so author, committer and, where this GitHub signs, the signature must
all be ours. No other commit of ours lacks a parent. To keep the archive small, it has only those
parts of finished runs that later runs ask for.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import io
import re
import shutil
import sqlite3
import tarfile
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from app.action.job import ActionRefused
from app.github.api import RepositoryApi, ref_path
from app.github.commits import Commits
from app.texts import action_texts as texts
from runner.errors import TaskError

DATABASE = "cairn.db"
MOST_ARCHIVE_BYTES = 1 << 30
"""Unpacked; what is kept of a repository is a thousandth of it."""
_KEPT = (DATABASE, "action.json", "executor/*/memory.json")
_OURS = re.compile(r"cairn\.db|action\.json|executor/[0-9]+/memory\.json")
_OVER = "(SELECT id FROM runs WHERE status IN ('ended', 'cancelled'))"
_FORGET = (
    f"DELETE FROM journal WHERE run IN {_OVER}",  # noqa: S608 - no value of others in it
    f"DELETE FROM answers WHERE run IN {_OVER}",  # noqa: S608 - likewise
    "DELETE FROM contents WHERE NOT EXISTS (SELECT 1 FROM journal)",
    "UPDATE deliveries SET payload = x'', headers = '{}' WHERE status IN ('done', 'ignored')",
    "VACUUM",
)


def pack(folder: Path) -> bytes:
    """Return what is in the data folder, as a compressed tar archive."""
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory() as place, tarfile.open(fileobj=packed, mode="w") as tar:
        copied = Path(place, DATABASE)
        if (folder / DATABASE).exists():
            _copy(folder / DATABASE, copied)
            tar.add(copied, DATABASE)
        for pattern in _KEPT[1:]:
            for path in sorted(folder.glob(pattern)):
                tar.add(path, str(path.relative_to(folder)))
    return gzip.compress(packed.getvalue(), mtime=0)


def unpack(packed: bytes, folder: Path) -> None:
    """Put an archive's files into the data folder; leave out files that are not ours.

    Raises ``ValueError`` if it is not an archive of at most ``MOST_ARCHIVE_BYTES``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as tar:
            for each in _ours(tar):
                _write(tar, each, folder / each.name)
    except (tarfile.TarError, OSError, EOFError) as error:
        raise ValueError(f"it is not an archive: {error}") from error


def _ours(tar: tarfile.TarFile) -> list[tarfile.TarInfo]:
    """The files that are kept; all names and sizes are looked at before one is written."""
    ours, left = [], MOST_ARCHIVE_BYTES
    for each in tar:
        left -= each.size
        if left < 0:  # a few bytes may unpack to a full disk
            raise ValueError(f"it holds more than {MOST_ARCHIVE_BYTES:,} bytes")
        if each.isreg() and _OURS.fullmatch(each.name):
            ours.append(each)
    return ours


def _write(tar: tarfile.TarFile, each: tarfile.TarInfo, path: Path) -> None:
    # not by extractall, which is safe by a filter that not every Python 3.11 has
    path.parent.mkdir(parents=True, exist_ok=True)
    content = tar.extractfile(each)
    if content is not None:
        with content, path.open("wb") as file:
            shutil.copyfileobj(content, file)


def _copy(database: Path, to: Path) -> None:
    """Copy a database that is in use, without what nobody will ask for."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("VACUUM INTO ?", (str(to),))
    with closing(sqlite3.connect(to, isolation_level=None)) as connection:
        for statement in _FORGET:
            connection.execute(statement)


ARCHIVE = "state.tar.gz"
MOST_BRANCH_BYTES = 50 << 20
_MESSAGE = "State of Cairn between workflow runs"

_Form = tuple[tuple[str, ...], bool]


class StateBranch:
    """One branch of one repository. Every method raises ``Outage`` or ``TaskError``."""

    def __init__(self, api: RepositoryApi, *, branch: str, bot_login: str) -> None:
        self._api = api
        self._commits = Commits(api)
        self._branch = branch
        self._bot = bot_login
        self._at = ""
        self._tried: set[str] = set()  # a move that was cut off may have happened all the same
        self._form: _Form | None = None
        self._turn = asyncio.Lock()

    async def probe(self) -> None:
        """Make a commit on no branch: it shows whether we may write, and how our commits look."""
        made = await self._commit({"README.md": f"{texts.state_readme()}\n".encode()})
        self._form = _form(made)

    async def restore(self, folder: Path) -> bool:
        """Put what was kept into a folder; False when nothing was. Raises ``ActionRefused``."""
        self._at = await self._tip()
        if not self._at:
            return False
        commit = await self._api.get(f"git/commits/{self._at}", "show the state's commit")
        if not self._is_ours(commit):
            raise ActionRefused(texts.foreign_state(branch=self._branch, bot=self._bot))
        tree = await self._api.get(f"git/trees/{commit['tree']['sha']}", "list the state's files")
        shas = [each["sha"] for each in tree["tree"] if each["path"] == ARCHIVE]
        if not shas:
            return False
        packed = await self._commits.blob(shas[0])
        try:
            await asyncio.to_thread(unpack, packed, folder)
        except ValueError as error:
            foreign = texts.foreign_state(branch=self._branch, bot=self._bot)
            raise ActionRefused(f"{foreign} ({error})") from error
        return True

    async def save(self, folder: Path) -> None:
        """Keep what is in a folder. Raises ``TaskError`` when another process kept its own."""
        async with self._turn:
            packed = await asyncio.to_thread(pack, folder)
            if len(packed) > MOST_BRANCH_BYTES:
                large = texts.too_large(size=len(packed), most=MOST_BRANCH_BYTES)
                raise TaskError("github", large)
            files = {"README.md": f"{texts.state_readme()}\n".encode(), ARCHIVE: packed}
            await self._move(str((await self._commit(files))["sha"]))

    def _is_ours(self, commit: Any) -> bool:
        if self._form is None or commit["parents"] or commit["message"].strip() != _MESSAGE:
            return False
        people, signed = _form(commit)
        return people == self._form[0] and signed >= self._form[1]

    async def _tip(self) -> str:
        ref = await self._api.find(ref_path(self._branch), f"show branch {self._branch}")
        return str(ref["object"]["sha"]) if ref else ""

    async def _move(self, commit: str) -> None:
        self._tried.add(commit)
        if not await self._moved(commit):
            self._at = await self._tip()
            ours = not self._at or self._at in self._tried  # somebody may have deleted it meanwhile
            if not ours or not (self._at == commit or await self._moved(commit)):
                raise TaskError("github", texts.moved(branch=self._branch))
        self._at = commit
        self._tried.clear()

    async def _moved(self, commit: str) -> bool:
        if self._at:
            return await self._commits.move(self._branch, old=self._at, new=commit)
        return await self._commits.point(self._branch, commit)

    async def _commit(self, files: dict[str, bytes]) -> Any:
        entries = [
            {"path": path, "mode": "100644", "type": "blob", "sha": await self._blob(content)}
            for path, content in files.items()
        ]
        tree = await self._api.post("git/trees", {"tree": entries}, "write the state")
        data = {"message": _MESSAGE, "tree": tree["sha"], "parents": []}
        return await self._api.post("git/commits", data, "commit the state")

    async def _blob(self, content: bytes) -> str:
        data = {"content": base64.b64encode(content).decode(), "encoding": "base64"}
        return str((await self._api.post("git/blobs", data, "store the state"))["sha"])


def _form(commit: Any) -> _Form:
    """Who made a commit, as GitHub writes it under ours, and whether GitHub vouches for it."""
    people = tuple(str(commit[r][f]) for r in ("author", "committer") for f in ("name", "email"))
    return people, bool((commit.get("verification") or {}).get("verified"))
