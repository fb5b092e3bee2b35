"""A small tree and a short way to parse an answer against it."""

from __future__ import annotations

from runner.answers.reply import ParsedAnswer, parse_reply

HELPERS = (
    b"def shout(text):\n    return text.upper()\n\n\ndef whisper(text):\n    return text.lower()\n"
)
TREE = {
    "src/utils/helpers.py": HELPERS,
    "src/app.py": b"print('hello')\n",
    "docs/README.md": b"# Read me\n",
    "win.py": b"a = 1\r\nb = 2\r\n",
    "src/__init__.py": b"",
}
CODE = 'def add(a, b):\n    """Add < and > up."""\n    return a + b\n'


def ask(
    text: str, *, expected: tuple[str, ...] = ("src/math.py",), **options: bool
) -> ParsedAnswer:
    return parse_reply(text, paths=TREE, expected=expected, read=TREE.get, **options)


def written(reply: ParsedAnswer) -> dict[str, str | None]:
    """Return what the reply writes, as text."""
    return {path: w and w.content.decode() for path, w in reply.changes.files.items()}
