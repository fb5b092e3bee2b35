"""Encoding, line ends and the end of a file stay, whatever an answer does to its lines."""

from __future__ import annotations

import pytest

from runner.answers.file_lines import FileLines
from runner.answers.reply import parse_reply
from runner.state.findings import Complaint
from runner.text.encoding import UNKNOWN, encoding_of

NOT_ENDED = "\\ No newline at end of file\n"
HUNK = "```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n a\n-b\n{}+b\n{}```"
XML = "<?xml version='1.0' encoding='ISO-8859-1'?>\n"
WRONG = '<?xml version="1.0" encoding="{}"?>\n<é/>\n'
SIGNED = b"# coding: utf-8-sig\n"
LATIN = b"# -*- coding: latin-1 -*-\nNAME = 'Caf\xe9'\n"


@pytest.mark.parametrize(
    ("path", "old", "text", "new"),
    [
        ("a.py", LATIN, LATIN.decode("latin-1") + "B = 'ü'\n", LATIN + b"B = '\xfc'\n"),
        ("a.py", LATIN, "NAME = 'Café'\n", "NAME = 'Café'\n".encode()),  # says nothing now
        (
            "a.rb",
            b"# coding: cp1252\n# \x80\n",
            "# coding: cp1252\n# €\n€",
            b"# coding: cp1252\n# \x80\n\x80\n",
        ),
        (
            "a.xml",
            XML.encode() + b"<a/>\n",
            XML + "<é/>\n",
            XML.encode() + b"<\xe9/>\n",
        ),
        # what can be read as ASCII is in no encoding that has other bytes for it
        *(
            ("a.xml", WRONG.format(name).encode(), f"{WRONG.format(name)}<b/>\n", None)
            for name in ("utf-16", "UTF-16LE", "utf-32", "cp037")
        ),
        ("a.py", SIGNED + "é\n".encode(), SIGNED.decode() + "è\né\n", None),
        (
            "a.txt",
            "\ufeffä\r\nb\r\n".encode("utf-16-le"),
            "ä\n→\n",
            "\ufeffä\r\n→\r\n".encode("utf-16-le"),
        ),
        ("a.txt", "\ufeffä\n".encode(), "ä\nb\n", "\ufeffä\nb\n".encode()),
        ("a.txt", b"caf\x81\nb\n", "caf\ufffd\nc\n", b"caf\x81\nc\n"),  # nobody says what it is
        ("a.txt", b"a\r\nb\nc\r\nd\n", "a\nB\nc\nx\nd\n", b"a\r\nB\nc\r\nx\r\nd\n"),
        ("a.txt", b"a\r\nb", "a\nb\nc\n", b"a\r\nb\r\nc"),
        ("a.txt", b"a\nb", "a\nc\n", b"a\nc"),
        ("a.txt", b"a\nb\n\n\n", "a\nc\n", b"a\nc\n\n\n"),
        ("a.txt", b"", "a", b"a\n"),
        ("a.txt", b"a\n", "", b""),
    ],
)
def test_a_whole_file_again(path: str, old: bytes, text: str, new: bytes | None) -> None:
    """Lines that stay keep their bytes, new ones are written as those around them (in UTF-8)."""
    assert FileLines.of(path, old).rewritten(text).content() == (
        text.encode() if new is None else new
    )


@pytest.mark.parametrize(
    ("old", "text", "said"),
    [
        (
            LATIN,
            LATIN.decode("latin-1") + "A = '→'\n",
            "iso8859-1 (see its first lines), which has no '→' (U+2192, line 3)",
        ),
        (b"caf\x81\n", "caf\ufffd\né\n", "does not say how it is encoded, so 'é' (line 2)"),
        (b"caf\x81\n", "caf\ufffd au lait\n", "line 1 has U+FFFD"),
        (b"a\n", "a\n\ud800\n", "a broken character (a lone surrogate) in line 2"),
    ],
)
def test_what_cannot_be_written(old: bytes, text: str, said: str) -> None:
    """The complaint names the character and its line; nothing is written."""
    found = FileLines.of("a.py", old).rewritten(text).content()

    assert isinstance(found, Complaint)
    assert said in found.message


@pytest.mark.parametrize(
    ("old", "answer", "new"),
    [
        (b"a\nb", "a.txt\n```\na\nb\n```", b"a\nb\n"),
        (b"a\nb", "a.txt\n```\na\nb\n```\nb.txt\n```\nc\n```", None),
        (
            b"a\nb",
            HUNK.format(NOT_ENDED, ""),
            b"a\nb\n",
        ),
        (
            b"a\nb\n",
            HUNK.format("", NOT_ENDED),
            b"a\nb",
        ),
        (b"a\r\nb", "a.txt\n<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n", b"a\r\nc"),
    ],
)
def test_the_end_of_a_file(old: bytes, answer: str, new: bytes | None) -> None:
    """It changes where a diff says so, or where the answer changes nothing else."""
    write = parse_reply(answer, paths=["a.txt"], read={"a.txt": old}.get).changes.files["a.txt"]

    assert write is not None
    assert write.content == (new or old)


WESTERN = "Größe: 5 °C \u2014 naïveté, Œuvre «x»\r\nplain\n".encode("cp1252")


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (WESTERN, "cp1252"),
        (b"caf\xe9\n", "cp1252"),
        ("Größe".encode(), "utf-8"),
        ("Привет".encode("cp1251"), UNKNOWN),
        ("カタカナ".encode("shift-jis"), UNKNOWN),
        ("中文".encode("gbk"), UNKNOWN),
        ("żółw i łoś".encode("latin2"), UNKNOWN),
        (b"caf\x82\n", UNKNOWN),
        (b"\x00caf\xe9", UNKNOWN),
    ],
)
def test_bytes_that_say_nothing(content: bytes, name: str) -> None:
    """Text of Western Europe is known by its bytes; of all else the bytes are kept."""
    assert encoding_of("notes.txt", content).name == name


def test_what_reads_as_western_text_is_written_back_so() -> None:
    """New letters get its bytes; what the encoding lacks is refused, unless UTF-8 is wanted."""
    file = FileLines.of("notes.txt", WESTERN)
    assert "\n".join(file.texts) == WESTERN.decode("cp1252").replace("\r\n", "\n")
    new = WESTERN.decode("cp1252") + "Zoë\n"

    assert file.rewritten(new).content() == new.encode("cp1252")
    refused = file.rewritten(f"{new}→\n").content()
    assert isinstance(refused, Complaint)
    assert "is encoded as cp1252 (see how its bytes read), which has no '→'" in refused.message
    wanted = FileLines.of("notes.txt", WESTERN, in_utf8=True)
    assert wanted.rewritten(f"{new}→\n").content() == f"{new}→\n".encode()
