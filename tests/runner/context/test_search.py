"""Search ranks files by the words that they have; names are found in all files that have them."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.context.facts import facts_of
from runner.context.library import Library
from runner.context.search import Search, terms

_WORDS = ("alpha", "beta", "gamma", "delta", "omega")
_FILES = st.dictionaries(
    st.from_regex(r"(src/)?(alpha|beta|other){1,3}\.py", fullmatch=True),
    st.dictionaries(st.sampled_from(_WORDS), st.integers(1, 300)),
    max_size=12,
)


def search(files: dict[str, dict[str, int]]) -> Search:
    """Return the search of files whose words are counted."""
    hashes = [crc32(stem.encode()) for words in files.values() for w in words for stem in terms(w)]
    counts = [count for words in files.values() for count in words.values()]
    sizes = [len(words) for words in files.values()]
    return Search(list(files), array("I", hashes).tobytes(), array("H", counts).tobytes(), sizes)


@given(_FILES, st.lists(st.sampled_from((*_WORDS, "other", "nowhere")), max_size=8))
def test_scores_are_those_of_the_formula(
    files: dict[str, dict[str, int]], query: list[str]
) -> None:
    """BM25 with k1 = 1.5 and b = 0.75, where a term of the path counts three times."""
    texts = {}
    for path, words in files.items():
        texts[path] = Counter({stem: n for word, n in words.items() for stem in terms(word)})
        for term in terms(path.removesuffix(".py")):
            texts[path][term] += 3
    lengths = {path: text.total() for path, text in texts.items()}
    mean = max(1.0, sum(lengths.values()) / max(1, len(files)))
    expected: Counter[str] = Counter()
    for term in (term for word in query for term in terms(word)):
        having = [path for path, text in texts.items() if text[term]]
        rare = math.log(1 + (len(files) - len(having) + 0.5) / (len(having) + 0.5))
        for path in having:
            often = texts[path][term]
            long = 1.5 * (0.25 + 0.75 * lengths[path] / mean)
            expected[path] += rare * often / (often + long)  # type: ignore[assignment]
    best = max(expected.values(), default=1)

    found = search(files).scores([term for word in query for term in terms(word)])

    assert list(found) == [path for path in files if path in expected]
    assert found == pytest.approx({path: score / best for path, score in expected.items()})


def test_names_are_found_in_every_file_that_has_them() -> None:
    """Where a name is used is looked up by its hash."""
    names = [f"name_{number}" for number in range(60)]
    files = {
        f"m{at:02}.py": "".join(f"{name}()\n" for name in names[at : at + 7]) for at in range(54)
    }
    library = Library({path: facts_of(path, text.encode()) for path, text in files.items()})

    assert library.users("name_20") == [f"m{at:02}.py" for at in range(14, 21)]
    assert library.users("nowhere") == []
