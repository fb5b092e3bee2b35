"""What is known of files survives the process that learned it, and damage costs only time."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.context.facts import FileFacts, facts_of
from runner.context.library import Index
from runner.files.facts_file import FactsFile
from runner.state.changes import blob_sha

CODE = b"import os\n\n\ndef total(items):\n    return sum(items)\n"
OTHER = b"def paid(cart):\n    return total(cart)\n"


def learned(path: Path, *contents: bytes, most: int = 1_000_000) -> Index:
    index = Index(FactsFile(path, most=most))
    for content in contents:
        index.learn("a.py", blob_sha(content), content)
    index.keep()
    return index


def kept(path: Path, content: bytes) -> FileFacts | None:
    """What another process knows of a content."""
    return Index(FactsFile(path)).known("b/c.py", blob_sha(content))


def test_facts_are_kept_by_what_a_file_holds(tmp_path: Path) -> None:
    """Under any path of the language, with the symbols as they were read."""
    file = tmp_path / "new" / "facts.bin"
    learned(file, CODE)
    learned(file, OTHER)

    assert kept(file, CODE) == facts_of("x.py", CODE)
    assert kept(file, OTHER) == facts_of("x.py", OTHER)
    found = kept(file, CODE)
    assert found is not None
    assert [each.signature for each in found.symbols.definitions] == ["def total(items)"]
    assert found.symbols.imports == ("import os",)
    assert kept(file, b"something else") is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: b"cairn facts 0\n" + content[14:],
        lambda content: content[:-7],
        lambda content: content + b"\0" * 9,
        lambda content: content[:30] + b"\xff" * 40 + content[70:],
        lambda content: b"\xff" * len(content),
        lambda content: content[: len(content) // 2] + content[len(content) // 2 + 1 :],
    ],
    ids=["empty", "older", "cut", "longer", "record", "noise", "shifted"],
)
def test_a_damaged_file_is_made_again(tmp_path: Path, damage) -> None:
    """What is wrong is not known, and never wrong; what is learned then is kept."""
    file = tmp_path / "facts.bin"
    learned(file, CODE, OTHER)
    file.write_bytes(damage(file.read_bytes()))

    assert kept(file, CODE) in (None, facts_of("x.py", CODE))
    assert kept(file, OTHER) in (None, facts_of("x.py", OTHER))

    index = Index(FactsFile(file))
    for content in (CODE, OTHER):
        if index.known("a.py", blob_sha(content)) is None:
            index.learn("a.py", blob_sha(content), content)
    index.keep()
    again = Index(FactsFile(file))
    for content in (CODE, OTHER):
        if again.known("a.py", blob_sha(content)) is None:
            again.learn("a.py", blob_sha(content), content)
    again.keep()
    assert kept(file, CODE) == facts_of("x.py", CODE)
    assert kept(file, OTHER) == facts_of("x.py", OTHER)


def test_a_file_that_is_too_large_begins_anew(tmp_path: Path) -> None:
    """It never grows beyond its bound."""
    file = tmp_path / "facts.bin"
    for n in range(50):
        learned(file, CODE + b"x = 1\n" * n, most=2_000)

    assert file.stat().st_size <= 2_000
    assert kept(file, CODE + b"x = 1\n" * 49) is not None


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    """Then every process reads the files itself."""
    (tmp_path / "file").write_text("")
    index = learned(tmp_path / "file" / "facts.bin", CODE)

    assert index.known("a.py", blob_sha(CODE)) == facts_of("a.py", CODE)
