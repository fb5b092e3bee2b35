"""Search texts and code: BM25 over words."""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from zlib import crc32

FEW = 50_000
"""Terms of a tree, counted once for each file that has them, that are searched without numpy."""
_HASH = 4


class Search:
    """BM25 over files whose terms are known by their hashes; asked often.

    ``terms`` and ``counts`` are those of all files, one after another, ``sizes`` how many each file
    has. The terms of their ``paths`` count as if they stood in the file so often.
    The formula is Lucene's (https://arxiv.org/abs/2407.03618); making the matrix of bm25s anew for
    each tree takes 3 seconds for 20,000 files, and this 0.1.
    """

    def __init__(
        self,
        paths: Sequence[str],
        terms: bytes,
        counts: bytes,
        sizes: Sequence[int],
        *,
        few: int = FEW,
    ):
        self._paths = paths
        own = [_hashed_terms(_without_suffix(path)) for path in paths]
        kind: type[_FewTerms | _ManyTerms] = _FewTerms if len(terms) <= few * _HASH else _ManyTerms
        self._terms = kind(terms, counts, sizes, own)

    def scores(self, query: Sequence[str]) -> dict[str, float]:
        """Return paths with a score above 0; the best has 1."""
        wanted = Counter(crc32(term.encode("utf-8", "surrogatepass")) for term in query)
        scores = self._terms.scores(wanted) if self._paths and wanted else {}
        best = max(scores.values(), default=0.0)
        return {self._paths[at]: score / best for at, score in scores.items()}


class _FewTerms:
    """Those of a small tree, where numpy would take longer to load than it saves."""

    def __init__(
        self, terms: bytes, counts: bytes, sizes: Sequence[int], own: Sequence[Sequence[int]]
    ):
        found = zip(memoryview(terms).cast("I"), memoryview(counts).cast("H"), strict=True)
        self._having: dict[int, dict[int, int]] = {}
        lengths = []
        for place, (size, of_path) in enumerate(zip(sizes, own, strict=True)):
            rows = [*islice(found, size), *((term, _PATH_COUNTS) for term in of_path)]
            for term, count in rows:
                files = self._having.setdefault(term, {})
                files[place] = files.get(place, 0) + count
            lengths.append(sum(count for _, count in rows))
        mean = max(1.0, sum(lengths) / max(1, len(lengths)))
        self._long = [_K1 * (1 - _B + _B * length / mean) for length in lengths]

    def scores(self, wanted: Mapping[int, int]) -> dict[int, float]:
        """Return the places of files with a score above 0, in order; ``wanted`` are weights."""
        scores: dict[int, float] = {}
        for term, weight in wanted.items():
            files = self._having.get(term, {})
            rare = _rarity(len(files), len(self._long))
            for place, often in files.items():
                score = weight * rare * often / (often + self._long[place])
                scores[place] = scores.get(place, 0.0) + score
        return {place: scores[place] for place in sorted(scores)}


class _ManyTerms:
    """Those of a large tree, in arrays of numpy; the scores are the same to the last bit."""

    def __init__(
        self, terms: bytes, counts: bytes, sizes: Sequence[int], own: Sequence[Sequence[int]]
    ):
        import numpy as np  # 0.1 s: not at every command

        place = np.arange(len(sizes), dtype=np.int32)
        self._terms = np.concatenate(
            [np.frombuffer(terms, np.uint32), np.array([t for row in own for t in row], np.uint32)]
        )
        self._files = np.concatenate(
            [np.repeat(place, sizes), np.repeat(place, [len(row) for row in own])]
        )
        of_paths = np.full(len(self._terms) - sum(sizes), _PATH_COUNTS, np.float32)
        self._counts = np.concatenate(
            [np.frombuffer(counts, np.uint16).astype(np.float32), of_paths]
        )
        self._lengths = np.bincount(self._files, self._counts, len(sizes))

    def scores(self, wanted: Mapping[int, int]) -> dict[int, float]:
        """Return the places of files with a score above 0, in order; ``wanted`` are weights."""
        import numpy as np

        low = np.zeros(1 << 16, bool)
        low[[term & 0xFFFF for term in wanted]] = True
        near = np.flatnonzero(low[self._terms & 0xFFFF])
        scores = np.zeros(len(self._lengths))
        long = _K1 * (1 - _B + _B * self._lengths / max(1.0, float(self._lengths.mean())))
        for term, weight in wanted.items():
            at = near[self._terms[near] == term]
            often = np.bincount(self._files[at], self._counts[at], len(scores))
            rare = _rarity(int((often > 0).sum()), len(scores))
            scores += weight * rare * often / (often + long)
        return {at: float(scores[at]) for at in scores.nonzero()[0].tolist()}


def _rarity(having: int, files: int) -> float:
    """Return how much a term says that so many of so many files have."""
    return math.log(1 + (files - having + 0.5) / (having + 0.5))


_K1, _B, _PATH_COUNTS = 1.5, 0.75, 3


def _without_suffix(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return folder + slash + (name.rpartition(".")[0] or name)


@lru_cache(maxsize=50_000)
def _hashed_terms(text: str) -> tuple[int, ...]:
    """The hashes of a text's terms."""
    found = (term for word in _WORD.findall(text) for term in _terms_of(word))
    return tuple(crc32(term.encode("utf-8", "surrogatepass")) for term in found)


def hashed_terms(*texts: str) -> dict[int, int]:
    """The hashes of the terms of texts, and how often the words that have them occur."""
    found: dict[int, int] = {}
    for text in texts:
        for word, count in Counter(_WORD.findall(text)).items():
            for term in _hashed_terms(word):
                found[term] = found.get(term, 0) + count  # a Counter asks Python for each new one
    return found


MAX_TERMS = 4_000
"""Of one text; what comes after is not searched."""

_WORD = re.compile(r"\w{2,60}")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_ENDINGS = ("ations", "ation", "ings", "ing", "edly", "ed", "ies", "es", "s", "ly", "e", "y")
_OF_ENGLISH = """
a about above after again against ain all am an and any are aren as at be because been before being
below between both but by can couldn d did didn do does doesn doing don down during each few for
from further had hadn has hasn have haven having he her here hers herself him himself his how i if
in into is isn it its itself just ll m ma me mightn more most mustn my myself needn no nor not now o
of off on once only or other our ours ourselves out over own re s same shan she should shouldn so
some such t than that the their theirs them themselves then there these they this those through to
too under until up ve very was wasn we were weren what when where which while who whom why will with
won wouldn y you your yours yourself yourselves
"""
_OF_PROGRAMS = """
def class return self import from none true false const let var function func public private static
void new if else elif while for in str int bool float list dict any
"""
_STOP_WORDS = frozenset((*_OF_ENGLISH.split(), *_OF_PROGRAMS.split()))
_SHORTEST = 3


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, repeated as often as they occur."""
    found: list[str] = []
    for word in _WORD.finditer(text):
        found += _terms_of(word[0])
        if len(found) > MAX_TERMS:
            break
    return found[:MAX_TERMS]


_QUOTED = re.compile(r"`([^`\n]{1,160})`")
_SAID = re.compile("[\"\u201c\u2018']([^\"\u201c\u201d\u2018\u2019'`\\n]{6,160})[\"\u201d\u2019']")
_CODE = re.compile(
    r"\b[^\W\d]\w*(?=\()|\b(?:\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z][A-Z\d]{3,})\b"
)
_NAME = re.compile(r"[^\W\d]\w*")
_PLAIN_NAME = re.compile(r"[\w.]+\Z")


def names_in(text: str) -> tuple[str, ...]:
    """Names that are written as code is: in backticks, called, or of several parts."""
    quoted = [name for each in _QUOTED.findall(text) for name in _NAME.findall(each)]
    return tuple(dict.fromkeys([*quoted, *_CODE.findall(text)]))


def texts_in(text: str) -> tuple[str, ...]:
    """Texts a task quotes that are no plain name: a message, a setting, a piece of code."""
    found = [each.strip() for each in (*_QUOTED.findall(text), *_SAID.findall(text))]
    long = (each for each in found if len(each) >= _SHORTEST_TEXT and not _PLAIN_NAME.match(each))
    return tuple(dict.fromkeys(long))[:_MOST_TEXTS]


_SHORTEST_TEXT, _MOST_TEXTS = 6, 20


@lru_cache(maxsize=50_000)
def _terms_of(word: str) -> tuple[str, ...]:
    """Split an identifier; one of several parts also counts unsplit."""
    parts = [part.lower() for part in _PART.findall(word)]
    kept = [stem(p) for p in parts if p not in _STOP_WORDS and (len(p) > 1 or not p.isascii())]
    lower = word.lower().strip("_")
    whole = [lower] if parts and lower not in parts else []
    return tuple(sys.intern(term) for term in (*kept, *whole))


def stem(word: str) -> str:
    """Cut one English ending, so that "parses", "parsed" and "parsing" meet."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word.removesuffix(ending)
    return word
