"""Turn an answer's text into a file's bytes, with the line ends of the file it replaces."""

from __future__ import annotations

_BOM = b"\xef\xbb\xbf"


def to_bytes(text: str, old: bytes | None) -> bytes:
    """Encode as UTF-8 with one final line end; CRLF and byte-order mark follow ``old``.

    Raises ``UnicodeEncodeError`` for a lone surrogate (a broken escape in a JSON answer).
    """
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n")
    content = (plain + "\n").encode("utf-8") if plain else b""
    if old is None:
        return content
    if old.count(b"\r\n") * 2 > old.count(b"\n"):
        content = content.replace(b"\n", b"\r\n")
    return _BOM + content if old.startswith(_BOM) else content
