"""What is kept between workflow runs, as one archive: the database and the project memory.

Of runs that are over only what later ones ask for is kept, so that the archive stays small.
"""

from __future__ import annotations

import gzip
import io
import re
import shutil
import sqlite3
import tarfile
import tempfile
from contextlib import closing
from pathlib import Path

DATABASE = "cairn.db"
MOST_BYTES = 1 << 30
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
    """Put an archive's files into the data folder; others than ours are left out.

    Raises ``ValueError`` when it is no archive, or one of more than ``MOST_BYTES``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as tar:
            for each in _ours(tar):
                _write(tar, each, folder / each.name)
    except (tarfile.TarError, OSError, EOFError) as error:
        raise ValueError(f"it is no archive: {error}") from error


def _ours(tar: tarfile.TarFile) -> list[tarfile.TarInfo]:
    """The files that are kept; all names and sizes are looked at before one is written."""
    ours, left = [], MOST_BYTES
    for each in tar:
        left -= each.size
        if left < 0:  # a few bytes may stand for a disk full of them
            raise ValueError(f"it holds more than {MOST_BYTES:,} bytes")
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
