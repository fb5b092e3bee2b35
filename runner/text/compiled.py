"""Templates are compiled once: what comes of them is kept as Python keeps that of modules."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from pickle import UnpicklingError

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

_COMPILER = f"jinja-{version('jinja2')}.{sys.implementation.cache_tag}"


class Compiled(BytecodeCache):
    """Files in ``__pycache__`` beside the templates, where that can be written.

    An environment with it must not be ``optimized``: what filters say would be compiled as well.
    """

    def __init__(self, *, keeps: bool = not sys.dont_write_bytecode) -> None:
        self._keeps = keeps

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """The file for a template, '' where that is in none itself."""
        if filename is None:
            return ""
        path = Path(filename)
        return str(path.parent / "__pycache__" / f"{path.name}.{_COMPILER}")

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read what was compiled of this text before."""
        with suppress(OSError, EOFError, UnpicklingError), Path(bucket.key).open("rb") as file:
            bucket.load_bytecode(file)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it for the next process."""
        if not (bucket.key and self._keeps):
            return
        path = Path(bucket.key)
        part = path.with_name(f"{path.name}.{os.getpid()}")
        with suppress(OSError):
            path.parent.mkdir(exist_ok=True)
            part.write_bytes(bucket.bytecode_to_string())
            part.replace(path)
