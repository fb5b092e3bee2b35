"""Search ranks files alike with numpy, as in a large tree, and without it."""

from __future__ import annotations

import subprocess
import sys
from array import array
from zlib import crc32

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


def search(files: dict[str, dict[str, int]], *, few: int) -> Search:
    """Return the search of files whose words are counted; ``few``: terms without numpy."""
    hashes = [crc32(stem.encode()) for words in files.values() for w in words for stem in terms(w)]
    counts = [count for words in files.values() for count in words.values()]
    sizes = [len(words) for words in files.values()]
    return Search(
        list(files), array("I", hashes).tobytes(), array("H", counts).tobytes(), sizes, few=few
    )


@given(_FILES, st.lists(st.sampled_from((*_WORDS, "other", "nowhere")), max_size=8))
def test_both_ways_give_the_same_scores_in_the_same_order(
    files: dict[str, dict[str, int]], query: list[str]
) -> None:
    """The scores agree to the last bit, whatever the counts, and so does the order of paths."""
    asked = [term for word in query for term in terms(word)]

    plain = search(files, few=1_000_000).scores(asked)
    arrays = search(files, few=-1).scores(asked)

    assert list(plain.items()) == list(arrays.items())


def test_a_small_tree_is_searched_without_numpy() -> None:
    """Loading numpy takes longer than any search of a few files."""
    program = (
        "import sys\n"
        "from runner.context.library import library\n"
        "from runner.context.facts import facts_of\n"
        "known = library({'a.py': facts_of('a.py', b'def alpha(): pass')})\n"
        "assert known.search.scores(['alpha']) == {'a.py': 1.0}\n"
        "assert known.definers('alpha') == ('a.py',)\n"
        "assert 'numpy' not in sys.modules\n"
    )

    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert (ran.returncode, ran.stderr) == (0, "")


def test_names_are_found_alike_in_a_small_and_in_a_large_tree() -> None:
    """Who uses a name does not depend on how it is looked up."""
    names = [f"name_{number}" for number in range(60)]
    files = {
        f"m{at:02}.py": "".join(f"{name}()\n" for name in names[at : at + 7]) for at in range(54)
    }
    facts = {path: facts_of(path, text.encode()) for path, text in files.items()}
    small, large = Library(facts), Library(facts, few=-1)

    plain = {name: small.users(name) for name in (*names, "nowhere")}

    assert {name: large.users(name) for name in plain} == plain
    assert plain["name_20"] == [f"m{at:02}.py" for at in range(14, 21)]
    assert plain["nowhere"] == []
