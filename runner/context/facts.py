"""What is known of one file's content: a value that holds for its blob sha for ever."""

from __future__ import annotations

from dataclasses import dataclass

from runner.context.symbols import NONE, Symbols, symbols_of
from runner.context.terms import terms


@dataclass(frozen=True, slots=True)
class Facts:
    """Symbols and search terms of one file."""

    symbols: Symbols = NONE
    terms: tuple[str, ...] = ()

    @property
    def weight(self) -> int:
        """About how much memory it takes, in references."""
        symbols = self.symbols
        return 20 + len(self.terms) + 12 * len(symbols.definitions) + len(symbols.references)


NOTHING = Facts()


def facts_of(path: str, content: bytes) -> Facts:
    """Read a file; a binary one has nothing to tell. What it defines counts twice in search."""
    if b"\0" in content:
        return NOTHING
    symbols = symbols_of(path, content)
    names = " ".join(definition.name for definition in symbols.definitions)
    words = terms(content.decode("utf-8", "replace"))
    return Facts(symbols, (*words, *terms(names)))
