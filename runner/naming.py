"""Names that the runner gives: branches and commit messages (DESIGN §7)."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from runner.ports import Checkpoint

_LONGEST = 40


def slug(text: str) -> str:
    """Reduce a text to ``[a-z0-9-]``, at most 40 characters, never empty.

    What would be empty or is cut ends in a digest of the text, so that two texts stay two slugs.
    """
    plain = _plain(text)
    if plain and len(plain) <= _LONGEST:
        return plain
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:6]
    return f"{_cut(plain, _LONGEST - 7)}-{digest}".lstrip("-")


def branch_name(run: str, task: str, title: str) -> str:
    """Name a checkpoint's branch: ``cairn/<run>/<task>-<title>``, 40 characters a part at most."""
    first = slug(task)
    rest = _cut(_plain(title), max(0, _LONGEST - len(first) - 1))
    return f"cairn/{slug(run)}/{first}-{rest}".rstrip("-")


def shared_branch(run: str) -> str:
    """Name the branch that holds all tasks of a run; the further ones end in ``-2``, ``-3`` ..."""
    return f"cairn/{slug(run)}/tasks"


def commit_message(checkpoint: Checkpoint) -> str:
    """Return the whole commit message, its trailers last.

    https://git-scm.com/docs/git-interpret-trailers
    """
    trailers = [f"{key}: {' '.join(value.split())}" for key, value in checkpoint.trailers]
    text = checkpoint.message.strip() or checkpoint.title.strip()
    return "\n\n".join(filter(None, [text, "\n".join(trailers)])) + "\n"


def _plain(text: str) -> str:
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", ascii_text).strip("-")


def _cut(plain: str, length: int) -> str:
    """Cut at ``length`` characters, between words where that leaves anything."""
    if len(plain) <= length:
        return plain
    words, dash, _ = plain[: length + 1].rpartition("-")
    return (words if dash else plain[:length]).strip("-")
