"""A PostgreSQL of the tests' own: started in a temporary folder, reached by its socket alone."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import psycopg
import pytest

from app.store.schema import metadata

_INSTALLED = Path("/usr/lib/postgresql")
# nobody pulls the plug on a test
_SETTINGS = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off"
_QUIET = "-c listen_addresses=''"
_names = itertools.count()

ON_BOTH = pytest.mark.parametrize("url", ["sqlite", "postgresql"], indirect=True)
"""Runs a test of the store on either database."""


@contextmanager
def postgresql(settings: str = _SETTINGS) -> Iterator[Cluster]:
    """Run a cluster; skip (on CI: fail) where PostgreSQL is not installed."""
    programs = _programs()
    if programs is None:
        if os.environ.get("CI"):
            pytest.fail("on CI there must be a PostgreSQL")
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="cairn-pg-"))
    cluster = Cluster(folder, programs)
    try:
        cluster.make()
        cluster.options = f"-k {folder} {_QUIET} {settings}"
        cluster.run("pg_ctl", "start", "-w", "-l", "log", "-o", cluster.options)
        yield cluster
    finally:
        cluster.run("pg_ctl", "stop", "-m", "immediate")
        shutil.rmtree(folder)


class Cluster:
    """A running PostgreSQL; ``database`` makes a new database and gives its address."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder = folder
        self._programs = programs
        self.options = ""

    def make(self) -> None:
        """Make the cluster's files, owned by who will run it: PostgreSQL refuses root."""
        if _user() is not None:
            shutil.chown(self.folder, _user())
        self.run("initdb", "--auth=trust", "--username=cairn", "--no-sync", "--encoding=UTF8")

    def database(self, *options: str) -> str:
        """Make an empty database and return its address; ``options`` are those of createdb."""
        name = f"test_{next(_names)}"
        self.run("createdb", f"--host={self.folder}", "--username=cairn", *options, name)
        return f"postgresql://cairn@/{name}?host={self.folder}"

    def crash(self, away: int = 0) -> None:
        """End the server as a crash would, every connection with it, and start it again.

        It is ``away`` for so many seconds.
        """
        self.run("pg_ctl", "stop", "-m", "immediate", "-w")
        time.sleep(away)
        self.run("pg_ctl", "start", "-w", "-l", "log", "-o", self.options)

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs. Raises ``CalledProcessError``."""
        subprocess.run(
            [self._programs / program, *arguments],
            cwd=self.folder,
            env={"PATH": os.defpath, "PGDATA": str(self.folder / "data"), "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=True,
            user=_user(),
        )


def is_installed() -> bool:
    """Say whether there is a PostgreSQL to run."""
    return _programs() is not None


def emptied(url: str) -> str:
    """Take every row out of a database of ours; sooner done than making a new one."""
    with psycopg.connect(url) as connection:
        tables = ", ".join(metadata.tables)
        connection.execute(f"TRUNCATE {tables} RESTART IDENTITY".encode())
    return url


@cache
def _user() -> str | None:
    """The account that runs it; None is our own."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        return "nobody"


@cache
def _programs() -> Path | None:
    """The newest installed version's folder; Debian keeps the server's programs off the PATH."""
    versions = sorted(_INSTALLED.glob("*/bin/initdb"), key=lambda found: int(found.parts[-3]))
    found = versions[-1] if versions else shutil.which("initdb")
    return Path(found).parent if found else None
